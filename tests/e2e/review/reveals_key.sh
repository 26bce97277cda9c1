#!/bin/sh
# The key of a sealed original, by the review page: for the asker of a grant alone, while it lasts, and for the key of that line
# alone. The access is on disk before the key leaves; every other way is refused and puts nothing on record.
. "$(dirname "$0")/../service.inc"
command -v age >/dev/null || { echo "skip: age is not installed"; exit 0; }
state=$work/state
token_of() { printf 'token-of-%s-0123456789abcdef' "$1"; }
line_of() { token_of "$1" | "$bin/filterd" --hash-token --role="$2" --name="$3"; }
{
    line_of anna reviewer anna
    line_of ben approver ben
    line_of bea reviewer ben # the approver, as a reviewer
    line_of upper reviewer ANNA
    line_of eve admin eve
    line_of aud auditor aud
    line_of app caller app
    line_of tess reviewer anna | sed 's/$/:tenant=other/' # the asker's name, in another tenant
} >"$work/tokens"
chmod 600 "$work/tokens"
mkdir "$rules/recipients" "$work/keys"
for who in anna ben; do age-keygen -o "$work/keys/$who" 2>/dev/null; age-keygen -y "$work/keys/$who"; done >"$rules/recipients/compliance"
cat >"$rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions: [{category: secret, action: redact}]
    seal: {when: [{action: redact}], to: compliance}
    review: {queue: [{action: redact}]}
POLICY
start --tokens="$work/tokens" --operators=127.0.0.1:0
operators=http://$(sed -n 's/.* operators=\([^ ]*\) .*/\1/p' "$work/log")
as() { who=$1 path=$2; shift 2; curl -sS --max-time 30 -H "Authorization: Bearer $(token_of "$who")" "$@" "$operators$path"; }
code() { "$@" -o "$work/answer" -w '%{http_code}'; }
form() { path=$1; shift; curl -sS --max-time 30 -b "$work/jar" -c "$work/jar" -H "Origin: $operators" -H 'Sec-Fetch-Site: same-origin' "$@" "$operators$path"; }
key() { who=$1; shift; code as "$who" "/review/reveals/$id/key" -d x=y -H "Origin: $operators" "$@"; }
# No key in what was answered, whatever the status.
refused() { expect "$1" "$2" "$3"; expect "$1: no key" 0 "$(grep -c '"key"\|[0-9a-f]\{64\}' "$work/answer")"; }
accesses() { records | jq -c 'select(.type == "access" and .what == "key") | [.by, .role, .item, .purpose, .request, .kek, .blob]'; }
decide() { code as ben "/v1/reveals/$id/$1" -X POST; }
ask() { as anna /v1/reveals -H "$json" --data-binary "{\"item\":$item,\"purpose\":\"incident\",\"case\":\"INC-4711\"}" | jq -r .id; }

# Of two tenants: each has a key of its own.
for tenant in acme globex; do
    post /v1/filter "{\"text\":\"the key $secret\",\"tenant\":\"$tenant\",\"agent\":\"one\"}" -H "Authorization: Bearer $(token_of app)" >/dev/null
done
item=$(records | jq 'select(.type == "decision" and .tenant == "acme") | .seq')
kek=$(records | jq -r "select(.seq == $item) | .sealed.kek") blob=$(records | jq -r "select(.seq == $item) | .sealed.blob")
other=$(records | jq -r 'select(.type == "decision" and .tenant == "globex") | .sealed.kek')
expect 'two keys' yes "$([ -n "$kek" ] && [ "$kek" != "$other" ] && echo yes)"
for _ in $(seq 600); do [ "$(code as anna "/v1/items/$item")" = 200 ] && break; sleep 0.1; done

# --- before a grant ---------------------------------------------------------------------
id=01234567-0123-0123-0123-0123456789ab
refused 'of no request' 404 "$(key anna)"
id=$(ask)
refused 'that is not granted' 409 "$(key anna)"
refused 'without a credential' 401 "$(code curl -sS -d x=y -H "Origin: $operators" "$operators/review/reveals/$id/key")"
expect 'approved' 200 "$(decide approve)"

