#!/bin/sh
# Names of agents, tenants, applications and sessions that hold a secret: known by their tokens from then on, everywhere; the
# account is one. Names in which something cannot be seen are refused.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
cat >>"$rules/policy.yaml" <<'POLICY'
violations:
  weights: {secret: 5, block: 10}
  half_life: 400d
  actions: [{at: 1000, do: alert}]
POLICY
upstream
cat >"$work/upstreams.yaml" <<YAML
upstreams:
  ai: {protocol: openai, url: 'http://127.0.0.1:$port'}
YAML
start --upstreams="$work/upstreams.yaml"
token='~tok:k1:[0-9a-f]{32}'
is_token() { printf '%s' "$1" | grep -qE '^~tok:[A-Za-z0-9_-]+:[0-9a-f]{32}$' && echo yes; }

hidden=$(printf 'support-7\342\200\213')

# Each way in: the same agent, one account.
names="\"agent\":\"$secret\",\"tenant\":\"t-$secret\",\"app\":\"a $secret\",\"session\":\"$secret\""
answer=$(post /v1/filter "{\"text\":\"E2EBOMB0001\",$names}")
agent=$(printf '%s' "$answer" | jq -r .agent.id)
expect 'the answer has a token' yes "$(is_token "$agent")"
plain_answer=$(curl -sS -H "$plain" --data-binary E2EBOMB0001 "$url/v1/filter?agent=$secret&tenant=t-$secret&app=$secret")
expect_json 'one token for one name' .agent.id "\"$agent\"" "$plain_answer"
expect_json 'one account' .agent.violations 20 "$plain_answer"
line=$(curl -sS -H "$ndjson" --data-binary "{\"text\":\"E2EBOMB0001\",$names}" "$url/v1/filter/batch")
expect_json 'and in batches' .agent.violations 30 "$line"
id=$(post /v1/streams "{$names}" | jq -r .id)
post "/v1/streams/$id/chunks" '{"text":"E2EBOMB0001 "}' >/dev/null
stream_end=$(post "/v1/streams/$id/end" '{}')
expect_json 'and in streams' .agent.id "\"$agent\"" "$stream_end"
post /beta/litellm_basic_guardrail_api '{"input_type":"response","texts":["E2EBOMB0001"]}' \
    -H "Filterd-Agent: $secret" -H "Filterd-Tenant: t-$secret" >/dev/null
tenant=$(records | jq -r 'select(.agent) | .tenant' | tail -1)
expect 'the tenant has a token, too' yes "$(is_token "$tenant")"
ask whole 'Hello' -H "X-Filterd-Agent: $secret" -H "X-Filterd-App: $secret" -H "X-Filterd-Session: $secret" >/dev/null
expect_json 'the proxy records the token' '[.agent, .app]' "[\"$agent\",\"$agent\"]" "$(records | tail -1)"
expect 'all records have it' '' "$(records | jq -r 'select(.type == "decision") | .agent' | grep -v "^$agent\$")"

# Operators know the agent by its token, and may say its name.
expect_json 'listed by its token' '[.agents[].id] | unique' "[\"$agent\"]" "$(operators /v1/agents)"
expect_json 'listed by its tenant' '.agents | length' 1 "$(operators "/v1/agents?tenant=t-$secret")"
expect_json 'listed by the token of its tenant' '.agents | length' 1 "$(operators "/v1/agents?tenant=$tenant")"
expect_json 'found by its token' '[.id, .violations]' "[\"$agent\",50]" "$(operators "/v1/agents/$agent?tenant=$tenant")"
expect_json 'found by its name' '[.id, .violations]' "[\"$agent\",50]" "$(operators "/v1/agents/$secret?tenant=t-$secret")"
killed=$(operators "/v1/agents/$secret/kill?tenant=t-$secret&why=it+said+$secret" -X POST)
expect_json 'killed by its name' '[.id, .state]' "[\"$agent\",\"killed\"]" "$killed"
expect_json 'the account is barred' '[.action, .rule, .agent.id]' "[\"block\",\"filterd.agent-killed\",\"$agent\"]" \
    "$(post /v1/filter "{\"text\":\"Hello\",$names}")"
