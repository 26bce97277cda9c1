#!/bin/sh
# What a request has masked comes back in its answer, whole, in chunks and through the proxy, and nowhere else.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
FILTERD_UPSTREAM_BODIES=1; export FILTERD_UPSTREAM_BODIES
upstream
cat >"$upstreams" <<YAML
upstreams:
  ai: {protocol: openai, url: 'http://127.0.0.1:$port'}
YAML
# Requests are judged here, by the section that a policy has without saying so.
sed -i -e '/request: {judge: false}/d' -e '/^tenants:/i\
  kept:\
    rules: [test]\
    actions: [{category: secret, action: redact}]\
    keep_masked: secret' "$rules/policy.yaml"
# What is found as a secret and, with what is before it, as something of a person.
cat >>"$rules/test/test.yaml" <<'RULES'
  - id: test-owner
    title: Owner of a key
    category: pii
    severity: low
    pattern: 'owner=E2EKEY-[A-Za-z0-9]{24}'
    boundary: token
    confidence: 0.9
    match: ['owner=E2EKEY-000000000000000000000000', 'x owner=E2EKEY-abcdefghijklmnopqrstuvwx', 'owner=E2EKEY-ABCDEFGHIJKLMNOPQRSTUVWX y']
    no_match: ['owner=E2EKEY', 'owner', 'E2EKEY-000000000000000000000000']
RULES
sed -i '/^tenants:/i\
  both:\
    rules: [test]\
    actions: [{category: secret, action: redact}]\
    keep_masked: pii\
    request: {actions: [{action: mask}]}' "$rules/policy.yaml"
start --upstreams="$upstreams" --conversation-timeout=60

other=E2EKEY-000000000000000000000000
mask() { post /v1/filter "{\"direction\":\"request\",\"text\":\"$1\"${2:-}}"; }
restore() { post /v1/filter "{\"text\":$1,\"restore\":\"$2\"${3:-}}"; }

# One value, one pseudonym, which shows its kind.
got=$(mask "use $secret and $other and $secret")
expect_json 'a masked request' '[.action,.rule,(.handle|test("^[0-9a-f]{32}$")),(.text|test("E2EKEY"))]' \
    '["redact","test-key",true,false]' "$got"
handle=$(printf '%s' "$got" | jq -r .handle)
expect_json 'its pseudonyms' '.text|[scan("\\[test-key-[0-9a-f]{4}\\]")]|[length,(unique|length)]' '[3,2]' "$got"
masked=$(printf '%s' "$got" | jq .text)
expect_json 'an answer that has them' '[.action,.text,.restored,.findings]' \
    "[\"allow\",\"use $secret and $other and $secret\",3,[]]" "$(restore "$masked" "$handle")"
await 'on record' '["allow",3,[]]' last_line '[.action,.restored,.findings]'
expect_json 'without the handle' '.text' "$masked" "$(post /v1/filter "{\"text\":$masked}")"
expect_json 'a handle of nobody' '[.status,.pointer]' '[422,"/restore"]' "$(restore "$masked" 00000000000000000000000000000000)"
expect_json "another caller's handle" '[.status,.pointer]' '[422,"/restore"]' \
    "$(post /v1/filter "{\"text\":$masked,\"restore\":\"$handle\"}" -H 'Authorization: Bearer someone-else')"
expect_json 'masked again' .text "$masked" "$(mask "use $secret and $other and $secret" ",\"restore\":\"$handle\"")"
expect_json 'history that has pseudonyms' '[.action,.text,.findings]' "[\"allow\",$masked,[]]" \
    "$(post /v1/filter "{\"direction\":\"request\",\"text\":$masked,\"restore\":\"$handle\"}")"

# What the model itself says is judged as before, and what it makes up stays.
expect_json 'a secret of the model' '[.action,.text,.restored]' "[\"redact\",\"[test-key] or $secret or [test-key-zz]\",1]" \
    "$(restore "\"E2EKEY-111111111111111111111111 or $(printf '%s' "$masked" | grep -o '\[test-key-[0-9a-f]*\]' | head -1) or [test-key-zz]\"" "$handle")"
