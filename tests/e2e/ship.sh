#!/bin/sh
# filterd-ship: every line comes to a receiver that is killed, slow, refusing, losing its answers; over rotations and restarts;
# readiness depends on it with --ship-required; nothing secret is in what it writes.
. "$(dirname "$0")/service.inc"
lines=${FILTERD_SHIP_LINES:-3000} # of the decision log, by the script below; a million in tests/ship
. "$(dirname "$0")/ship.inc"
token=Zq8vN3xW-not-to-be-seen
seq_of() { sed 's/^{"seq":\([0-9]*\),.*/\1/' "$@"; }
has_seq() { grep -q "^{\"seq\":$1," "$work/got" 2>/dev/null; }
last_seq() { tail -n 1 "$work/state/decisions.jsonl" | seq_of; }
say() { # N: as many decisions, every tenth with a planted secret
    awk -v n="$1" -v secret="$secret" 'BEGIN { for (i = 0; i < n; i++) printf "{\"text\":\"line %d %s\",\"agent\":\"a-%d\"}\n", i, i % 10 ? "" : secret, i % 7 }' |
        curl -sS -o /dev/null -H "$ndjson" -H 'Expect:' --data-binary @- "$url/v1/filter/batch"
}

# --- every line, once or more ---------------------------------------------------------------
start
start_receiver http 0 "$work/got"
echo "$token" >"$work/token"
cat >"$work/ship.yaml" <<YAML
log: $work/state/decisions.jsonl
state: $work/state/ship
metrics: $work/ship.prom
drain: 20s
sinks:
  siem:
    format: otlp
    url: http://127.0.0.1:$port/v1/logs
    timeout: 2s
    headers: {Authorization: {file: $work/token, prefix: "Bearer "}}
  copy: {format: record, file: $work/copy.jsonl}
  lake: {format: ocsf, file: $work/ocsf.jsonl}
  arc: {format: cef, file: $work/cef.log}
YAML
expect 'check' 'ok: 4 sinks' "$("$bin/filterd-ship" --config "$work/ship.yaml" --check 2>&1)"
expect 'a file that is not there' 2 "$("$bin/filterd-ship" --config "$work/none.yaml" 2>/dev/null; echo $?)"
part=$((lines / 6))
say "$part"
start_ship
calls=2
! grep -q 'not locked: this build is for tests' "$work/ship.log" || calls=0
expect 'sandbox: calls' "NoNewPrivs:1 Seccomp:$calls " "$(sed -n '/^NoNewPrivs\|^Seccomp:/s/\t//p' /proc/$ship_pid/status | tr '\n' ' ')"
expect 'sandbox: files' 1 "$(grep -c 'sandbox: files locked\|has no Landlock' "$work/ship.log")"
expect 'no core dump' 0 "$(awk '/^Max core file size/ { print $5 }' /proc/$ship_pid/limits)"
wait_until 'the first lines' has_seq "$part"
if grep -q 'files locked' "$work/ship.log"; then
    cp "$work/ship.yaml" "$work/ship.before"; mkdir "$work/elsewhere"
    echo "  more: {format: record, file: $work/elsewhere/more.jsonl}" >>"$work/ship.yaml"
    kill -HUP $ship_pid; wait_until 'a folder inside an allowed one' grep -q 'reload: done' "$work/ship.log"
    sed -i "s|$work/elsewhere|/var/tmp|" "$work/ship.yaml"
    kill -HUP $ship_pid
    wait_until 'a folder that is not allowed' grep -q 'reload: refused.*/var/tmp: a restart lets it through' "$work/ship.log"
    cp "$work/ship.before" "$work/ship.yaml"; : >"$work/ship.log"
    kill -HUP $ship_pid; wait_until 'the configuration from before' grep -q 'reload: done' "$work/ship.log"
fi
expect 'two on one state' 2 "$("$bin/filterd-ship" --config "$work/ship.yaml" 2>/dev/null; echo $?)"
for how in 'refuse 503 1' 'refuse 429' 'refuse 400' 'lose' 'halve 7' 'slow 300'; do
    behave $how
    say $((part / 2))
    wait_until "a request that is to see: $how" grep -q " ${how%% *} " "$work/got.requests"
    sleep 0.5
