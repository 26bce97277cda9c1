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
stop

# --- with a client certificate ------------------------------------------------------
key() { openssl req "$@" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes 2>/dev/null; }
key -x509 -days 2 -subj /CN=ca -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' -keyout "$work/ca.key" -out "$work/ca.pem"
for name in proxy.internal other.internal; do
    key -subj "/CN=$name" -keyout "$work/$name.key" -out "$work/$name.csr"
    printf 'subjectAltName=DNS:%s\n' $name >"$work/$name.ext"
    openssl x509 -req -in "$work/$name.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial -days 2 \
        -extfile "$work/$name.ext" -out "$work/$name.pem" 2>/dev/null
done
echo 'certificate: proxy.internal' >>"$work/identity.yaml"
start --page-identity="$work/identity.yaml" --tokens="$work/tokens" --operators=127.0.0.1:0 --tls-certificate="$work/ca.pem" \
    --tls-key="$work/ca.key" --tls-client-ca="$work/ca.pem"
operators=https://$(sed -n 's/.* operators=\([^ ]*\) .*/\1/p' "$work/log")
with() { name=$1; shift; tcp --cacert "$work/ca.pem" --cert "$work/$name.pem" --key "$work/$name.key" "$@"; }
expect 'the proxy, by its certificate' 200 "$(with proxy.internal -H "$anna" -H 'X-Forwarded-Groups: sec-review' "$operators/review/record")"
expect 'which says nobody' 403 "$(with proxy.internal "$operators/review/record")"
expect 'and nothing on the API' 400 "$(with proxy.internal -H "$anna" -H 'X-Forwarded-Groups: sec-review' "$operators/v1/records")"
expect 'another certificate of the same CA' 400 "$(with other.internal -H "$anna" -H 'X-Forwarded-Groups: sec-review' "$operators/review/record")"
expect 'whose client signs in by a token' 303 "$(with other.internal -D "$work/head" -H "Origin: $operators" \
    -d token=token-of-the-admin-0123456789 "$operators/review/login")"
expect 'over TLS: a secure cookie' 1 "$(grep -c '^[Ss]et-[Cc]ookie: __Host-filterd=.*; Secure' "$work/head")"
expect 'no certificate' 403 "$(tcp --cacert "$work/ca.pem" "$operators/review/login")"

printf 'user: U\n' >"$work/identity.yaml"
"$bin/filterd" --check --rules="$rules" --page-identity="$work/identity.yaml" --state-directory="$work/state" 2>"$work/refused"
expect 'a file that says too little' 2 $?
finish
