#!/bin/sh
# Disclosure budgets: the value that exceeds one is withheld in the answer that has it, whole, in streams and through the proxy; a
# user is known by a token alone; what was disclosed is counted after a stop and after a crash.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
# Without budgets there is no file; the first policy that has some opens it at a reload.
start
expect 'no file without budgets' 1 "$(test -e "$work/state/budgets.db"; echo $?)"
sed -i '/^tenants:/i\
  metered:\
    rules: [test]\
    actions: [{category: injection, action: block}]\
    budgets:\
      - {name: keys, per: user, category: secret, values: 2, window: 1h, then: redact}\
    request: {judge: false}\
  slow:\
    rules: [test]\
    actions: []\
    budgets:\
      - {name: pace, per: user, category: secret, values: 1, window: 1m, then: throttle}\
      - {name: seen, per: tenant, category: secret, values: 1, then: alert}\
    request: {judge: false}' "$rules/policy.yaml"
expect 'a reload takes budgets over' 200 "$(operators /v1/policy/reload -X POST -o "$work/reloaded" -w '%{http_code}')"
expect_json 'and counts with them' .action '"redact"' \
    "$(post /v1/filter '{"policy":"metered","user":"first","text":"E2EKEY-000000000000000000000091 E2EKEY-000000000000000000000092 E2EKEY-000000000000000000000093"}')"
expect 'their file' 0 "$(test -s "$work/state/budgets.db"; echo $?)"
stop
upstream
cat >"$upstreams" <<YAML
upstreams:
  ai: {protocol: openai, url: 'http://127.0.0.1:$port', policy: metered}
  slow: {protocol: openai, url: 'http://127.0.0.1:$port', policy: slow}
YAML
start --upstreams="$upstreams"

