#!/bin/sh
# What is erased, held and pruned: holds stop both, a deleted key leaves nothing that opens, and each step is a line.
. "$(dirname "$0")/../service.inc"
command -v age >/dev/null || { echo "skip: age is not installed"; exit 0; }
record=$work/state/decisions.jsonl
mkdir "$rules/recipients"
for who in anna ben; do
    age-keygen -o "$work/$who" 2>/dev/null; age-keygen -y "$work/$who"
done >"$rules/recipients/compliance"
sed -i '/^  strict:/i\    seal: {when: [{action: redact}], to: compliance, keep: 1h}' "$rules/policy.yaml"
sed -i '/^tenants:/i\    seal: {when: [{action: block}], to: compliance, keep: 1h}' "$rules/policy.yaml"
start
tool() { # tool COMMAND [OPTION…]: as root does it beside the service
    command=$1; shift
    "$bin/filterctl" record "$command" --operators "$work/operators.sock" --log "$record" "$@"
}
hold() { "$bin/filterctl" record hold --operators "$work/operators.sock" "$@"; }
opens() { # opens SEQ: what the original of that line holds
    id=$(jq -r "select(.seq == $1) | .sealed.blob" "$record")
    "$bin/filterctl" seal open --identity "$work/anna" --shred "$work/state/shred/shred.db" \
        "$work/state/seal/$(printf %.2s "$id")/$id.age" 2>/dev/null | jq -r '.parts[0].text'
}
last() { tail -1 "$record" | jq -c "$1"; }

post /v1/filter "{\"text\":\"one $secret\"}" >/dev/null; one=$(last .seq)
post /v1/filter "{\"text\":\"two $secret\",\"tenant\":\"acme\"}" >/dev/null; two=$(last .seq)
expect 'one opens' "one $secret" "$(opens "$one")"
expect 'two opens' "two $secret" "$(opens "$two")"
keys=$("$bin/filterctl" record keys --keys "$work/state")
month=$(date -u +%Y-%m)
expect 'keys: a tenant each, and an epoch' "$(printf '%s\t-\n%s\tacme' "$month" "$month")" "$(echo "$keys" | awk 'length($1) == 16' | cut -f2,3)"
acme=$(echo "$keys" | awk '$3 == "acme" { print $1 }')
expect 'keys: as in the line' "\"$acme\"" "$(jq -c "select(.seq == $two) | .sealed.kek" "$record")"
printf acme >"$work/subject"

# A hold over the line stops the erasure, and the record says so.
hold case-7 --filter tenant:acme --why 'a lawsuit'; expect 'hold' 0 $?
expect 'hold: its line' '["hold","case-7","set","tenant:acme","a lawsuit","uid 0"]' "$(last '[.type, .id, .step, .filter, .why, .by]')"
tool erase "$acme" --keys "$work/state" --subject "$work/subject" --approver ben --why 'on request' 2>"$work/err"
expect 'held' 1 $?
expect 'held: which' 1 "$(grep -c case-7 "$work/err")"
expect 'held: its line' '["erasure","blocked_by_hold"]' "$(last '[.type, .step]')"
expect 'held: it still opens' "two $secret" "$(opens "$two")"

# Lifted, it is done: the log and the other tenant stay as they are.
hold case-7 --lift
before=$(head -n "$two" "$record" | sha256sum)
tool erase "$acme" --keys "$work/state" --subject "$work/subject" --approver ben --why 'on request'; expect 'erase' 0 $?
expect 'erase: its lines' '["approved",null,"done",1]' "$(tail -2 "$record" | jq -cs 'map(.step, .blobs)')"
expect 'erase: its keys' "[\"$acme\"]" "$(last .keks)"
expect 'erase: who' '["uid 0","ben"]' "$(last '[.by, .approver]')"
expect 'erase: the subject is a token' 1 "$(last .subject_tok | grep -c '^"[0-9a-f]*:[0-9a-f]\{32\}"$')"
expect 'erased: it opens no more' '' "$(opens "$two")"
expect 'erased: the other opens' "one $secret" "$(opens "$one")"
expect 'erased: lines are as they were' "$before" "$(head -n "$two" "$record" | sha256sum)"
expect 'again' 2 "$(tool erase "$acme" --keys "$work/state" --subject "$work/subject" >/dev/null 2>&1; echo $?)"
post /v1/filter "{\"text\":\"three $secret\",\"tenant\":\"acme\"}" >/dev/null
expect 'what comes after has a new key' "three $secret" "$(opens "$(last .seq)")"

# The one who asks is no approver, the epoch in use stays, and what is typed is judged.
expect 'the approver is another' 2 "$(tool erase "$(last -r .sealed.kek 2>/dev/null || jq -r '.sealed.kek // empty' "$record" | tail -1)" \
    --keys "$work/state" --subject "$work/subject" --approver 'uid 0' >/dev/null 2>&1; echo $?)"
expect 'the epoch in use' 2 "$(tool erase "$(echo "$keys" | awk 'length($1) < 16 { print $1 }')" --keys "$work/state" --subject "$work/subject" >/dev/null 2>&1; echo $?)"
hold case-8 --filter 'seq:1' --why "about $secret" >/dev/null 2>&1
expect 'no secret is on record' 0 "$(grep -c "$secret" "$record")"
expect 'a filter that is none' 2 "$(hold case-9 --filter 'nothing:at all' >/dev/null 2>&1; echo $?)"

# An epoch that is over: its tokens are nobody's any more.
printf '%064d\n' 7 >"$work/state/keys/token-e200.key"; chmod 600 "$work/state/keys/token-e200.key"
tool erase e200 --keys "$work/state" --subject "$work/subject"; expect 'an epoch' 0 $?
expect 'its key is gone' no "$([ -e "$work/state/keys/token-e200.key" ] && echo yes || echo no)"

# What has expired is removed, but for what is held.
expect 'nothing has expired' 'removed 0, held 0' "$(tool prune)"
n=$(find "$work/state/seal" -name '*.age' | wc -l)
expect 'three originals' 3 "$n"
hold case-10 --filter "seq:$one"
cp "$record" "$work/kept"; stop
# The same log, as it will be in two hours: the expiry is what prune reads.
past=$work/past; mkdir "$past"; cp -r "$work/state/seal" "$past/seal"
start
sed 's/"expires":"20[0-9][0-9]/"expires":"2020/' "$work/kept" >"$past/decisions.jsonl"
expect 'pruned' 'removed 2, held 1' "$("$bin/filterctl" record prune --operators "$work/operators.sock" --log "$past/decisions.jsonl")"
expect 'pruned: files' 1 "$(find "$past/seal" -name '*.age' | wc -l)"
expect 'pruned: its line' '["prune",2]' "$(last '[.type, .originals]')"
rm -rf "$past"
stop
finish
