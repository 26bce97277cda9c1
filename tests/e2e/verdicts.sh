#!/bin/sh
# Verdicts over HTTP: text, messages, document, plain text; offsets; policies and tenants.
. "$(dirname "$0")/service.inc"
start

a=$(post /v1/filter '{"text":"nothing to see"}')
expect_json 'clean text' '[.action, .rule, .text, .findings]' '["allow",null,"nothing to see",[]]' "$a"
expect_json 'an unchanged text as it came' '.text == "\"\\\u00e9/\n"' true "$(post /v1/filter '{"text": "\"\\\u00e9\/\n" }')"
expect_json 'the end of a changed text' '.text == "[test-key] \u00e9\n"' true "$(post /v1/filter "{\"text\":\"$secret \\u00e9\\n\"}")"
expect_json 'coverage' '.coverage' '{"bytes":14,"judged":14,"unjudged":[]}' "$a"
expect_json 'members' 'keys' '["action","agent","coverage","elapsed_us","findings","id","policy","rule","text"]' "$a"
expect_json 'id is a UUIDv7' '.id | test("^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")' true "$a"
expect_json 'agent' '.agent' '{"id":null,"state":"active","violations":0}' "$a"
expect_json 'policy' '[.policy.name, (.policy.digest | startswith("sha256:"))]' '["default",true]' "$a"

a=$(post /v1/filter "{\"text\":\"é😀 $secret!\",\"agent\":\"support-7\"}")
expect_json 'redaction' '[.action, .rule, .text]' '["redact","test-key","é😀 [test-key]!"]' "$a"
expect_json 'offsets' '.findings[0] | [.bytes, .chars, .utf16]' '[[7,38],[3,34],[4,35]]' "$a"
expect_json 'finding' '.findings[0] | [.category, .severity, .action, .confidence, .path, .view]' \
    '["secret","high","redact",0.9,"","raw"]' "$a"
expect_json 'agent id' '.agent.id' '"support-7"' "$a"
expect 'the answer is recorded' "$(printf '%s' "$a" | jq -r .id)" "$(records | tail -1 | jq -r .req_id)"

a=$(post /v1/filter '{"text":"E2EBOMB0001","explain":true}')
expect_json 'block' '[.action, .rule, .text, .notice]' '["block","test-bomb",null,"Withheld by the tests."]' "$a"
expect_json 'explain' '.findings[0].explain.base' 0.9 "$a"

a=$(post /v1/filter "{\"text\":\"$secret\",\"tenant\":\"acme\"}")
expect_json 'policy of the tenant' '[.action, .policy.name]' '["block","strict"]' "$a"
a=$(post /v1/filter "{\"text\":\"$secret\",\"tenant\":\"acme\",\"policy\":\"default\"}")
expect_json 'policy by name' '[.action, .policy.name]' '["redact","default"]' "$a"

a=$(post /v1/filter "{\"messages\":[{\"role\":\"assistant\",\"content\":\"a $secret\",\"n\":1.50}]}")
expect_json 'messages' '[.action, .messages]' \
    '["redact",[{"role":"assistant","content":"a [test-key]","n":1.5}]]' "$a"
expect_json 'path in messages' '.findings[0].path' '"/0/content"' "$a"
a=$(post /v1/filter "{\"document\": {\"a~b/c\": [1, null, \"x $secret\"] } }")
expect_json 'document' '.document' '{"a~b/c":[1,null,"x [test-key]"]}' "$a"
expect_json 'path in a document' '.findings[0].path' '"/a~0b~1c/2"' "$a"
a=$(post /v1/filter '{"document":{"k":"E2EBOMB0001"}}')
expect_json 'blocked document' '[.action, .document]' '["block",null]' "$a"
expect_json 'empty document' '[.action, .document]' '["allow",[]]' "$(post /v1/filter '{"document":[]}')"
expect_json 'empty text' '[.action, .text]' '["allow",""]' "$(post /v1/filter '{"text":""}')"
expect_json 'escaped names are the same names' .text '"x"' "$(post /v1/filter '{"te\u0078t":"x"}')"

# How a text was read has one name: in answers, in the record, and in each form of a report of filterctl.
views() { jq -r '[.. | objects | .view? // empty] | unique | join(" ")'; }
while IFS= read -r form; do
    printf '%s' "$form" >"$work/form"
    printf '%s' "$form" | jq -Rs '{text: .}' >"$work/body"
    a=$(curl -sS --max-time 30 -H "$json" --data-binary @"$work/body" "$url/v1/filter")
    seen=$(printf '%s' "$a" | views)
    expect "something was read in: $form" redact "$(printf '%s' "$a" | jq -r .action)"
    expect 'the view in the record' "$seen" "$(records | tail -1 | views)"
    for format in json ndjson sarif; do
        "$bin/filterctl" check --rules "$rules" --cache="$work/cache" --format $format - <"$work/form" >"$work/report" 2>/dev/null
        expect "the view in a report as $format" "$seen" "$(jq -s . "$work/report" | views)"
    done
    printf '%s\n' "$seen" >>"$work/views"
done <<FORMS
$secret
$(printf 'x %s x' "$secret" | base64)
$(printf '%s' "$secret" | od -An -tx1 | tr -d ' \n')
$(printf '%s' "$secret" | sed 's/-/%2D/')
$(printf '%s' "$secret" | sed 's/-/\&#45;/')
$(printf '%s' "$secret" | sed 's/-/\\u002d/')
$(printf '%s' "$secret" | sed "s/K/$(printf '\342\200\213')K/")
$(printf '%s' "$secret" | sed 's/-/=2D/;s/$/=3D/')
FORMS
expect 'views of more than one kind' true "$([ "$(sort -u "$work/views" | wc -l)" -ge 6 ] && echo true)"

# Plain text in, plain text out.
printf 'mail %s now' "$secret" >"$work/body"
curl -sS -D "$work/head" -H "$plain" -H 'Accept: text/plain' --data-binary @"$work/body" \
    "$url/v1/filter?agent=support-7&tenant=x" -o "$work/out"
expect 'plain text' 'mail [test-key] now' "$(cat "$work/out")"
expect 'headers' 'Filterd-Action: redact Filterd-Rule: test-key' \
    "$(tr -d '\r' <"$work/head" | grep -E '^Filterd-(Action|Rule)' | tr '\n' ' ' | sed 's/ $//')"
expect 'agent in the record' support-7 "$(records | tail -1 | jq -r .agent)"
expect 'a block is 200 with the notice' '200 Withheld by the tests.' "$(
    printf E2EBOMB0001 | curl -sS -H "$plain" -H 'Accept: text/plain' --data-binary @- -o "$work/out" \
        -w '%{http_code} ' "$url/v1/filter"; cat "$work/out")"
expect_json 'plain in, JSON out' .action '"redact"' "$(curl -sS -H "$plain" --data-binary @"$work/body" "$url/v1/filter")"
expect_json 'default content type of curl is refused' .status 415 "$(curl -sS --data-binary @"$work/body" "$url/v1/filter")"

# A long text goes through the pool, a very long one, too.
head -c 3000000 /dev/zero | tr '\0' 'a' >"$work/long"; printf ' %s' "$secret" >>"$work/long"
a=$(curl -sS -H "$plain" --data-binary @"$work/long" "$url/v1/filter")
expect_json 'long text' '[.action, .findings[0].bytes, .coverage.judged]' '["redact",[3000001,3000032],3000032]' "$a"
expect_json 'keep-alive after all that' .status '"alive"' "$(curl -sS "$url/healthz")"

stop
expect 'exit code' 0 "$status"
finish
