#!/bin/sh
# Agents' accounts: what violations lead to, what a stopped agent gets, what operators see and do.
. "$(dirname "$0")/service.inc"
cat >>"$rules/policy.yaml" <<'POLICY'
violations:
  weights: {secret: 25, injection: 40, block: 10, egress: 15}
  half_life: 400d
  throttle: 1/h
  actions:
    - {at: 20, do: alert}
    - {at: 200, do: throttle}
    - {at: 300, do: kill}
POLICY
start
filter() { # filter AGENT TEXT [CURL-OPTION…]
    agent_of=$1 text_of=$2; shift 2
    post /v1/filter "{\"text\":\"$text_of\",\"agent\":\"$agent_of\"}" "$@"
}

expect_json 'no account at first' '.agent' '{"id":"one","state":"active","violations":0}' "$(filter one hello)"
expect_json 'what is in order counts nothing' '.agents' '[]' "$(operators /v1/agents)"
expect_json 'a secret counts' '.agent' '{"id":"one","state":"active","violations":25}' "$(filter one "$secret and $secret")"
expect_json 'a block counts, too' '.agent.violations' 75 "$(filter one E2EBOMB0001)"
expect_json 'other agents have their own' '.agent.violations' 0 "$(filter two hello)"
expect_json 'as have those of other tenants' '.agent.violations' 35 \
    "$(post /v1/filter "{\"text\":\"$secret\",\"agent\":\"one\",\"tenant\":\"acme\"}")"
expect_json 'nobody counts for nobody' '.agent' '{"id":null,"state":"active","violations":0}' "$(post /v1/filter "{\"text\":\"$secret\"}")"
expect_json 'operators see it' '.agents[] | select(.tenant == "") | [.id, .state, .violations, .counts, .jails]' \
    '["one","active",75,{"secret":1,"injection":1,"block":1},0]' "$(operators /v1/agents)"
expect 'an alert is on record' '["one","policy",25]' \
    "$(records | jq -c 'select(.type == "agent" and .event == "alert" and .tenant == null) | [.agent, .by, .violations]')"

# Throttled: one exchange in the interval, the others are told to wait.
for _ in 1 2 3; do filter one E2EBOMB0001 >/dev/null; done
expect_json 'throttled' '.agent.state' '"throttled"' "$(operators '/v1/agents/one' | jq -c '{agent: .}')"
expect_json 'one is let through' '.action' '"allow"' "$(filter one hello)"
expect 'the next waits' 429 "$(status_of -H "$json" -d '{"text":"a","agent":"one"}' "$url/v1/filter")"
expect 'and is told how long' 1 \
    "$(curl -sS -D- -o /dev/null -H "$json" -d '{"text":"a","agent":"one"}' "$url/v1/filter" | tr -d '\r' |
        awk '/^Retry-After/ {print ($2 > 3000 && $2 <= 3600)}')"
expect_json 'in a batch, too' '.status' 429 "$(printf '{"text":"a","agent":"one"}\n' | curl -sS -H "$ndjson" --data-binary @- "$url/v1/filter/batch")"
expect 'without an agent nothing waits' 200 "$(status_of -H "$json" -d '{"text":"a"}' "$url/v1/filter")"

# Killed: by an operator, then nothing of it is judged any more.
expect_json 'kill' '[.id, .state]' '["one","killed"]' "$(operators '/v1/agents/one/kill?why=drill' -X POST)"
answer=$(filter one hello)
expect_json 'blocked by a rule of its own' '[.action, .rule, .text, .agent.state]' '["block","filterd.agent-killed",null,"killed"]' "$answer"
expect_json 'the coverage says that nothing was judged' '[.coverage.bytes, .coverage.judged]' '[5,0]' "$answer"
expect_json 'recorded as such' '[.action, .rule, .judged_bytes]' '["block","filterd.agent-killed",0]' "$(records | grep '"decision"' | tail -n 1)"
expect 'the kill is on record' '["one","operator","drill","killed"]' \
    "$(records | jq -c 'select(.type == "agent" and .event == "kill") | [.agent, .by, .why, .state]')"
expect_json 'the other tenant is not concerned' '.action' '"allow"' "$(post /v1/filter '{"text":"a","agent":"one","tenant":"acme"}')"
expect 'unknown agents' '404 404' "$(status_of --unix-socket "$work/operators.sock" http://f/v1/agents/nobody) $(
    status_of --unix-socket "$work/operators.sock" -X POST http://f/v1/agents/nobody/revive)"