expect_json 'revived by its token' .state '"active"' "$(operators "/v1/agents/$agent/revive?tenant=$tenant" -X POST)"
operators "/v1/agents/$secret/violations?tenant=t-$secret" -X POST -H "$json" \
    -d "{\"kind\":\"egress\",\"why\":\"sent $secret\"}" >/dev/null

# What runs under the name, or is registered under it, is what a kill of the name ends.
sleep 60 & sleeper=$!
"$bin/filterctl" agents attach "$secret" $sleeper --agents="$work/agents.sock" >/dev/null
expect_json 'one process is attached' .jails 1 "$(operators "/v1/agents/$secret")"
operators "/v1/agents/$secret/kill" -X POST >/dev/null
wait $sleeper 2>/dev/null
expect 'the process is dead' 137 $?
expect 'a hidden character refuses the process' 2 "$("$bin/filterctl" agents attach "$hidden" $$ --agents="$work/agents.sock" >/dev/null 2>&1; echo $?)"

# A name with something that nobody sees is no other agent: it is refused, and not said again.
refused() { # refused WHAT STATUS CURL-ARGUMENT…
    what=$1 status=$2; shift 2
    expect "$what" "$status" "$(status_of "$@")"
}
for member in agent tenant app session; do
    for name in "$hidden" 'support-7\u200b' '\u202esupport-7' 'support-7\t' 'support-7 ' "~tok:k1:00112233445566778899aabbccddeeff"; do
        refused "$member $name" 422 -H "$json" -d "{\"text\":\"a\",\"$member\":\"$name\"}" "$url/v1/filter"
        refused "$member $name of a stream" 422 -H "$json" -d "{\"$member\":\"$name\"}" "$url/v1/streams"
    done
    refused "$member as a parameter" 422 -H "$plain" -d a "$url/v1/filter?$member=support-7%E2%80%8B"
    expect_json "$member is named" .pointer "\"/$member\"" "$(post /v1/filter "{\"text\":\"a\",\"$member\":\"$hidden\"}")"
done
refused 'LiteLLM agent' 422 -H "$json" -H "Filterd-Agent: $hidden" -d '{"input_type":"response"}' "$url/beta/litellm_basic_guardrail_api"
refused 'LiteLLM key' 422 -H "$json" -d "{\"input_type\":\"response\",\"request_data\":{\"user_api_key_alias\":\"$hidden\"}}" \
    "$url/beta/litellm_basic_guardrail_api"
for header in Agent App Session; do
    refused "X-Filterd-$header" 400 -H "X-Filterd-$header: $hidden" -H "$json" -d '{}' "$url/ai/v1/chat/completions"
done
refused 'a report' 422 --unix-socket "$work/operators.sock" -X POST -H "$json" -d '{"kind":"egress"}' \
    'http://filterd/v1/agents/support-7%E2%80%8B/violations'
for path in '/a\u200b' '/\u202ea' '/a\n' '/~2' '/a~'; do
    refused "channel $path" 422 -H "$json" -d "{\"path\":\"$path\"}" "$url/v1/streams"
done
# Capitals and look-alikes are other names: nobody is taken for another.
post /v1/filter '{"text":"E2EBOMB0001","agent":"Support-7"}' >/dev/null
expect_json 'another agent' .agent.violations 0 "$(post /v1/filter '{"text":"a","agent":"support-7"}')"

stop
expect 'nothing of it is left' '' "$(grep -rlaF -- "$secret" "$work/state" "$work/log" "$work/cache")"
expect 'nor the half of it' '' "$(grep -rlaF -- "$(printf '%s' "$secret" | cut -c8-19)" "$work/state" "$work/log" "$work/cache")"
expect 'nor what nobody sees' '' "$(grep -rlaF -- "$hidden" "$work/state" "$work/log")"
finish
