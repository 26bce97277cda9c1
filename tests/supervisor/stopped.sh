#!/bin/sh
# While a request waits for the supervisor its agent is stopped, or its client goes away.
. "$(dirname "$0")/supervisor.inc"
cd "$here/../.." || exit 2
here=tests/supervisor
. tests/e2e/proxy.inc
waiting_pids=''
trap 'kill $waiting_pids 2>/dev/null; stop_upstreams; stop_endpoint; cleanup' EXIT
start_endpoint
endpoint_port=$port
upstream
printf 'upstreams:\n  ai: {protocol: openai, url: "http://127.0.0.1:%s"}\n' "$port" >"$upstreams"
port=$endpoint_port
# What is let through without an answer shows that it was the agent's end that blocked.
supervised 'when: always' 'deadline: 60s' 'on_failure: allow'
cat >>"$rules/policy.yaml" <<'POLICY'
violations:
  weights: {secret: 25, block: 10, honeytoken: 100}
  half_life: 400d
  actions: [{at: 100, do: kill}]
POLICY
begin_supervisors 'retries: 0'
add_supervisor scripted gate 'concurrency: 32'
start --supervisors="$supervisors" --upstreams="$upstreams"

agents='filter litellm stream batch proxy whole'
open_gate() { curl -sS -X POST "http://127.0.0.1:$endpoint_port/open" >/dev/null; }
asked() { counted '.counts.gate // 0'; }

# begin AGENT TEXT: a request of that agent by the way in that bears its name, in the background, until it waits.
begin() {
    agent=$1 text=$2 out=$work/out.$1 before=$(asked)
    case $agent in
    filter) post /v1/filter "{\"text\":\"$text\",\"agent\":\"filter\"}" --max-time 90 >"$out" & ;;
    litellm) post /beta/litellm_basic_guardrail_api "{\"texts\":[\"$text\"],\"input_type\":\"response\"}" \
        -H 'Filterd-Agent: litellm' --max-time 90 >"$out" & ;;
    stream) post /v1/streams '{"agent":"stream"}' | jq -r .id >"$work/stream"
        post "/v1/streams/$(cat "$work/stream")/chunks" "{\"text\":\"$text\"}" >/dev/null
        post "/v1/streams/$(cat "$work/stream")/end" '{}' --max-time 90 >"$out" & ;;
    batch) printf '{"text":"%s","agent":"batch"}\n' "$text" >"$work/lines"
        curl -sS --max-time 90 -H "$ndjson" --data-binary @"$work/lines" "$url/v1/filter/batch" >"$out" & ;;
    proxy) ask echo "$text" -H 'X-Filterd-Agent: proxy' --max-time 90 >"$out" & ;;
    whole) ask_whole echo "$text" -H 'X-Filterd-Agent: whole' --max-time 90 >"$out" & ;;
    esac
    waiting=$!
    waiting_pids="$waiting_pids $waiting"
    await "$agent waits" $((before + 1)) asked
}
end_wait() {
    open_gate
    for p in $waiting_pids; do wait "$p"; done
    waiting_pids=''
    forget
}
last_of() { records | jq -c "select(.agent == \"$1\" and .rule != null and .type != \"agent\") | [.action, .rule]" | tail -n 1; }

# Let through, so that it is seen that nothing else would have blocked.
for a in $agents; do begin "$a" "clean $a"; done
end_wait
for a in $agents; do expect "$a: goes out" 1 "$(grep -c clean "$work/out.$a")"; done

# Killed by an operator meanwhile: the supervisor says that the text is fine, and nothing of it leaves.
for a in $agents; do begin "$a" "words of $a"; done
for a in $agents; do operators "/v1/agents/$a/kill" -X POST >/dev/null; done
end_wait
for a in $agents; do
    expect "$a: nothing leaves" '' "$(grep 'words' "$work/out.$a")"
    await "$a: on record" '["block","filterd.agent-killed"]' last_of "$a"
    expect_json "$a: is not charged for it" .violations 0 "$(operators "/v1/agents/$a")"
done
expect_json 'filter: killed' '[.action,.rule,.agent.state,.notice]' \
    '["block","filterd.agent-killed","killed","Withheld by the tests."]' "$(cat "$work/out.filter")"
expect_json 'litellm: killed' . '{"action":"BLOCKED","blocked_reason":"Withheld by the tests."}' "$(cat "$work/out.litellm")"
expect_json 'stream: killed' '[.action,.rule,.text,.agent.state]' '["block","filterd.agent-killed",null,"killed"]' \
    "$(cat "$work/out.stream")"
expect_json 'batch: killed' '[.action,.rule,.text]' '["block","filterd.agent-killed",null]' "$(cat "$work/out.batch")"
expect_json 'proxy: killed' '.error.code' '"content_filter"' "$(cat "$work/out.proxy")"
expect_json 'whole: killed' '.error.code' '"content_filter"' "$(cat "$work/out.whole")"
for a in $agents; do operators "/v1/agents/$a/revive" -X POST >/dev/null; done

# Killed by its own score: another text of the same agent crosses the threshold.
for a in filter stream proxy; do
    begin "$a" "more of $a"
    for i in 1 2 3; do post /v1/filter "{\"text\":\"$secret E2EBOMB000$i\",\"agent\":\"$a\"}" >/dev/null; done
done
end_wait
for a in filter stream proxy; do
    expect "$a: nothing leaves by its score" '' "$(grep more "$work/out.$a")"
    await "$a: on record by its score" '["block","filterd.agent-killed"]' last_of "$a"
    operators "/v1/agents/$a/revive" -X POST >/dev/null
done

# The client goes away: what was judged is on record once, and others are served.
finals() { records | jq -c "select(.agent == \"$1\" and .type == \"decision\" and .phase != \"open\") | .req_id" | sort | uniq | wc -l; }
for a in $agents; do finals "$a" >"$work/finals.$a"; done
for a in $agents; do begin "$a" "left of $a"; kill "$waiting"; wait "$waiting" 2>/dev/null; done
expect 'a stream that is asked about is in use' 409 "$(status_of -H "$json" -d '{}' "$url/v1/streams/$(cat "$work/stream")/end")"
end_wait
for a in $agents; do await "$a: on record without its client" $(($(cat "$work/finals.$a") + 1)) finals "$a"; done
expect 'the stream has ended' 404 "$(status_of -H "$json" -d '{}' "$url/v1/streams/$(cat "$work/stream")/end")"
open_gate
expect_json 'others are served' .action '"allow"' "$(post /v1/filter '{"text":"of somebody else"}')"
left_over() { operators /metrics | awk '/^filterd_supervisor_waiting / { a = $2 } /^filterd_open_streams / { b = $2 } END { print a, b }'; }
await 'nothing is left over' '0 0' left_over
stop
expect 'it ends well' 0 "$status"
finish
