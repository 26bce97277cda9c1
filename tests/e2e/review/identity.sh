#!/bin/sh
# The word of an authenticating reverse proxy: where it counts, and that nobody else can say it.
. "$(dirname "$0")/../service.inc"

cat >"$work/identity.yaml" <<'FILE'
user: X-Forwarded-User
groups: X-Forwarded-Groups
map:
  sec-review: {role: reviewer}
  sec-operate: {role: operator}
  acme-review: {role: reviewer, tenant: acme}
FILE
start --page-identity="$work/identity.yaml"
socket="--unix-socket $work/operators.sock"
page() { curl -sS $socket -o "$work/answer" -w '%{http_code}' "$@"; }
anna='X-Forwarded-User: anna'

expect 'a reviewer' 200 "$(page -H "$anna" -H 'X-Forwarded-Groups: staff,sec-review' http://filterd/review/record)"
expect 'by name and role' 1 "$(grep -c '<bdi>anna</bdi> (reviewer)' "$work/answer")"
expect 'is well-formed' '' "$(/usr/bin/python3 tests/support/check_page.py "$work/answer")"
expect 'has no form to sign out' 0 "$(grep -c '/review/logout' "$work/answer")"
expect 'may not do what another role may' 403 "$(page -H "$anna" -H 'X-Forwarded-Groups: sec-review' http://filterd/review/access)"
expect 'nobody without a group that counts' 403 "$(page -H "$anna" -H 'X-Forwarded-Groups: staff' http://filterd/review/record)"
expect 'nobody without a name' 403 "$(page -H 'X-Forwarded-Groups: sec-review' http://filterd/review/record)"
expect 'nobody without a word: the socket alone is no identity then' 403 "$(page http://filterd/review/record)"
expect 'two names are a fault' 400 "$(page -H "$anna" -H 'X-Forwarded-User: ben' -H 'X-Forwarded-Groups: sec-review' http://filterd/review/record)"
expect 'two lists of groups are, too' 400 "$(page -H "$anna" -H 'X-Forwarded-Groups: staff' -H 'x-forwarded-groups: sec-review' \
    http://filterd/review/record)"
expect 'it opens no route of the API' '400 400' "$(page -H "$anna" -H 'X-Forwarded-Groups: sec-operate' http://filterd/v1/records) $(
    page -X POST -H "$anna" -H 'X-Forwarded-Groups: sec-operate' http://filterd/v1/agents/one/kill)"
expect 'the socket still does' 200 "$(page http://filterd/v1/records)"
expect 'a form needs its token' 403 "$(page -H "$anna" -H 'X-Forwarded-Groups: sec-operate' -H 'Origin: http://filterd' \
    -d 'name=one&why=x&do=kill' http://filterd/review/agents/change)"
page -H "$anna" -H 'X-Forwarded-Groups: sec-operate' http://filterd/review/agents >/dev/null
token=$(sed -n 's|.*action="/review/agents/change"><input type="hidden" name="csrf" value="\([0-9a-f]*\)".*|\1|p' "$work/answer" | head -1)
change() { page -H "X-Forwarded-User: $1" -H "X-Forwarded-Groups: $2" -H 'Origin: http://filterd' \
    -d "csrf=$token&name=one&why=it+ran+wild&do=kill" http://filterd/review/agents/change; }
expect 'that of another person' 403 "$(change ben sec-operate)"
expect 'from who may not' 403 "$(change anna sec-review)"
expect 'a kill' 303 "$(change anna sec-operate)"
stop
expect_json 'is on record with who and why' '[.event, .by, .why]' '["kill","operator","anna: it ran wild"]' \
    "$(records | jq -c 'select(.type == "agent" and .agent == "one")' | head -1)"

# --- over TCP ---------------------------------------------------------------------
printf 'token-of-the-admin-0123456789' | "$bin/filterd" --hash-token --role=admin --name=root >"$work/tokens"
start --page-identity="$work/identity.yaml" --tokens="$work/tokens" --operators=127.0.0.1:0
operators=http://$(sed -n 's/.* operators=\([^ ]*\) .*/\1/p' "$work/log")
tcp() { curl -sS -o "$work/answer" -w '%{http_code}' "$@"; }
expect 'over TCP anybody could say it' 400 "$(tcp -H "$anna" -H 'X-Forwarded-Groups: sec-review' "$operators/review/record")"
expect 'also one header of the two' '400 400' "$(tcp -H "$anna" "$operators/review/record") $(
    tcp -H 'X-Forwarded-Groups: sec-review' "$operators/review/login")"
expect 'with a token, too' 400 "$(tcp -H "$anna" -H 'Authorization: Bearer token-of-the-admin-0123456789' "$operators/v1/records")"
expect 'a token signs in' 303 "$(tcp -H "Origin: $operators" -d token=token-of-the-admin-0123456789 "$operators/review/login")"
printf 'user: U\n' >"$work/identity.yaml"
"$bin/filterd" --check --rules="$rules" --page-identity="$work/identity.yaml" --state-directory="$work/state" 2>"$work/refused"
expect 'a file that says too little' 2 $?
finish
