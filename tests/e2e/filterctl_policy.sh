#!/bin/sh
# filterctl policy check, explain, diff.
. "$(dirname "$0")/filterctl_fixture"

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
