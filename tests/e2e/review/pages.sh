#!/bin/sh
# The screens about the service: each well-formed in both languages, with hostile names, and what their forms do.
. "$(dirname "$0")/../service.inc"
cat >>"$rules/policy.yaml" <<'POLICY'
violations:
  weights: {block: 10}
  half_life: 400d
  actions:
    - {at: 10000, do: alert}
POLICY

for role in operator admin; do
    printf 'token-of-the-%s-0123456789' $role | "$bin/filterd" --hash-token --role=$role --name=test-$role >>"$work/tokens"
done
printf 'token-of-the-caller-0123456789' | "$bin/filterd" --hash-token --role=caller --name=app >>"$work/tokens"
start --tokens="$work/tokens" --operators=127.0.0.1:0
operators=http://$(sed -n 's/.* operators=\([^ ]*\) .*/\1/p' "$work/log")
jar=$work/jar
page() { curl -sS -o "$work/answer" -D "$work/head" -w '%{http_code}' -b "$jar" "$@"; }
form() { path=$1; shift; curl -sS -o "$work/answer" -w '%{http_code} %{redirect_url}' -b "$jar" -c "$jar" -H "Origin: $operators" "$@" "$operators$path"; }
csrf() { sed -n "s|.*action=\"/review$1\"><input type=\"hidden\" name=\"csrf\" value=\"\([0-9a-f]*\)\".*|\1|p" "$work/answer" | head -1; }
well_formed() { /usr/bin/python3 tests/support/check_page.py "$work/answer"; }
form /review/login -d token=token-of-the-admin-0123456789 >/dev/null

# Names that are markup, and others that the service lets through.
judge() { post /v1/filter "$(jq -nc --arg a "$1" '{text: "E2EBOMB0001", agent: $a, tenant: "acme"}')" \
    -H 'Authorization: Bearer token-of-the-caller-0123456789' >/dev/null; }
judge '<script>alert(1)</script>'; judge '"onmouseover="x'; judge "it's & <b>"; judge 'a/b?c#d%2F'
judge "$(printf 'e'; for _ in $(seq 60); do printf '\314\201'; done)"
judge "$(printf '\327\220\327\221\327\222')"

for screen in agents policies exports access record login; do
    for language in en de; do
        expect "$screen in $language" 200 "$(page -H "Accept-Language: $language" "$operators/review/$screen")"
        expect "$screen in $language is well-formed" '' "$(well_formed)"
        expect "$screen is in $language" 1 "$(grep -c "<html lang=\"$language\">" "$work/answer")"
    done
done
for address in nothing items/1/2 agents/change record/verify; do
    status=$(page "$operators/review/$address")
    expect "$address shows nothing" yes "$([ "$status" = 404 ] || [ "$status" = 405 ] && echo yes)"
    expect "$address is well-formed" '' "$(well_formed)"
done
page "$operators/review/agents" >/dev/null
expect 'a name is text' 1 "$(grep -c '&lt;script&gt;alert(1)&lt;/script&gt;' "$work/answer")"
expect 'and nothing else' 0 "$(grep -c '<script>\|"onmouseover' "$work/answer")"
expect 'marks do not pile up' 1 "$(grep -c 'U+0301' "$work/answer")"

# A kill and a revival of the agent with the worst name.
value=$(sed -n 's|.*name="agent" value="\(acme/%3Cscript[^"]*\)".*|\1|p' "$work/answer")
token=$(csrf /agents/change)
change() { form /review/agents/change --data-urlencode "csrf=$token" --data-urlencode "agent=$value" "$@"; }
expect 'a kill' "303 $operators/review/agents?notice=KILLED" "$(change -d do=kill --data-urlencode 'why=because of <b> & "c"')"
state() { curl -sS -H 'Authorization: Bearer token-of-the-admin-0123456789' "$operators/v1/agents?tenant=acme" |
    jq -r '.agents[] | select(.id | startswith("<script")) | .state'; }
expect 'has killed it' killed "$(state)"
expect 'and says so' 1 "$(page "$operators/review/agents?notice=KILLED" >/dev/null; grep -c 'role="status"' "$work/answer")"
expect 'a revival' "303 $operators/review/agents?notice=REVIVED" "$(change -d do=revive -d why=sorry)"
expect 'has revived it: nothing is held against it' '' "$(state)"
expect 'without a reason' '422 ' "$(change -d do=kill -d why=)"
expect 'with too long a one' '422 ' "$(change -d do=kill -d "why=$(printf '%0101d' 0)")"
expect 'neither' '422 ' "$(change -d do=praise -d why=x)"
expect 'a secret in a reason' "303 $operators/review/agents?notice=KILLED" "$(change -d do=kill -d "why=$secret")"

# Verify now: a result that is shown; and what is found when a line is changed.
expect 'sign' "303 $operators/review/record?notice=CHECKPOINT" "$(page "$operators/review/record" >/dev/null
    form /review/record/checkpoint -d "csrf=$(csrf /record/checkpoint)")"
