#!/bin/sh
# A planted secret in every place of every message, by tests/support/canary_matrix.py: answers, streams and errors of each
# protocol, requests to them, and filterd's own routes. It is in no file and no error afterwards, whole or in halves.
. "$(dirname "$0")/service.inc"
matrix=tests/support/canary_matrix.py
upstream_pid=''
trap '[ -z "$upstream_pid" ] || kill -9 "$upstream_pid" 2>/dev/null; cleanup' EXIT
run_upstream /usr/bin/python3 $matrix upstream
write_upstreams
cat >>"$rules/policy.yaml" <<'POLICY'
violations:
  weights: {secret: 1, block: 1}
  half_life: 1m
  actions: [{at: 1000000, do: alert}]
POLICY
export TMPDIR="$work"
start --upstreams="$work/upstreams.yaml" --batch-body-max=1M
/usr/bin/python3 $matrix run "$url" "$port" "$secret" >"$work/played"
n=$(tail -1 "$work/played")
expect 'the secret came back in no answer' '' "$(grep -v '^[0-9]*$' "$work/played" | cut -c1-2000 | head -20)"
expect 'cases were played' 1 "$([ "$n" -gt 3000 ] && echo 1)"
operators /metrics >"$work/metrics"
operators /v1/agents >"$work/agents"
expect 'it still answers' 200 "$(status_of "$url/healthz")"
stop
expect 'records were written' 1 "$([ "$(records | wc -l)" -gt 1000 ] && echo 1)"
mkdir "$work/left"; mv "$work/state" "$work/cache" "$work/log" "$work/metrics" "$work/agents" "$work/left/"
/usr/bin/python3 - "$work/left" "$secret" >"$work/found" <<'PYTHON'
import base64, os, sys
secret = sys.argv[2].encode()
# Each stretch of twelve characters, so that no half of it is left either; and the whole in other dresses.
forms = {secret[i:i + 12] for i in range(len(secret) - 11)} | {base64.b64encode(secret)[:20], secret.hex().encode()[:24]}
for folder, _, files in os.walk(sys.argv[1]):
    for name in files:
        with open(os.path.join(folder, name), "rb") as f:
            for number, line in enumerate(f, 1):
                hit = next((form for form in forms if form in line), None)
                if hit:
                    print(f"{os.path.join(folder, name)}:{number}: {hit.decode()} in {line[:2000].decode(errors='replace')}")
PYTHON
expect 'places where the secret, or a half of it, is left' 0 "$(wc -l <"$work/found")"
head -3 "$work/found"
echo "$n cases"
finish
