#!/bin/sh
# The proxy's life: tokens, reloads and stops in the middle of streams, a record that cannot be written, limits.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
upstream; first_port=$port
upstream; second_port=$port
caller=token-of-a-caller-0123456789
token=token-of-the-proxy-0123456789
printf '%s\n' $caller | "$bin/filterd" --hash-token --role=caller --name=caller >"$work/tokens"
printf '%s\n' $token | "$bin/filterd" --hash-token --role=proxy --name=proxy >>"$work/tokens"
echo sk-first-key-of-the-upstream >"$work/key"
write_upstreams() {
    cat >"$upstreams" <<YAML
upstreams:
  ai: {protocol: openai, url: 'http://127.0.0.1:$first_port'}
  keyed: {protocol: openai, url: 'http://127.0.0.1:$first_port', credential: $work/key}
  claude: {protocol: anthropic, url: 'http://127.0.0.1:$first_port', credential: $work/key}
YAML
}
write_upstreams

# --check reads it, too.
check() { "$bin/filterd" --check --rules="$rules" --state-directory="$work/state" --upstreams="$upstreams" 2>&1; }
expect 'check' 'ok: 2 rules, 2 policies, 0 tokens, 3 upstreams' "$(check)"
echo '    colour: red' >>"$upstreams"
expect 'a fault' 1 "$(check | grep -c "$upstreams:5:.*expected\|$upstreams:5:5: ")"
write_upstreams
sed -i 's/keyed: {/keyed: {policy: none, /' "$upstreams"
expect 'a policy that is not there' "$upstreams:3:19: there is no policy 'none'" "$(check)"
write_upstreams; mv "$work/key" "$work/key.away"
expect 'a credential that is not there' 1 "$(check | grep -c "upstream keyed: $work/key: No such file")"
mv "$work/key.away" "$work/key"

# Tokens: of role proxy, in a header of their own or in place of the key that is replaced.
start --upstreams="$upstreams" --tokens="$work/tokens" --drain-timeout=2
code() { ask echo hi -o "$work/body" -w '%{http_code}' "$@"; }
expect 'no token' 401 "$(code)"
expect_json 'its shape' '.error | has("message")' true "$(cat "$work/body")"
expect 'a wrong one' 401 "$(code -H 'X-Filterd-Token: token-of-nobody-0123456789')"
expect 'of another role' 403 "$(code -H "X-Filterd-Token: $caller")"
expect 'the right one' 200 "$(code -H "X-Filterd-Token: $token")"
expect 'the upstream'"'"'s own key is none' 401 "$(code -H "Authorization: Bearer $token")"
expect 'a proxy is no caller' 403 "$(status_of -H "Authorization: Bearer $token" -H "$json" -d '{"text":"a"}' "$url/v1/filter")"
name=keyed
expect 'in place of the key' 200 "$(code -H "Authorization: Bearer $token")"
expect 'the key goes up, the token does not' 'Bearer sk-first-key-of-the-upstream 0' \
    "$(seen_by_upstream | tail -1 | jq -r '.headers[] | select(.[0] == "Authorization") | .[1]') $(grep -c "$token" "$work/seen-by-upstream")"
models() { status_of "$url/claude/v1/models" "$@"; }
expect 'as the bearer beside a key' 200 "$(models -H "Authorization: Bearer $token" -H 'x-api-key: sk-ant-none')"
expect 'as the key beside a bearer' 200 "$(models -H 'Authorization: Bearer sk-ant-none' -H "x-api-key: $token")"
expect 'as neither' 401 "$(models -H 'Authorization: Bearer sk-ant-none' -H 'x-api-key: sk-ant-none-either')"
expect 'of another role beside one' 403 "$(models -H "Authorization: Bearer $caller" -H 'x-api-key: sk-ant-none')"
expect 'no key of a client went up' 0 "$(grep -c -e "$token" -e sk-ant-none "$work/seen-by-upstream")"

# A reload: another key, another policy, for what begins after it; what is in progress keeps its own.
a_stream() { ask slow "one two three four five E2EBOMB0001 six $secret" -H "Authorization: Bearer $token"; }
a_stream >"$work/during" & during=$!
sleep 0.5
sed -i 's/{category: injection, action: block}/{category: injection, action: redact}/' "$rules/policy.yaml"
echo sk-second-key-of-the-upstream >"$work/key"
kill -HUP "$pid"; wait_for_log 'reload: done'
expect 'a stream after the reload' 'stop' "$(a_stream | finish_reason)"
wait $during
expect 'a stream from before it' 'content_filter' "$(finish_reason <"$work/during")"
expect 'another key' 'Bearer sk-second-key-of-the-upstream' \
    "$(seen_by_upstream | grep method | tail -1 | jq -r '.headers[] | select(.[0] == "Authorization") | .[1]')"
