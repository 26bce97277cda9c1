#!/bin/sh
# The record proves itself: verified, rotated, tampered with, begun anew.
. "$(dirname "$0")/../service.inc"
ctl=$bin/filterctl
state=$work/state
verify() { "$ctl" record verify "$@" "$state" >"$work/verified" 2>&1; echo $?; }
begins() { # filterd is expected to end at once
    "$bin/filterd" --listen=127.0.0.1:0 --operators=none --rules="$rules" --state-directory="$state" \
        --cache-directory="$work/cache" "$@" 2>"$work/refused"
    echo $?
}

start
for i in 1 2 3 4 5; do post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null; done
stop
expect 'a stop ends with a checkpoint' 0 "$(verify)"
lines=$(records | wc -l)
expect 'of all lines' "$lines" "$(sed -n 2p "$state/record/checkpoint")"
expect_json 'the first line names the log' '[.type, .seq, .v]' '["log",1,2]' "$(records | head -1)"
expect 'the key is what the log says' 1 "$(grep -c 'as the log itself says' "$work/verified")"
expect 'modes' '600 700' "$(stat -c %a "$state/record/checkpoint" "$state/record" | tr '\n' ' ' | sed 's/ $//')"

# With a policy of one's own; with another log's key.
vkey=$(records | head -1 | jq -r .vkey)
printf 'log %s\nquorum none\n' "$vkey" >"$work/policy"
expect 'by a policy' 0 "$(verify --policy "$work/policy")"
other=$(printf '%s' "$vkey" | sed 's/+.*//')+00000000+$(printf '\001%032d' 0 | base64 | tr -d '\n')
printf 'log %s\nquorum none\n' "$other" >"$work/policy"
expect 'by a policy that cannot be' 2 "$(verify --policy "$work/policy")"

# A proof of one line stands alone.
"$ctl" record prove 3 "$state" >"$work/proof"
expect 'a proof' 'c2sp.org/tlog-proof@v1' "$(head -1 "$work/proof")"
expect 'has the line' "$(records | sed -n 3p)" "$(sed -n 's/^extra //p' "$work/proof" | base64 -d)"
expect 'and its index' 'index 2' "$(grep '^index' "$work/proof")"
expect 'no such line' 2 "$("$ctl" record prove 99999 "$state" >/dev/null 2>&1; echo $?)"
cp "$state/record/checkpoint" "$work/held"

# Rotated by a reload, under any name, compressed.
start
post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null
mv "$state/decisions.jsonl" "$state/older"
kill -HUP "$pid"
wait_for_log 'reload: done'
expect 'a checkpoint covers the old file' 0 "$(verify)"
gzip "$state/older"
post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null
stop
expect 'over files' 0 "$(verify)"
expect 'two files' 1 "$(grep -c 'in 2 files' "$work/verified")"
expect_json 'the next file says of which log' '[.type, (.origin | length > 20)]' '["rotation",true]' "$(records | head -1)"
expect 'from a checkpoint on' 0 "$(verify --from "$work/held")"
sizes=$("$ctl" record consistency "$work/held" "$(sed -n 2p "$state/record/checkpoint")" "$state" | grep -c '^[A-Za-z0-9+/]\{43\}=$')
expect 'a consistency proof' 1 "$([ "$sizes" -gt 0 ] && echo 1)"

# A changed line: verify names it, filterd does not start.
cp -r "$state" "$work/kept"
last=$(records | tail -1 | jq .seq)
sed -i '$s/"action":"block"/"action":"allow"/' "$state/decisions.jsonl"
expect 'a changed line is found' 1 "$(verify)"
expect 'and named' 1 "$(grep -c "line $last was changed" "$work/verified")"
expect 'filterd does not start' 2 "$(begins)"
expect 'and says why' 1 "$(grep -c "record: line $last is not what was signed at 20" "$work/refused")"

# Begun anew, on request, by a line that says so; the old one can still be looked at.
old=$(jq -r .origin "$state/decisions.jsonl" | head -1)
start --new-record='lines were lost'
post /v1/filter '{"text":"hello"}' >/dev/null
stop
expect 'a new log' 0 "$(verify)"
expect_json 'after the old one' '[.type, .reason, .after.origin]' "[\"log\",\"lines were lost\",\"$old\"]" "$(records | head -1)"
expect 'the old record is beside it' 1 "$(verify --record "$state/record-${old##*/}")"
expect 'and what is wrong with it' 1 "$(grep -c "line $last was changed" "$work/verified")"
expect 'a reason is needed' 2 "$(begins --new-record=)"

# Truncated in place: nothing is released until the file is moved away.
rm -rf "$state" && mv "$work/kept" "$state"
start
post /v1/filter '{"text":"hello"}' >/dev/null
: >"$state/decisions.jsonl"
expect_json 'copytruncate blocks' '[.action, .rule]' '["block","filterd.unjudged"]' "$(post /v1/filter '{"text":"E2EBOMB0001"}')"
expect_json 'what would be allowed, too' '[.action, .rule]' '["block","filterd.unjudged"]' "$(post /v1/filter '{"text":"hello"}')"
expect 'not ready' 503 "$(status_of "$url/readyz")"
stop

# Removed: nothing is released either, until it is said that a new file is to be begun.
start
post /v1/filter '{"text":"hello"}' >/dev/null
rm "$state/decisions.jsonl"
expect_json 'a file that was removed blocks' '[.action, .rule]' '["block","filterd.unjudged"]' "$(post /v1/filter '{"text":"E2EBOMB0001"}')"
expect_json 'what would be allowed, too' '[.action, .rule]' '["block","filterd.unjudged"]' "$(post /v1/filter '{"text":"hello"}')"
expect 'not ready' 503 "$(status_of "$url/readyz")"
kill -HUP "$pid"
is_ready() { status_of "$url/readyz"; }
await 'ready with a new file' 200 is_ready
expect_json 'and it goes on' '[.action, .rule]' '["block","test-bomb"]' "$(post /v1/filter '{"text":"E2EBOMB0001"}')"
expect 'what the new file begins with' 'rotation loss' "$(records | head -2 | jq -r .type | paste -sd ' ')"
stop

# Without a proof, and from such a file.
rm -rf "$state"
start --proof=off
post /v1/filter '{"text":"hello"}' >/dev/null
stop
expect 'no proof' 1 "$([ ! -e "$state/record/tile" ] && [ ! -e "$state/record/checkpoint" ] && echo 1)"
expect 'no log line' 0 "$(records | grep -c '"type":"log"')"
last=$(records | wc -l)
sum=$(sha256sum "$state/decisions.jsonl" | cut -d' ' -f1)
start
stop
expect 'a proof from here on' 0 "$(verify)"
expect_json 'the old file is closed' '[.type, .before.sha256, .before.last_seq]' "[\"log\",\"$sum\",$last]" "$(records | head -1)"
expect 'and kept' "$sum" "$(sha256sum "$state/decisions-00000001.jsonl" | cut -d' ' -f1)"
expect 'a file that is not there is named' "filterctl: $work/none: No such file or directory" "$("$ctl" record verify "$work/none" 2>&1)"
expect 'a folder without a record' 2 "$("$ctl" record verify "$work/cache" >/dev/null 2>&1; echo $?)"
expect 'the key needs a place' 2 "$("$bin/filterd" --listen=127.0.0.1:0 --operators=none --rules="$rules" \
    --state-directory=none --log="$work/log.jsonl" --cache-directory="$work/cache" 2>/dev/null; echo $?)"
finish
