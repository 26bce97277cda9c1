#!/bin/sh
# Retention by whole files: removed on record, proofs as before, and what stays says why.
. "$(dirname "$0")/../service.inc"
record=$work/state/decisions.jsonl
tool() { command=$1; shift; "$bin/filterctl" record "$command" "$@"; }
prune() { tool prune --operators "$work/operators.sock" --log "$record"; }
say() { post /v1/filter "{\"text\":\"one $secret\",\"agent\":\"$1\"}" >/dev/null; }
rotate() { # rotate NAME: as logrotate does
    mv "$record" "$work/state/$1"; kill -HUP "$pid"
    for _ in $(seq 1200); do [ -s "$record" ] && return; say after; sleep 0.05; done
}
first() { head -1 "$1" | jq .seq; }

expect 'a term that is none' 1 "$("$bin/filterd" --check --rules="$rules" --state-directory="$work/other" --keep=forever 2>&1 | grep -c 'keep: a term')"
start --keep=1s
expect 'the term is on record' "\"sha256:$(printf 1s | sha256sum | cut -d' ' -f1)\"" "$(jq -c 'select(.what == "retention") | .after' "$record")"
say anna; rotate decisions.jsonl.3
say ben; rotate decisions.jsonl.2
say anna; rotate decisions.jsonl.1
two=$(first "$work/state/decisions.jsonl.2") three=$(first "$work/state/decisions.jsonl.1") open=$(first "$record")
sleep 1.2 # the lines are due
checkpointed
sha=$(sha256sum <"$work/state/decisions.jsonl.3" | cut -d' ' -f1)
cp "$work/state/record/checkpoint" "$work/checkpoint"
leaf=$(sed -n 2p "$work/state/decisions.jsonl.3" | tr -d '\n' | python3 -c '
import base64, hashlib, sys
print(base64.urlsafe_b64encode(hashlib.sha256(b"\0" + sys.stdin.buffer.read()).digest()).decode().rstrip("="))')

# A hold over the second file: the first goes, the second and all behind it stay.
"$bin/filterctl" record hold case-1 --operators "$work/operators.sock" --filter agent:ben
prune >"$work/out"; expect 'prune' 0 $?
expect 'what was removed' "removed 1 file, to line $((two - 1))" "$(sed -n 2p "$work/out")"
expect 'what stays' 1 "$(sed -n 3p "$work/out" | grep -c 'kept .*decisions.jsonl.2: hold case-1')"
expect 'files' 'decisions.jsonl decisions.jsonl.1 decisions.jsonl.2' "$(cd "$work/state" && echo decisions*)"
expect 'its line' "[[\"decisions.jsonl.3\"],[\"$sha\"],1,$((two - 1)),$((two - 1)),\"uid 0\"]" \
    "$(jq -c 'select(.type == "prune") | [.files, .sha256, .first, .last, .lines, .by]' "$record")"
expect 'the minimum' $((two - 1)) "$(cat "$work/state/record/minimum")"
expect 'verified' 0 "$(tool verify "$work/state" >"$work/out" 2>&1; echo $?)"
expect 'verified: what is removed' 1 "$(grep -c "removed by retention: lines 1 to $((two - 1))" "$work/out")"
expect 'proof of the next line' 0 "$(tool prove "$two" "$work/state" >/dev/null 2>&1; echo $?)"
expect 'no line, no proof with it' 2 "$(tool prove 2 "$work/state" >/dev/null 2>&1; echo $?)"
# A receipt and a checkpoint of before hold: the line's hash is still proven, and the log goes on from the checkpoint.
expect 'proof of a removed line' 'index 1' "$(curl -sS "$url/v1/receipts/2.$leaf" | grep '^index')"
expect 'a bundle has no removed lines' 2 "$(tool export --operators "$work/operators.sock" --range "1..$two" --out "$work/bundle" >"$work/out" 2>&1; echo $?)"
expect 'a bundle of those that are left' 0 "$(tool export --operators "$work/operators.sock" --range "$two..$((two + 1))" --out "$work/bundle" >"$work/out" 2>&1; echo $?)"
expect 'it holds' 0 "$("$bin/filterctl" record verify-bundle "$work/bundle" >"$work/out" 2>&1; echo $?)"
expect 'verified from before' 0 "$(tool verify --from "$work/checkpoint" "$work/state" >/dev/null 2>&1; echo $?)"
expect 'it goes on from before' 0 "$(tool consistency "$work/checkpoint" "$work/state/record/checkpoint" "$work/state" >/dev/null 2>&1; echo $?)"

# The service takes no line that contradicts itself.
prunes() { status_of -X POST --unix-socket "$work/operators.sock" "http://o/v1/prunes/files?$1"; }
zeros=$(printf %064d 0)
expect 'two files, one digest' 422 "$(prunes "files=a,b&sha256=$zeros&first=1&last=2&lines=2")"
expect 'another number of lines' 422 "$(prunes "files=a&sha256=$zeros&first=1&last=2&lines=1")"
expect 'last before first' 422 "$(prunes "files=a&sha256=$zeros&first=2&last=1&lines=0")"

# Lifted, the others go; the newest file never does, and a start holds.
"$bin/filterctl" record hold case-1 --operators "$work/operators.sock" --lift
prune >"$work/out"; expect 'prune the others' 0 $?
expect 'what was removed then' "removed 2 files, to line $((open - 1))" "$(sed -n 2p "$work/out")"
expect 'nothing more' 1 "$(prune | wc -l)"
expect 'the open file' decisions.jsonl "$(cd "$work/state" && echo decisions*)"
stop
start --keep=1s
say carl
checkpointed
expect 'verified after a start' 0 "$(tool verify "$work/state" >"$work/out" 2>&1; echo $?)"
expect 'three lines of removal' 3 "$(jq -c 'select(.type == "prune")' "$record" | wc -l)"
stop

# Without a term nothing is ever removed; with another filterd's log nothing is, either.
start
rotate decisions.jsonl.1; sleep 1.2
expect 'no term' 'removed 0, held 0' "$(prune)"
expect 'no term: the file' yes "$([ -e "$work/state/decisions.jsonl.1" ] && echo yes)"
stop
start --keep=1s --ship-required=siem
expect 'a sink without it' 1 "$(prune | grep -c 'decisions.jsonl.1: the position of sink siem cannot be read')"
mkdir "$work/elsewhere"; cp -r "$work/state/decisions.jsonl.1" "$work/state/decisions.jsonl" "$work/state/record" "$work/elsewhere"
expect "another log" 2 "$("$bin/filterctl" record prune --operators "$work/operators.sock" --log "$work/elsewhere/decisions.jsonl" >/dev/null 2>&1; echo $?)"
rm -rf "$work/elsewhere"
stop
finish