done
behave accept
wait_until 'what a difficult receiver took' has_seq "$(last_seq)"
# The receiver is killed in the middle, and so is filterd-ship; the log is rotated meanwhile.
behave slow 50
say "$part"
sleep 1.7
stop_receiver
stop_ship KILL
mv "$work/state/decisions.jsonl" "$work/state/decisions.jsonl.1"
kill -HUP "$pid"
wait_until 'the new file' test -s "$work/state/decisions.jsonl"
say "$part"
gzip "$work/state/decisions.jsonl.1"
behave accept
start_receiver http "$port" "$work/got"
start_ship
wait_until 'all after the kill' has_seq "$(last_seq)"
# SIGTERM sends what is in the log by then.
say 50
stop_ship
expect 'drained' '0 0' "$status $(has_seq "$(last_seq)"; echo $?)"
total=$(last_seq)
expect 'none is missing' "$total" "$(seq_of "$work/got" | sort -nu | wc -l)"
(gzip -dc "$work/state/decisions.jsonl.1.gz"; cat "$work/state/decisions.jsonl") >"$work/log.all"
sort -u "$work/log.all" >"$work/log.sorted"
expect "they are the lines of the log" 0 "$(sort -u "$work/got" | cmp - "$work/log.sorted"; echo $?)"
# kill -9 may come between a batch and its position: files have that batch twice, too.
expect 'a file is the log' 0 "$(awk '!seen[$0]++' "$work/copy.jsonl" | cmp - "$work/log.all"; echo $?)"
expect 'a CEF message for each' "$total" "$(sort -u "$work/cef.log" | grep -c '^<[0-9]*>1 .* CEF:0|filterd|')"
sort -u "$work/cef.log" >"$work/cef.sorted"
expect 'an OCSF event for each redaction' "$(jq -r 'select(.action == "redact") | .seq' "$work/log.all" | wc -l)" "$(sort -u "$work/ocsf.jsonl" | wc -l)"
expect 'all are JSON' 0 "$(jq -e '.class_uid == 2006 and .metadata.version == "1.8.0"' "$work/ocsf.jsonl" | grep -cv true)"
twice=$(($(wc -l <"$work/got") - total))
expect 'what lost its answer came again' 1 "$((twice > 0))"
echo "note: $total lines, $twice of them came twice"

# --- what it says of itself --------------------------------------------------------------------
metric() { sed -n "s/^$1 //p" "$work/ship.prom"; }
expect 'seq' "$total" "$(metric 'filterd_ship_seq{sink="siem"}')"
expect 'nothing missing' 0 "$(metric 'filterd_ship_missing_lines_total{sink="siem"}')"
expect 'lag is small' 1 "$(metric 'filterd_ship_lag_seconds{sink="siem"}' | awk '{print ($1 < 300)}')"
expect 'the token is sent' 0 "$(grep -cv "Bearer $token\$" "$work/got.requests")"
expect 'planted secrets are nowhere' '' "$(grep -rlF -e "$secret" "$work/got" "$work/copy.jsonl" "$work/ocsf.jsonl" "$work/cef.log" "$work/state" "$work/ship.all" "$work/ship.prom")"
expect 'nor is the token' '' "$(grep -rlF -e "$token" "$work/got" "$work/copy.jsonl" "$work/state" "$work/ship.all" "$work/ship.prom")"

