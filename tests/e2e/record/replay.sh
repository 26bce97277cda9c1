#!/bin/sh
# filterctl policy replay: sealed exchanges judged again, by those who hold the keys; what changes is said, and no text.
. "$(dirname "$0")/../service.inc"
command -v age-keygen >/dev/null || { echo "skip: age is not installed"; exit 0; }
keys=$work/keys; mkdir "$keys" "$rules/recipients"
for who in anna ben carl; do age-keygen -o "$keys/$who" 2>/dev/null; done
for who in anna ben; do age-keygen -y "$keys/$who"; done >"$rules/recipients/compliance"
cp "$rules/policy.yaml" "$work/policy.before"
# seal WHAT: every exchange is sealed; of the default policy and the strict one.
seal() {
    awk -v seal="    seal: {when: [{action: [block, redact, allow]}], to: compliance, what: $1}" \
        '{ print } /^  (default|strict):/ { print seal }' "$work/policy.before" >"$rules/policy.yaml"
}
who=anna
replay() { "$bin/filterctl" policy replay "$@" --rules "$rules" --cache "$work/cache" --identity "$keys/$who"; }

seal exchange
start
post /v1/filter "{\"text\":\"the key is $secret here\"}" >/dev/null
post /v1/filter '{"text":"nothing to see"}' >/dev/null
post /v1/filter '{"text":"Here is E2EBOMB0001 for you.","app":"lab"}' >/dev/null
post /v1/filter "{\"messages\":[{\"role\":\"user\",\"content\":\"a $secret\"}],\"tenant\":\"acme\"}" >/dev/null
first=$(records | jq -r 'select(.action == "redact") | .seq')
bomb=$(records | jq -r 'select(.rule == "test-bomb") | .seq')
strict=$(records | jq -r 'select(.tenant == "acme") | .seq')

# The policy that was in force changes nothing, compared with the record and with itself.
found=$(replay "$rules/policy.yaml" "$work/state"); code=$?
expect 'the same policy: code' 0 "$code"
expect 'the same policy' '4 exchanges judged again, 0 verdicts change' "$(echo "$found" | head -1)"
found=$(replay "$rules/policy.yaml" "$work/state" --policy "$rules/policy.yaml" --format json)
expect_json 'against itself' '[.judged, .changed, .by_policy, .by_record, .unlike_record, .failed]' '[4,0,4,0,0,0]' "$found"

# A candidate without the secrets' action and with an exception for the laboratory.
sed -e 's/{category: secret, action: redact}/{category: secret, action: block}/' \
    -e 's/^  default:/&\n    exceptions: [{app: lab, rule: test-bomb, why: tests}]/' "$rules/policy.yaml" >"$rules/candidate.yaml"
found=$(replay "$rules/candidate.yaml" "$work/state" --out "$work/summary"); code=$?
expect 'a candidate: code' 1 "$code"
expect 'a candidate: each change' "$first: redact (test-key) -> block (test-key);$bomb: block (test-bomb) -> allow" \
    "$(echo "$found" | grep -E '^[0-9]+: ' | paste -sd';')"
expect 'a candidate: sums' '4 exchanges judged again, 2 verdicts change' "$(echo "$found" | grep judged)"
expect_json 'the summary' '[.changed, [.changes[].seq], [.moves[] | "\(.from) \(.to) \(.n)"], .candidate.digest[:7]]' \
    "[2,[$first,$bomb],[\"redact block 1\",\"block allow 1\"],\"sha256:\"]" "$(cat "$work/summary")"
sed 's/{category: secret, action: block}/{category: secret, action: redact}/' "$rules/policy.yaml" >"$rules/lenient.yaml"
expect 'the tenant has a policy of its own' "$strict: block (test-key) -> redact (test-key)" \
    "$(replay "$rules/lenient.yaml" "$work/state" | grep -E '^[0-9]+: ')"
expect 'a query' '1 exchange judged again, 0 verdicts change' \
    "$(replay "$rules/candidate.yaml" "$work/state" --query action:allow | grep judged)"
expect 'a time' 2 "$(replay "$rules/candidate.yaml" "$work/state" --until 2020-01-01 >/dev/null 2>&1; echo $?)"

# Nothing of a text is in what it prints or leaves.
replay "$rules/candidate.yaml" "$work/state" --format json >"$work/printed" 2>&1
replay "$rules/candidate.yaml" "$work/state" >>"$work/printed" 2>&1
expect 'texts printed' 0 "$(cat "$work/printed" "$work/summary" | grep -cE "$secret|nothing to see|E2EBOMB0001")"
expect 'texts left' '' "$(grep -rlaF -e "$secret" -e 'nothing to see' "$work/state" "$work/cache" | head -3)"

# What a policy did not decide has nothing to compare with: an agent that was killed.
post /v1/filter '{"text":"hello","agent":"late"}' >/dev/null
operators '/v1/agents/late/kill?why=drill' -X POST >/dev/null
post /v1/filter "{\"text\":\"the key is $secret\",\"agent\":\"late\"}" >/dev/null
expect 'of a killed agent' '[5,1]' "$(replay "$rules/policy.yaml" "$work/state" --format json | jq -c '[.judged, .skipped.no_policy]')"

# Who holds none of the keys, and originals that are gone.
who=carl
replay "$rules/candidate.yaml" "$work/state" >"$work/printed" 2>&1
expect 'another identity: code' 2 $?
who=anna
expect 'another identity: each is named' 5 "$(grep -c '^filterctl: line' "$work/printed")"
blob=$(records | jq -r "select(.seq == $first) | .sealed.blob")
rm "$work/state/seal/$(printf %.2s "$blob")/$blob.age"
expect 'removed' '[4,1]' "$(replay "$rules/candidate.yaml" "$work/state" --format json | jq -c '[.judged, .skipped.removed]')"
stop

# What is kept in part is not judged again: a part says less than the whole.
seal span
start
post /v1/filter "{\"text\":\"again $secret here\"}" >/dev/null
stop
expect 'in part' '[4,1]' "$(replay "$rules/candidate.yaml" "$work/state" --format json | jq -c '[.judged, .skipped.in_part]')"
finish
