#!/bin/sh
# million.sh BINDIR: FILTERD_SHIP_LINES lines (a million) over four rotations come to a receiver that is killed, refuses, is slow and
# loses its answers, while filterd-ship itself is killed, too: none is lost; how many came twice is counted. Then filterd's
# latency with and without a filterd-ship beside it whose receiver is slow.
here=$(cd "$(dirname "$0")" && pwd)
support=$here/../support
. "$here/../e2e/service.inc"
. "$here/../e2e/ship.inc"
n=${FILTERD_SHIP_LINES:-1000000}

start_receiver http 0 "$work/got"
: >"$work/got"
cat >"$work/ship.yaml" <<YAML
{log: $work/decisions.jsonl, state: $work/ship, metrics: $work/ship.prom, drain: 60s,
 sinks: {siem: {format: otlp, url: 'http://127.0.0.1:$port/seqs/v1/logs', timeout: 3s}}}
YAML
began=$(date +%s)
python3 "$here/make_log.py" "$work/decisions.jsonl" 1000 # so that there is a log
start_ship
(
    part=$(((n - 1000) / 4 + 1)) first=1001
    while [ $first -le "$n" ]; do
        mv "$work/decisions.jsonl" "$work/decisions.jsonl.$first"
        [ $first -eq 1001 ] || gzip "$work/decisions.jsonl.$before"
        before=$first
        [ $((first + part - 1)) -le "$n" ] || part=$((n - first + 1))
        python3 "$here/make_log.py" "$work/decisions.jsonl" $part $first
        first=$((first + part))
    done
) &
writer=$!
faults=0
has_all() { grep -qx "$n" "$work/got"; }
fail_once() { # one failure after the other
    case $((faults % 6)) in
    0) behave refuse 503 1 ;;
    1) stop_receiver; sleep 1; start_receiver http "$port" "$work/got" ;;
    2) behave slow 400 ;;
    3) behave lose ;;
    4) stop_ship KILL; start_ship ;;
    5) behave refuse 429 ;;
    esac
    faults=$((faults + 1))
    sleep 1.5
    behave accept
}
for _ in $(seq 400); do
    [ $faults -ge 30 ] || fail_once
    sleep 3
    has_all && ! kill -0 $writer 2>/dev/null && break
done
wait $writer
wait_until 'the last line' has_all
stop_ship
expect 'ended' 0 "$status"
expect 'none is lost' "$n" "$(sort -nu "$work/got" | wc -l)"
expect 'the numbers are those of the log' "1 $n" "$(sort -nu "$work/got" | sed -n '1p;$p' | paste -sd ' ')"
expect 'nothing missing in the files' 0 "$(sed -n 's/^filterd_ship_missing_lines_total{sink="siem"} //p' "$work/ship.prom")"
echo "note: $n lines, $faults failures, $(($(wc -l <"$work/got") - n)) lines came twice, $(($(date +%s) - began)) s with their writing"
stop_receiver
rm -f "$work"/decisions.jsonl* "$work/got"

# --- filterd beside it ---------------------------------------------------------------------------------
start
echo 'slow 300' >"$work/got.mode"
start_receiver http 0 "$work/got"
cat >"$work/ship.yaml" <<YAML
{log: $work/state/decisions.jsonl, state: $work/state/ship, sinks: {siem: {format: otlp, url: 'http://127.0.0.1:$port/v1/logs', timeout: 3s}}}
YAML
measure() { python3 "$here/latency.py" "$address" "${FILTERD_LATENCY_REQUESTS:-2000}"; }
for round in 1 2 3; do
    echo "note: round $round, without: $(measure)"
    start_ship
    echo "note: round $round, beside:  $(measure)"
    stop_ship KILL
done
stop
finish
