#!/bin/sh
# Requests to language models that leave a real jail through filterd's proxy: masked on their way up, restored on their way down,
# in each protocol; and nothing goes past the proxy when it is gone.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
got=$work/got; mkdir "$got"
run_upstream /usr/bin/python3 tests/support/request_upstream.py "$got"
upstream_pids="$upstream_pids $upstream_pid"
write_upstreams
rm "$work/port" # the next one is not ready while the first one's port is there
FILTERD_UPSTREAM_BODIES=1 run_upstream /usr/bin/python3 tests/support/upstream.py "$work/seen-by-model"
upstream_pids="$upstream_pids $upstream_pid"
cat >>"$work/upstreams.yaml" <<YAML
  model: {protocol: openai, url: 'http://127.0.0.1:$port'}
  claude: {protocol: anthropic, url: 'http://127.0.0.1:$port'}
YAML
cat >"$rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions: [{category: secret, action: redact}, {category: injection, action: block}]
    request: {actions: [{category: secret, action: mask}], tool_results: [{category: injection, action: withhold}]}
    notice: "Withheld by the tests."
POLICY
start --upstreams="$work/upstreams.yaml"
upstream_pids="$upstream_pids $pid"
plain=8080 tls=8443
. "$(dirname "$0")/egress_jail.inc"

for caller in $callers; do
{
    printf 'limits: {dns: 1000/s}\nrules:\n'
    for name in openai anthropic gemini ollama cohere model claude; do
        echo "  - {name: $name, hosts: $name.test, scheme: https, tls: open, methods: [GET, POST], paths: /**, via: '$url/$name'}"
    done
    echo "  - {name: gone, hosts: gone.test, scheme: https, tls: open, methods: POST, paths: /**, via: 'http://127.0.0.1:1/openai'}"
    echo "  - {name: other, hosts: other.test, ports: $plain, scheme: http, methods: POST, paths: /**, addresses: 127.0.0.1, may_reach: loopback}"
} | own "$caller" egress.yaml
policy "$caller" "inputs: [{from: $work/in.sh, to: /in.sh}, {from: $work/requests, to: /requests}]" 'deny_names: []' 'honeytokens: [/work/.env]'
cat >"$work/requests" <<'REQUESTS'
openai|/v1/chat/completions|{"messages":[{"role":"user","content":"KEY"}]}
openai|/v1/chat/completions|{"messages":[{"role":"tool","tool_call_id":"c1","content":"KEY"}]}
openai|/v1/completions|{"prompt":"KEY"}
openai|/v1/responses|{"input":[{"type":"function_call_output","call_id":"c1","output":"KEY"}]}
openai|/v1/embeddings|{"input":["KEY"]}
anthropic|/v1/messages|{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"KEY"}]}]}
gemini|/v1beta/models/g:generateContent|{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{"out":"KEY"}}}]}]}
ollama|/api/chat|{"stream":false,"messages":[{"role":"user","content":"KEY"}]}
cohere|/v2/chat|{"messages":[{"role":"user","content":"KEY"}]}
REQUESTS
cat >"$work/in.sh" <<INSIDE
curl() { command curl -s --max-time 20 -H '$json' "\$@"; }
code() { curl -o /dev/null -w '%{http_code}' "\$@"; }
ask() { curl -H 'X-Filterd-Session: mine' -H 'X-Filterd-Agent: somebody' -d "{\"model\":\"say\",\"messages\":[{\"role\":\"user\",\"content\":\"\$2\"}]\$3}" "https://\$1"; }
while IFS='|' read -r name path body; do
    echo "sent \$(code -d "\$(printf '%s' "\$body" | sed 's/KEY/$secret/')" "https://\$name.test\$path")"
