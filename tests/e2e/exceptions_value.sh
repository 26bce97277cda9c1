#!/bin/sh
# An exception of one value, by its token from the record: that value passes, every other one is still redacted.
. "$(dirname "$0")/service.inc"
start
action() { post /v1/filter '{"text":"the key '"$1"'"}' | jq -r .action; }
reload() { operators /v1/policy/reload -X POST | jq -r '.status // 200'; }
other=E2EKEY-zzzzzzzzzzzzzzzzzzzzzzzz

expect 'before' redact "$(action "$secret")"
token=$(jq -r 'select(.type == "decision") | .findings[0].value_tok' "$work/state/decisions.jsonl" | head -1)
sed -i "s/^    notice: \"Withheld by the tests.\"/    exceptions: [{rule: test-key, value_tok: '$token', why: known}]/" "$rules/policy.yaml"
expect 'reload' 200 "$(reload)"
expect 'the value' allow "$(action "$secret")"
expect 'another value' redact "$(action "$other")"
expect 'both' redact "$(action "$secret $other")"
expect 'on record as excepted' true "$(jq -c 'select(.type == "decision" and .action == "allow") | .findings[0].excepted' "$work/state/decisions.jsonl")"

# However it is cut into chunks.
streamed() { # streamed VALUE STEP: what leaves of it
    id=$(post /v1/streams '{}' | jq -r .id)
    printf 'the key %s ends' "$1" | fold -w "$2" | while IFS= read -r part || [ -n "$part" ]; do
        post "/v1/streams/$id/chunks" "$(jq -nc --arg text "$part" '{$text}')" | jq -j '.release // .text // ""'
    done
    post "/v1/streams/$id/end" '{}' | jq -j '.release // .text // ""'
}
for n in 1 5 100; do
    expect "the value, in chunks of $n" "the key $secret ends" "$(streamed "$secret" $n)"
    expect "another value, in chunks of $n" 'the key [test-key] ends' "$(streamed "$other" $n)"
done

# After a new start, too: the key is read from its file. A key that is gone leaves tokens that match nothing.
stop
start
expect 'after a new start' allow "$(action "$secret")"
sed -i "s/${token%%:*}:/e1-00000000:/" "$rules/policy.yaml"
expect 'reload' 200 "$(reload)"
expect 'a token of a key that is gone' redact "$(action "$secret")"
stop
finish