# --- syslog over TLS, with client certificates --------------------------------------------------
make_certificates "$work"
cp "$work/ship.yaml" "$work/ship.yaml.http"
sed '/^sinks/,$d' "$work/ship.yaml.http" >"$work/ship.yaml"
http_pid=$receiver_pid http_port=$port
start_receiver syslog 0 "$work/syslog" "$work"
syslog_port=$port
echo "sinks: {arc: {format: cef, syslog: 'localhost:$syslog_port', ca: $work/ca.pem, certificate: $work/other.pem, key: $work/other.key, timeout: 2s}}" >>"$work/ship.yaml"
rm -f "$work/state/ship/arc.json"
start_ship
wait_until 'a certificate that is refused' grep -q 'sink arc: .*: it is tried again' "$work/ship.log"
sed -i "s/other\./client./g" "$work/ship.yaml"
kill -HUP $ship_pid
wait_until 'some messages' test -s "$work/syslog"
stop_receiver
sleep 0.5
start_receiver syslog "$syslog_port" "$work/syslog" "$work"
has_message() { grep -q "|cn1Label=seq cn1=$1 " "$work/syslog"; }
wait_until 'all messages' has_message "$total"
stop_ship
expect 'syslog: none is missing' "$total" "$(sed 's/.*|cn1Label=seq cn1=\([0-9]*\) .*/\1/' "$work/syslog" | sort -nu | wc -l)"
expect 'syslog: the same messages as in the file' '' "$(sort -u "$work/syslog" | comm -3 - "$work/cef.sorted" | head -2)"
expect 'a planted secret is in none' 0 "$(grep -cF "$secret" "$work/syslog")"
stop_receiver
receiver_pid=$http_pid port=$http_port
cp "$work/ship.yaml.http" "$work/ship.yaml"
: >"$work/ship.log"

# --- rejected records; a reload ------------------------------------------------------------------
# With a timeout that no machine is too slow for: what is not answered in time comes again, rejected or not.
sed -i 's/timeout: 2s/timeout: 90s/' "$work/ship.yaml"
behave reject 3
say 5
first_rejected=$(($(wc -l <"$work/got") + 1))
start_ship
wait_until 'five more' has_seq "$(last_seq)"
echo 'sinks: {siem: {format: otlp}}' >"$work/other.yaml"
cp "$work/ship.yaml" "$work/ship.yaml.good"
cp "$work/other.yaml" "$work/ship.yaml"
kill -HUP $ship_pid
wait_until 'a refused reload' grep -q 'reload: refused' "$work/ship.log"
sed '/^  lake/d' "$work/ship.yaml.good" >"$work/ship.yaml"
kill -HUP $ship_pid
wait_until 'a reload' grep -q 'reload: done sinks=3' "$work/ship.log"
behave accept
say 5
wait_until 'lines after the reload' has_seq "$(last_seq)"
stop_ship
expect 'rejected records are counted, and do not come again' '' "$(tail -n "+$first_rejected" "$work/got" | seq_of | sort | uniq -d)"

# --- readiness ------------------------------------------------------------------------------------
stop
start --ship-required=siem --ship-within=300
expect 'ready with a fresh position' 200 "$(status_of "$url/readyz")"
expect 'a gauge' 1 "$(curl -sS "$url/metrics" | awk -F'[ ]' '/^filterd_record_ship_lag_seconds{sink="siem"}/ {print ($2 < 300)}')"
mv "$work/state/ship/siem.json" "$work/siem.json"
expect 'not ready without' 503 "$(status_of "$url/readyz")"
"$bin/filterctl" ready --operators "$work/operators.sock" 2>/dev/null; expect 'filterctl says so' 1 $?
expect 'a lag without end' '+Inf' "$(curl -sS "$url/metrics" | sed -n 's/^filterd_record_ship_lag_seconds{sink="siem"} //p')"
sed 's/"as_of_ns":[0-9]*/"as_of_ns":1000000000000000000/' "$work/siem.json" >"$work/state/ship/siem.json"
expect 'not ready with an old one' 503 "$(status_of "$url/readyz")"
expect 'answers go on' 200 "$(status_of -H "$json" -d '{"text":"x"}' "$url/v1/filter")"
start_ship
wait_until 'ready again' eval '[ "$(status_of "$url/readyz")" = 200 ]'
wait_for_log 'sink siem does not have'
stop_ship
stop
expect 'a name that is none' 2 "$("$bin/filterd" --check --ship-required=../x --rules="$rules" --state-directory="$work/state" >/dev/null 2>&1; echo $?)"
finish
