#!/bin/sh
# Streams that are asked about sentence by sentence: what is fine leaves while more comes, what is in the grey band waits.
. "$(dirname "$0")/supervisor.inc"
cd "$here/../.." || exit 2
here=tests/supervisor
. tests/e2e/proxy.inc
waiting_pids=''
trap 'kill $waiting_pids 2>/dev/null; stop_upstreams; stop_endpoint; cleanup' EXIT
start_endpoint
endpoint_port=$port
upstream
cat >"$upstreams" <<YAML
upstreams:
  ai: {protocol: openai, url: 'http://127.0.0.1:$port', heartbeat: 1}
  claude: {protocol: anthropic, url: 'http://127.0.0.1:$port'}
  hard: {protocol: openai, url: 'http://127.0.0.1:$port', block: hard}
YAML
port=$endpoint_port

# claude MODEL TEXT [CURL-OPTION…]: a streaming message of Anthropic's API; words: its text; reason: how it ended.
claude() {
    model=$1 text=$2; shift 2
    curl -sS --max-time 30 -H "$json" "$@" \
        --data-binary "{\"model\":\"$model\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"$text\"}]}" \
        "$url/claude/v1/messages"
}
notice=$(printf '\n\nWithheld by the tests.') # behind a text it begins with a blank line
words() { sed -n 's/^data: \({.*\)/\1/p' | jq -rj '.delta.text // empty'; }
reason() { sed -n 's/^data: \({.*\)/\1/p' | jq -r 'select(.type == "message_delta").delta.stop_reason'; }
kinds() { sed -n 's/^event: //p' | uniq | tr '\n' ' '; }
# begin COMMAND…: in the background, into $out.
begin() {
    out=$work/out.$((n_out = ${n_out:-0} + 1))
    "$@" -N >"$out" 2>/dev/null &
    waiting=$!
    waiting_pids="$waiting_pids $waiting"
}
end_wait() {
    curl -sS -X POST "http://127.0.0.1:$endpoint_port/open" >/dev/null
    wait "$waiting"
    waiting_pids=''
    forget
}
asked() { counted '.counts.gate // 0'; }
said_so_far() { said <"$out"; }
words_so_far() { words <"$out"; }
final() { records | jq -c "select(.type == \"decision\" and .phase != \"open\" and .phase != null) | $1" | tail -n 1; }
finals() { records | jq -c 'select(.type == "decision" and .phase != "open" and .phase != null)' | wc -l; }
use() { # use MODEL [SUPERVISORS-LINE…]: starts with that model to ask
    model=$1; shift
    begin_supervisors 'retries: 0'
    add_supervisor scripted "$model" 'concurrency: 32'
    start --supervisors="$supervisors" --upstreams="$upstreams" "$@"
    forget
}

# --- what is fine flows, what is grey waits ---
supervised 'when: {category: secret}' 'hold: sentence' 'deadline: 20s'
use gate
begin ask echo "First is fine. Then a $secret. Last."
await 'a question' 1 asked
await 'chat: what is fine has left' 'First is fine. ' said_so_far
end_wait
expect 'chat: then all' 'First is fine. Then a [test-key]. Last.' "$(said_so_far)"
expect 'chat: its end' 'stop data: [DONE]' "$(finish_reason <"$out") $(grep . "$out" | tail -1)"
begin claude echo "First is fine. Said by a $secret. Last."
await 'a question' 1 asked
await 'claude: what is fine has left' 'First is fine. ' words_so_far
end_wait
expect 'claude: then all' 'First is fine. Said by a [test-key]. Last.' "$(words_so_far)"
expect 'claude: its events' 'message_start content_block_start content_block_delta content_block_stop message_delta message_stop ' \
    "$(kinds <"$out")"
expect 'claude: its end' end_turn "$(reason <"$out")"
begin ask echo "A $secret first. Then more."
await 'a question' 1 asked
await 'heartbeats meanwhile' 1 sh -c "grep -c '^: ' '$out' | head -c 1 | tr '2-9' 1"
expect 'and nothing else' '' "$(said_so_far)"
end_wait
expect 'chat: then all of that' 'A [test-key] first. Then more.' "$(said_so_far)"
stop
expect_json 'on record' '[.action,.supervisor.verdict,[.supervisor.units[]|[.channel,.start,.end,.outcome,.verdict,.confidence]]]' \
    '["redact","ok",[[0,15,37,"answered","ok",0.97]]]' \
    "$(records | jq -c 'select(.phase == "final" and .upstream == "claude")' | head -n 1)"