done </requests
echo "withheld \$(code -d '{"messages":[{"role":"tool","content":"E2EBOMB0001 now"}]}' https://openai.test/v1/chat/completions)"
echo "whole \$(ask model.test/v1/chat/completions 'keep $secret for me' | sed 's/.*"content":"\([^"]*\)".*/\1/')"
ask model.test/v1/chat/completions 'keep $secret for me' ',"stream":true' >stream
echo "streamed \$(sed -n 's/.*"content":"\([^"]*\)".*/\1/p' stream | tr -d '\n')"
ask claude.test/v1/messages 'keep $secret for me' ',"stream":true' >stream
echo "claude \$(sed -n 's/.*"text":"\([^"]*\)"}}.*/\1/p' stream | tr -d '\n')"
ask model.test/v1/chat/completions 'E2EBOMB0001' ',"stream":true' >stream
echo "blocked \$(grep -c 'Withheld by the tests' stream) \$(grep -c E2EBOMB stream)"
echo "canary \$(code -d "{\"messages\":[{\"role\":\"user\",\"content\":\"\$(sed 's/.*=//' /work/.env)\"}]}" https://openai.test/v1/chat/completions)"
echo "header \$(code -H 'X-Note: $secret' -d '{"messages":[]}' https://openai.test/v1/chat/completions)"
echo "query \$(code -d '{"messages":[]}' 'https://openai.test/v1/chat/completions?k=$secret')"
echo "route \$(code -d '{}' https://openai.test/v1/videos)"
echo "text \$(command curl -s --max-time 20 -o /dev/null -w '%{http_code}' -H 'Content-Type: text/plain' -d '$secret' https://openai.test/v1/chat/completions)"
printf '{"messages":[{"role":"user","content":"$secret"}]}' | gzip >body.gz
echo "gzip \$(code -H 'Content-Encoding: gzip' --data-binary @body.gz https://openai.test/v1/chat/completions)"
echo "gone \$(code -d '{"messages":[]}' https://gone.test/v1/chat/completions)"
echo "other \$(code -d '{"messages":[{"role":"user","content":"$secret"}]}' http://other.test:$plain/v1/chat/completions)"
INSIDE
chmod 755 "$work/in.sh" "$work/requests"
before=$(ls "$got" | wc -l); : >"$work/seen-by-model"
inside "$caller"
expect "$caller: ends well" 0 $?
said 'requests' sent '200 200 200 200 200 200 200 200 200'
said 'a tool result' withheld 200
said 'an answer' whole "keep $secret for me"
said 'a stream' streamed "keep $secret for me"
said "a stream of Anthropic's" claude "keep $secret for me"
said "the answers' rules" blocked '1 0'
said 'a canary' canary 403
said 'a secret in a header' header 403
said 'a secret in the query' query 403
said 'a route that is not judged' route 404
said 'no JSON' text 415
said 'a body in a coding' gzip 415
said 'a proxy that is gone' gone 502
said 'another host' other 403

# What went up: the requests as they were, with pseudonyms, which are the same throughout the jail's life.
expect "$caller: arrived" 10 "$(($(ls "$got" | wc -l) - before))"
expect "$caller: without the secret" '' "$(grep -rl "$secret" "$got" "$work/seen-by-model" "$record" "$work/state" "$work/log")"
cut -d'|' -f3 "$work/requests" >"$work/expected"
for n in $(seq 9); do
    expect "$caller: request $n" "$(sed -n "${n}p" "$work/expected")" "$(sed 's/\[test-key-[0-9a-f]*\]/KEY/' "$got/$((before + n))")"
done
expect "$caller: a tool result is withheld" 1 "$(grep -c 'withheld by policy' "$got/$((before + 10))")"
expect "$caller: one value, one pseudonym" 1 "$(for n in $(seq 9); do cat "$got/$((before + n))"; done | cat - "$work/seen-by-model" | grep -o '\[test-key-[0-9a-f]*\]' | sort -u | wc -l)"

# Both records: the jail's is of hosts, filterd's of texts.
recorded 'lines of the proxy' '1 ["gone.test","failed","connect"]
1 ["gone.test","opened",null]' 'select(.rule=="gone" and .kind=="https") | [.host,.verdict,.reason]'
recorded 'where they went' '14 ["allowed","127.0.0.1",200]' 'select(.kind=="https" and .status==200) | [.verdict,.address,.status]'
once 'the canary' '.rule=="openai" and .reason=="canary"'
done
expect 'of filterd' '["redact","test-key",true]' \
    "$(records | jq -c 'select(.direction=="request" and .rule=="test-key") | [.action,.rule,(.answer_id!=null)]' | sort -u)"
expect 'the jail does not name itself' 0 "$(records | grep -c -e somebody -e '"mine"')"
finish