verify() {
    page "$operators/review/record" >/dev/null
    form /review/record/verify -d "csrf=$(csrf /record/verify)" >/dev/null
    for _ in $(seq 600); do
        page "$operators/review/record" >/dev/null
        grep -q 'Verification is running' "$work/answer" || break
        sleep 0.1
    done
}
verify
expect 'all is as it was signed' 1 "$(grep -c 'lines match their signatures' "$work/answer")"
expect 'with its page' '' "$(well_formed)"
expect 'a policy for verifiers' 1 "$(grep -c '^<pre>log \|<pre>log ' "$work/answer")"

# Policies: what a reload changed.
sed -i 's/Withheld by the tests/Held back by the tests/' "$rules/policy.yaml"
kill -HUP "$pid"; wait_for_log 'reload: done'
for _ in $(seq 600); do
    page "$operators/review/policies" >/dev/null
    link=$(grep -o '/review/policies/[0-9a-f]*?before=[^"]*' "$work/answer" | head -1)
    [ -n "$link" ] && break
    sleep 0.1
done
expect 'a difference' 200 "$(page "$operators$link")"
expect 'as lines' '1 1' "$(grep -c '^<del>-     *notice: &quot;Withheld by the tests.&quot;</del>' "$work/answer") $(
    grep -c '^<ins>+     *notice: &quot;Held back by the tests.&quot;</ins>' "$work/answer")"
expect 'with its page' '' "$(well_formed)"
expect 'a digest that was not kept' 200 "$(page "$operators/review/policies/$(printf '%064d' 0)")"
expect 'is said to be so' 1 "$(grep -c 'was not kept' "$work/answer")"
expect 'no other file is read' '404 200 0' "$(page "$operators/review/policies/..%2f..%2fkeys") $(
    page "$operators/review/policies/log.key") $(grep -c '<pre' "$work/answer")"

# Exports: the command, with quotes that a shell understands.
expect 'a command' 200 "$(page -G --data-urlencode "query=agent:\"it's & <b>\"" --data-urlencode "purpose=case '7'" "$operators/review/exports")"
command=$(sed -n "s|.*<pre>filterctl \(.*\)</pre>.*|\1|p" "$work/answer" | sed "s/&#39;/'/g; s/&quot;/\"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g")
expect 'that a shell reads' "agent:\"it's & <b>\" case '7'" "$(eval "set -- $command"; echo "$4 $6")"
expect 'a query that is none' 422 "$(page "$operators/review/exports?query=nonsense")"
expect 'with its page' '' "$(well_formed)"

# The same, made by the service: a form, a page that says how far it is, the file.
page "$operators/review/exports" >/dev/null; token=$(csrf /exports)
expect 'without a token' '403 ' "$(form /review/exports -d 'query=action:block&purpose=audit')"
expect 'without a purpose' '422 ' "$(form /review/exports -d "csrf=$token&query=action:block&purpose=")"
expect 'a query that is none, as a form' '422 ' "$(form /review/exports -d "csrf=$token&query=nonsense&purpose=audit")"
made=$(form /review/exports -d "csrf=$token&query=action:block&purpose=audit")
expect 'a bundle' "303 $operators/review/exports/ID?notice=EXPORT" "$(echo "$made" | sed 's|exports/[0-9a-f-]*|exports/ID|')"
address=$(echo "${made#* }" | sed 's|?.*||')
for _ in $(seq 600); do page "$address" >/dev/null; grep -q 'data-refresh' "$work/answer" || break; sleep 0.1; done
expect 'its page' '' "$(well_formed)"
expect 'says when it is made' 1 "$(grep -c "href=\"${address#"$operators"}/file\"" "$work/answer")"
expect 'a file' '200 application/x-tar' "$(page "$address/file") $(
    tr -d '\r' <"$work/head" | sed -n 's/^Content-Type: //p')"
expect 'that holds' 0 "$("$bin/filterctl" record verify-bundle "$work/answer" >/dev/null 2>&1; echo $?)"
expect 'and is on record' 1 "$(grep '"what":"export"' "$work/state/decisions.jsonl" | grep -c '"purpose":"audit"')"
expect 'another id' '404 404' "$(page "$operators/review/exports/x") $(page "$operators/review/exports/x/file")"

# What was looked at is on record.
expect 'accesses' 1 "$(page "$operators/review/access" >/dev/null; grep -c 'test-admin' "$work/answer" | sed 's/[1-9][0-9]*/1/')"
expect 'no secret anywhere' 0 "$(cat "$work/state/decisions.jsonl" "$work/answer" "$work/log" | grep -c "$secret")"

# Last, as it cannot be undone.
sed -i '2s/"v":2/"v":7/' "$work/state/decisions.jsonl"
verify
expect 'a changed line is found' 1 "$(grep -c 'does not match its signatures' "$work/answer")"
sed -i '2s/"v":7/"v":2/' "$work/state/decisions.jsonl"
finish
