#!/bin/sh
# What the service shows of its record proves what it says, by an implementation of its own (Python, openssl); a witness
# cosigns it, and without that the service is not ready.
. "$(dirname "$0")/service.inc"
cd "$(dirname "$0")/../.." || exit 2
operators_socket=$work/operators.sock
witness=$("$bin/filterd-witness" --make-key "$work/witness.key" --name witness.example/w1)
witness_port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
printf 'witness w1 %s http://127.0.0.1:%s/\nquorum w1\n' "$witness" "$witness_port" >"$work/witnesses"
witness_pid=''
trap '[ -z "$witness_pid" ] || kill "$witness_pid" 2>/dev/null; cleanup' EXIT

start --witnesses="$work/witnesses" --witness-interval=1 --witness-within=2
for i in $(seq 300); do
    printf '{"text":"The key is %s. Number %s."}\n' "$secret" "$i"
done >"$work/batch"
curl -sS -H "$ndjson" --data-binary "@$work/batch" "$url/v1/filter/batch" >"$work/out" || failures=$((failures + 1))

# Nobody cosigns: not ready, but it answers.
for _ in $(seq 100); do
    [ "$(status_of "$url/readyz")" = 503 ] && break
    sleep 0.1
done
expect 'ready without cosignatures' 503 "$(status_of "$url/readyz")"
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
for _ in $(seq 100); do
    [ "$(status_of "$url/readyz")" = 200 ] && break
    sleep 0.1
done
expect 'ready with cosignatures' 200 "$(status_of "$url/readyz")"
size=$(/usr/bin/python3 tests/support/tlog_check.py "$operators_socket" "$witness") || { echo "$size"; failures=$((failures + 1)); size=0; }
[ "$size" -gt 300 ] || { echo "only $size lines were proven"; failures=$((failures + 1)); }

# The same log after a kill.
kill -9 "$pid"; wait "$pid" 2>/dev/null
start --witnesses="$work/witnesses" --witness-interval=1 --witness-within=2
again=$(/usr/bin/python3 tests/support/tlog_check.py "$operators_socket" "$witness") || { echo "$again"; failures=$((failures + 1)); again=0; }
[ "$again" -ge "$size" ] || { echo "$again lines after $size"; failures=$((failures + 1)); }
# Callers see receipts alone.
expect 'the record for callers' 404 "$(status_of "$url/v1/record/checkpoint")"
expect 'a receipt that is none' 404 "$(status_of "$url/v1/receipts/1.AAAA")"
stop
expect 'its end' 0 "$status"
finish
