#!/bin/sh
# Many streams open at once: none hangs, memory is bounded and comes back, and each has its two records.
# FILTERD_STREAMS=10000 for the full load; the hard limit of open files must allow twice as many.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
n=${FILTERD_STREAMS:-300}
per_stream_kib=48
files=$(ulimit -Hn)
if [ "$files" != unlimited ] && [ "$files" -lt $((2 * n + 100)) ]; then
    echo "$n streams need $((2 * n + 100)) open files; the hard limit is $files"; exit 1
fi
ulimit -n "$files"
mkfifo "$work/begin"
/usr/bin/python3 tests/support/many_streams.py "$n" "$work/port" <"$work/begin" >"$work/result" &
many=$! upstream_pids=$!
exec 3>"$work/begin"
for _ in $(seq 200); do [ -s "$work/port" ] && break; sleep 0.05; done
echo "upstreams: {ai: {protocol: openai, url: 'http://127.0.0.1:$(cat "$work/port")'}}" >"$upstreams"
start --upstreams="$upstreams"
echo "$pid ${address%:*} ${address##*:}" >&3
wait $many; expect 'clients and upstream' 0 $?
of() { jq -c "$1" "$work/result"; }
third=$((n / 3))
expect 'opened' "$n" "$(of .opened)"
expect 'open at the same time' "$n" "$(of .peak)"
expect 'none is left at the upstream' 0 "$(of .left_at_the_upstream)"
expect 'ends' "$((n - n / 3 - (n + 1) / 3)) $(((n + 1) / 3)) $third" "$(of .ends | jq -r '"\(.stop) \(.length) \(.left)"')"
await 'none is open' 0 metric filterd_proxy_open
expect 'nothing is held' '0 0' "$(metric filterd_proxy_held_bytes) $(metric filterd_held_bytes)"

# Memory.
used=$(of .each_kib)
kept=$(($(of .after_kib) - $(of .before_kib)))
echo "$n streams: $used KiB each while open, $kept KiB in all after; $(of .opening_s) s to open, $(of .closing_s) s to end"
case $bin in
*/asan/* | */tsan/*) ;; # which have an allocator of their own
*)
    expect "a stream takes at most $per_stream_kib KiB: $used" 1 "$([ "${used%.*}" -lt $per_stream_kib ] && echo 1)"
    expect "memory comes back: $kept KiB are kept" 1 "$([ $kept -le 16384 ] && echo 1)"
    ;;
esac

# The record.
ids() { records | jq -r "select($1) | .req_id" | sort; }
ids '.phase == "open"' >"$work/opened"
ids '.phase == "final" or .phase == "aborted"' >"$work/ended"
expect 'each is on record' "$n" "$(sort -u "$work/opened" | wc -l)"
expect 'each has its end' 0 "$(comm -3 "$work/opened" "$work/ended" | wc -l)"
expect 'how they ended' "$(of '[.ends.stop, .ends.length, .ends.left]')" \
    "$(records | jq -sc '[(map(select(.end == "whole")), map(select(.end == "broken")), map(select(.end == "client"))) | length]')"
stop
expect 'exit code' 0 "$status"
finish
