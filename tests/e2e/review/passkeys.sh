#!/bin/sh
# Passkeys as the second factor, as far as HTTP shows it without an authenticator: what a token alone still opens, and what does not
# count as a response. tests/page has those of an authenticator.
. "$(dirname "$0")/../service.inc"

for role in reviewer approver auditor admin; do
    printf 'token-of-the-%s-0123456789' $role | "$bin/filterd" --hash-token --role=$role --name=test-$role >>"$work/tokens"
done
base() { "$bin/filterd" --check --tokens="$work/tokens" --state-directory="$work/other" --log="$work/other.jsonl" "$@" 2>&1; }

# --- options that contradict each other -----------------------------------------------------
expect 'an origin is needed' 1 "$(base --page-passkeys=required | grep -c 'page-origin: an origin such as')"
for origin in http://review.example https://10.0.0.1 https://Review.example https://review.example/; do
    expect "$origin is none" 1 "$(base --page-passkeys=optional --page-origin="$origin" | grep -c 'page-origin: an origin such as')"
done
expect 'and without passkeys there is none' 1 "$(base --page-origin=https://review.example | grep -c 'page-origin: only with page-passkeys')"
printf 'user: X-U\ngroups: X-G\nmap: {a: {role: reviewer}}\n' >"$work/identity"
expect 'a proxy has the second factor itself' 1 "$(base --page-passkeys=optional --page-origin=https://review.example \
    --page-identity="$work/identity" | grep -c 'page-passkeys: not with page-identity')"

# --- required ---------------------------------------------------------------------------------
port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
start --tokens="$work/tokens" --operators="127.0.0.1:$port" --page-passkeys=required --page-origin="http://localhost:$port"
operators=http://127.0.0.1:$port
form() { # form JAR PATH CURL-ARGUMENT…: the status
    jar=$1 path=$2; shift 2
    curl -sS -o "$work/answer" -D "$work/head" -w '%{http_code}' -b "$work/$jar" -c "$work/$jar" -H "Origin: $operators" \
        -H 'Sec-Fetch-Site: same-origin' "$@" "$operators$path"
}
page() { jar=$1; shift; curl -sS -o "$work/answer" -D "$work/head" -w '%{http_code}' -b "$work/$jar" "$@"; } # page JAR URL
head_of() { tr -d '\r' <"$work/head" | sed -n "s/^$1: //Ip"; }
csrf() { sed -n "s|.*action=\"/review$1\"><input type=\"hidden\" name=\"csrf\" value=\"\([0-9a-f]*\)\".*|\1|p" "$work/answer" | head -1; }
challenge() { sed -n 's/.*data-challenge="\([^"]*\)".*/\1/p' "$work/answer"; }

expect 'signing in with a token' 303 "$(form anna /review/login -d 'token=token-of-the-reviewer-0123456789')"
expect 'leads to the passkey' '303 /review/confirm?to=%2Fqueue' "$(page anna "$operators/review/queue") $(head_of Location)"
expect 'and to nothing else' '303 303 404' "$(page anna "$operators/review/records") $(page anna "$operators/review") $(
    page anna "$url/review/confirm")"
expect 'which shows a form' '200 1' "$(page anna "$operators/review/confirm") $(grep -c 'data-passkey="register"' "$work/answer")"
expect 'of the site' 1 "$(grep -c 'data-rp="localhost"' "$work/answer")"
expect 'that is well-formed' '' "$(/usr/bin/python3 tests/support/check_page.py "$work/answer")"
expect 'and says that it needs a script' 1 "$(grep -c 'data-without=""' "$work/answer")"
first=$(challenge)
expect 'a challenge is 32 bytes' 43 "${#first}"
page anna "$operators/review/confirm" >/dev/null
expect 'and another one each time' yes "$([ "$first" != "$(challenge)" ] && echo yes)"

token=$(csrf /passkeys/add)
expect 'without the token of the form' 403 "$(form anna /review/passkeys/add -d 'name=a&client=AA&auth=AA')"
expect 'what is no response' 403 "$(form anna /review/passkeys/add -d "csrf=$token&name=a&client=AA&auth=AA")"
expect 'nor base64url' 403 "$(form anna /review/passkeys/add -d "csrf=$token&name=a&client=A=&auth=!")"
client=$(printf '{"type":"webauthn.create","challenge":"%s","origin":"http://localhost:%s"}' "$(challenge)" "$port" | base64 -w0 | tr '+/' '-_' | tr -d =)
expect 'a challenge that was taken is gone' 403 "$(form anna /review/passkeys/add -d "csrf=$token&name=a&client=$client&auth=AA")"
expect 'confirming without a passkey' 403 "$(form anna /review/confirm -d "csrf=$token&client=$client&auth=AA&signature=AA&id=AA")"
expect 'the session is where it was' 303 "$(page anna "$operators/review/queue")"
expect 'nothing of it is on record' 0 "$(grep -c '"what":"passkey"' "$work/state/decisions.jsonl")"
expect 'other forms of a session that waits' 401 "$(form anna /review/extend -d "csrf=$token")"

bearer() { # bearer ROLE PATH CURL-ARGUMENT…: the status
    role=$1 path=$2; shift 2
    curl -sS -o "$work/answer" -w '%{http_code}' -H "Authorization: Bearer token-of-the-$role-0123456789" "$@" "$operators$path"
}
expect 'a bearer token does not open the page' '303 303' "$(bearer reviewer /review/queue) $(bearer admin /review/access)"
expect 'reads records' '200 200' "$(bearer reviewer /v1/records) $(bearer auditor /metrics)"
expect 'and decides nothing' '403 403 403 403' "$(bearer approver /v1/reveals/x/approve -X POST) $(bearer reviewer /v1/items/1/claim -X POST) $(
    bearer admin /v1/exceptions/x/approve -X POST) $(bearer reviewer /v1/keks/0123456789abcdef -X POST)"
expect 'signing out of a session that waits' 303 "$(page anna "$operators/review/confirm" >/dev/null; form anna /review/logout -d "csrf=$(csrf /logout)")"
expect 'ends it' '303 /review/login?to=%2Fconfirm' "$(page anna "$operators/review/confirm") $(head_of Location)"

# --- the file ---------------------------------------------------------------------------------
stop
expect 'the file is of its user alone' 600 "$(stat -c %a "$work/state/passkeys.db")"
chmod 644 "$work/state/passkeys.db"
"$bin/filterd" --listen=127.0.0.1:0 --operators="unix:$work/ops" --agents=none --tokens="$work/tokens" --state-directory="$work/state" \
    --page-passkeys=required --page-origin="http://localhost:$port" >"$work/refused" 2>&1
expect 'else filterd does not start' 1 "$(grep -c 'passkeys.db: a file of this user with mode 0600 expected' "$work/refused")"
finish