detail() { operators "/v1/agents?$1" | jq -c '[.status, .detail]'; }
expect 'an unknown parameter' '[422,"only the parameters tenant and why expected"]' "$(detail colour=red)"
expect 'a parameter twice' '[400,"each member once expected"]' "$(detail 'tenant=a&tenant=b')"
expect 'a reason that is too long' '[422,"why: at most 100 bytes expected"]' "$(detail "why=$(printf '%0101d' 0)")"
expect 'no such route for callers' 404 "$(status_of "$url/v1/agents")"

ctl() { "$bin/filterctl" agents "$@" --operators "unix:$work/operators.sock" 2>&1; }
expect 'filterctl lists' 'killed 1 0' "$(ctl list | awk '$5 == "one" && $4 == "-" {print $1, ($2 > 200), $3}')"
ctl list >/dev/null; expect 'a stopped agent is something found' 1 $?
ctl list --tenant acme >/dev/null; expect 'of that tenant none is' 0 $?
expect 'filterctl shows' '"killed"' "$(ctl show one | jq -c .state)"
expect 'filterctl kills' 'killed: no process is left' "$(ctl kill four --tenant acme --why "a drill")"
expect_json 'what it killed' '[.state, .jails]' '["killed",0]' "$(operators '/v1/agents/four?tenant=acme')"
why() { records | jq -c 'select(.agent == "four" and .event == "kill") | .why'; }
await 'why is on record' '"a drill"' why
expect 'filterctl revives' 'revived: active, with 0 violations' "$(ctl revive four --tenant acme)"
ctl show four --tenant acme >/dev/null; expect 'who is not known' 2 $?
expect 'an agent that is not there' 'filterctl: filterd answers 404: there is no account of that agent' "$(ctl revive four)"
"$bin/filterctl" agents list --operators unix:"$work/nobody.sock" 2>/dev/null; expect 'nobody there' 2 $?
"$bin/filterctl" agents list --operators "$work/operators.sock" >/dev/null; expect 'a path alone will do, and somebody is on the list' 1 $?

# The kill is tried at the start.
for _ in $(seq 600); do [ "$(operators /metrics | awk '$1 == "filterd_kill_ready" {print $2}')" = 1 ] && break; sleep 0.1; done
expect 'the kill is ready' '1 0' "$(operators /metrics | awk '$1 == "filterd_kill_ready" {a = $2} $1 == "filterd_kill_test_failures_total" {b = $2} END {print a, b}')"
expect 'what was done is counted' 'filterd_agent_actions_total{do="kill"} 2' "$(operators /metrics | grep 'actions_total{do="kill"')"

expect 'filterctl log shows what became of an agent' 1 \
    "$("$bin/filterctl" log "$work/state/decisions.jsonl" --agent one | grep -c ' kill  ')"

# Names that hold what paths are made of: encoded once, decoded once.
for name in team/a .. team/kill '100%' 'a%2Fb' 'a b?c#d&e=f+g' 'team/ä'; do
    filter "$name" "$secret" >/dev/null
    expect "kill $name" 'killed: no process is left' "$(ctl kill "$name")"
    expect "show $name" "[\"$name\",\"killed\",{\"secret\":1}]" "$(ctl show "$name" | jq -c '[.id, .state, .counts]')"
    expect_json "$name is stopped" .rule '"filterd.agent-killed"' "$(filter "$name" hello)"
    expect "revive $name" 'revived: active, with 0 violations' "$(ctl revive "$name")"
done
expect_json 'only those that were meant' '[.agents[].id] | map(select(. == "team" or . == "a" or . == "a/b"))' '[]' "$(operators /v1/agents)"
filter team/b "$secret" >/dev/null
expect_json 'encoded, or as it is' '.id' '"team/b"' "$(operators /v1/agents/team%2Fb)"
expect_json 'as it is' '.id' '"team/b"' "$(operators /v1/agents/team/b)"
expect 'encoded twice is another name' 404 "$(status_of --unix-socket "$work/operators.sock" http://f/v1/agents/team%252Fb)"
for path in team% team%2 team%zz/kill team%00/kill %00 %; do
    expect "malformed: $path" '400 400' "$(status_of --unix-socket "$work/operators.sock" "http://f/v1/agents/$path") $(
        status_of --unix-socket "$work/operators.sock" -X POST "http://f/v1/agents/$path")"
done
expect 'malformed elsewhere' 400 "$(status_of "$url/healthz%")"
expect_json 'and said' .detail '"a target of visible ASCII, in whose path each '"'%'"' begins two hexadecimal digits, and none is a NUL, expected"' "$(curl -sS "$url/%zz")"