expect_json 'and counted' '[.restored,.unknown_pseudonyms]' '[1,1]' "$(records | tail -1)"
expect_json 'a policy that keeps them' '[.text,.restored]' "[$masked,0]" "$(restore "$masked" "$handle" ',"policy":"kept"')"
await 'and says so' '[0,3]' last_line '[.restored,.kept_masked]'
expect_json 'in a document' .document "{\"a\":[\"$secret\",1]}" \
    "$(post /v1/filter "{\"document\":{\"a\":[$(printf '%s' "$masked" | jq 'split(" ")[1]'),1]},\"restore\":\"$handle\"}")"
expect_json 'another direction' '[.status,.pointer]' '[422,"/direction"]' "$(post /v1/filter '{"text":"a","direction":"both"}')"

got=$(mask "owner=$secret" ',"policy":"both"')
expect_json 'found as two things, kept for either' '[.restored,(.text|test("E2EKEY"))]' '[0,false]' \
    "$(restore "$(printf '%s' "$got" | jq .text)" "$(printf '%s' "$got" | jq -r .handle)" ',"policy":"both"')"

# A stream, in pieces of any length.
plain_text=$(printf '%s' "$masked" | jq -r .)
for size in 1 7 1000; do
    id=$(post /v1/streams "{\"restore\":\"$handle\"}" | jq -r .id)
    released='' rest=$plain_text
    while [ -n "$rest" ]; do
        piece=$(printf '%s' "$rest" | head -c "$size")
        rest=${rest#"$piece"}
        released="$released$(curl -sS --max-time 30 -H "$plain" --data-binary "$piece" "$url/v1/streams/$id/chunks" | jq -j .text)"
    done
    end=$(post "/v1/streams/$id/end" '{}')
    expect "in pieces of $size" "use $secret and $other and $secret" "$released$(printf '%s' "$end" | jq -r .text)"
    expect_json 'how many' .restored 3 "$end"
done
expect_json 'a stream of nobody' '[.status,.pointer]' '[422,"/restore"]' "$(post /v1/streams '{"restore":"x"}')"

# The proxy: the session is the conversation, and /v1/filter may have masked for it.
masked=$(mask "keep $secret for me, and $other" ',"session":"s-1"' | jq -r .text)
for how in ask ask_whole; do
    answer=$($how say "$masked" -H 'X-Filterd-Session: s-1')
    text=$(if [ $how = ask ]; then printf '%s' "$answer" | said; else printf '%s' "$answer" | jq -r '.choices[0].message.content'; fi)
    expect "through the proxy, $how" "keep $secret for me, and $other" "$text"
    expect "in another session, $how" 0 "$($how say "$masked" -H 'X-Filterd-Session: s-2' | grep -c E2EKEY)"
done
expect_json 'on record' '[.restored,.unknown_pseudonyms]' '[2,null]' "$(records | grep '"phase":"final"' | tail -2 | head -1)"
expect 'restored in all' true "$([ "$(metric filterd_restored_values_total)" -ge 10 ] && echo true)"

# The whole way: what the client sends is masked on its way up, and comes back.
for how in ask ask_whole; do
    answer=$($how say "keep $secret for me, and $other" -H 'X-Filterd-Session: s-3')
    text=$(if [ $how = ask ]; then printf '%s' "$answer" | said; else printf '%s' "$answer" | jq -r '.choices[0].message.content'; fi)
    expect "the whole way, $how" "keep $secret for me, and $other" "$text"
    expect "without a session, $how" 2 "$($how say "$secret, $other" | grep -o 'E2EKEY-[A-Za-z0-9]*' | sort -u | grep -c .)"
done
expect 'pseudonyms went up' true "$([ "$(seen_by_upstream | grep -cE '\[test-key-[0-9a-f]{4}\]')" -ge 4 ] && echo true)"
expect 'and no original' '' "$(seen_by_upstream | grep -E "$secret|$other")"

# Nothing of it is anywhere on disk, in the log or in the metrics.
expect 'no copy on disk' '' "$(grep -rlE "$secret|$other" "$work/state" "$work/cache" "$work/log" 2>/dev/null)"
expect 'nor in metrics' 0 "$(operators /metrics | grep -cE "$secret|$other")"
expect 'a crash leaves no core' 0 "$(awk '/^Max core file size/ {print $5}' "/proc/$pid/limits")"
stop
expect 'after the end' '' "$(grep -rlE "$secret|$other" "$work/state" "$work/cache" "$work/log" 2>/dev/null)"
finish
