#!/bin/sh
# Many streams of /v1/streams open at once: all are held, none leaks, memory is bounded, each has its two records.
# FILTERD_STREAMS=10000 for the full load.
. "$(dirname "$0")/service.inc"
n=${FILTERD_STREAMS:-300}
per_stream_kib=8
gauge() { curl -sS --max-time 30 --unix-socket "$work/operators.sock" http://filterd/metrics | sed -n "s/^$1 //p"; }
of() { jq -sc "$1" "$work/result"; }
start --streams="$n" --stream-timeout=600
mkfifo "$work/go-on"
/usr/bin/python3 tests/support/many_open.py "$n" "$pid" "${address%:*}" "${address##*:}" "$secret" \
    <"$work/go-on" >"$work/result" &
many=$!
exec 3>"$work/go-on"
for _ in $(seq 2400); do
    [ -s "$work/result" ] && break
    kill -0 $many 2>/dev/null || break
    sleep 0.05
done
expect 'opened' "$n" "$(of '.[0].opened')"
expect 'open at the same time' "$n" "$(gauge filterd_open_streams)"
expect 'no more than that' 503 "$(status_of -H "$json" -d '{}' "$url/v1/streams")"
expect 'the others are served' '"redact"' "$(post /v1/filter "{\"text\":\"$secret\"}" | jq .action)"
echo >&3
wait $many; expect 'clients' 0 $?
expect 'ends' "{\"ended\":$(((n + 2) / 3)),\"left\":$((n / 3)),\"truncated\":$(((n + 1) / 3))}" "$(of '.[1].ends')"
expect 'none has seen the secret' 0 "$(of '.[1].leaks')"
expect 'those that are left' $((n / 3)) "$(gauge filterd_open_streams)"
used=$(of '.[0].each_kib')
echo "$n open streams: $used KiB each; $(of '.[0].opening_s') s to open, $(of '.[1].closing_s') s to end"
case $bin in
*/asan/* | */tsan/*) ;; # which have an allocator of their own
*) expect "a stream takes at most $per_stream_kib KiB: $used" 1 "$([ "${used%.*}" -lt $per_stream_kib ] && echo 1)" ;;
esac

# The record: those that are left end with the service.
stop
expect 'exit code' 0 "$status"
ids() { records | jq -r "select($1) | .req_id" | sort; }
ids '.phase == "open"' >"$work/opened"
ids '.phase == "final" or .phase == "aborted"' >"$work/ended"
expect 'each is on record' "$n" "$(sort -u "$work/opened" | wc -l)"
expect 'each has its end' 0 "$(comm -3 "$work/opened" "$work/ended" | wc -l)"
expect 'two records each, and one of the text' $((2 * n + 1)) "$(exchanges | wc -l)"
expect 'how they ended' "$(of '.[1].ends | [.ended, .truncated, .left]')" \
    "$(records | jq -sc '[(map(select(.end == "whole")), map(select(.end == "truncated")), map(select(.end == "expired"))) | length]')"
expect 'the secret is nowhere' '' "$(grep -laF "$secret" "$work/log" "$work/state/decisions.jsonl")"
finish