# Told by somebody else who watches: counted by its kind, on record, answered with the account.
tell() { # tell AGENT BODY [QUERY [CURL-OPTION…]]
    told_of=$1 body=$2 query=${3:-}; shift 2; [ $# -eq 0 ] || shift
    operators "/v1/agents/$told_of/violations$query" -H "$json" --data-binary "$body" "$@"
}
expect_json 'a violation told' '[.id, .state, .violations, .counts]' '["told","active",15,{"egress":1}]' \
    "$(tell told '{"kind":"egress","why":"asked for the box of another"}')"
for _ in $(seq 1200); do records | grep -q 'the box of another' && break; sleep 0.05; done # answered first, written soon
expect 'is on record' '["told","egress","reporter","asked for the box of another",15]' \
    "$(records | jq -c 'select(.agent == "told" and .type == "agent") | [.agent, .event, .by, .why, .violations]')"
expect_json 'of another tenant' '[.tenant, .violations]' '["acme",15]' "$(tell told '{"kind":"egress"}' '?tenant=acme')"
expect_json 'with a slash' .id '"told/too"' "$(tell told%2Ftoo '{"kind":"dns"}')"
for _ in $(seq 19); do tell told '{"kind":"egress"}' >/dev/null; done
expect_json 'thresholds hold' '[.state, .counts.egress]' '["killed",21]' "$(tell told '{"kind":"egress"}')"
expect_json 'as for any other' .rule '"filterd.agent-killed"' "$(filter told hello)"
answer() { tell "$@" -o "$work/problem" -w '%{http_code} '; jq -r 'if (.pointer // "") == "" then .detail else .pointer end' "$work/problem"; }
expect 'an unknown kind' '422 /kind' "$(answer told '{"kind":"colour"}' '')"
expect 'no kind' '422 /kind' "$(answer told '{}' '')"
expect 'an unknown member' '422 /weight' "$(answer told '{"kind":"dns","weight":900}' '')"
expect 'a long reason' '422 /why' "$(answer told "{\"kind\":\"dns\",\"why\":\"$(printf '%0101d' 0)\"}" '')"
expect 'a reason in two places' '422 why expected in the body' "$(answer told '{"kind":"dns"}' '?why=a')"
expect 'twice' '400 /kind' "$(answer told '{"kind":"dns","kind":"dns"}' '')"
expect 'too large' '413 at most 4096 bytes expected' "$(answer told "{\"kind\":\"dns\"$(printf '%4096s' '')}" '')"
expect 'no JSON' 415 "$(status_of --unix-socket "$work/operators.sock" -d 'kind=dns' http://f/v1/agents/told/violations)"
expect 'a long name' 404 "$(tell "$(printf '%0257d' 0)" '{"kind":"dns"}' '' -o /dev/null -w '%{http_code}')"
expect 'not for callers' 404 "$(status_of -H "$json" -d '{"kind":"dns"}' "$url/v1/agents/told/violations")"
expect_json 'nothing of that was counted' .counts '{"egress":21}' "$(operators /v1/agents/told)"

# What was counted outlives a crash.
before=$(operators /v1/agents/one)
sleep 0.3
stop KILL
start
expect_json 'killed still' '.state' '"killed"' "$(operators /v1/agents/one)"
expect 'with the same counts' "$(printf '%s' "$before" | jq -c .counts)" "$(operators /v1/agents/one | jq -c .counts)"
expect_json 'blocked still' '.rule' '"filterd.agent-killed"' "$(filter one hello)"
expect_json 'revive' '[.id, .state, .violations]' '["one","active",0]' "$(operators /v1/agents/one/revive -X POST)"
expect_json 'a new life' '[.action, .agent.violations]' '["allow",0]' "$(filter one hello)"

# By score alone.
for _ in 1 2 3 4 5; do filter three E2EBOMB0001 >/dev/null; done
operators '/v1/agents/three/revive' -X POST >/dev/null
sed -i 's/at: 200, do: throttle/at: 60, do: revoke/; s/at: 300/at: 900/' "$rules/policy.yaml"
operators /v1/policy/reload -X POST >/dev/null
filter three E2EBOMB0001 >/dev/null
expect_json 'the score revokes' '.agent.state' '"revoked"' "$(filter three E2EBOMB0001)"
expect_json 'and that blocks' '.rule' '"filterd.agent-revoked"' "$(filter three hello)"
expect 'no text in the records' 0 "$(records | grep -c "$secret")"
expect 'accounts that were there are no news' 0 "$(cat "$work/earlier" "$work/log" | grep -c 'is gone or empty')"

# Without their file agents begin anew: the log says so.
stop
rm -f "$work/state/agents.db"*
start
expect 'accounts that are gone are told of' 1 "$(grep -c 'agents: .*agents.db is gone or empty: ' "$work/log")"
expect_json 'whom it concerns' '.agent' '{"id":"three","state":"active","violations":0}' "$(filter three hello)"
stop
finish
