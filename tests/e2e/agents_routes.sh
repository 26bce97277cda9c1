#!/bin/sh
# Agents' accounts on the other ways in: streams, the proxy, LiteLLM.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
cat >>"$rules/policy.yaml" <<'POLICY'
violations:
  weights: {secret: 25, injection: 40, block: 10}
  half_life: 400d
  throttle: 1/h
  actions:
    - {at: 100, do: throttle}
    - {at: 900, do: kill}
POLICY
upstream
printf 'upstreams:\n  ai: {protocol: openai, url: "http://127.0.0.1:%s"}\n' "$port" >"$upstreams"
start --upstreams="$upstreams"
account() { operators "/v1/agents/$1" | jq -c '[.state, .violations]'; }
kill_agent() { operators "/v1/agents/$1/kill" -X POST >/dev/null; }

# Streams: counted at their end; a stopped agent opens none, and one that is open ends.
stream() { post /v1/streams "{\"agent\":\"$1\"}" | jq -r .id; }
id=$(stream streamer)
post "/v1/streams/$id/chunks" "{\"text\":\"the key is $secret and \"}" >/dev/null
expect_json 'a stream shows the account' '[.action, .agent.violations]' '["redact",25]' "$(post "/v1/streams/$id/end" '{}')"
expect 'a stream is counted' '["active",25]' "$(account streamer)"
id=$(stream streamer)
expect_json 'a chunk goes' .action '"allow"' "$(post "/v1/streams/$id/chunks" '{"text":"hello "}')"
kill_agent streamer
expect_json 'the next does not' '[.action, .rule, .text]' '["block","filterd.agent-killed",null]' "$(post "/v1/streams/$id/chunks" '{"text":"again"}')"
expect_json 'nor does its end' '[.action, .rule, .agent.state]' '["block","filterd.agent-killed","killed"]' "$(post "/v1/streams/$id/end" '{}')"
expect 'none is opened' 403 "$(status_of -H "$json" -d '{"agent":"streamer"}' "$url/v1/streams")"
refusals() { records | jq -c 'select(.agent == "streamer" and .event == "refuse") | [.event, .why]'; }
await 'which is on record' '["refuse","filterd.agent-killed"]' refusals

# The proxy: counted when the answer is over; a stopped agent's requests do not go up.
ask echo "a $secret" -H 'X-Filterd-Agent: proxied' >/dev/null
await 'the proxy counts' '["active",25]' account proxied
ask echo "E2EBOMB0001" -H 'X-Filterd-Agent: proxied' >/dev/null
await 'a block, too' '["active",75]' account proxied
ask echo "E2EBOMB0001" -H 'X-Filterd-Agent: proxied' >/dev/null
await 'throttled' '["throttled",125]' account proxied
ask echo hello -H 'X-Filterd-Agent: proxied' >/dev/null
expect 'the next waits' 429 "$(ask echo hello -H 'X-Filterd-Agent: proxied' -o /dev/null -w '%{http_code}')"
kill_agent proxied
before=$(seen_by_upstream | wc -l)
expect 'a stopped agent' 403 "$(ask echo hello -H 'X-Filterd-Agent: proxied' -o "$work/refused" -w '%{http_code}')"
expect_json 'in the shape of the protocol' '.error.message' '"the agent is stopped"' "$(cat "$work/refused")"
expect 'nothing goes up' "$before" "$(seen_by_upstream | wc -l)"

# One that is stopped while its answer comes.
ask stall "a $secret" -N -H 'X-Filterd-Agent: stalled' >"$work/stalled" 2>/dev/null &
curl_pid=$!
for _ in $(seq 1200); do grep -q data "$work/stalled" 2>/dev/null && break; sleep 0.05; done
kill_agent stalled
kill $curl_pid 2>/dev/null; wait $curl_pid 2>/dev/null
expect 'others are served' 200 "$(ask echo hello -H 'X-Filterd-Agent: other' -o /dev/null -w '%{http_code}')"
stop
finish