# --- who has no grant --------------------------------------------------------------------
for who in bea upper eve; do refused "to $who" 403 "$(key $who)"; done
refused 'to an auditor' 403 "$(key aud)"
refused 'to an agent' 403 "$(key app)"
refused 'to another tenant' 404 "$(key tess)"
refused 'by GET' 405 "$(code as anna "/review/reveals/$id/key")"
expect 'signed in' 303 "$(code form /review/login -d "token=$(token_of anna)")"
refused 'a session without the token of the form' 403 "$(code form "/review/reveals/$id/key" -d x=y)"
code form /review/reveals >/dev/null
csrf=$(sed -n "s|.*action=\"/review/reveals/$id/file\"><input type=\"hidden\" name=\"csrf\" value=\"\([0-9a-f]*\)\".*|\1|p" "$work/answer")
expect 'another form has a token' 32 "${#csrf}"
refused 'a session with the token of another form' 403 "$(code form "/review/reveals/$id/key" -d "csrf=$csrf")"
refused 'a session, from another page' 403 "$(code curl -sS -b "$work/jar" -d "csrf=$csrf" -H 'Origin: https://evil.example' "$operators/review/reveals/$id/key")"
expect 'nobody has had it' '' "$(accesses)"

# --- who has -------------------------------------------------------------------------------
expect 'the asker' 200 "$(key anna -d "kek=$other" -D "$work/head")"
expect 'is not kept' 1 "$(grep -ci '^cache-control: no-store' "$work/head")"
expect_json 'that of the line, whatever was asked for' '[.kek, (.key | test("^[0-9a-f]{64}$")), (.left_ms > 3500000 and .left_ms <= 3600000)]' \
    "[\"$kek\",true,true]" "$(cat "$work/answer")"
expect 'which was on record first' "[\"anna\",\"reviewer\",$item,\"incident\",\"$id\",\"$kek\",\"$blob\"]" "$(accesses)"
given=$(jq -r .key "$work/answer")
expect 'it is the key' "$(as anna "/v1/keks/$kek" -X POST | jq -r .key)" "$given"
code form /review/reveals >/dev/null
form=$(sed -n "s|.*action=\"/review/reveals/$id/key\"><input type=\"hidden\" name=\"csrf\" value=\"\([0-9a-f]*\)\".*|\1|p" "$work/answer")
expect 'the page is well-formed' '' "$(/usr/bin/python3 tests/support/check_page.py "$work/answer")"
if grep -q 'src="/review/static/age\.' "$work/answer"; then
    expect 'the page has the form, with age' 32 "${#form}"
    expect 'by which a session has it' 200 "$(code form "/review/reveals/$id/key" -d "csrf=$form")"
else
    expect 'without age the page has no form for it' '' "$form"
fi
code form "/review/records/$item" >/dev/null
expect 'no other page has its scripts' 0 "$(grep -c 'static/\(age\|unlock\)\.' "$work/answer")"

# --- after it --------------------------------------------------------------------------------
n=$(accesses | wc -l)
expect 'closed' 200 "$(code as anna "/v1/reveals/$id/close" -X POST)"
refused 'of what is closed' 409 "$(key anna)"
id=$(ask)
expect 'refused' 200 "$(decide refuse)"
refused 'of what was refused' 409 "$(key anna)"
id=$(ask)
expect 'approved again' 200 "$(decide approve)"
expect 'nothing of it is on record' "$n" "$(accesses | wc -l)"

# What cannot be put on record is not answered.
prlimit --pid "$pid" --fsize="$(stat -c %s "$state/decisions.jsonl"):"
refused 'no room for the line' 503 "$(key anna)"
prlimit --pid "$pid" --fsize=unlimited: 2>/dev/null
stop
start --tokens="$work/tokens" --operators=127.0.0.1:0
operators=http://$(sed -n 's/.* operators=\([^ ]*\) .*/\1/p' "$work/log")
for _ in $(seq 600); do [ "$(key anna)" = 200 ] && break; sleep 0.1; done
expect 'granted, after a new start' 200 "$(key anna)"
n=$(accesses | wc -l)
/usr/bin/python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute("DELETE FROM kek WHERE id = ?", sys.argv[2:]); d.commit()' "$state/shred/shred.db" "$kek"
refused 'that was erased' 410 "$(key anna)"
expect 'which is no look' "$n" "$(accesses | wc -l)"
stop
grep -rlaF "$given" "$state/decisions.jsonl" "$work/log" && { echo 'the key is on record'; failures=$((failures + 1)); }
finish
