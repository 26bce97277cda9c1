#!/bin/sh
# The screens on which people review: each well-formed in both languages, with hostile names; an answer, its undo, a stale one, an
# answer for a group; an exception and a reveal that a second person decides.
. "$(dirname "$0")/../service.inc"
cat >"$rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions:
      - {category: secret, action: redact}
      - {category: injection, action: block}
    review:
      queue: [{action: block}]
      due: {critical: 1h}
POLICY
for who in reviewer:anna approver:ben auditor:carla caller:app; do
    printf 'token-of-%s-0123456789' "${who#*:}" | "$bin/filterd" --hash-token --role="${who%:*}" --name="${who#*:}" >>"$work/tokens"
done
start --tokens="$work/tokens" --operators=127.0.0.1:0
operators=http://$(sed -n 's/.* operators=\([^ ]*\) .*/\1/p' "$work/log")
page() { curl -sS -o "$work/answer" -w '%{http_code}' -b "$work/$person" "$@"; }
form() { path=$1; shift; curl -sS -o "$work/answer" -w '%{http_code} %{redirect_url}' -b "$work/$person" -c "$work/$person" -H "Origin: $operators" "$@" "$operators$path"; }
csrf() { sed -n "s|.*action=\"/review$1\"><input type=\"hidden\" name=\"csrf\" value=\"\([0-9a-f]*\)\".*|\1|p" "$work/answer" | head -1; }
well_formed() { /usr/bin/python3 tests/support/check_page.py "$work/answer"; }
field() { sed -n "s|.*name=\"$1\" value=\"\([^\"]*\)\".*|\1|p" "$work/answer" | head -1; }
for person in anna ben carla; do
    form /review/login -d token=token-of-$person-0123456789 >/dev/null
done

# Names that are markup, and others that the service lets through; the same value twice.
judge() { post /v1/filter "$(jq -nc --arg a "$1" --arg t "$2" '{text: $t, agent: $a, tenant: "acme", app: $a}')" \
    -H 'Authorization: Bearer token-of-app-0123456789' >/dev/null; }
judge '<script>alert(1)</script>' 'E2EBOMB0001'; judge '"onmouseover="x' 'E2EBOMB0001 and E2EBOMB0002'
judge "it's & <b>" 'E2EBOMB0003'; judge 'a/b?c#d%2F' 'E2EBOMB0004'
judge "$(printf 'e'; for _ in $(seq 60); do printf '\314\201'; done)" 'E2EBOMB0005'; judge quiet 'nothing here'
person=anna tries=0
until page "$operators/review/queue" >/dev/null; [ "$(grep -c 'name="item"' "$work/answer")" -ge 5 ]; do
    tries=$((tries + 1)); [ $tries -lt 300 ] || break; sleep 0.2
done
expect 'five items wait' 5 "$(grep -c 'name="item"' "$work/answer")"
item=$(sed -n 's|.*name="item" value="\([0-9]*\)".*|\1|p' "$work/answer" | head -1)
page "$operators/review/items/$item" >/dev/null
rule=$(sed -n 's|.*class="rule" href="/review/rules/\([^"]*\)".*|\1|p' "$work/answer" | head -1)
page "$operators/review/groups" >/dev/null
group=$(sed -n 's|.*href="/review/groups/\([0-9a-f]\{32\}\)".*|\1|p' "$work/answer" | head -1)

for screen in queue 'queue?show=mine' 'queue?show=closed' "items/$item" records 'records?query=agent:%22quiet%22' 'records?query=nonsense:' \
    "records/$item" groups "groups/$group" rules "rules/$rule" exceptions "exceptions?item=$item" reveals "reveals?item=$item" sampling; do
    for language in en de; do
        expect "$screen in $language" 200 "$(page -H "Accept-Language: $language" "$operators/review/$screen")"
        expect "$screen in $language is well-formed" '' "$(well_formed)"
        expect "$screen in $language has no name as markup" 0 "$(grep -c '<script>\|"onmouseover' "$work/answer")"
        expect "$screen in $language is small" yes "$([ "$(wc -c <"$work/answer")" -lt 100000 ] && echo yes)"
    done
