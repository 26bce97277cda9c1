#!/bin/sh
# filterctl policy check, explain, diff.
. "$(dirname "$0")/fixture"

expect 0 "$ctl" policy check $rules
has "policy default: 3 rules, 2 actions, 0 exceptions sha256:"
printf 'policies:\n  default:\n    rules: [secrets]\n    actions: [{category: secrets, action: redact}]\n' > "$dir/bad.yaml"
expect 2 "$ctl" policy check $rules "$dir/bad.yaml"
says "$dir/bad.yaml:4:"

expect 1 "$ctl" policy explain $rules 'the key-123456789012 is'
has "action redact by test-key"
has "entry 1 of actions"
has "the [test-key] is"
has_not "123456789012"
expect 0 "$ctl" policy explain $rules 'nothing'
expect 2 "$ctl" policy explain $rules --policy-name none 'nothing'
says "there is no 'none'"

sed '/severity: critical/d; s/>=0.5/>=0.1/' "$dir/rules/policy.yaml" > "$dir/new.yaml"
printf '{"text":"tok_abcdefgh12345678"}\n{"text":"weak-123456"}\n{"text":"key-123456789012"}\n{"text":"fine"}\n' > "$dir/in.ndjson"
expect 1 "$ctl" policy diff $rules "$dir/rules/policy.yaml" "$dir/new.yaml" --on "$dir/in.ndjson" --field text
has "in.ndjson:1: block (test-token) -> redact (test-token)"
has "in.ndjson:2: allow -> redact (test-weak)"
has "4 texts, 2 verdicts change; allow -> redact: 1; block -> redact: 1"
expect 0 "$ctl" policy diff $rules "$dir/new.yaml" "$dir/new.yaml" --on "$dir/in.ndjson"
expect 2 "$ctl" policy diff $rules "$dir/new.yaml" "$dir/new.yaml"

# National rules of countries that a policy does not choose are not applied; the record's digest tells.
mkdir -p "$dir/world/pii"
cat > "$dir/world/pii/numbers.yaml" <<'RULES'
rules:
  - {id: number-no, title: t, category: pii, severity: high, tags: [country-no], pattern: 'NO-[0-9]{6}', confidence: 0.9,
     match: ['the NO-123456 is', 'NO-000000', 'NO-999999'], no_match: ['the NO-1 is', 'NO', 'no']}
  - {id: number-de, title: t, category: pii, severity: high, tags: [country-de], pattern: 'DE-[0-9]{6}', confidence: 0.9,
     match: ['the DE-123456 is', 'DE-000000', 'DE-999999'], no_match: ['the DE-1 is', 'DE', 'de']}
  - {id: number-any, title: t, category: pii, severity: high, pattern: 'ANY-[0-9]{6}', confidence: 0.9,
     match: ['the ANY-123456 is', 'ANY-000000', 'ANY-999999'], no_match: ['the ANY-1 is', 'ANY', 'any']}
RULES
world() {
    printf 'policies:\n  default:\n    rules: [pii]\n%s    actions: [{category: pii, action: redact}]\n' "$1" > "$dir/world/policy.yaml"
    expect 0 "$ctl" policy check --rules "$dir/world"
    digest=$(grep -o 'sha256:[0-9a-f]*$' "$dir/out" | tail -1)
}
world ''
all=$digest
has "policy default: 3 rules"
world '    countries: [no]
'
has "policy default: 2 rules"
[ "$digest" != "$all" ] || fail "the digest is the same for all countries and for one"
expect 1 "$ctl" redact --rules "$dir/world" <<'TEXT'
NO-123456 DE-123456 ANY-123456
TEXT
has "[number-no] DE-123456 [number-any]"
sed 's/countries: \[no\]/countries: [uk]/' "$dir/world/policy.yaml" > "$dir/uk.yaml"
expect 2 "$ctl" policy check --rules "$dir/world" "$dir/uk.yaml"
says "uk.yaml:4:"
says "there is no rule of country 'uk'"

# A request to a model.
mkdir -p "$dir/requests/secrets"
cp "$dir"/rules/secrets/*.yaml "$dir/requests/secrets/"
requests() { # requests KEYS: the policy with these keys of its section
    printf 'policies:\n  default:\n    rules: [secrets]\n    actions: []\n    request: {%s}\n' "$1" > "$dir/requests/policy.yaml"
}
body='{"messages":[{"role":"user","content":"the key-123456789012 is"},{"role":"tool","content":"fine"}]}'
requests ''
expect 1 "$ctl" policy explain --rules "$dir/requests" --request=openai-chat "$body"
has "user at /messages/0/content"
has "the default of request.actions"
has '"content":"the [test-key-'
has_not '123456789012'
requests 'actions: [{category: pii, action: report}, {category: secret, role: user, action: block}], notice: Not this.'
expect 1 "$ctl" policy explain --rules "$dir/requests" --request=openai-chat "$body"
has "entry 2 of request.actions"
has "Not this."
expect 2 "$ctl" policy explain --rules "$dir/requests" --request=openai-chat '{"a":1,"a":1}'
has "filterd.unjudged: the request could not be read"
requests 'judge: false'
expect 0 "$ctl" policy explain --rules "$dir/requests" --request=openai-chat "$body"
has "requests are not judged under this policy"
expect 2 "$ctl" policy explain --rules "$dir/requests" --request=nothing "$body"

# What a supervisor costs in a stream.
asking() { # asking KEYS: the policy with a supervisor of these keys
    mkdir -p "$dir/asking/secrets"
    cp "$dir"/rules/secrets/*.yaml "$dir/asking/secrets/"
    printf 'policies:\n  default:\n    rules: [secrets]\n    actions: [{category: secret, action: redact}]\n    supervisor: {%s}\n' "$1" > "$dir/asking/policy.yaml"
}
asking 'when: {category: secret}, on_failure: allow, deadline: 2s, hold: sentence, questions: 7'
expect 0 "$ctl" policy explain --rules "$dir/asking" 'Nothing in it.'
has "supervisor asked: no; held of a stream: each sentence until it has ended, at most 528 bytes beside what rules and classifiers hold"
has "one that is asked about waits at most 2000 ms; of at most 7 questions the last is about all that is left"
asking 'when: {category: secret}, on_failure: allow, hold: paragraph'
expect 0 "$ctl" policy explain --rules "$dir/asking" 'Nothing in it.'
has "held of a stream: each paragraph until it has ended, at most 4112 bytes"
has "waits at most 1500 ms; of at most 32 questions"
asking 'when: {category: secret}, on_failure: allow'
expect 0 "$ctl" policy explain --rules "$dir/asking" 'Nothing in it.'
has "held of a stream: 14 bytes, all of it; the end waits at most 1500 ms"
asking 'when: {category: secret}, on_failure: allow, hold: none'
expect 0 "$ctl" policy explain --rules "$dir/asking" 'Nothing in it.'
has "held of a stream: 0 bytes"
asking 'when: {category: secret}, hold: sentence'
expect 2 "$ctl" redact --rules "$dir/asking" <<'TEXT'
Nobody can be asked here.
TEXT
says "the policy's supervisor cannot be asked here"
has_not "Nobody"
asking 'when: {category: secret}, hold: sentence, questions: 49'
expect 2 "$ctl" policy check --rules "$dir/asking"
says "policy.yaml:5:"
