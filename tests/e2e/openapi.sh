#!/bin/sh
# The OpenAPI document is what the service does: every operation is called, each of its statuses provoked, each body validated.
. "$(dirname "$0")/service.inc"
token_of() { printf 'token-of-%s-0123456789abcdef' "$1"; }
for who in app:caller anna:reviewer ben:approver aud:auditor olga:operator rep:reporter root:admin; do
    token_of "${who%:*}" | "$bin/filterd" --hash-token --role="${who#*:}" --name="${who%:*}"
done >"$work/tokens"
chmod 600 "$work/tokens"
mkdir "$rules/recipients"
printf "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p\nage1de9rkdgttec0j3urvn0cfcrt28a6x56k9lcd9tnhucmwh2p8xutqm589r3\n" >"$rules/recipients/compliance"
cat >"$rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions:
      - {category: secret, action: redact}
      - {category: injection, action: block}
    seal: {when: [{action: redact}], to: compliance}
    review: {queue: [{action: [redact, block]}], exceptions: live}
violations:
  weights: {secret: 1, injection: 1, network: 5}
  half_life: 400d
  actions: [{at: 900, do: kill}]
POLICY
start --tokens="$work/tokens" --body-max=1M --text-max=1M
/usr/bin/python3 tests/support/openapi_contract.py packaging/openapi.json "$address" "$work/operators.sock" ${SAMPLES:+--samples} || failures=1
finish