# --- a violation ---
use honest
ask slow "First is fine. EVIL-hate is not asked about. Then EVIL-hate with $secret. Last." >"$work/answer"
expect 'chat: blocked in the middle' "First is fine. EVIL-hate is not asked about. $notice" "$(said <"$work/answer")"
expect 'chat: blocked softly' 'content_filter data: [DONE]' "$(finish_reason <"$work/answer") $(grep . "$work/answer" | tail -1)"
expect_json 'a block on record' '[.action,.rule,.end,.supervisor.category,[.supervisor.units[]|[.verdict,.category]]]' \
    '["block","supervisor.hate","blocked","hate",[["violation","hate"]]]' "$(final .)"
expect 'what left is on record' "$(printf 'First is fine. EVIL-hate is not asked about. ' | wc -c)" "$(final .out_bytes)"
claude bytes "First is fine. Then $secret. And EVIL-harm with $secret. Last." >"$work/answer"
expect 'claude: blocked in the middle' "First is fine. Then [test-key]. $notice" "$(words <"$work/answer")"
expect 'claude: blocked softly' refusal "$(reason <"$work/answer")"
expect 'claude: its events are paired' \
    'message_start content_block_start content_block_delta content_block_stop content_block_start content_block_delta content_block_stop message_delta message_stop ' \
    "$(kinds <"$work/answer")"
expect_json 'two questions on record' '[.rule,[.supervisor.units[].verdict]]' '["supervisor.harm",["ok","violation"]]' "$(final .)"
claude slow "First is fine. EVIL-harm with $secret at its end" >"$work/answer"
expect 'claude: blocked at the end' "First is fine. $notice refusal" "$(words <"$work/answer") $(reason <"$work/answer")"
expect 'blocked before anything left' 400 "$(ask echo "EVIL-harm with $secret. Last." -o "$work/body" -w '%{http_code}')"
expect_json 'as a hard block' .error.code '"content_filter"' "$(cat "$work/body")"
expect 'claude: likewise' 400 "$(claude echo "EVIL-harm with $secret. Last." -o "$work/body" -w '%{http_code}')"
name=hard
expect 'hard: in the middle it is soft' content_filter "$(ask slow "First is fine. EVIL-harm with $secret. Last." | finish_reason)"
name=ai
expect 'a rule that blocks' "First is fine. $notice" "$(ask slow 'First is fine. Then E2EBOMB0001. Last.' | said)"
ask call "EVIL-harm with $secret" >"$work/answer"
expect 'a call is asked about' "A call. $notice content_filter" "$(said <"$work/answer") $(finish_reason <"$work/answer")"
expect 'and does not leave' 0 "$(grep -c tool_calls "$work/answer")"
expect_json 'a call on record' '[.rule,[.supervisor.units[]|[.beside,.verdict]]]' '["supervisor.harm",[[true,"violation"]]]' "$(final .)"
ask call "fine with $secret" >"$work/answer"
expect 'a call that is fine leaves' 'tool_calls 1' "$(finish_reason <"$work/answer") $(grep -c 'fine with \[test-key\]' "$work/answer")"
forget
expect 'whole answers are asked about once' 'A [test-key]. B [test-key]. 1' \
    "$(ask_whole echo "A $secret. B $secret." | jq -r '.choices[0].message.content') $(counted .counts.honest)"
ask half "First is fine. A $secret. Broken " >"$work/answer"
expect 'an upstream that dies' 'First is fine. A [test-key]. Broken  length' "$(said <"$work/answer") $(finish_reason <"$work/answer")"
ask half "First is fine. A $secret with EVIL-harm" >"$work/answer"
expect 'one that dies in what is bad' '0 supervisor.harm' "$(grep -c EVIL "$work/answer") $(final .rule | tr -d '"')"

# --- the stream API ---
# chunk TEXT: posts one and prints what it released.
open_id() { post /v1/streams '{}' | jq -r .id; }
chunk() { post "/v1/streams/$id/chunks" "{\"text\":\"$1\"}"; }
id=$(open_id)
expect_json 'api: what is fine' '[.action,.text,.held]' '["allow","First is fine. ",6]' "$(chunk 'First is fine. Then a')"
expect_json 'api: a grey unit' '[.action,.text]' '["redact","Then a [test-key] here. "]' "$(chunk " $secret here. And")"
expect_json 'api: a violation' '[.action,.rule,.text]' '["block","supervisor.harm",null]' "$(chunk " EVIL-harm $secret. More of it is not to come")"
expect_json 'api: its end' '[.action,.rule,.text,.supervisor.verdict]' '["block","supervisor.harm",null,"violation"]' "$(post "/v1/streams/$id/end" '{}')"
id=$(open_id)
chunk "One $secret. Two $secret. Three of them or" >"$work/answer"
expect_json 'api: two in one chunk' '[.action,.text]' '["redact","One [test-key]. Two [test-key]. "]' "$(cat "$work/answer")"
chunk " ends with EVIL-hate and $secret" >/dev/null
expect_json 'api: blocked at the end' '[.action,.rule]' '["block","supervisor.hate"]' "$(post "/v1/streams/$id/end" '{}')"
expect_json 'api: on record' '[.rule,[.supervisor.units[].verdict]]' '["supervisor.hate",["ok","ok","violation"]]' "$(final .)"
# Its agent is stopped when a sentence has left: the record says that it has.
id=$(post /v1/streams '{"agent":"gone"}' | jq -r .id)
expect_json 'api: a sentence leaves' .text '"First is fine. "' "$(chunk 'First is fine. Then a')"
operators /v1/agents/gone/kill -X POST >/dev/null
expect_json 'api: stopped' '[.action,.rule]' '["block","filterd.agent-killed"]' "$(chunk ' second. And')"
post "/v1/streams/$id/end" '{}' >/dev/null
expect_json 'api: what has left is on record' '[.rule,.to_client_bytes]' '["filterd.agent-killed",15]' "$(final .)"
stop