# One that cannot be: the old state stays.
sed -i "s/$first_port/$second_port/" "$upstreams"
kill -HUP "$pid"; wait_for_log 'reload: refused.*restart lets it through'
expect 'the old one stays' 200 "$(code -H "Authorization: Bearer $token")"
write_upstreams

# A stop: a stream that takes too long ends as one that was cut off, with its record, and the exit is clean.
ask stall "$secret and" -H "Authorization: Bearer $token" >"$work/stalled" & stalled=$!
ask slow 'hello world' -H "Authorization: Bearer $token" >"$work/finished" & finished=$!
sleep 0.5
before=$(date +%s)
stop
expect 'exit code' 0 "$status"
expect 'within the time' 1 "$([ $(($(date +%s) - before)) -le 6 ] && echo 1)"
wait $stalled; expect 'a stalled stream ends properly' 0 $?
wait $finished
expect 'with what it had' '[test-key] and length' "$(said <"$work/stalled") $(finish_reason <"$work/stalled")"
expect 'another finishes' 'hello world stop' "$(said <"$work/finished") $(finish_reason <"$work/finished")"
expect 'on record' 1 "$(records | grep -c '"end":"drain"')"
expect 'every open has its end' 0 "$(records | jq -r 'select(.phase == "open") | .req_id' | sort >"$work/opened"
    records | jq -r 'select(.phase == "final" or .phase == "aborted") | .req_id' | sort | comm -23 "$work/opened" - | wc -l)"
expect 'keys and tokens are nowhere' '' "$(cat "$work/log" "$work/state/decisions.jsonl" | grep -e "$token" -e sk-first -e sk-second)"

# More than may be in progress.
name=ai
start --upstreams="$upstreams" --proxy-streams=2
for i in 1 2; do ask stall hello --max-time 4 >/dev/null 2>&1 & done
await 'two are in progress' 2 metric filterd_proxy_open
expect 'the third' 503 "$(code)"
wait_for() { await 'they left' 0 metric filterd_proxy_open; }
sleep 4; wait_for
expect 'there is room again' 200 "$(code)"
stop

# An upstream that takes a request on a connection that was kept, and closes it: the request goes up again, and the record says so.
cat >"$work/closing.py" <<'PYTHON'
import json, socket
listener = socket.create_server(('127.0.0.1', 0))
print(listener.getsockname()[1], flush=True)
body = json.dumps({'id': 'c', 'object': 'chat.completion', 'created': 1, 'model': 'm', 'choices': [
    {'index': 0, 'message': {'role': 'assistant', 'content': 'hello'}, 'finish_reason': 'stop'}]}).encode()
while True:
    sock, _ = listener.accept()
    requests = sock.makefile('rb')
    for number in range(2):
        length = 0
        while (line := requests.readline()) not in (b'\r\n', b''):
            length = int(line[15:]) if line.lower().startswith(b'content-length:') else length
        if requests.read(length) and number == 0:
            sock.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n' % len(body) + body)
    requests.close()
    sock.close()
PYTHON
run_upstream /usr/bin/python3 "$work/closing.py"
upstream_pids="$upstream_pids $upstream_pid"
echo "upstreams: {ai: {protocol: openai, url: 'http://127.0.0.1:$port'}}" >"$work/closing.yaml"
n_before=$(records | wc -l)
start --upstreams="$work/closing.yaml" --threads=1
expect 'both are answered' 'hello hello ' "$(for _ in 1 2; do ask_whole m hi | jq -j '.choices[0].message.content + " "'; done)"
stop
expect 'what was sent twice' '[null,2]' "$(records | tail -n +$((n_before + 1)) | jq -sc '[.[] | select(.phase == "final") | .sent]')"

# A disk that takes no more: nothing is delivered.
rm -rf "$work/state"; : >"$work/log"
(
    trap '' XFSZ
    ulimit -f 8
    exec "$bin/filterd" --listen=127.0.0.1:0 --operators=none --rules="$rules" --state-directory="$work/state" \
        --upstreams="$upstreams" 2>>"$work/log"
) &
pid=$!
wait_for_log 'filterd: ready'
url=http://$(sed -n 's/.*ready listen=\([^ ]*\) .*/\1/p' "$work/log")
# An open record may find room where the last one does not: that answer is broken off.
got= begun=0
for _ in $(seq 60); do
    got=$(code 2>"$work/ended"); [ "$got" = 503 ] && break
    begun=$((begun + 1))
done
expect 'no record, no stream' 503 "$got"
expect 'each that began is on record' "$begun" "$(records | jq -r .phase | grep -c open)"
expect_json 'its shape' .error.message '"the decision could not be recorded"' "$(cat "$work/body")"
expect 'no record, no answer' 503 "$(ask_whole echo hi -o "$work/body" -w '%{http_code}')"
expect 'nothing of it' '' "$(grep '"hi"' "$work/body")"
stop
finish
