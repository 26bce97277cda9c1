#!/bin/sh
# WebSockets of the Responses and Realtime APIs: events judged in both directions, a secret that is cut over events, blocks, the record,
# what is refused, ends of either side, a stopped agent, a stopping service.
. "$(dirname "$0")/service.inc"
bomb=E2EBOMB0001
seen=$work/seen
run_upstream /usr/bin/python3 tests/support/websocket.py upstream "$seen"
trap 'kill -9 "$upstream_pid" 2>/dev/null; cleanup' EXIT
sed -i 's/^  strict:/  asked:\n    rules: [test]\n    actions: [{category: secret, action: redact}, {category: injection, action: block}]\n    notice: "Withheld by the tests."\n    request: {judge: true, record: findings, actions: [{category: secret, action: redact}, {category: injection, action: block}]}\n  strict:/' "$rules/policy.yaml"
cat >"$work/upstreams.yaml" <<YAML
upstreams:
  ai: {protocol: openai, url: http://127.0.0.1:$port, request_max: 64K, event_max: 64K}
  asked: {protocol: openai, url: http://127.0.0.1:$port, policy: asked}
  own: {protocol: openai, url: http://127.0.0.1:$port/v1, credential: $work/key}
  dead: {protocol: openai, url: http://127.0.0.1:1}
  impatient: {protocol: openai, url: http://127.0.0.1:$port, idle_timeout: 1, heartbeat: 0}
YAML
echo sk-own >"$work/key"
start --upstreams="$work/upstreams.yaml"

# ws PATH [HEADER…] < LINES: what a client gets.
ws() { path=$1; shift; timeout 40 /usr/bin/python3 tests/support/websocket.py client "ws://$address$path" "$@"; }
types() { sed -n 's/^\({.*\)/\1/p' | jq -r .type | tr '\n' ' '; }
last_type() { sed -n 's/^\({.*\)/\1/p' | jq -r .type | tail -n 1; }
deltas() { sed -n 's/^\({.*\)/\1/p' | jq -rj 'select(.type | endswith("text.delta") or endswith("transcript.delta")).delta'; }
of_type() { sed -n 's/^\({.*\)/\1/p' | jq -c "select(.type == \"$1\")"; }

# --- the Responses API ------------------------------------------------------------------------------------------

# answer PIECE…: the events of a response of one text.
answer() {
    whole=$(printf '%s' "$@")
    printf '[{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}}'
    printf ',{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}'
    printf ',{"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}'
    for piece; do
        printf ',{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"%s"}' "$piece"
    done
    printf ',{"type":"response.completed","response":{"id":"resp_1","object":"response","status":"completed","output":[{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"%s","annotations":[]}]}]}}]' "$whole"
}
create() { jq -cn --arg s "$1" --arg i "${2:-hello}" '{type: "response.create", model: "m", input: $i, script: $s}'; }
turn() { printf '%s\nwait %s\n' "$(create "$1")" "${2:-response.completed}"; }

half1=$(printf '%.12s' "$secret") half2=${secret#"$half1"}
got=$( { turn "$(answer 'all ' 'is well')"; turn "$(answer "use $half1" "$half2" ' now')"; echo close; } | ws /ai/v1/responses)
expect 'two responses: a secret in two events' 'all is welluse [test-key] now' "$(printf '%s\n' "$got" | deltas)"
expect 'nothing of the secret' 0 "$(printf '%s\n' "$got" | grep -c "$half2")"
expect 'closed as asked' 'close 1000' "$(printf '%s\n' "$got" | tail -n 1)"
expect 'one exchange for each response' '[null,"open"] ["allow","final"] [null,"open"] ["redact","final"] ' \
    "$(exchanges | jq -c '[.action,.phase]' | tr '\n' ' ')"
expect 'the route' /ai/openai-responses-websocket "$(exchanges | jq -r .route | sort -u)"
expect 'no extension goes up' 'Sec-WebSocket-Extensions: ' "$(grep Extensions "$seen")"

got=$( { turn "$(answer 'first ' "$bomb then")"; turn "$(answer 'after')"; echo close; } | ws /ai/responses)
expect 'a block: nothing of it' 0 "$(printf '%s\n' "$got" | grep -c "$bomb\|then")"
expect 'a block ends the response, and the next one follows' 'first 

Withheld by the tests.after' "$(printf '%s\n' "$got" | deltas)"

for step in '"fragments:{\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"status\":\"in_progress\",\"output\":[]}}"'; do
    got=$( { turn "[$step,\"ping\",{\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\",\"output\":[]}}]"; echo close; } | ws /ai/v1/responses)
    expect 'an event in fragments' 'response.created response.completed ' "$(printf '%s\n' "$got" | types)"
done
got=$( { turn "[{\"type\":\"error\",\"status\":400,\"error\":{\"message\":\"no $secret here\"}}]" error; echo close; } | ws /ai/v1/responses)
expect 'an error of the upstream is judged' 'no [test-key] here' "$(printf '%s\n' "$got" | of_type error | jq -r .error.message)"

# What is refused.
expect 'another event of the client' error "$(printf '{"type":"session.update"}\nwait 1\nclose\n' | ws /ai/v1/responses | last_type)"
for bad in '{"type":"response.create","type":"x"}' '{"ty\u0070e":"response.create"}' '[]' 'text' '{"type":1}'; do
    expect "refused: $bad" error "$(printf '%s\nwait 1\nclose\n' "$bad" | ws /ai/v1/responses | last_type)"
done
expect 'a binary message' 'close 1003' "$(printf 'binary\n' | ws /ai/v1/responses)"
expect 'a message that is too long' 'close 1009' "$(printf 'long 70000\n' | ws /ai/v1/responses)"
expect 'a message that is no UTF-8' 'close 1007' "$(printf 'badutf8\n' | ws /ai/v1/responses)"
expect 'a frame that is not masked' 'close 1002' "$(printf 'unmasked {}\n' | ws /ai/v1/responses)"
expect 'a binary message of the upstream' 'close 1011' "$(create '["binary"]' | ws /ai/v1/responses | tail -n 1)"
expect 'what is no event' 'close 1011 the upstream sent what is no event' "$( { create '["garbage"]'; echo 'wait 9'; } | ws /ai/v1/responses | tail -n 1)"
got=$( { create "$(answer begun | jq -c '.[0:4] + ["garbage"]')"; echo 'wait 99'; } | ws /ai/v1/responses)
expect 'no event behind a beginning: the response is incomplete' response.incomplete "$(printf '%s\n' "$got" | last_type)"
expect 'no event behind a beginning: why' 'close 1011 the upstream sent what is no event' "$(printf '%s\n' "$got" | tail -n 1)"
await 'no event behind a beginning: on record' '["aborted","malformed"]' last_line '[.phase,.end]'
got=$( { create "$(answer begun | jq -c '.[0:4] + ["drop"]')"; echo 'wait 99'; } | ws /ai/v1/responses)
expect 'an upstream that breaks off: the response is incomplete' response.incomplete "$(printf '%s\n' "$got" | last_type)"
expect 'and then the connection ends' 'close 1011' "$(printf '%s\n' "$got" | tail -n 1)"
expect 'the code of the upstream' 'close 4001' "$( { create '["close:4001"]'; echo 'wait 9'; } | ws /ai/v1/responses | tail -n 1)"
expect 'an upstream that refuses' 'status 401' "$(ws '/ai/v1/responses?q=refuse-me' </dev/null | cut -c 1-10)"
expect 'an upstream that lies' 'status 502' "$(ws '/ai/v1/responses?q=lie-to-me' </dev/null | cut -c 1-10)"
expect 'an upstream that is not there' 'status 503' "$(ws /dead/v1/responses </dev/null | cut -c 1-10)"
expect 'a route without WebSockets' 'status 400' "$(ws /ai/v1/chat/completions </dev/null | cut -c 1-10)"
expect 'the route without an upgrade' 404 "$(status_of "$url/ai/v1/responses")"
expect 'a handshake without a key' 400 "$(status_of -H 'Upgrade: websocket' -H 'Connection: Upgrade' "$url/ai/v1/responses")"
expect 'a silent session' 'close 1001 nothing was received in time' "$(echo 'wait 9' | ws /impatient/v1/responses)"

# The client leaves in the middle: the record says so.
{ create "$(answer 'half of' | jq -c '.[0:4] + ["silent"]')"; echo 'wait 4'; echo drop; } | ws /ai/v1/responses >/dev/null
for _ in $(seq 1200); do [ "$(exchanges | tail -n 1 | jq -r .end)" = client ] && break; sleep 0.05; done
expect 'a client that left' '["aborted","client"]' "$(exchanges | tail -n 1 | jq -c '[.phase,.end]')"

# The upstream's URL ends in /v1, and its key replaces the client's, also where browsers put it.
: >"$seen"
ws /own/v1/responses 'Authorization: Bearer of-the-client' 'Cookie: a=b' 'Sec-WebSocket-Protocol: realtime, openai-insecure-api-key.mine' </dev/null >/dev/null &
wait $!
expect 'what goes up' 'request GET /v1/responses HTTP/1.1 Authorization: Bearer sk-own Sec-WebSocket-Protocol: realtime Cookie:  ' \
    "$(grep -E '^(request|Auth|Sec-WebSocket-P|Cookie)' "$seen" | tr '\n' ' ')"

# --- requests ------------------------------------------------------------------------------------------------------

: >"$seen"
got=$( { create "$(answer 'ok')" "my key is $secret"; echo 'wait response.completed'; echo close; } | ws /asked/v1/responses)
expect 'a secret in a request is not sent' 0 "$(grep -c "$secret" "$seen")"
expect 'the request is' 1 "$(grep -c 'my key is \[test-key' "$seen")"
got=$( { create "$(answer 'ok')" "$bomb"; echo 'wait error'; echo close; } | ws /asked/v1/responses)
expect 'a request that is blocked' 'This request was withheld by policy.' "$(printf '%s\n' "$got" | of_type error | jq -r .error.message)"
expect 'is not sent' 0 "$(grep -c "$bomb" "$seen")"

# --- the Realtime API ------------------------------------------------------------------------------------------------

# spoken PIECE…: a response with a transcript.
spoken() {
    printf '[{"type":"response.created","event_id":"e1","response":{"id":"resp_r","object":"realtime.response","status":"in_progress","output":[],"output_modalities":["audio"]}}'
    printf ',{"type":"response.output_item.added","event_id":"e2","response_id":"resp_r","output_index":0,"item":{"id":"item_1","object":"realtime.item","type":"message","status":"in_progress","role":"assistant","content":[]}}'
    printf ',{"type":"conversation.item.added","event_id":"e3","previous_item_id":null,"item":{"id":"item_1","object":"realtime.item","type":"message","status":"in_progress","role":"assistant","content":[]}}'
    printf ',{"type":"response.content_part.added","event_id":"e4","response_id":"resp_r","item_id":"item_1","output_index":0,"content_index":0,"part":{"type":"audio","transcript":""}}'
    for piece; do
        printf ',{"type":"response.output_audio.delta","event_id":"e5","response_id":"resp_r","item_id":"item_1","output_index":0,"content_index":0,"delta":"AAAA"}'
        printf ',{"type":"response.output_audio_transcript.delta","event_id":"e6","response_id":"resp_r","item_id":"item_1","output_index":0,"content_index":0,"delta":"%s"}' "$piece"
    done
    whole=$(printf '%s' "$@")
    printf ',{"type":"response.output_audio_transcript.done","event_id":"e7","response_id":"resp_r","item_id":"item_1","output_index":0,"content_index":0,"transcript":"%s"}' "$whole"
    printf ',{"type":"response.done","event_id":"e8","response":{"id":"resp_r","object":"realtime.response","status":"completed","output":[{"id":"item_1","object":"realtime.item","type":"message","status":"completed","role":"assistant","content":[{"type":"audio","transcript":"%s"}]}]}}' "$whole"
    printf ',{"type":"conversation.item.done","event_id":"e9","item":{"id":"item_1","object":"realtime.item","type":"message","status":"completed","role":"assistant","content":[{"type":"audio","transcript":"%s"}]}}]' "$whole"
}
last_found() { exchanges | jq -c 'select((.findings // []) | length > 0)' | tail -n 1 | jq -c "$1"; }
say() { jq -cn --arg s "$1" --arg t "${2:-hello}" '{type: "conversation.item.create", event_id: "c1", item: {type: "message", role: "user", content: [{type: "input_text", text: $t}]}, script: $s}'; }

got=$( { echo 'wait session.created'; say "$(spoken "use $half1" "$half2" ' now')"; echo 'wait conversation.item.done'; echo close; } |
    ws '/ai/v1/realtime?model=m' 'Sec-WebSocket-Protocol: realtime')
expect 'realtime: the subprotocol' 'subprotocol realtime' "$(printf '%s\n' "$got" | head -n 1)"
expect 'realtime: the transcript' 'use [test-key] now' "$(printf '%s\n' "$got" | deltas)"
expect 'realtime: nothing of the secret' 0 "$(printf '%s\n' "$got" | grep -c "$half2")"
expect 'realtime: the copies' '"use [test-key] now" "use [test-key] now" "use [test-key] now" ' \
    "$(printf '%s\n' "$got" | sed -n 's/^\({.*\)/\1/p' | jq -c 'select(.type|endswith("done")) | .transcript // (.response.output // [.item])[0].content[0].transcript' | tr '\n' ' ')"
expect 'realtime: audio is dropped' 0 "$(printf '%s\n' "$got" | grep -c AAAA)"
expect 'realtime: every event of a response names it' '["resp_r"]' \
    "$(printf '%s\n' "$got" | sed -n 's/^\({.*\)/\1/p' | jq -sc '[.[] | select(.type|startswith("response.")) | .response_id // .response.id] | unique')"
expect 'realtime: every event has an id' true "$(printf '%s\n' "$got" | sed -n 's/^\({.*\)/\1/p' | jq -sc 'all(.[]; has("event_id"))')"

got=$( { echo 'wait session.created'; say "$(spoken "first $bomb then")"; echo 'wait error'; say "$(spoken after)"; echo 'wait conversation.item.done'; echo close; } |
    ws '/ai/v1/realtime?model=m')
expect 'realtime: a block, nothing of it' 0 "$(printf '%s\n' "$got" | grep -c "$bomb\|then")"
expect 'realtime: a block ends the response' '"incomplete" "content_filter" "completed" null ' \
    "$(printf '%s\n' "$got" | of_type response.done | jq -c '.response.status, .response.status_details.reason' | tr '\n' ' ')"
expect 'realtime: the notice' 1 "$(printf '%s\n' "$got" | deltas | grep -c 'Withheld by the tests')"
expect 'realtime: the item with the block is an error' content_filter "$(printf '%s\n' "$got" | of_type error | jq -r .error.code)"

got=$( { echo 'wait session.created'; jq -cn --arg s "$(spoken "use $half1" "$half2" ' now')" '{type: "response.create", response: {output_modalities: ["audio"], metadata: {script: $s}}}'
    echo 'wait conversation.item.done'; echo close; } | ws '/ai/v1/realtime?model=m')
expect 'realtime: a response that is asked for, with what it shall be like' 'use [test-key] now' "$(printf '%s\n' "$got" | deltas)"

call='[{"type":"response.created","event_id":"e","response":{"id":"r","status":"in_progress","output":[]}},{"type":"response.output_item.added","event_id":"e","response_id":"r","output_index":0,"item":{"id":"i","type":"function_call","status":"in_progress","call_id":"call_1","name":"look","arguments":""}},{"type":"response.function_call_arguments.delta","event_id":"e","response_id":"r","item_id":"i","output_index":0,"call_id":"call_1","delta":"{\"k\":"},{"type":"response.function_call_arguments.done","event_id":"e","response_id":"r","item_id":"i","output_index":0,"call_id":"call_1","arguments":"{\"k\":\"v\"}"},{"type":"response.output_item.done","event_id":"e","response_id":"r","output_index":0,"item":{"id":"i","type":"function_call","status":"completed","call_id":"call_1","name":"look","arguments":"{\"k\":\"v\"}"}},{"type":"response.done","event_id":"e","response":{"id":"r","status":"completed","output":[{"id":"i","type":"function_call","status":"completed","call_id":"call_1","name":"look","arguments":"{\"k\":\"v\"}"}]}}]'
got=$( { echo 'wait session.created'; say "$call"; echo 'wait response.done'; echo close; } | ws '/ai/v1/realtime?model=m')
expect 'realtime: a call' '["call_1","look","{\"k\":\"v\"}"]' "$(printf '%s\n' "$got" | of_type response.function_call_arguments.done | jq -c '[.call_id,.name,.arguments]')"

heard="[{\"type\":\"conversation.item.input_audio_transcription.delta\",\"event_id\":\"e\",\"item_id\":\"i\",\"delta\":\"$half1\"},{\"type\":\"conversation.item.input_audio_transcription.completed\",\"event_id\":\"e\",\"item_id\":\"i\",\"transcript\":\"it is $secret\"}]"
got=$( { echo 'wait session.created'; say "$heard"; echo 'wait conversation.item.input_audio_transcription.completed'; echo close; } | ws '/ai/v1/realtime?model=m')
expect 'realtime: what was heard' 'session.created conversation.item.input_audio_transcription.completed ' "$(printf '%s\n' "$got" | types)"
expect 'realtime: without the secret' 'it is [test-key]' "$(printf '%s\n' "$got" | tail -n 2 | head -n 1 | jq -r .transcript)"

# What an event outside a response left goes on in the next one, which may be of another kind; a text is the same in two.
for pair in '{"type":"new.thing","event_id":"e1","text":"HALF"}' '{"type":"conversation.item.added","event_id":"e1","item":{"id":"i","type":"message","role":"assistant","content":[{"type":"output_text","text":"HALF"}]}}'; do
    got=$( { echo 'wait session.created'; say "[$(echo "$pair" | sed "s/HALF/use $half1/"),$(echo "$pair" | sed "s/HALF/$half2/"),{\"type\":\"last\"}]"; echo 'wait last'; echo close; } | ws '/ai/v1/realtime?model=m')
    expect "realtime: halves in two events, $pair" '1 0 1' "$(printf '%s\n' "$got" | grep -c "$half1") $(printf '%s\n' "$got" | grep -c "$half2") $(printf '%s\n' "$got" | grep -c '"\[test-key\]"')"
done
await 'realtime: the second half is on record' '["redact","/item/content/0/text"]' last_found '[.action,.findings[0].path]'
got=$( { echo 'wait session.created'; say "$(spoken 'it is well')"; echo 'wait conversation.item.done'; echo close; } | ws '/ai/v1/realtime?model=m')
expect 'realtime: an item that is said again is as it was' '"it is well"' "$(printf '%s\n' "$got" | of_type conversation.item.done | jq -c '.item.content[0].transcript')"

: >"$seen"
got=$( { echo 'wait session.created'; say '[]' "my key is $secret"; say '[]' "$bomb"; echo 'wait error'; say '[]' after; echo 'wait 0'; sleep 1; echo close; } | ws '/asked/v1/realtime?model=m')
expect 'realtime: a secret in an event of the client is not sent' 0 "$(grep -c "$secret\|$bomb" "$seen")"
expect 'realtime: the event is' 1 "$(grep -c 'my key is \[test-key' "$seen")"
expect 'realtime: events behind a blocked one are sent' 1 "$(grep -c '"after"' "$seen")"
expect 'realtime: the blocked one is an error' 'This request was withheld by policy.' "$(printf '%s\n' "$got" | of_type error | jq -r .error.message)"
expect 'realtime: both are on record' '"redact" "block" ' "$(exchanges | jq -c 'select(.route == "/asked/openai-realtime").action' | tr '\n' ' ')"

# --- what no response takes ----------------------------------------------------------------------------------------------

# left_out: what is on record of what no exchange had, of all sessions.
left_out() { exchanges | jq -s 'map(.left_out_bytes // 0) | add'; }
late='{"type":"response.output_text.delta","event_id":"l","response_id":"resp_r","item_id":"item_1","output_index":0,"content_index":0,"delta":"late"}'
nobody='{"type":"response.output_text.delta","event_id":"n","item_id":"item_1","output_index":0,"content_index":0,"delta":"nobody"}'
# session SCRIPT TYPE: what a client gets of a session with these events; waits for its end.
session() { { echo 'wait session.created'; say "$1"; echo "wait $2"; echo close; } | ws '/ai/v1/realtime?model=m'; }
before=$(left_out)
got=$(session "$(spoken all)" conversation.item.done)
got=$(session "$heard" conversation.item.input_audio_transcription.completed)
got=$(session "$(spoken "$bomb")" error)
expect 'realtime: nothing was left out of responses, of what was heard, and behind a block' "$before" "$(left_out)"
got=$(session "$(spoken all | sed "s/,{\"type\":\"conversation.item.done/,$late,$nobody&/")" conversation.item.done)
expect 'realtime: a late event does not come' 0 "$(printf '%s\n' "$got" | grep -c 'late\|nobody')"
for _ in $(seq 200); do [ "$(left_out)" != "$before" ] && break; sleep 0.05; done
expect 'realtime: events of no response are on record' $((before + ${#late} + ${#nobody})) "$(left_out)"
got=$( { create "$(answer all | sed 's/]$//'),$late]"; echo 'wait response.completed'; turn "$(answer again)"; echo close; } | ws /ai/v1/responses)
expect 'what follows a response does not come' 0 "$(printf '%s\n' "$got" | grep -c late)"
for _ in $(seq 200); do [ "$(left_out)" != $((before + ${#late} + ${#nobody})) ] && break; sleep 0.05; done
expect 'and is on record' $((before + 2 * ${#late} + ${#nobody})) "$(left_out)"

# --- a stopped agent, a stopping service --------------------------------------------------------------------------------

{ echo 'wait session.created'; echo 'wait 9'; } | ws '/ai/v1/realtime?model=m' 'X-Filterd-Agent: wild' >"$work/wild" &
killed=$!
for _ in $(seq 1200); do grep -q session.created "$work/wild" && break; sleep 0.05; done
operators /v1/agents/wild/kill -X POST >/dev/null
wait $killed
expect 'a stopped agent loses its session' 'close 1008' "$(tail -n 1 "$work/wild" | cut -c 1-10)"
{ echo 'wait session.created'; echo 'wait 9'; } | ws '/ai/v1/realtime?model=m' >"$work/last" &
last=$!
for _ in $(seq 1200); do grep -q session.created "$work/last" && break; sleep 0.05; done
stop
wait $last
expect 'a service that stops' 'close 1001 the service is stopping' "$(tail -n 1 "$work/last")"
expect 'it stops properly' 0 "$status"

# A session ends with the token that opened it; one of another token goes on.
for name in one two; do
    printf 'proxy-token-of-client-%s' $name | "$bin/filterd" --hash-token --role=proxy --name=$name >>"$work/tokens"
done
printf 'operator-token-for-the-test' | "$bin/filterd" --hash-token --role=operator --name=op >>"$work/tokens"
start --upstreams="$work/upstreams.yaml" --tokens="$work/tokens"
hold() { # hold NAME PATH HEADER-BEFORE-THE-TOKEN: a session that stays open until the file is there
    { echo 'wait session.created'; for _ in $(seq 400); do [ ! -e "$work/enough" ] || break; sleep 0.05; done; echo close; } |
        ws "$2/v1/realtime?model=m" "$3proxy-token-of-client-$1" >"$work/$1" &
}
hold one /ai "X-Filterd-Token: "
one=$!
hold two /own "Authorization: Bearer "
two=$!
for name in one two; do
    for _ in $(seq 400); do grep -q session.created "$work/$name" && break; sleep 0.05; done
done
sed -i /:one:/d "$work/tokens"
kill -HUP "$pid"
for _ in $(seq 200); do grep -q ^close "$work/one" && break; sleep 0.05; done
touch "$work/enough"
wait "$one" "$two"
expect 'a session without its token' 'close 1008 the token of this session is not valid any more' "$(tail -n 1 "$work/one")"
expect 'a session of another token' 'close 1000' "$(tail -n 1 "$work/two")"
stop

# --- TLS on both sides ---------------------------------------------------------------------------------------------------

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost -days 2 \
    -keyout "$work/tls.key" -out "$work/tls.pem" 2>/dev/null
kill "$upstream_pid"
run_upstream /usr/bin/python3 tests/support/websocket.py upstream "$seen" "$work/tls.pem" "$work/tls.key"
cat >"$work/upstreams.yaml" <<YAML
upstreams:
  ai: {protocol: openai, url: https://localhost:$port, ca: $work/tls.pem}
  untrusted: {protocol: openai, url: https://localhost:$port}
YAML
start --upstreams="$work/upstreams.yaml" --tls-certificate="$work/tls.pem" --tls-key="$work/tls.key"
wss() { path=$1; timeout 40 /usr/bin/python3 tests/support/websocket.py client "wss://$address$path"; }
long=$(head -c 30000 /dev/zero | tr '\0' a)
got=$( { turn "$(answer "use $half1" "$half2" ' now')"; turn "$(answer "$long" ' end')"; echo close; } | wss /ai/v1/responses)
expect 'TLS on both sides' "use [test-key] now$long end" "$(printf '%s\n' "$got" | deltas)"
expect 'TLS: closed as asked' 'close 1000' "$(printf '%s\n' "$got" | tail -n 1)"
expect 'TLS: an upstream that is not trusted' 'status 502' "$(wss /untrusted/v1/responses </dev/null | cut -c 1-10)"
{ turn "$(answer 'open')"; echo 'wait 99'; } | wss /ai/v1/responses >"$work/last" &
last=$!
for _ in $(seq 1200); do grep -q response.completed "$work/last" && break; sleep 0.05; done
stop
wait $last
expect 'TLS: a service that stops' 'close 1001 the service is stopping' "$(tail -n 1 "$work/last")"
expect 'TLS: it stops properly' 0 "$status"

# --- a service that stops while an upstream says nothing to the handshake -----------------------------------------------------

kill "$upstream_pid"
run_upstream /usr/bin/python3 tests/support/websocket.py upstream "$seen"
write_upstreams
start --upstreams="$work/upstreams.yaml" --drain-timeout=1
: >"$seen"
ws '/openai/v1/responses?q=never-answer' </dev/null >"$work/last" &
last=$!
for _ in $(seq 1200); do [ -s "$seen" ] && break; sleep 0.05; done
stop
wait $last
expect 'stopping in the handshake' 'status 503' "$(cut -c 1-10 "$work/last")"
expect 'stopping in the handshake: properly' 0 "$status"
finish
