#!/bin/sh
# outage.sh BINDIR: the database is away for FILTERD_OUTAGE (20) seconds while answers are asked for: none is lost or late, and within a minute
# the database has every line; the first of them is there 10 s after the database is ready.
. "$(dirname "$0")/fleet.inc"
filterd_options=--receipts=always
start_database
seconds=${FILTERD_OUTAGE:-20}
make_node web-1; start_filterd web-1; start_link web-1
wait_until 'contact' in_contact web-1
asked() { # NAME SECONDS: load for so long; prints what load.py says
    rm -f "$work/stop"
    python3 tests/fleet/load.py "$(cat "$work/web-1/address")" 2 "$work/asked.$1" "$work/stop" >"$work/counts.$1" &
    load=$!
    sleep "$2"
    touch "$work/stop"; wait $load
    echo "$1: $(cat "$work/counts.$1")"
    expect "$1: answers other than 200" '' "$(tr ' ' '\n' <"$work/counts.$1" | grep -v '^200=\|^slowest_ms=')"
}
asked with 5
lines_with=$(wc -l <"$work/web-1/decisions.jsonl")
goes_on() { [ "$(ask -c 'SELECT max(seq) FROM filterd.record')" -gt $((lines_with + 1)) ]; }
server -m immediate -w stop
asked without "$seconds"
lines=$(wc -l <"$work/web-1/decisions.jsonl")
began=$(date +%s%N)
server -w start
ready=$(date +%s%N)
wait_until 'a line that was written without the database' goes_on
resumed_ms=$((($(date +%s%N) - ready) / 1000000))
wait_until "all $lines lines in the database" has_copies web-1 "$lines"
took_ms=$((($(date +%s%N) - began) / 1000000))
echo "outage_s=$seconds lines=$lines resumed_after_ms=$resumed_ms copied_after_ms=$took_ms"
expect 'copying goes on within 10 s' 1 "$((resumed_ms < 10000))"
expect 'copied within a minute' 1 "$((took_ms < 60000))"
cat "$work"/asked.* >"$work/asked"
python3 tests/fleet/on_record.py "$work/asked" "$work/web-1/decisions.jsonl" || failures=$((failures + 1))
wait_until 'contact again' in_contact web-1
[ "$failures" -eq 0 ] || show_logs
[ "$failures" -eq 0 ]
