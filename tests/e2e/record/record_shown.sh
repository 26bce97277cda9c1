#!/bin/sh
# What the service shows of its record proves what it says, by an implementation of its own (Python, openssl); a witness
# cosigns it, and without that the service is not ready.
. "$(dirname "$0")/../service.inc"
cd "$(dirname "$0")/../../.." || exit 2
. tests/e2e/proxy.inc
upstream
printf 'upstreams:\n  ai: {protocol: openai, url: "http://127.0.0.1:%s"}\n' "$port" >"$upstreams"
operators_socket=$work/operators.sock
witness=$("$bin/filterd-witness" --make-key "$work/witness.key" --name witness.example/w1)
witness_port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
printf 'witness w1 %s http://127.0.0.1:%s/\nquorum w1\n' "$witness" "$witness_port" >"$work/witnesses"
witness_pid=''
trap '[ -z "$witness_pid" ] || kill "$witness_pid" 2>/dev/null; stop_upstreams; cleanup' EXIT

start --signer-directory="$work/signer" --witnesses="$work/witnesses" --witness-interval=1 --witness-within=2 --upstreams="$upstreams"
for i in $(seq 300); do
    printf '{"text":"The key is %s. Number %s."}\n' "$secret" "$i"
done >"$work/batch"
curl -sS -H "$ndjson" --data-binary "@$work/batch" "$url/v1/filter/batch" >"$work/out" || failures=$((failures + 1))

# Nobody cosigns: not ready, but it answers.
await 'ready without cosignatures' 503 status_of "$url/readyz"
expect 'an answer without cosignatures' 200 "$(status_of -H "$json" -d '{"text":"hello"}' "$url/v1/filter")"
operators /metrics | grep -q '^filterd_record_witness_lag_seconds{witness="w1"} [1-9]' || { echo 'no lag'; failures=$((failures + 1)); }

log_key=$(operators /v1/record/policy | sed -n 's/^log //p')
cat >"$work/witness.yaml" <<YAML
name: witness.example/w1
key: $work/witness.key
state: $work/witness-state
listen: 127.0.0.1:$witness_port
logs: ["$log_key"]
YAML
"$bin/filterd-witness" --config "$work/witness.yaml" 2>"$work/witness.log" &
witness_pid=$!
await 'ready with cosignatures' 200 status_of "$url/readyz"
size=$(/usr/bin/python3 tests/support/tlog_check.py "$operators_socket" "$witness") || { echo "$size"; failures=$((failures + 1)); size=0; }
[ "$size" -gt 300 ] || { echo "only $size lines were proven"; failures=$((failures + 1)); }