done
for address in items/999999 items/x records/0 groups/00 groups/00000000000000000000000000000000 undo/1; do
    status=$(page "$operators/review/$address")
    expect "$address shows nothing" yes "$([ "$status" = 404 ] || [ "$status" = 405 ] && echo yes)"
done

# An answer, once; its undo; and who was slower.
page "$operators/review/items/$item" >/dev/null
token=$(csrf "/items/$item") version=$(field version)
answer() { form "/review/items/$item" -d "csrf=$token" -d "version=$version" "$@"; }
redirect=$(answer -d do=true_positive -d 'note=seen at the terminal')
expect 'an answer goes on to another item' yes "$(case $redirect in "303 $operators/review/items/"*'?line='*) echo yes ;; esac)"
line=${redirect##*line=}
expect 'and is a line of the record' '["review","anna","true_positive"]' \
    "$(jq -c --argjson n "$line" 'select(.seq == $n) | [.type, .by, .disposition]' "$work/state/decisions.jsonl")"
expect 'the slower one changes nothing' "303 $operators/review/items/$item?notice=FASTER" "$(answer -d do=benign)"
expect 'an answer that is none' '422 ' "$(answer -d do=nonsense)"
expect 'without the token of the form' '403 ' "$(form "/review/items/$item" -d do=benign)"
page "$operators/review/queue?line=$line" >/dev/null
expect 'what was done can be undone' "303 $operators/review/queue?notice=UNDONE" "$(form "/review/undo/$line" -d "csrf=$(csrf "/undo/$line")" -d do=undo)"
page "$operators/review/queue" >/dev/null
expect 'and the item waits again' 5 "$(grep -c 'name="item"' "$work/answer")"
expect 'none chosen' '422 ' "$(form /review/queue -d "csrf=$(csrf /queue)" -d do=benign)"

# The auditor sees all and answers nothing.
person=carla
page "$operators/review/items/$item" >/dev/null
expect 'an auditor has no form' '' "$(csrf "/items/$item")"
page "$operators/review/queue" >/dev/null
expect 'and is refused' '403 ' "$(form /review/queue -d "csrf=$(csrf /queue)" -d "item=$item" -d do=benign)"

# An exception: seen before it is proposed, decided by another.
person=anna until=$(date -u -d '+30 days' +%F)
expect 'a preview' 200 "$(page "$operators/review/exceptions?item=$item&width=value&until=$until")"
expect 'counts findings' 1 "$(grep -c 'Findings let through' "$work/answer")"
propose() { form /review/exceptions -d "csrf=$(csrf /exceptions)" -d "item=$item" -d width=value -d "until=$until" -d why=ours "$@"; }
expect 'a proposal' "303 $operators/review/exceptions?notice=PROPOSED" "$(propose)"
page "$operators/review/exceptions" >/dev/null
id=$(sed -n 's|.*action="/review/exceptions/\([0-9a-f-]*\)".*|\1|p' "$work/answer" | head -1)
decide() { form "/review/exceptions/$id" -d "csrf=$(csrf "/exceptions/$id")" -d "do=$1"; }
expect 'the proposer does not approve' '403 ' "$(decide approved)"
person=ben
page "$operators/review/exceptions" >/dev/null
expect 'the approver sees a form' 1 "$(grep -c 'value="approved"' "$work/answer")"
expect 'and approves' "303 $operators/review/exceptions?notice=DECIDED" "$(decide approved)"
page "$operators/review/exceptions" >/dev/null
expect 'which is shown, and well-formed' '' "$(well_formed)"
expect 'as active' yes "$(grep -q '>active<' "$work/answer" && echo yes)"

# Without a sealed original there is nothing to ask for.
person=anna
page "$operators/review/reveals?item=$item" >/dev/null
expect 'no original, no request' yes "$(case $(form /review/reveals -d "csrf=$(csrf /reveals)" -d "item=$item" -d purpose=incident -d case=1) in 4*) echo yes ;; esac)"
expect 'which is a page' '' "$(well_formed)"

# A whole group.
page "$operators/review/groups/$group" >/dev/null
expect 'a group is answered as a whole' yes "$(case $(form "/review/groups/$group" -d "csrf=$(csrf "/groups/$group")" -d do=benign) in
    "303 $operators/review/groups/$group?line="*) echo yes ;; esac)"
finish
