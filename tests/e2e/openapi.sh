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
  metered:
    rules: [test]
    actions: []
    budgets: [{name: keys, per: user, category: secret, values: 9, then: redact}]
violations:
  weights: {secret: 1, injection: 1, network: 5}
  half_life: 400d
  actions: [{at: 900, do: kill}]
POLICY
witness=$("$bin/filterd-witness" --make-key "$work/witness.key" --name witness.example/w1)
witness_port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
printf 'witness w1 %s http://127.0.0.1:%s/\nquorum w1\n' "$witness" "$witness_port" >"$work/witnesses"
cat >"$work/witness.yaml" <<YAML
name: witness.example/w1
key: $work/witness.key
state: $work/witness-state
listen: 127.0.0.1:$witness_port
logs:
YAML
start --tokens="$work/tokens" --body-max=1M --text-max=1M --witnesses="$work/witnesses" --witness-interval=1
/usr/bin/python3 tests/support/openapi_contract.py packaging/openapi.json "$address" "$work/operators.sock" "$bin/filterd-witness" \
    "$work/witness.yaml" ${SAMPLES:+--samples} || failures=1
finish