# Receipts: of what waits for its record, and found once a checkpoint covers it.
receipt_of() { sed -n 's/^Filterd-Receipt: \([^\r]*\).*/\1/p' "$work/head"; }
shown() { # shown WHAT RECEIPT: its proof has the line's number
    operators /v1/record/checkpoint -X POST >"$work/out"
    curl -sS "$url/v1/receipts/$2" >"$work/proof"
    expect "$1: the proof" "c2sp.org/tlog-proof@v1 index $((${2%%.*} - 1))" "$(sed -n 1,2p "$work/proof" | tr '\n' ' ' | sed 's/ $//')"
    expect "$1: another hash" 404 "$(status_of "$url/v1/receipts/$((${2%%.*} + 1)).${2#*.}")"
}
answer=$(post /v1/filter '{"text":"E2EBOMB0001"}' -D "$work/head")
expect_json 'a block' .action '"block"' "$answer"
expect_json 'its receipt' .receipt "\"$(receipt_of)\"" "$answer"
shown 'a block' "$(receipt_of)"
answer=$(post /v1/filter "{\"text\":\"$secret\"}" -D "$work/head")
expect_json 'a redaction' '[.action, .receipt != null]' '["redact",true]' "$answer"
shown 'a redaction' "$(receipt_of)"
answer=$(post /v1/filter '{"text":"hello"}' -D "$work/head")
expect_json 'an allow is not waited for' '[.action, .receipt]' '["allow",null]' "$answer"
expect 'nor in its head' '' "$(receipt_of)"
answer=$(curl -sS -D "$work/head" -H "$plain" -H 'Accept: text/plain' -d 'E2EBOMB0001' "$url/v1/filter")
expect 'a block in plain text' 'Withheld by the tests.' "$answer"
shown 'a block in plain text' "$(receipt_of)"
stream=$(post /v1/streams '{}' | jq -r .id)
post "/v1/streams/$stream/chunks" '{"text":"hello"}' >"$work/out"
answer=$(post "/v1/streams/$stream/end" '{}' -D "$work/head")
expect_json 'the end of a stream' '[.action, .receipt]' "[\"allow\",\"$(receipt_of)\"]" "$answer"
shown 'the end of a stream' "$(receipt_of)"

ask_whole echo "a $secret b" -D "$work/head" >"$work/out"
shown 'a proxied answer' "$(receipt_of)"
ask_whole echo 'E2EBOMB0001' -D "$work/head" >"$work/out"
shown 'a proxied block' "$(receipt_of)"
expect 'where the key is' "$work/signer/keys/log.key" "$(find "$work" -name log.key)"

# The same log after a kill.
kill -9 "$pid"; wait "$pid" 2>/dev/null
start --signer-directory="$work/signer" --witnesses="$work/witnesses" --witness-interval=1 --witness-within=2 --upstreams="$upstreams"
again=$(/usr/bin/python3 tests/support/tlog_check.py "$operators_socket" "$witness") || { echo "$again"; failures=$((failures + 1)); again=0; }
[ "$again" -ge "$size" ] || { echo "$again lines after $size"; failures=$((failures + 1)); }
expect 'the policy in the folder' "$(operators /v1/record/policy)" "$(cat "$work/state/record/policy")"
for _ in $(seq 600); do
    "$bin/filterctl" record receipt "$(receipt_of)" --operators "$operators_socket" >"$work/checked" && break
    sleep 0.1
done
expect 'filterctl names who cosigned it' 1 "$(grep -c "^line $(receipt_of | cut -d. -f1) is in the log of .*, cosigned by w1\$" "$work/checked")"
# Callers see receipts alone.
expect 'the record for callers' 404 "$(status_of "$url/v1/record/checkpoint")"
expect 'a receipt that is none' 404 "$(status_of "$url/v1/receipts/1.AAAA")"
sed "s|^log .*|log $log_key|" "$work/state/record/policy" >"$work/auditors" # which does not come from the service
cp -r "$work/state" "$work/earlier-state"
post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null
newest=$(records | tail -n 1 | jq .seq)
cosigned() { [ "$(sed -n 2p "$work/state/record/cosigned")" -ge "$newest" ] && echo yes; }
await 'cosigned to the last line' yes cosigned
stop
expect 'its end' 0 "$status"

# What only witnesses show. Verified with the auditor's policy, and by the log's own key.
verify() { "$bin/filterctl" record verify "$@" >"$work/verified" 2>&1; echo $?; }
expect 'the record' 0 "$(verify --policy "$work/auditors" "$work/state")"
expect 'says how far it is cosigned' 1 "$(grep -c '^cosigned: to line [1-9]' "$work/verified")"
cp "$work/state/record/cosigned" "$work/earlier-state/record/cosigned"
expect 'an earlier copy of the record' 1 "$(verify --policy "$work/auditors" "$work/earlier-state")"
expect 'lacks lines' 1 "$(grep -c 'lines are missing' "$work/verified")"
/usr/bin/python3 tests/support/tlog_fork.py "$bin/filterd-witness" "$work/state" "$work/signer" || failures=$((failures + 1))
expect 'a fork by its own key' 0 "$(verify "$work/state")"
expect 'a fork before an auditor' 1 "$(verify --policy "$work/auditors" "$work/state")"
expect 'is called one' 1 "$(grep -c 'not what was cosigned' "$work/verified")"
finish
