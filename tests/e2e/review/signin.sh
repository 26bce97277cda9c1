#!/bin/sh
# Who gets into the review page, and how each other way is refused.
. "$(dirname "$0")/../service.inc"

for role in reviewer auditor operator admin caller; do
    printf 'token-of-the-%s-0123456789' $role | "$bin/filterd" --hash-token --role=$role --name=test-$role >>"$work/tokens"
done
printf 'token-of-the-limited-0123456789' | "$bin/filterd" --hash-token --role=reviewer --name=test-limited |
    sed 's/$/:tenant=acme/' >>"$work/tokens"
start --tokens="$work/tokens" --operators=127.0.0.1:0
operators=http://$(sed -n 's/.* operators=\([^ ]*\) .*/\1/p' "$work/log")

# What a browser sends with a form of this page.
form() { # form JAR PATH CURL-ARGUMENT…: the status
    jar=$1 path=$2; shift 2
    curl -sS -o "$work/answer" -D "$work/head" -w '%{http_code}' -b "$work/$jar" -c "$work/$jar" -H "Origin: $operators" \
        -H 'Sec-Fetch-Site: same-origin' "$@" "$operators$path"
}
page() { jar=$1; shift; curl -sS -o "$work/answer" -D "$work/head" -w '%{http_code}' -b "$work/$jar" "$@"; } # page JAR URL
sign_in() { form "$1" /review/login -d "token=token-of-the-$2-0123456789"; }
csrf() { sed -n "s|.*action=\"/review$1\"><input type=\"hidden\" name=\"csrf\" value=\"\([0-9a-f]*\)\".*|\1|p" "$work/answer" | head -1; }
head_of() { tr -d '\r' <"$work/head" | sed -n "s/^$1: //Ip"; }
cookie_of() { awk '$6 == "filterd" { print $7 }' "$work/$1"; }
well_formed() { /usr/bin/python3 tests/support/check_page.py "$work/answer"; }

# --- without a session ---------------------------------------------------------
expect 'nobody is sent to sign in' '303 /review/login' "$(page none "$operators/review") $(head_of Location)"
expect 'as on every page' '303 /review/login?to=%2Fagents' "$(page none "$operators/review/agents") $(head_of Location)"
expect 'the form' 200 "$(page none "$operators/review/login")"
expect 'is well-formed' '' "$(well_formed)"
for header in 'Content-Security-Policy' 'X-Frame-Options' 'X-Content-Type-Options' 'Referrer-Policy' 'Cross-Origin-Opener-Policy'; do
    expect "$header" 1 "$(head_of $header | grep -c .)"
done
expect 'no frame of others' 1 "$(head_of Content-Security-Policy | grep -c "frame-ancestors 'none'")"
expect 'nothing inline' 0 "$(head_of Content-Security-Policy | grep -c "unsafe")"
expect 'is not kept' no-store "$(head_of Cache-Control)"
style=$(sed -n 's/.*href="\(\/review\/static\/[^"]*\)".*/\1/p' "$work/answer")
expect 'a style by its digest' '200 public, max-age=31536000, immutable' "$(page none "$operators$style") $(head_of Cache-Control)"
expect 'another digest is no file' 303 "$(page none "$operators/review/static/review.0000000000000000.css")"

expect 'is not on the delivery listener' 404 "$(page none "$url/review/login")"

# --- signing in ------------------------------------------------------------------
expect 'a wrong token' 401 "$(form none /review/login -d token=token-of-the-stranger-0123456789)"
expect 'is answered by a page' '' "$(well_formed)"
expect 'a token of a caller opens a session that reaches nothing' '303 403' "$(sign_in caller caller) $(page caller "$operators/review")"
expect 'signed in' '303 /review' "$(sign_in admin admin) $(head_of Location)"
expect 'the cookie' 1 "$(head_of Set-Cookie | grep -cE '^filterd=[A-Za-z0-9_-]{43}; Path=/; HttpOnly; SameSite=Strict$')"
expect 'over TLS' 1 "$(
    curl -sS -D- -o /dev/null -H "Origin: https://${operators#http://}" -d 'token=token-of-the-admin-0123456789' "$operators/review/login" |
    tr -d '\r' | grep -cE '^Set-Cookie: __Host-filterd=[A-Za-z0-9_-]{43}; Path=/; HttpOnly; SameSite=Strict; Secure$')"
first=$(cookie_of admin)
expect 'fixation: signing in again gives another id' '303 yes' "$(sign_in admin admin) $([ "$first" != "$(cookie_of admin)" ] && echo yes)"
expect 'and the one before has ended' 303 "$(page none -b "filterd=$first" "$operators/review/record")"
expect 'fixation: an id that somebody else chose is none' 303 "$(page none -b "filterd=$(printf '%043d' 0)" "$operators/review/record")"
expect 'a secure cookie is not taken from an insecure one' 303 "$(page none -b "__Host-filterd=$(cookie_of admin)" "$operators/review/record")"
expect 'two cookies of one name are none' 303 "$(page none -H "Cookie: filterd=$(cookie_of admin); filterd=x" "$operators/review/record")"

