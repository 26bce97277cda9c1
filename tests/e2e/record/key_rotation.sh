#!/bin/sh
# The key of the log's signer is rotated: announced, signed by both, and the old one retired; with kill -9 and with a witness.
. "$(dirname "$0")/../service.inc"
ctl=$bin/filterctl
state=$work/state
trap '[ -z "${witness_pid:-}" ] || kill "$witness_pid" 2>/dev/null; cleanup' EXIT
verify() { "$ctl" record verify "$@" "$state" >"$work/verified" 2>&1; echo $?; }
signers() { grep -c '^— ' "$state/record/checkpoint"; }
rotate() { "$bin/filterd-witness" --rotate-key --state="$state" --name="$1"; }
policy() { # policy NAME VKEY…
    name=$1; shift
    for key in "$@"; do printf 'log %s\n' "$key"; done >"$work/$name"
    echo 'quorum none' >>"$work/$name"
}

start
post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null
first=$(records | head -1 | jq -r .vkey)
origin=$(records | head -1 | jq -r .origin)
"$bin/filterd-witness" --rotate-key --state="$state" 2>/dev/null
expect 'an origin is needed' 2 $?
second=$(rotate "$origin")
expect 'it can be repeated' "$second" "$(rotate "$origin")"
expect 'mode' 600 "$(stat -c %a "$state/keys/log.next")"
post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null
stop
expect 'one key until the next start' 1 "$(signers)"
expect 'which is the first' "$first" "$(jq -r 'select(.type == "log") | .vkey' "$state/decisions.jsonl" | head -1)"
cp "$state/record/checkpoint" "$work/before"
cp -r "$state" "$work/unrotated"

# Without witnesses the old key goes at the next start.
start
post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null
stop
expect_json 'the line that announces' '[.vkey, .by, (.before | startswith("sha256:")), (.after | startswith("sha256:"))]' \
    "[\"$second\",\"start\",true,true]" "$(records | jq -c 'select(.what == "signer")')"
expect 'is the only one' 1 "$(records | jq -c 'select(.what == "signer")' | wc -l)"
expect 'its number' "$(records | jq -c 'select(.what == "signer").seq') $second" "$(cat "$state/record/keys")"
expect 'one key again' '1 no' "$(signers) $([ -e "$state/keys/log.next" ] && echo yes || echo no)"
expect 'by its own key' 0 "$(verify)"
expect 'the new key' 1 "$(grep -c "key: $(printf '%s' "$second" | sed 's/[+]/[+]/g')" "$work/verified")"
policy both "$first" "$second"; policy old "$first"; policy new "$second"
expect 'both keys' 0 "$(verify --policy "$work/both")"
expect 'the new key' 0 "$(verify --policy "$work/new")"
expect 'the old key' 1 "$(verify --policy "$work/old")"
expect 'says that it was rotated' 1 "$(grep -c 'it was rotated' "$work/verified")"
expect 'from a checkpoint of the old key' 0 "$(verify --from "$work/before")"
expect 'the policy of the record' "log $second" "$(head -1 "$state/record/policy")"
mv "$state/record/keys" "$work/keys"
expect 'without the file of keys the new signature is not known' 1 "$(verify)"
mv "$work/keys" "$state/record/keys"

# The old key signs the same lines on: a start and a verification refuse that.
cp -r "$state" "$work/rotated"
cp "$work/unrotated/keys/log.key" "$state/keys/log.key"
"$bin/filterd" --listen=127.0.0.1:0 --operators=none --rules="$rules" --state-directory="$state" --cache-directory="$work/cache" 2>"$work/refused"
expect 'the old key does not start' 2 $?
rm -rf "$state" && cp -r "$work/rotated" "$state"

# Killed at random moments of a rotation: it goes on, and all that is signed verifies.
for i in 1 2 3 4 5 6; do
    third=$(rotate "$origin")
    : >"$work/log"
    "$bin/filterd" --listen=127.0.0.1:0 --operators=none --rules="$rules" --state-directory="$state" --cache-directory="$work/cache" \
        2>>"$work/log" &
    pid=$!
    for _ in $(seq 100); do [ "$(wc -l <"$state/record/keys")" -gt "$i" ] && break; sleep 0.0$i; done
    kill -9 $pid; wait $pid 2>/dev/null; pid=''
    expect "killed $i" 0 "$(verify)"
    start
    post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null
    stop
    expect "after $i" '0 1 no' "$(verify) $(signers) $([ -e "$state/keys/log.next" ] && echo yes || echo no)"
    expect "has the new key $i" "log $third" "$(head -1 "$state/record/policy")"
done

# With a witness both keys sign until it has cosigned the line.
witness=$("$bin/filterd-witness" --make-key "$work/witness.key" --name witness.example/w1)
port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
printf 'witness w1 %s http://127.0.0.1:%s/\nquorum w1\n' "$witness" "$port" >"$work/witnesses"
fourth=$(rotate "$origin")
printf 'name: witness.example/w1\nkey: %s\nstate: %s\nlogs: [%s, %s]\n' "$work/witness.key" "$work/witness" "$third" "$fourth" >"$work/witness.yaml"
start --witnesses="$work/witnesses" --witness-interval=1
wait_for_log 'new key is announced'
post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null
operators /v1/record/checkpoint -X POST >/dev/null
expect 'both sign' '2 yes' "$(signers) $([ -e "$state/keys/log.next" ] && echo yes)"
expect 'the policy has the old key' "log $third" "$(head -1 "$state/record/policy")"
"$bin/filterd-witness" --config "$work/witness.yaml" --listen "127.0.0.1:$port" 2>"$work/witness.log" &
witness_pid=$!
wait_for_log 'has replaced the old one'
post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null
operators /v1/record/checkpoint -X POST >/dev/null
expect 'the new one signs' '1 no' "$(signers) $([ -e "$state/keys/log.next" ] && echo yes || echo no)"
expect 'the policy has it' "log $fourth" "$(head -1 "$state/record/policy")"
stop
expect 'all of it verifies' 0 "$(verify)"
printf "state-directory: %s\nlog: %s/decisions.jsonl\n" "$state" "$state" >"$work/filterd.yaml"
"$ctl" record export --config "$work/filterd.yaml" --rules "$rules" --cache "$work/cache" --query action:block --out "$work/bundle.tar" >"$work/out" 2>&1
expect 'a bundle by the new key' 0 $?
policy new "$fourth"
expect 'is accepted' 0 "$("$ctl" record verify-bundle "$work/bundle.tar" --policy "$work/new" >"$work/out" 2>&1; echo $?)"
expect 'by verify.py as well' 0 "$(/usr/bin/python3 filterd/evidence/verify.py --policy "$work/new" "$work/bundle.tar" >"$work/out" 2>&1; echo $?)"
policy old "$third"
expect 'and not with the old one' 1 "$("$ctl" record verify-bundle "$work/bundle.tar" --policy "$work/old" >"$work/out" 2>&1; echo $?)"
finish
