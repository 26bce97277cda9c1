#!/bin/sh
# Names of agents that a caller makes up: they take nothing from other callers' agents, nor from those that are known.
. "$(dirname "$0")/service.inc"
cat >>"$rules/policy.yaml" <<'POLICY'
violations:
  weights: {secret: 25, injection: 40, block: 10}
  half_life: 400d
  actions:
    - {at: 20, do: alert}
    - {at: 200, do: kill}
POLICY
for name in one two; do
    printf 'token-of-%s-0123456789\n' $name | "$bin/filterd" --hash-token --role=caller --name=$name >>"$work/tokens"
done
start --tokens="$work/tokens" --batch-body-max=16M
filter() { # filter CALLER AGENT TEXT
    post /v1/filter "{\"text\":\"$3\",\"agent\":\"$2\"}" -H "Authorization: Bearer token-of-$1-0123456789"
}
flood() { # flood CALLER PREFIX: 12,000 names with a violation each; how they were answered
    seq 12000 | sed "s/.*/{\"text\":\"$secret\",\"agent\":\"$2-&\"}/" |
        curl -sS --max-time 120 -H "$ndjson" -H "Authorization: Bearer token-of-$1-0123456789" --data-binary @- "$url/v1/filter/batch" |
        jq -r '"\(.action) \(.rule)"' | sort | uniq -c | sed 's/^ *//'
}
for _ in 1 2 3 4; do filter one killed E2EBOMB0001 >/dev/null; done
filter one known "$secret" >/dev/null; filter one known E2EBOMB0001 >/dev/null
filter two other "$secret" >/dev/null
expect 'made-up names are redacted like any' '12000 redact test-key' "$(flood one made-up)"
expect_json 'an agent of another caller' '[.action, .agent.violations]' '["redact",25]' "$(filter two new "$secret")"
expect_json 'which is known' '[.action, .agent.violations]' '["redact",50]' "$(filter two other "$secret" | jq -c '.agent.violations |= floor')"
expect_json 'an agent of the same caller' '[.action, .agent.violations]' '["redact",25]' "$(filter one newer "$secret")"
expect_json 'which is known' '[.action, .agent.violations]' '["redact",100]' "$(filter one known "$secret" | jq -c '.agent.violations |= round')"
expect_json 'one that was killed stays so' '[.action, .rule]' '["block","filterd.agent-killed"]' "$(filter one killed hello)"
expect 'the other caller has room for as many' '12000 redact test-key' "$(flood two also-made-up)"
expect_json 'the first has kept what it had' '[.action, .agent.violations]' '["redact",125]' "$(filter one known "$secret" | jq -c '.agent.violations |= round')"
expect 'none was blocked for want of room' 0 "$(records | grep -c ledger-full)"
expect 'the operator sees that accounts were given up' 1 "$(operators /metrics | awk '/^filterd_ledger_displaced_total/ {print ($2 > 10000)}')"
stop
finish
