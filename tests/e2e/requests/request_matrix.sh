#!/bin/sh
# A planted secret in every place of requests of every API, whole, in other forms and in halves: nothing of it goes up. Each 29th case
# and all halves; FILTERD_EACH=1 plays all.
. "$(dirname "$0")/../service.inc"
matrix=tests/e2e/requests/request_matrix.py
got=$work/got
mkdir "$got"
run_upstream /usr/bin/python3 $matrix upstream "$got"
trap 'kill -9 "$upstream_pid" 2>/dev/null; cleanup' EXIT
write_upstreams
cat >"$rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions: [{category: secret, action: redact}]
POLICY
start --upstreams="$work/upstreams.yaml"
/usr/bin/python3 $matrix run "$url" "$got" "$secret" "${FILTERD_EACH:-29}" >"$work/played"
n=$(tail -1 "$work/played")
expect 'cases in which the secret went up' '' "$(sed '$d' "$work/played" | head -20)"
expect 'cases were played' 1 "$([ "$n" -gt 1000 ] && echo 1)"
expect 'it still answers' 200 "$(status_of "$url/healthz")"
stop
echo "$n cases"
finish
