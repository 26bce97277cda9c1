#!/bin/sh
# Requests are judged before a byte of them goes to the upstream, which here keeps what it gets.
. "$(dirname "$0")/service.inc"
got=$work/got
mkdir "$got"
run_upstream /usr/bin/python3 tests/support/request_upstream.py "$got"
trap 'kill -9 "$upstream_pid" 2>/dev/null; cleanup' EXIT
write_upstreams
cat >>"$work/upstreams.yaml" <<YAML
  strict: {protocol: openai, url: 'http://127.0.0.1:$port', policy: strict}
  claude-strict: {protocol: anthropic, url: 'http://127.0.0.1:$port', policy: strict}
  gemini-strict: {protocol: gemini, url: 'http://127.0.0.1:$port', policy: strict}
  ollama-strict: {protocol: ollama, url: 'http://127.0.0.1:$port', policy: strict}
  cohere-strict: {protocol: cohere, url: 'http://127.0.0.1:$port', policy: strict}
  open: {protocol: openai, url: 'http://127.0.0.1:$port', policy: open}
YAML
cat >"$rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions: [{category: secret, action: redact}]
    request:
      tool_results: [{category: injection, action: withhold}]
  strict:
    rules: [test]
    actions: [{category: secret, action: redact}]
    request:
      actions: [{category: secret, action: block}]
      unread: block
      notice: "Take the key out."
  open:
    rules: [test]
    actions: [{category: secret, action: redact}]
    request: {judge: false}
POLICY
start --upstreams="$work/upstreams.yaml"

n_got() { ls "$got" | wc -l; }
last() { cat "$got/$(n_got)"; }

# A secret in each role of each protocol goes nowhere, and everything else arrives.
n=0
while IFS='|' read -r path body; do
    n=$((n + 1))
    expect "$path $n" 200 "$(post "$path" "$(printf '%s' "$body" | sed "s/KEY/$secret/")" -o "$work/answer" -w '%{http_code}')"
    expect "$path $n: sent" $n "$(n_got)"
    expect "$path $n: masked" "$body" "$(last | sed 's/\[test-key-[0-9a-f]*\]/KEY/')"
done <<'REQUESTS'
/openai/v1/chat/completions|{"messages":[{"role":"system","content":"a KEY b"}]}
/openai/v1/chat/completions|{"messages":[{"role":"developer","content":"KEY"}]}
/openai/v1/chat/completions|{ "messages" : [ {"content":[{"type":"text","text":"KEY"}], "role":"user"} ] , "n" : 1.0 }
/openai/v1/chat/completions|{"messages":[{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"KEY\"}"}}]}]}
/openai/v1/chat/completions|{"messages":[{"role":"tool","tool_call_id":"c1","content":"KEY"}]}
/openai/v1/chat/completions|{"messages":[],"tools":[{"type":"function","function":{"name":"f","description":"KEY"}}]}
/openai/v1/chat/completions|{"messages":[],"metadata":{"note":"KEY"}}
/openai/v1/completions|{"prompt":"KEY"}
/openai/v1/responses|{"input":[{"type":"function_call_output","call_id":"c1","output":"KEY"}]}
/openai/v1/responses|{"instructions":"KEY","input":"hello"}
/openai/v1/embeddings|{"input":["KEY"]}
/anthropic/v1/messages|{"system":[{"type":"text","text":"KEY"}],"messages":[]}
/anthropic/v1/messages|{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"KEY"}]}]}
/anthropic/v1/messages/count_tokens|{"messages":[{"role":"user","content":"KEY"}]}
/gemini/v1beta/models/g:generateContent|{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{"out":"KEY"}}}]}]}
/gemini/v1beta/models/g:generateContent|{"system_instruction":{"parts":[{"text":"KEY"}]},"contents":[]}
/ollama/api/chat|{"stream":false,"messages":[{"role":"user","content":"KEY"}]}
/ollama/api/generate|{"stream":false,"system":"KEY","prompt":"hello"}
/ollama/api/embed|{"input":"KEY"}
/cohere/v2/chat|{"messages":[{"role":"user","content":"KEY"}],"documents":[{"data":{"snippet":"x"}}]}
/cohere/v2/rerank|{"query":"x","documents":["KEY"]}
REQUESTS
expect 'nothing of it anywhere' '' "$(grep -rl "$secret" "$got" "$work/state" "$work/log")"
expect_json 'its record' '[.direction, .action, .rule, .findings[0].path, (.answer_id != null)]' \
    '["request","redact","test-key","/documents/0",true]' "$(records | grep '"direction"' | tail -1)"

# What is clean arrives byte for byte, and has no line of its own.
before=$(records | grep -c '"direction"')
for body in '{"messages":[{"role":"user","content":"caf\u00e9 \/ \ud83d\ude00"}],"x":1e-2,  "y":[]}' \
    '{"model":"m","messages":[{"role":"user","content":[]}]}'; do
    post /openai/v1/chat/completions "$body" -o "$work/answer"
    expect 'byte for byte' "$body" "$(last)"
