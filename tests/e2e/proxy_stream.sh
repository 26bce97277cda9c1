#!/bin/sh
# Streams that go wrong: upstreams that die, stall, lie or cannot be reached, clients that leave or do not read.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
upstream; plain_port=$port
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$work/tls.key" -out "$work/tls.pem" -days 2 \
    -subj /CN=localhost -addext 'subjectAltName=DNS:localhost' 2>/dev/null
upstream "$work/tls.pem" "$work/tls.key"; tls_port=$port
cat >"$upstreams" <<YAML
upstreams:
  ai: {protocol: openai, url: 'http://127.0.0.1:$plain_port', event_max: 64M}
  beating: {protocol: openai, url: 'http://127.0.0.1:$plain_port', heartbeat: 1, first_byte_timeout: 5, idle_timeout: 3}
  hard: {protocol: openai, url: 'http://127.0.0.1:$plain_port', block: hard, heartbeat: 1, first_byte_timeout: 2}
  trusted: {protocol: openai, url: 'https://localhost:$tls_port', ca: $work/tls.pem}
  distrusted: {protocol: openai, url: 'https://localhost:$tls_port'}
  misnamed: {protocol: openai, url: 'https://127.0.0.1:$tls_port', ca: $work/tls.pem}
  away: {protocol: openai, url: 'http://127.0.0.1:1'}
  nowhere: {protocol: openai, url: 'http://there-is-no-such-host.invalid:$plain_port'}
YAML
start --upstreams="$upstreams"

# An upstream that dies in an event: what was whole is judged, the answer ends as one that was cut off.
answer=$(ask half "a $secret"); expect 'it ends' 0 $?
expect 'what came' 'a [test-key]' "$(printf '%s' "$answer" | said)"
expect 'how it ended' 'length' "$(printf '%s' "$answer" | finish_reason)"
expect 'the half event' '' "$(printf '%s' "$answer" | grep 'the end of it')"
expect 'on record' '["aborted","broken"]' "$(records | tail -1 | jq -c '[.phase, .end]')"

# Heartbeats: between events, before the first byte, and never in hard style.
name=beating
answer=$(ask late hello)
expect 'beats while it waits' 1 "$([ "$(printf '%s\n' "$answer" | grep -c '^: ')" -ge 2 ] && echo 1)"
expect 'and then the answer' 'hello' "$(printf '%s' "$answer" | said)"
answer=$(ask stall hello)
expect 'a stalled one beats' 1 "$([ "$(printf '%s\n' "$answer" | grep -c '^: ')" -ge 1 ] && echo 1)"
expect 'and ends' 'length' "$(printf '%s' "$answer" | finish_reason)"
expect 'as timed out' '["aborted","timeout"]' "$(records | tail -1 | jq -c '[.phase, .end]')"
await 'its connection is closed' true sh -c "tail -1 $work/seen-by-upstream | jq .is_closed"
answer=$(ask nothing hello)
expect_json 'an answer that never came' '.error.message' '"the upstream did not answer in time"' \
    "$(printf '%s\n' "$answer" | sed -n 's/^data: //p' | head -1)"
answer=$(ask late-error hello)
expect_json 'an error behind a heartbeat' '.error.message' '"the upstream answered with an error"' \
    "$(printf '%s\n' "$answer" | sed -n 's/^data: //p' | head -1)"
name=hard
expect 'hard style waits with the head' 504 "$(ask nothing hello -o "$work/body" -w '%{http_code}')"
expect_json 'its body' '.error.message' '"the upstream did not answer in time"' "$(cat "$work/body")"
expect 'its bytes on record' "$(wc -c <"$work/body")" "$(records | tail -1 | jq .to_client_bytes)"
expect 'a hard block' 400 "$(ask echo "E2EBOMB0001 and more" -o "$work/body" -w '%{http_code}')"
expect 'its bytes on record' "$(wc -c <"$work/body")" "$(records | tail -1 | jq .to_client_bytes)"
name=ai

# Upstreams that cannot be reached, or are not who they should be.
for case in away:503 nowhere:503 distrusted:502 misnamed:502; do
    name=${case%:*}
    expect "$name" "${case#*:}" "$(ask echo hello -o "$work/body" -D "$work/head" -w '%{http_code}')"
    expect_json "$name: body" '.error | has("message")' true "$(cat "$work/body")"
done
name=away
ask echo hello -o /dev/null -D "$work/head"
expect 'try again' 'Retry-After: 1' "$(tr -d '\r' <"$work/head" | grep -i ^retry-after)"
expect 'counted' '2 1 2' "$(metric 'filterd_upstream_errors_total{kind="connect"}') $(
    metric 'filterd_upstream_errors_total{kind="resolve"}') $(metric 'filterd_upstream_errors_total{kind="tls"}')"
name=trusted
expect 'one that is trusted, by a name that is looked up' 'hello' "$(ask echo hello | said)"
name=ai

# A client that leaves: its upstream is told at once.
: >"$work/seen-by-upstream"
ask stall hello --max-time 1 >/dev/null 2>&1
await 'a client left' true sh -c "tail -1 $work/seen-by-upstream | jq .is_closed"
last_end() { records | tail -1 | jq -c '[.phase, .end]'; }
await 'on record' '["aborted","client"]' last_end
: >"$work/seen-by-upstream"
ask nothing hello --max-time 1 >/dev/null 2>&1
await 'a client left before the first byte' true sh -c "tail -1 $work/seen-by-upstream | jq .is_closed"
await 'none is open' 0 metric filterd_proxy_open

# A client that does not read: memory stays where it is, the upstream waits.
: >"$work/seen-by-upstream"
resident() { operators /metrics | sed -n 's/^process_resident_memory_bytes //p'; }
before=$(resident)
ask much hello --limit-rate 1K --max-time 6 >/dev/null 2>&1 &
slow=$!
sleep 3
grown=$(($(resident) - before))
expect "a slow reader takes little memory ($grown)" 1 "$([ $grown -lt 16000000 ] && echo 1)"
expect 'the upstream waits' '' "$(grep ends "$work/seen-by-upstream")"
expect 'the service does not' 'hello' "$(ask echo hello | said)"
wait $slow
await 'none is open' 0 metric filterd_proxy_open
expect 'no memory is set aside' 0 "$(metric filterd_held_bytes)"
# One that does read gets all of it: 4 s on an idle machine, of which jq takes most, and more than 30 s beside two suites.
timeout_s=300
expect 'a quick reader' 33587200 "$(ask much hello | said | wc -c)"

# The canary: the secret was in answers of every kind, and stands nowhere.
operators /metrics >"$work/metrics"
expect 'the secret is nowhere' '' "$(grep -laF "$secret" "$work/log" "$work/metrics" "$work/state/decisions.jsonl")"
stop
expect 'exit code' 0 "$status"
finish
