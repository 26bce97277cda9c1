#!/bin/sh
# Every metric that filterd and filterd-ship export is in a manual with its unit, and no other is there; the dashboard and
# the alerts name no metric that does not exist. promtool, where it is installed, runs the alerts' own tests.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/service.inc"

# In a manual: rows of tables, "name|unit|meaning". In the sources: literals.
cat "$root/docs/man/filterd-metrics.7" "$root/docs/man/filterd-ship.8" "$root/docs/man/filterd-link.8" >"$work/pages"
grep -E '^(filterd|process)_[a-z_]+\|' "$work/pages" | cut -d'|' -f1 | sort >"$work/documented"
(cd "$root" && grep -rhoE '"filterd_[a-z_]+' --include='*.c' filterd jail supervisor-llm) | tr -d '"' | sort -u >"$work/written"
expect 'each once' '' "$(uniq -d <"$work/documented")"
expect 'each has a unit and a meaning' '' "$(grep -E '^(filterd|process)_' "$work/pages" | grep -vE '^[a-z_]+\|[^|]+\|.+')"
expect 'there are some' 1 "$(($(wc -l <"$work/written") > 50))"
expect 'not in a manual' '' "$(comm -13 "$work/documented" "$work/written")"

# What runs exports those, with their types: _total is a counter and only counters end so.
cat >"$work/supervisors.yaml" <<'YAML'
supervisors: {near: {url: 'http://127.0.0.1:9/v1', model: m}}
YAML
python3 -c '
import base64, hashlib
key = b"\4" + bytes(range(32))
print("witness w w+%s+%s http://127.0.0.1:9" % (hashlib.sha256(b"w\n" + key).hexdigest()[:8], base64.b64encode(key).decode()))
print("quorum w")' >"$work/witnesses"
start --ship-required=siem --link="unix:$work/link.sock" --supervisors="$work/supervisors.yaml" --witnesses="$work/witnesses"
post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null
# The queue is counted once its file is there.
for _ in $(seq 600); do
    curl -sS "$url/metrics" >"$work/metrics"
    ! grep -q '^filterd_review_open_items' "$work/metrics" || break
    sleep 0.1
done
stop
echo "sinks: {siem: {format: record, file: $work/copy}}
log: $work/state/decisions.jsonl
state: $work/state/ship
metrics: $work/ship.prom" >"$work/ship.yaml"
"$bin/filterd-ship" --config "$work/ship.yaml" 2>"$work/ship.log" &
ship_pid=$!
for _ in $(seq 600); do [ -s "$work/ship.prom" ] && break; sleep 0.1; done
kill $ship_pid; wait $ship_pid
expect 'filterd-ship ended well' 0 $?
echo "host=$work dbname=none" >"$work/store.conf"
echo "{node: here, connection: $work/store.conf, log: $work/state/decisions.jsonl, state: $work/state/ship, metrics: $work/link.prom,
    filterd: $work/link.sock, copies: $work/copies, bundles: $work, bundle-url: 'http://127.0.0.1:9/policy'}" >"$work/link.yaml"
"$bin/filterd-link" --config "$work/link.yaml" 2>"$work/link.log" &
link_pid=$!
for _ in $(seq 600); do [ -s "$work/link.prom" ] && break; sleep 0.1; done
kill $link_pid; wait $link_pid
expect 'filterd-link ended well, without a database' 0 $?
cat "$work/metrics" "$work/ship.prom" "$work/link.prom" | sed -n 's/^# TYPE //p' | sort >"$work/types"
cut -d' ' -f1 "$work/types" >"$work/exported"
expect 'exported, not in a manual' '' "$(comm -13 "$work/documented" "$work/exported")"
# No policy seals here.
grep '|\(if a policy seals\|with bundles\)' "$work/pages" | cut -d'|' -f1 | sort >"$work/sometimes"
expect 'in a manual, not exported' '' "$(comm -23 "$work/documented" "$work/exported" | comm -23 - "$work/sometimes")"
expect 'counters' '' "$(awk '($1 ~ /_total$/) != ($2 == "counter")' "$work/types")"
expect 'histograms are called so' '' "$(awk '$2 == "histogram" { print $1 }' "$work/types" | while read -r name; do
    grep -A 1 "^$name|" "$work/pages" | grep -q histogram || echo "$name"; done)"

# What operators are given names only those.
named() { grep -ohE '\b(filterd|process)_[a-z_]+' "$@" | sed 's/_\(bucket\|sum\|count\)$//' | sort -u; }
dashboard=$root/packaging/grafana/filterd.json rules=$root/packaging/prometheus/filterd.rules.yaml
expect 'the dashboard is JSON' 0 "$(jq -e '.panels | length > 20' "$dashboard" >/dev/null; echo $?)"
expect 'panels do not overlap' '' "$(jq -r '.panels[].gridPos | . as $p | range(.x; .x + .w) as $x | range($p.y; $p.y + $p.h) | "\($x),\(.)"' "$dashboard" | sort | uniq -d | head -3)"
expect 'the dashboard, too' '' "$(jq -r '.panels[] | .targets[]?.expr' "$dashboard" >"$work/exprs"; named "$work/exprs" | comm -23 - "$work/documented")"
expect 'the alerts, too' '' "$(named "$rules" | comm -23 - "$work/documented")"
expect 'each alert is tested' '' "$(sed -n 's/.*alert: //p' "$rules" | while read -r alert; do
    grep -q "$alert" "${rules%.yaml}.test.yaml" || echo "$alert"; done)"
if command -v promtool >/dev/null; then
    promtool check rules "$rules" >"$work/promtool" 2>&1 && (cd "$root/packaging/prometheus" && promtool test rules filterd.rules.test.yaml) >>"$work/promtool" 2>&1
    expect 'promtool' 0 $?
    cat "$work/metrics" "$work/ship.prom" "$work/link.prom" | promtool check metrics >"$work/lint" 2>&1
    expect 'Prometheus reads them' 0 "$(grep -ci 'error while linting' "$work/lint")"
    # A query of the dashboard is one that Prometheus reads.
    sed 's/\$__rate_interval/5m/g; s/\$instance/.*/g' "$work/exprs" |
        jq -R '{expr: .}' | jq -s 'to_entries | map(.value + {record: "panel:target:\(.key)"})' | jq '{groups: [{name: "dashboard", rules: .}]}' >"$work/dashboard.rules.yaml"
    promtool check rules "$work/dashboard.rules.yaml" >"$work/promtool.dashboard" 2>&1
    expect 'queries of the dashboard' '0 ' "$? $(grep -i error "$work/promtool.dashboard")"
else
    echo 'skip: promtool is not installed'
fi
finish