done
head -c 300000 /dev/zero | tr '\0' 'a' >"$work/long"
printf '{"messages":[{"role":"user","content":"%s"}]}' "$(cat "$work/long")" >"$work/body"
curl -sS --max-time 30 -H "$json" --data-binary @"$work/body" "$url/openai/v1/chat/completions" >"$work/answer"
expect 'a long one' "$(sha256sum <"$work/body")" "$(last | sha256sum)"
printf '{"messages":[{"role":"user","content":"%s %s"}]}' "$(cat "$work/long")" "$secret" >"$work/body"
curl -sS --max-time 30 -H "$json" --data-binary @"$work/body" "$url/openai/v1/chat/completions" >"$work/answer"
expect 'a long one with a secret' 0 "$(last | grep -c "$secret")"
expect 'lines of clean ones' $((before + 1)) "$(records | grep -c '"direction"')"

# A conversation keeps its pseudonyms.
for session in one one two; do
    post /openai/v1/chat/completions "{\"messages\":[{\"role\":\"user\",\"content\":\"$secret\"}]}" -H "X-Filterd-Session: $session" \
        -o "$work/answer"
    { last; echo; } >"$work/said.$session.$(n_got)"
done
expect 'the same in a session' 1 "$(cat "$work"/said.one.* | sort -u | wc -l)"
expect 'another in another' 2 "$(cat "$work"/said.* | sort -u | wc -l)"

# Tool results.
post /openai/v1/chat/completions '{"messages":[{"role":"user","content":"E2EBOMB0001"},{"role":"tool","content":"E2EBOMB0001 now"}]}' -o "$work/answer"
expect 'a withheld result' \
    '{"messages":[{"role":"user","content":"E2EBOMB0001"},{"role":"tool","content":"[This tool result was withheld by policy.]"}]}' "$(last)"

# Blocks, in each protocol's form; clients do not try again.
n=$(n_got)
while IFS='|' read -r path body filter expected; do
    post "$path" "$(printf '%s' "$body" | sed "s/KEY/$secret/")" -i | tr -d '\r' >"$work/answer"
    expect "$path: status" 'HTTP/1.1 400 Bad Request' "$(head -1 "$work/answer")"
    expect "$path: no second try" 'X-Should-Retry: false' "$(grep -i ^x-should-retry "$work/answer")"
    expect_json "$path: its form" "$filter" "$expected" "$(tail -1 "$work/answer")"
    expect "$path: nothing of it" '' "$(grep "$secret" "$work/answer")"
done <<'REQUESTS'
/strict/v1/chat/completions|{"stream":true,"messages":[{"role":"user","content":"KEY"}]}|[.error.code,.error.message]|["content_filter","Take the key out."]
/claude-strict/v1/messages|{"messages":[{"role":"user","content":"KEY"}]}|[.error.type,.error.message]|["invalid_request_error","Take the key out."]
/gemini-strict/v1beta/models/g:generateContent|{"contents":[{"parts":[{"text":"KEY"}]}]}|[.error.status,.error.message]|["INVALID_ARGUMENT","Take the key out."]
/ollama-strict/api/chat|{"messages":[{"role":"user","content":"KEY"}]}|.error|"Take the key out."
/cohere-strict/v2/chat|{"messages":[{"role":"user","content":"KEY"}]}|.message|"Take the key out."
/strict/v1/embeddings|{"input":[9906,1917]}|.error.message|"Take the key out."
REQUESTS
expect_json 'the record of a block' '[.direction, .action, .rule, .reason, .answer_id]' \
    '["request","block","filterd.unjudged","a file that cannot be read",null]' "$(records | tail -1)"

# What cannot be read in one way.
for body in '{' '[]' '"x"' '{"messages":[],"messages":[]}' '{"messages":[{"role":"user","content":"\ud800"}]}' '{"a":1}{}'; do
    expect "$body" 400 "$(post /openai/v1/chat/completions "$body" -o "$work/answer" -w '%{http_code}')"
    expect_json "$body: its form" .error.type '"invalid_request_error"' "$(cat "$work/answer")"
    expect_json "$body: its record" '[.action, .rule, .reason]' '["block","filterd.unjudged","the request could not be read"]' "$(records | tail -1)"
done
expect 'none of them was sent' "$n" "$(n_got)"

# Unless the policy wants none of it.
post /open/v1/chat/completions "{\"messages\":[{\"role\":\"user\",\"content\":\"$secret\"}]}" -o "$work/answer"
expect 'judge: false' 1 "$(last | grep -c "$secret")"

# A conversation costs what is new in it.
metric() { operators /metrics | sed -n "s/^$1 //p"; }
turns='' last_cost=0 second=0
for i in $(seq 30); do
    turns="$turns${turns:+,}{\"role\":\"user\",\"content\":\"question $i of the thirty that are asked here\"}"
    before=$(metric filterd_request_bytes_total)
    post /openai/v1/chat/completions "{\"messages\":[$turns]}" -o "$work/answer"
    last_cost=$(($(metric filterd_request_bytes_total) - before))
    [ "$i" -ne 2 ] || second=$last_cost
done
expect 'turn 30 costs at most 1.2 of turn 2' 1 "$((last_cost * 10 <= second * 12))"
stop
expect 'its end' 0 "$status"
finish