key() { printf 'E2EKEY-%024d' "$1"; }
# filter USER TEXT [POLICY]
filter() { # filter USER TEXT [POLICY [CURL-OPTION…]]
    said="{\"policy\":\"${3:-metered}\",\"user\":\"$1\",\"text\":\"$2\"}"
    shift 2; [ $# -eq 0 ] || shift
    post /v1/filter "$said" "$@"
}
user=reader-$secret

# Number three is withheld in the answer that has it; what was disclosed is not.
got=$(filter "$user" "$(key 1) $(key 2) $(key 3) $(key 1)")
expect_json 'the third value' '[.action,.rule,.text]' "[\"redact\",\"test-key\",\"$(key 1) $(key 2) [test-key] $(key 1)\"]" "$got"
expect_json 'who says so' '[.findings[].budget]' '[null,null,"keys",null]' "$got"
expect_json 'how full it is' '.budgets' \
    '[{"name":"keys","per":"user","then":"redact","limit":2,"window_s":3600,"values":2,"disclosed":2,"exceeding":1}]' "$got"
expect_json 'on record' '[.action,.budgets[0].values,.findings[0].budget]' '["redact",2,"keys"]' "$(records | tail -1)"
value_tok() { records | tail -1 | jq -r '[.findings[]|select(.budget=="keys").value_tok]|join(" ")'; }
third=$(value_tok)
expect 'the value is a token, too' yes "$(printf '%s' "$third" | grep -qE '^[A-Za-z0-9_-]+:[0-9a-f]{32}$' && echo yes)"
token=$(records | tail -1 | jq -r .user_tok)
expect 'the user is a token' yes "$(printf '%s' "$token" | grep -qE '^[A-Za-z0-9_-]+:[0-9a-f]{32}$' && echo yes)"
expect_json 'another user' '[.action,.budgets[0].values]' '["allow",1]' "$(filter other "$(key 3)")"
expect_json 'again' .text "\"$(key 2)\"" "$(filter "$user" "$(key 2)")"
expect_json 'nobody in particular' '[.action,.budgets[0].values]' '["allow",1]' \
    "$(post /v1/filter "{\"policy\":\"metered\",\"text\":\"$(key 9)\"}")"
expect_json 'a blocked text discloses nothing' '[.action,.budgets[0].disclosed]' '["block",null]' \
    "$(filter blocked "$(key 1) E2EBOMB0001 $(key 2)")"
expect_json 'so both are left' '[.action,.budgets[0].values]' '["allow",2]' "$(filter blocked "$(key 3) $(key 4)")"
expect_json 'in plain text' .budgets[0].exceeding 1 \
    "$(curl -sS -H "$plain" --data-binary "$(key 7)" "$url/v1/filter?policy=metered&user=$user")"

# A stream, however it is cut.
for size in 1 9 400; do
    id=$(post /v1/streams "{\"policy\":\"metered\",\"user\":\"stream-$size\"}" | jq -r .id)
    released='' rest="$(key 1), $(key 2), $(key 3), $(key 2)."
    while [ -n "$rest" ]; do
        piece=$(printf '%s' "$rest" | head -c "$size")
        rest=${rest#"$piece"}
        released="$released$(curl -sS --max-time 30 -H "$plain" --data-binary "$piece" "$url/v1/streams/$id/chunks" | jq -j .text)"
    done
    end=$(post "/v1/streams/$id/end" '{}')
    expect "in pieces of $size" "$(key 1), $(key 2), [test-key], $(key 2)." "$released$(printf '%s' "$end" | jq -r .text)"
    expect_json 'on record' '[.action,.budgets[0].values,.budgets[0].exceeding]' '["redact",2,1]' "$(records | tail -1)"
    expect 'the value has the token that it has in a whole text' "$third" "$(value_tok)"
done

# The proxy: the body or a header names the user.
by_body() { # by_body MEMBER TEXT [CURL-OPTION…]
    member=$1 text=$2; shift 2
    curl -sS --max-time $timeout_s -H "$json" "$@" --data-binary \
        "{\"model\":\"say\",$member,\"messages\":[{\"role\":\"user\",\"content\":\"$text\"}]}" "$url/$name/v1/chat/completions"
}
content() { jq -r '.choices[0].message.content'; }
for member in "\"user\":\"$user\"" "\"safety_identifier\":\"$user\",\"user\":\"another\"" "\"metadata\":{\"user_id\":\"$user\"}"; do
    expect 'the same user' "[test-key] $(key 1)" "$(by_body "$member" "$(key 5) $(key 1)" | content)"
    expect_json 'by the same token' .user_tok "\"$token\"" "$(records | tail -1)"
done
expect 'by the header' '[test-key]' "$(by_body '"user":"x"' "$(key 5)" -H "X-Filterd-User: $user" | content)"
expect 'in a stream' "$(key 1) [test-key]" "$(ask say "$(key 1) $(key 3)" -H "X-Filterd-User: $user" | said)"
expect 'with the token of the value' "$third" "$(value_tok)"

expect 'in the arguments of a tool call' '1 1 0' "$(ask call "$(key 1) $(key 2) $(key 3)" -H 'X-Filterd-User: caller' >"$work/answer"
    for n in 1 2 3; do printf '%s ' "$(grep -c "$(key $n)" "$work/answer")"; done | sed 's/ $//')"
expect_json 'which are counted, too' '[.action,.budgets[0].values,.budgets[0].exceeding]' '["redact",2,1]' "$(records | tail -1)"

# By its token the user is found, and by nothing else.
expect 'found by its token' yes "$([ "$("$bin/filterctl" log --operators "$work/operators.sock" --query "token:$token" --format ndjson | wc -l)" -gt 5 ] && echo yes)"

# Throttled: the next exchanges wait.
expect_json 'more than one a minute' '[.action,.findings[].budget]' '["allow",null,"pace"]' "$(filter fast "$(key 1) $(key 2)" slow)"
await 'an alert is on record' '[["pace",2,1],["seen",2,1]]' last_line '[.budgets[]|[.name,.values,.exceeding]]'
expect '429' 429 "$(filter fast Hello slow -o "$work/answer" -D "$work/head" -w '%{http_code}')"
wait_s=$(tr -d '\r' <"$work/head" | sed -n 's/^Retry-After: //ip')
expect 'Retry-After' yes "$([ "$wait_s" -ge 1 ] && [ "$wait_s" -le 60 ] && echo yes)"
expect 'streams, too' 429 "$(curl -sS -o "$work/answer" -w '%{http_code}' -H "$json" -d '{"policy":"slow","user":"fast"}' "$url/v1/streams")"
before=$(seen_by_upstream | wc -c)
name=slow
expect 'and the proxy' 429 "$(by_body '"user":"fast"' Hello -o "$work/answer" -w '%{http_code}')"
expect 'which asks no upstream' "$before" "$(seen_by_upstream | wc -c)"
expect 'another user goes on' Hello "$(by_body '"user":"calm"' Hello | content)"
name=ai
expect 'metrics' 2 "$(operators /metrics | grep -cE '^filterd_budget_(exceeded_total\{then="throttle"\} 1|throttled_total 3)$')"

# Before it is in force: what it would count.
expect 'explained' 1 "$("$bin/filterctl" policy explain --rules="$rules" --policy-name=metered "$(key 1)" |
    grep -c 'budget keys counts it: 2 per user, then redact')"

# A stop, and a crash, forget nothing.
sleep 1
for how in TERM KILL; do
    kill -"$how" "$pid"; wait "$pid" 2>/dev/null; pid=''
    start --upstreams="$upstreams"
    expect_json "after SIG$how" '[.text,.budgets[0].values]' "[\"$(key 1) [test-key]\",2]" "$(filter "$user" "$(key 1) $(key 8)")"
done
expect 'the file is its own' 600 "$(stat -c %a "$work/state/budgets.db")"
expect 'nothing of the user anywhere' '' "$(grep -rl "reader-E2E" "$work/state" "$work/log" 2>/dev/null)"
finish