expect 'back to what was asked for' '303 /review/record' "$(form admin /review/login -d 'token=token-of-the-admin-0123456789&to=/record') $(head_of Location)"
for elsewhere in //evil.example https://evil.example /logout /agents/change /../x '/policies/..%2f..' /login '%0d%0aSet-Cookie:%20a=b'; do
    form elsewhere /review/login -d "token=token-of-the-admin-0123456789&to=$elsewhere" >/dev/null
    expect "and to nothing else: $elsewhere" '/review' "$(head_of Location | sed 's|/review/policies/[^/]*$|/review|')"
done

# --- forms of others (CSRF) -------------------------------------------------------
expect 'a page' 200 "$(page admin "$operators/review/record")"
expect 'that is well-formed' '' "$(well_formed)"
token=$(csrf /extend)
expect 'has forms with tokens' 32 "${#token}"
expect 'which are taken' 303 "$(form admin /review/extend -d "csrf=$token")"
expect 'without the token' 403 "$(form admin /review/extend -d x=y)"
expect 'that refusal is a page' '' "$(well_formed)"
expect 'with that of another form' 403 "$(form admin /review/extend -d "csrf=$(page admin "$operators/review/record" >/dev/null; csrf /logout)")"
sign_in other admin >/dev/null
expect 'with that of another session' 403 "$(form other /review/extend -d "csrf=$token")"
post() { curl -sS -o "$work/answer" -w '%{http_code}' -b "$work/admin" -d "csrf=$token" "$@" "$operators/review/extend"; }
expect 'from another page' 403 "$(post -H 'Origin: https://evil.example')"
expect 'from a page without an origin' 403 "$(post -H 'Origin: null')"
expect 'from another site, as the browser says' '403 403' "$(post -H "Origin: $operators" -H 'Sec-Fetch-Site: cross-site') $(
    post -H 'Sec-Fetch-Site: same-site')"
expect 'without a word of where it comes from' 403 "$(post)"
expect 'in another type' 415 "$(post -H "Origin: $operators" -H "$json")"
expect 'a link from elsewhere shows a page' 200 "$(page admin -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: navigate' \
    -H 'Sec-Fetch-Dest: document' "$operators/review/record")"
expect 'a frame or a script elsewhere does not' '403 403' "$(page admin -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: navigate' \
    -H 'Sec-Fetch-Dest: iframe' "$operators/review/record") $(page admin -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: no-cors' \
    -H 'Sec-Fetch-Dest: script' "$operators/review/record")"
expect 'signing in from elsewhere' 403 "$(
    page none -H 'Origin: https://evil.example' -d 'token=token-of-the-admin-0123456789' "$operators/review/login")"

# --- a cookie opens pages alone -----------------------------------------------------
expect 'no route of the API' '401 401 401' "$(page admin "$operators/v1/records") $(page admin "$operators/v1/agents") $(
    page admin "$operators/metrics")"
expect 'nor one that changes' 401 "$(page admin -X POST "$operators/v1/policy/reload")"

# --- roles ------------------------------------------------------------------------------
sign_in auditor auditor >/dev/null; sign_in reviewer reviewer >/dev/null
expect 'a screen, by role' '200 403' "$(page auditor "$operators/review/access") $(page reviewer "$operators/review/access")"
expect 'that refusal is a page' '' "$(well_formed)"

# --- the end ------------------------------------------------------------------------------
page admin "$operators/review/record" >/dev/null; token=$(csrf /logout); id=$(cookie_of admin)
expect 'signing out' '303 /review/login?notice=SIGNED_OUT' "$(form admin /review/logout -d "csrf=$token") $(head_of Location)"
expect 'ends the session, not just the cookie' 303 "$(page none -b "filterd=$id" "$operators/review/record")"
sign_in reviewer reviewer >/dev/null
grep -v test-reviewer "$work/tokens" >"$work/fewer"; cp "$work/fewer" "$work/tokens"
kill -HUP "$pid"; wait_for_log 'reload: done'
expect 'a token that is taken away takes its sessions along' 303 "$(page reviewer "$operators/review/record")"

# --- guessing -----------------------------------------------------------------------------
for i in 1 2 3 4 5 6 7 8 9 10 11; do last=$(form none /review/login -d "token=a-guess-of-16-characters-$i"); done
expect 'too many guesses' 429 "$last"
expect 'even with the right token' 429 "$(sign_in admin admin)"
expect 'those who are signed in go on' 200 "$(page auditor "$operators/review/access")"

# --- plain HTTP from elsewhere ---------------------------------------------------------------
stop
start --tokens="$work/tokens" --operators=0.0.0.0:0
operators=http://127.0.0.1:$(sed -n 's/.* operators=[^ ]*:\([0-9]*\) .*/\1/p' "$work/log")
expect 'nobody signs in where the token could be read on the way' 403 "$(sign_in admin admin)"
expect 'a restart has signed everybody out' 303 "$(page auditor "$operators/review/access")"

# --- no token leaves a trace ---------------------------------------------------------------
expect 'no token in log or record' 0 "$(cat "$work/log" "$work/earlier" "$work"/state/*.jsonl | grep -c 'token-of-the\|a-guess-of')"
finish
