#!/bin/sh
# Reload: all or nothing, by signal and by request, under load.
. "$(dirname "$0")/../service.inc"
start
action() { post /v1/filter '{"text":"E2EBOMB0001 '"$secret"'"}' | jq -r .action; }
digest() { operators /v1/policy | jq -r '.policies[0].digest'; }

expect 'before' block "$(action)"
old=$(digest)

# Requests run all the while; none may fail or see half a state.
(while [ ! -e "$work/enough" ]; do
    post /v1/filter '{"text":"'"$secret"'"}' | jq -r .action
done | sort | uniq -c >"$work/seen") &
load=$!

sed -i 's/{category: injection, action: block}/{category: injection, action: redact}/' "$rules/policy.yaml"
expect 'a changed file alone changes nothing' block "$(action)"
a=$(operators /v1/policy/reload -X POST)
expect_json 'reload answers with what is in force' '.policies | map(.name)' '["default","strict"]' "$a"
expect 'after the reload' redact "$(action)"
new=$(digest)
expect 'another digest' 1 "$([ "$old" != "$new" ] && echo 1)"

# Every kind of bad file leaves the old state.
cp "$rules/policy.yaml" "$work/good.yaml"
bad() { # bad WHAT POSITION
    a=$(operators /v1/policy/reload -X POST)
    expect_json "$1" .status 422 "$a"
    expect "$1: says where" 1 "$(printf '%s' "$a" | jq -r .detail | grep -c "$2")"
    expect "$1: old state" "$new" "$(digest)"
    expect "$1: still judges" redact "$(action)"
    cp "$work/good.yaml" "$rules/policy.yaml"
}
echo '  broken: [' >>"$rules/policy.yaml"; bad 'no YAML' 'policy.yaml:[0-9]*:[0-9]*: '
sed -i 's/rules: \[test\]/rulez: [test]/' "$rules/policy.yaml"; bad 'unknown key' 'policy.yaml:3:'
sed -i 's/action: redact/action: forget/' "$rules/policy.yaml"; bad 'unknown action' 'policy.yaml:[0-9]*:'
rm "$rules/policy.yaml"; bad 'no file' 'policy.yaml'
cp "$rules/test/test.yaml" "$work/rules.yaml"
sed -i "s/E2EKEY-\[A/E2EKEY-([A/" "$rules/test/test.yaml"; bad 'bad pattern' 'test.yaml:[0-9]*:'
cp "$work/rules.yaml" "$rules/test/test.yaml"
sed -i "s/'E2EKEY-short'/'E2EKEY-000000000000000000000000'/" "$rules/test/test.yaml"; bad 'wrong example' 'test.yaml:'
cp "$work/rules.yaml" "$rules/test/test.yaml"

# By signal.
sed -i 's/{category: injection, action: redact}/{category: injection, action: block}/' "$rules/policy.yaml"
kill -HUP "$pid"
for _ in $(seq 1200); do [ "$(action)" = block ] && break; sleep 0.05; done
expect 'after the signal' block "$(action)"
expect 'the digest names the content' "$old" "$(digest)"
expect 'counted' '2 6' "$(operators /metrics |
    sed -n 's/^filterd_reload\(s\|_failures\)_total //p' | tr '\n' ' ' | sed 's/ $//')"

# Each change is on record before it takes effect: from which digest to which, and by whom. What was refused is not.
changes() { jq -rc 'select(.type == "admin") | [.what, .before, .after, .by]' "$work/state/decisions.jsonl"; }
expect 'changes on record' "[\"policy\",null,\"$old\",\"start\"] [\"policy\",\"$old\",\"$new\",\"uid $(id -u)\"] [\"policy\",\"$new\",\"$old\",\"SIGHUP\"]" \
    "$(changes | grep policy | tr '\n' ' ' | sed 's/ $//')"

touch "$work/enough"; wait $load
expect 'under load' redact "$(awk '{print $2}' "$work/seen" | tr '\n' ' ' | sed 's/ $//')"

# The log moves with the signal.
mv "$work/state/decisions.jsonl" "$work/rotated"
kill -HUP "$pid"
for _ in $(seq 1200); do [ -s "$work/state/decisions.jsonl" ] && break; action >/dev/null; sleep 0.05; done
expect 'a new log' 1 "$([ -s "$work/state/decisions.jsonl" ] && echo 1)"

expect_json 'rules' '[.rules[].id]' '["test-bomb","test-key"]' "$(operators /v1/rules)"
# What was changed while the service was stopped; and who asked, by the name of a token.
stop
expect 'exit code' 0 "$status"
token=a-long-token-of-the-operator
printf '%s' "$token" | "$bin/filterd" --hash-token --role=operator --name=anna >"$work/tokens"
start --tokens="$work/tokens"
expect 'nothing but the tokens changed' '["tokens",null,"start"]' "$(changes | jq -rc '[.[0], .[1], .[3]]' | tail -n +1 | tr '\n' ' ' | sed 's/ $//')"
printf '%s' "another-$token" | "$bin/filterd" --hash-token --role=caller --name=ben >>"$work/tokens"
operators /v1/policy/reload -X POST -H "Authorization: Bearer $token" >/dev/null
expect 'who asked' '["tokens","anna"]' "$(changes | tail -1 | jq -rc '[.[0], .[3]]')"
stop
finish