# --- a bound on questions ---
supervised 'when: {category: secret}' 'hold: sentence' 'questions: 2'
use honest
ask echo "A $secret. Fine. B $secret. C $secret. The end." >"$work/answer"
expect 'the last is about the rest' 'A [test-key]. Fine. B [test-key]. C [test-key]. The end. 2' "$(said <"$work/answer") $(counted .counts.honest)"
expect_json 'the rest on record' '[.supervisor.units[]|[.start,.rest]]' '[[0,null],[20,true]]' "$(final .)"
ask slow "A $secret. Fine. B $secret. C with EVIL-harm. The end." >"$work/answer"
expect 'a violation in the rest' "A [test-key]. Fine. $notice content_filter" "$(said <"$work/answer") $(finish_reason <"$work/answer")"
stop

# --- no answer ---
supervised 'when: {category: secret}' 'hold: sentence' 'deadline: 500ms'
use hang
ask slow "First is fine. Then a $secret. Last." >"$work/answer"
expect 'without an answer' "First is fine. $notice content_filter" "$(said <"$work/answer") $(finish_reason <"$work/answer")"
expect_json 'its record' '[.action,.rule,.supervisor.on_failure,[.supervisor.units[].outcome]]' '["block","filterd.unjudged","block",["timeout"]]' "$(final .)"
id=$(open_id)
expect_json 'api: without an answer' '[.action,.rule]' '["block","filterd.unjudged"]' "$(chunk "A $secret. B is what comes next")"
stop
supervised 'when: {category: secret}' 'hold: paragraph' 'deadline: 500ms' 'on_failure: allow'
use hang
expect 'let through' 'One. Then a [test-key]. Last.' "$(ask echo "One. Then a $secret. Last." | said)"
expect_json 'let through, on record' '[.action,.supervisor.on_failure,[.supervisor.units[].outcome]]' '["redact","allow",["timeout"]]' "$(final .)"
stop

# --- while a unit is asked about ---
supervised 'when: {category: secret}' 'hold: sentence' 'deadline: 30s' 'on_failure: allow'
cat >>"$rules/policy.yaml" <<'POLICY'
violations:
  weights: {block: 10}
  half_life: 400d
  actions: [{at: 100, do: kill}]
POLICY
use gate --drain-timeout=1
begin ask echo "First is fine. Killed with a $secret. Last." -H 'X-Filterd-Agent: a'
await 'a question' 1 asked
operators /v1/agents/a/kill -X POST >/dev/null
end_wait
expect 'killed: nothing more' "First is fine. $notice" "$(said_so_far)"
expect_json 'killed: on record' '[.rule,[.supervisor.units[].verdict]]' '["filterd.agent-killed",["ok"]]' "$(final .)"
before=$(finals)
out=$work/out.left
curl -sS -N --max-time 30 -H "$json" --data-binary \
    "{\"model\":\"slow\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Fine. Left with a $secret. Last and more.\"}]}" \
    "$url/ai/v1/chat/completions" >"$out" &
waiting=$!
waiting_pids=$waiting
await 'a question' 1 asked
kill "$waiting"
wait "$waiting" 2>/dev/null
end_wait
await 'left: on record once' $((before + 1)) finals
expect_json 'left: its record' '[.phase,.end,[.supervisor.units[].verdict]]' '["aborted","client",["ok"]]' "$(final .)"
left_over() { operators /metrics | awk '/^filterd_supervisor_waiting / { a = $2 } /^filterd_proxy_open / { b = $2 } END { print a, b + 0 }'; }
await 'nothing is left over' '0 0' left_over
begin ask slow "First is fine. Stopped at a $secret. Last and more and more and more and more."
await 'a question' 1 asked
stop
expect 'it ends well' 0 "$status"
wait "$waiting"
expect_json 'stopped: on record' '[.phase,.end,.action,[.supervisor.units[].outcome]]' '["aborted","drain","redact",["stopped"]]' "$(final .)"
expect 'stopped: it was let through' 'First is fine. Stopped at a [test-key].' "$(said_so_far | cut -c 1-39)"
finish
