#!/bin/sh
# Who may call what: tokens, roles, Unix sockets, and no open door without tokens.
. "$(dirname "$0")/service.inc"

# Without tokens only local addresses.
"$bin/filterd" --listen=0.0.0.0:0 --operators=none --rules="$rules" --state-directory="$work/state" \
    --cache-directory="$work/cache" 2>"$work/log"
expect 'refuses to be open' 2 $?
expect 'and says why' 1 "$(grep -c 'without tokens only loopback' "$work/log")"

for role in caller proxy reviewer approver auditor reporter operator admin; do
    token=token-of-the-$role-0123456789
    printf '%s\n' "$token" | "$bin/filterd" --hash-token --role=$role --name=test-$role >>"$work/tokens"
done
expect 'the file holds no token' 0 "$(grep -c token-of "$work/tokens")"
printf short | "$bin/filterd" --hash-token 2>/dev/null; expect 'short token' 2 $?
printf 0123456789abcdef | "$bin/filterd" --hash-token --role=king 2>/dev/null; expect 'unknown role' 2 $?

start --tokens="$work/tokens" --operators=127.0.0.1:0
operators=http://$(sed -n 's/.* operators=\([^ ]*\) .*/\1/p' "$work/log")
as() { # as ROLE CURL-ARGUMENT…
    role=$1; shift
    status_of -H "Authorization: Bearer token-of-the-$role-0123456789" "$@"
}
filter() { as "$1" -H "$json" -d '{"text":"a"}' "$url/v1/filter"; }
expect 'filter, by role' '200 403 403 403 200 401' \
    "$(filter caller) $(filter proxy) $(filter reviewer) $(filter operator) $(filter admin) $(filter nobody)"
policy() { as "$1" "$operators/v1/policy"; }
expect 'policy, by role' '403 403 200 200 200 401' \
    "$(policy caller) $(policy proxy) $(policy reviewer) $(policy operator) $(policy admin) $(policy nobody)"
reload() { as "$1" -X POST "$operators/v1/policy/reload"; }
expect 'reload, by role' '403 403 200 200' "$(reload caller) $(reload reviewer) $(reload operator) $(reload admin)"
tell() { as "$1" -H "$json" -d '{"kind":"dns"}' "$operators/v1/agents/one/violations"; }
expect 'violations of agents, by role' '403 403 403 409 409 409' \
    "$(tell caller) $(tell proxy) $(tell reviewer) $(tell reporter) $(tell operator) $(tell admin)"
expect 'a reporter may nothing else' '403 403 403 403 403' "$(filter reporter) $(policy reporter) $(reload reporter) $(
    as reporter "$operators/v1/agents/one") $(as reporter -X POST "$operators/v1/agents/one/kill")"
look() { as "$1" "$operators/v1/records"; }
expect 'records, by role' '403 403 200 200 403 200 200 401' "$(look caller) $(look proxy) $(look reviewer) $(look auditor) $(
    look reporter) $(look operator) $(look admin) $(look nobody)"
expect 'an auditor changes nothing' '403 403 403' "$(filter auditor) $(reload auditor) $(
    as auditor -X POST "$operators/v1/agents/one/kill")"
expect 'in which role' '["admin","auditor","operator","reviewer"]' "$(records | jq -r 'select(.type == "access") | .role' | jq -Rsc 'split("\n")[:-1] | unique')"
expect 'metrics, by role' '403 200' "$(as caller "$url/metrics") $(as operator "$url/metrics")"
expect 'no token' 401 "$(status_of -H "$json" -d '{"text":"a"}' "$url/v1/filter")"
expect 'health is open' '200 200' "$(status_of "$url/healthz") $(status_of "$url/readyz")"
expect 'says how' 'WWW-Authenticate: Bearer' \
    "$(curl -sS -D- -o /dev/null -d a "$url/v1/filter" | tr -d '\r' | grep ^WWW)"
expect 'other scheme' 401 "$(status_of -u token-of-the-admin-0123456789:x -H "$json" -d '{"text":"a"}' "$url/v1/filter")"
expect 'scheme in lower case' 200 "$(status_of -H 'Authorization: bearer token-of-the-caller-0123456789' \
    -H "$json" -d '{"text":"a"}' "$url/v1/filter")"

# A token taken away stops working with the reload; the last one cannot be.
grep -v caller "$work/tokens" >"$work/fewer"; cp "$work/fewer" "$work/tokens"
kill -HUP "$pid"
reloads() { grep -c 'reload: done' "$work/log"; }
await 'the reload' 3 reloads
expect 'token taken away' '401 200' "$(filter caller) $(filter admin)"
: >"$work/tokens"; kill -HUP "$pid"; wait_for_log 'reload: refused'
expect 'not the last one' '401 200' "$(filter caller) $(filter admin)"
echo 'caller:x:nohex' >"$work/tokens"
expect 'bad file' 422 "$(as admin -X POST "$operators/v1/policy/reload")"
expect 'says where' "\"$work/tokens:1: the SHA-256 of the token in 64 hex digits expected\"" "$(
    curl -sS -H 'Authorization: Bearer token-of-the-admin-0123456789' -X POST "$operators/v1/policy/reload" | jq .detail)"
stop

# Unix sockets.
start --listen=unix:"$work/callers.sock" --socket-mode=0660
expect 'mode of the callers socket' 660 "$(stat -c %a "$work/callers.sock")"
expect 'mode of the operators socket' 600 "$(stat -c %a "$work/operators.sock")"
expect 'filter on a Unix socket' 200 "$(status_of --unix-socket "$work/callers.sock" -H "$json" -d '{"text":"a"}' http://filterd/v1/filter)"
expect 'policy on the operators socket' 200 "$(status_of --unix-socket "$work/operators.sock" http://filterd/v1/policy)"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$work"; chmod 666 "$work/operators.sock"
    expect 'another user' 403 "$(setpriv --reuid=65534 --clear-groups curl -sS -o /dev/null -w '%{http_code}' \
        --unix-socket "$work/operators.sock" http://filterd/v1/policy)"
fi
# A second service on the same sockets is refused; a socket left by a crash is replaced.
"$bin/filterd" --listen=unix:"$work/callers.sock" --operators=none --rules="$rules" --log="$work/other.jsonl" \
    --state-directory="$work/other" --cache-directory="$work/cache" 2>"$work/second"
expect 'socket in use' 2 $?
stop KILL
start --listen=unix:"$work/callers.sock"
expect 'socket left by a crash' 200 "$(status_of --unix-socket "$work/callers.sock" http://filterd/healthz)"
stop
expect 'sockets are taken away' '' "$(ls "$work" | grep sock)"
finish
