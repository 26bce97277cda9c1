#!/bin/sh
# A table of exact data is loaded with the rules: a reload takes the new file whole, or keeps the old one.
. "$(dirname "$0")/../service.inc"
edm() { printf 'email\n%s\n' "$1" |
        "$bin/filterctl" edm build - --columns email:email --key "$rules/test/own.key" --out "$rules/test/own.edm" >/dev/null; }
edm ada@post.example || exit 1
cat >"$rules/test/own.yaml" <<'RULES'
rules:
  - id: own-data
    title: Own data
    category: secret
    severity: high
    exact_data: {file: own.edm, key: own.key, cells: [email]}
    confidence: 0.9
RULES
start
text() { post /v1/filter '{"text":"ada@post.example, bob@post.example"}' | jq -r .text; }
reload() { operators /v1/policy/reload -X POST; }
digest() { operators /v1/policy | jq -r '.policies[0].digest'; }

expect 'the first table' '[own-data], bob@post.example' "$(text)"
old=$(digest)
cp "$rules/test/own.edm" "$work/ada.edm"
printf 'email\neve@post.example\n' | "$bin/filterctl" edm build - --columns email:email --key "$rules/test/own.key" --out "$work/eve.edm" >/dev/null
cp "$work/eve.edm" "$rules/test/own.edm"
expect 'a file that is written over changes nothing' '[own-data], bob@post.example' "$(text)"
: >"$rules/test/own.edm"
expect 'nor does one that is emptied' '[own-data], bob@post.example' "$(text)"
cp "$work/ada.edm" "$rules/test/own.edm"
edm bob@post.example
expect 'a new file alone changes nothing' '[own-data], bob@post.example' "$(text)"
a=$(reload)
expect 'after the reload' 'ada@post.example, [own-data]' "$(text)"
expect 'another digest' 1 "$([ "$old" != "$(digest)" ] && echo 1)"
chmod 644 "$rules/test/own.key"
a=$(reload)
expect_json 'a key that others may read' .status 422 "$a"
expect 'the old table stays' 'ada@post.example, [own-data]' "$(text)"
chmod 600 "$rules/test/own.key"
: >"$rules/test/own.edm.new" && mv "$rules/test/own.edm.new" "$rules/test/own.edm"
a=$(reload)
expect_json 'an empty file' .status 422 "$a"
expect 'the old table still stays' 'ada@post.example, [own-data]' "$(text)"
stop
finish
