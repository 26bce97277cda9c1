#!/bin/sh
# kill -9 in the middle of streams: at the next start each exchange that was open is ended on record.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
upstream
echo "upstreams: {ai: {protocol: openai, url: 'http://127.0.0.1:$port'}}" >"$upstreams"
start --upstreams="$upstreams"

# What has ended stays as it is, what is open does not: of the proxy, and of the stream API.
ask echo hello >/dev/null
ended=$(post /v1/streams '{}' | jq -r .id)
post "/v1/streams/$ended/end" '{}' >/dev/null
n=8 held=''
for i in $(seq $n); do
    ask stall "a $secret and $i" -N -H "X-Filterd-Agent: bot-$i" >"$work/stalled.$i" 2>/dev/null &
    held="$held $!"
done
open_id=$(post /v1/streams '{"agent":"writer","path":"/content"}' | jq -r .req_id)
of() { records | jq -r "select($1) | .req_id" | sort; }
count_open() { of '.phase == "open"' | wc -l; }
await 'all have begun' $((n + 3)) count_open
await 'text has left' $n sh -c "cat $work/stalled.* | grep -c test-key"
before=$(records | wc -l)
stop KILL
wait $held
expect 'killed' 137 "$status"
of '.phase == "open"' >"$work/opened"
of '.phase == "final" or .phase == "aborted"' | comm -23 "$work/opened" - >"$work/dangling"
expect 'left open' $((n + 1)) "$(wc -l <"$work/dangling")"

start --upstreams="$upstreams"
wait_for_log "aborted n=$((n + 1))"
expect 'each has its end now' '' "$(of '.phase == "final" or .phase == "aborted"' | comm -23 "$work/opened" -)"
expect 'those that had none' '' "$(of '.end == "crash"' | comm -3 "$work/dangling" -)"
expect 'and nothing else' $((before + n + 2)) "$(records | wc -l)"
expect 'what they say' '["decision","aborted","the service ended before the exchange did",null]' \
    "$(records | jq -c 'select(.end == "crash") | [.type, .phase, .reason, .action]' | sort -u)"
expect_json 'whose' '[.agent, .route, .policy.name]' '["writer","/v1/streams","default"]' \
    "$(records | jq -c "select(.end == \"crash\" and .req_id == \"$open_id\")")"
expect 'whose, of the proxy' "$(seq $n | sed 's/^/bot-/')" \
    "$(records | jq -r 'select(.end == "crash" and .upstream == "ai" and .protocol == "openai") | .agent' | sort)"
expect_json 'the recovery is told' '[.type, .exchanges_aborted]' "[\"recovery\",$((n + 1))]" "$(records | tail -1)"
expect 'numbered without a gap' 0 "$(records | jq -r .seq | awk '$1 != NR' | wc -l)"
expect 'it works' hello "$(ask echo hello | said)"

# Killed again with nothing open: nothing is repaired.
lines=$(records | wc -l)
stop KILL
start --upstreams="$upstreams"
expect 'nothing to repair' "$lines" "$(records | wc -l)"
expect 'nothing said' 0 "$(grep -c aborted "$work/log")"
expect 'the secret is nowhere' '' "$(grep -laF "$secret" "$work/log" "$work/earlier" "$work/state/decisions.jsonl")"
stop
expect 'exit code' 0 "$status"
finish
