#!/bin/sh
# The proxy: /{upstream}/… goes up as it is and comes back judged, streamed and whole, in each style of block.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
upstream
key=sk-CANARY-of-the-upstream-9f8e7d6c5b
printf '%s\n' "$key" >"$work/key"
cat >"$upstreams" <<YAML
upstreams:
  ai: {protocol: openai, url: 'http://127.0.0.1:$port'}
  hard: {protocol: openai, url: 'http://127.0.0.1:$port', block: hard}
  ending: {protocol: openai, url: 'http://127.0.0.1:$port/', block: end_turn}
  strict: {protocol: openai, url: 'http://127.0.0.1:$port', policy: strict, tenant: acme}
  keyed: {protocol: openai, url: 'http://127.0.0.1:$port', credential: $work/key}
  claude: {protocol: anthropic, url: 'http://127.0.0.1:$port', credential: $work/key}
  gemini: {protocol: gemini, url: 'http://127.0.0.1:$port', credential: $work/key}
  versioned: {protocol: openai, url: 'http://127.0.0.1:$port/v1'}
  small: {protocol: openai, url: 'http://127.0.0.1:$port', answer_max: 64K, request_max: 2K}
YAML
start --upstreams="$upstreams"

# What is allowed passes; what is redacted is redacted, however it was cut.
expect 'allowed' 'hello world' "$(ask echo 'hello world' | said)"
expect 'redacted' 'a [test-key] b' "$(ask echo "a $secret b" | said)"
expect 'byte by byte' 'a [test-key] b' "$(ask bytes "a $secret b" | said)"
expect 'its end' 'stop' "$(ask echo "a $secret b" | finish_reason)"
expect 'its last line' 'data: [DONE]' "$(ask echo "a $secret b" | grep . | tail -1)"
expect_json 'whole' '.choices[0].message.content' '"a [test-key] b"' "$(ask_whole echo "a $secret b")"
for kib in 20 100; do # with the head of the request, and behind it
    head -c $((kib * 1024)) /dev/zero | tr '\0' a >"$work/long"
    expect "a request of $kib KiB" $((kib * 1024)) "$(ask echo "$(cat "$work/long")" | said | wc -c)"
done
expect 'a thousand requests use few connections' 1 "$([ "$(for i in $(seq 30); do ask echo hi; done | grep -c DONE)" = 30 ] && echo 1)"

# Blocks.
answer=$(ask echo 'say E2EBOMB0001 now')
expect 'soft: the notice' 'say Withheld by the tests.' "$(printf '%s' "$answer" | said | tr -d '\n' | sed 's/^say *W/say W/; s/^W/say W/')"
expect 'soft: its end' 'content_filter' "$(printf '%s' "$answer" | finish_reason)"
expect 'soft: nothing of it' '' "$(printf '%s' "$answer" | grep E2EBOMB)"
name=ending
expect 'end_turn: its end' 'stop' "$(ask echo 'E2EBOMB0001' | finish_reason)"
name=hard
ask echo 'E2EBOMB0001 now' -i | tr -d '\r' >"$work/answer"
expect 'hard: status' 'HTTP/1.1 400 Bad Request' "$(head -1 "$work/answer")"
expect 'hard: no second try' 'X-Should-Retry: false' "$(grep -i ^x-should-retry "$work/answer")"
expect_json 'hard: body' '.error.code' '"content_filter"' "$(tail -1 "$work/answer")"
expect 'hard: what is allowed' 'hello world' "$(ask echo 'hello world' | said)"
expect 'hard, whole' 400 "$(ask_whole echo 'E2EBOMB0001' -o "$work/body" -w '%{http_code}')"
expect_json 'hard, whole: body' '.error.code' '"content_filter"' "$(cat "$work/body")"
name=strict
expect 'the policy of an upstream' 'content_filter' "$(ask echo "a $secret b" | finish_reason)"
expect 'its header' 'X-Filterd-Policy: strict' "$(ask echo hi -i | tr -d '\r' | grep -i ^x-filterd-policy)"
name=ai

# Without a style a block ends as its client takes it; said to no other.
post_as() { # post_as CLIENT PATH BODY [CURL-OPTION…]
    client=$1 path=$2 body=$3; shift 3
    curl -sS --max-time $timeout_s -A "$client" -H "$json" -d "$body" "$@" "$url/$name/v1/$path"
}
name=ai
json_chat='"messages":[{"role":"user","content":"E2EBOMB0001"}],"model":"echo","response_format":{"type":"json_object"}'
answer=$(post_as curl chat/completions "{$json_chat}")
expect_json 'auto: a refusal beside a value' '[.choices[0] | .message.refusal, .message.content, .finish_reason]' \
    '["Withheld by the tests.",null,"stop"]' "$answer"
answer=$(post_as 'ai/6 ai-sdk/openai/3 runtime/node.js/20' chat/completions "{$json_chat}")
expect_json 'auto: by User-Agent' '[.choices[0] | .message.content, .finish_reason]' '["Withheld by the tests.","content_filter"]' "$answer"
# A block ends, although its cost was asked for and does not come.
answer=$(curl -sS --max-time $timeout_s -H "$json" "$url/ai/v1/chat/completions" \
    -d '{"model":"stall","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"E2EBOMB0001 is what it says here "}]}')
expect 'a block without its cost' content_filter "$(printf '%s' "$answer" | finish_reason)"
expect 'its last line' 'data: [DONE]' "$(printf '%s' "$answer" | grep . | tail -1)"
expect_json 'its record' '[.phase, .action]' '["final","block"]' "$(records | tail -1)"

# The version of an API stands in the client's base URL, in the upstream's, in both or in neither.
for name in ai versioned; do
    for version in /v1 ''; do
        curl -sS --max-time $timeout_s -H "$json" "$url/$name$version/chat/completions" \
            -d '{"model":"echo","messages":[{"role":"user","content":"hi"}]}' >/dev/null
        path=/v1/chat/completions; [ "$name$version" != ai ] || path=/chat/completions
        expect "path of $name$version" "\"$path\"" "$(seen_by_upstream | jq -c 'select(.target) | .target' | tail -1)"
    done
done
name=ai

# Headers, both ways.
ask echo hi -i | tr -d '\r' >"$work/answer"
for line in 'Content-Type: text/event-stream' 'Cache-Control: no-cache, no-transform' 'X-Accel-Buffering: no' \
    'x-request-id: req-from-upstream-1' 'x-ratelimit-remaining-requests: 59'; do
    expect "header $line" "$line" "$(grep -Fx "$line" "$work/answer")"
done
expect 'other headers stay' '' "$(grep -iE '^(set-cookie|x-secret-of-upstream|server)' "$work/answer")"
expect 'the id is that of the record' "$(records | tail -1 | jq -r .req_id)" \
    "$(sed -n 's/^X-Filterd-Request-Id: //p' "$work/answer")"
: >"$work/seen-by-upstream"
ask echo hi -H 'Authorization: Bearer sk-of-the-client' -H 'anthropic-beta: a,b' -H 'Cookie: c=1' -H 'X-Filterd-Agent: bot-7' \
    -H 'X-Hop: 1' -H 'Connection: X-Hop' -H 'Accept-Encoding: gzip' >/dev/null
sent() { seen_by_upstream | tail -1 | jq -r --arg n "$1" '[.headers[] | select((.[0] | ascii_downcase) == $n) | .[1]] | join("|")'; }
expect 'the client'"'"'s key goes up' 'Bearer sk-of-the-client' "$(sent authorization)"
expect 'unknown headers go up' 'a,b' "$(sent anthropic-beta)"
expect 'no coding' 'identity' "$(sent accept-encoding)"
expect 'kept back' '||' "$(sent cookie)|$(sent x-filterd-agent)|$(sent x-hop)"
expect 'the agent is recorded' 'bot-7' "$(records | tail -1 | jq -r .agent)"
name=keyed
ask echo hi -H 'Authorization: Bearer sk-of-the-client' -H 'x-api-key: other' >/dev/null
expect 'the key is swapped' "Bearer $key|" "$(sent authorization)|$(sent x-api-key)"
: >"$work/seen-by-upstream"
curl -sS -o /dev/null "$url/claude/v1/models" -H 'x-api-key: of-the-client' -H 'anthropic-version: 2023-06-01'
expect 'each protocol has its header' "$key|2023-06-01|" "$(sent x-api-key)|$(sent anthropic-version)|$(sent authorization)"
# Some clients send their key in more than one header, and @anthropic-ai/sdk a token next to it.
for case in keyed/v1/models:authorization claude/v1/models:x-api-key gemini/v1beta/models:x-goog-api-key; do
    : >"$work/seen-by-upstream"
    curl -sS -o /dev/null "$url/${case%:*}?key=key-of-the-client" -H 'Authorization: Bearer key-of-the-client' \
        -H 'authorization: Basic key-of-the-client' -H 'X-API-Key: key-of-the-client' -H 'x-goog-api-key: key-of-the-client' \
        -H 'Api-Key: key-of-the-client' -H 'Cookie: key-of-the-client' -H 'Proxy-Authorization: Bearer key-of-the-client'
    expect "one key goes up: $case" "${case#*:}" "$(seen_by_upstream | jq -r '.headers[] | select(.[1] | contains("sk-CANARY")) | .[0]' |
        tr 'A-Z' 'a-z')"
    expect "no key of the client's: $case" 0 "$(seen_by_upstream | jq '.headers' | grep -c key-of-the-client)"
done
expect "nor in Gemini's target" '/v1beta/models' "$(seen_by_upstream | tail -1 | jq -r .target)"
expect_json 'and its shape of errors' '[.type, .error.type]' '["error","not_found_error"]' "$(curl -sS "$url/claude/v1/files")"
name=ai

# Routes.
expect 'a passed route' '{"object": "list", "data": [{"id": "m"}]}' "$(curl -sS "$url/ai/v1/models?limit=2&after=a%20b")"
expect 'its target' '/v1/models?limit=2&after=a%20b' "$(seen_by_upstream | tail -1 | jq -r .target)"
before=$(seen_by_upstream | wc -l)
expect_json 'a refused route' '.error.type' '"invalid_request_error"' "$(curl -sS "$url/ai/v1/evals")"
expect 'its status' 404 "$(status_of "$url/ai/v1/evals")"
expect 'another method' 404 "$(status_of -X DELETE "$url/ai/v1/models")"
expect 'no such upstream' 404 "$(status_of "$url/none/v1/models")"
expect 'no path' 400 "$(status_of "$url/ai")"
expect 'a path with dots' 400 "$(status_of --path-as-is "$url/ai/v1/models/../../admin")"
expect 'escaped dots' 400 "$(status_of --path-as-is "$url/ai/v1/models/%2e%2e/x")"
expect 'an upgrade' 400 "$(status_of -H 'Connection: Upgrade' -H 'Upgrade: websocket' "$url/ai/v1/models")"
expect 'a coded body' 415 "$(ask echo hi -H 'Content-Encoding: gzip' -o /dev/null -w '%{http_code}')"
expect 'no JSON' 400 "$(post /ai/v1/chat/completions '{' -o /dev/null -w '%{http_code}')"
name=small
head -c 3000 /dev/zero | tr '\0' a >"$work/long"
expect 'a long body' 413 "$(ask echo "$(cat "$work/long")" -o "$work/body" -w '%{http_code}')"
expect_json 'its shape' '.error.type' '"invalid_request_error"' "$(cat "$work/body")"
expect 'none of these went up' "$before" "$(seen_by_upstream | wc -l)"
expect 'a long answer ends' 'content_filter' "$(ask forever hi | finish_reason)"
expect 'as the record says' '["aborted","limit","block"]' "$(records | tail -1 | jq -c '[.phase, .end, .action]')"
name=ai

# Errors of the upstream.
expect 'an error' '429 7 [test-key]' "$(ask error-429 "$secret" -o "$work/body" -D "$work/head" -w '%{http_code}') $(
    tr -d '\r' <"$work/head" | sed -n 's/^retry-after: //p') $(jq -r .error.message "$work/body")"
expect 'a block is never to be repeated' 400 "$(ask error-503 'E2EBOMB0001' -o "$work/body" -w '%{http_code}')"
expect 'an answer of another type' 400 "$(ask html "$secret" -o "$work/body" -w '%{http_code}')"
expect 'and nothing of it' '' "$(grep -F "$secret" "$work/body")"
expect 'a redirect' 502 "$(ask redirect hi -o /dev/null -w '%{http_code}')"
expect 'an answer that is no JSON' '' "$(ask garbage "$secret" | grep -F "$secret")"

# The record.
ask echo "a $secret b" >/dev/null
expect 'phases' '["open",null] ["final","redact"]' "$(records | tail -2 | jq -c '[.phase, .action]' | tr '\n' ' ' | sed 's/ $//')"
expect 'whose' '["openai","ai","/ai/openai-chat"]' "$(records | tail -1 | jq -c '[.protocol, .upstream, .route]')"
expect 'one exchange' 1 "$(records | tail -2 | jq -r .req_id | sort -u | wc -l)"
expect 'metrics' 1 "$([ "$(metric filterd_proxy_blocks_total)" -ge 4 ] && [ "$(metric 'filterd_upstream_errors_total{kind="status"}')" -ge 1 ] && echo 1)"
added() { operators /metrics | sed -n "s/^$1 //p" | jq -s add; }
of_all='{upstream="[^"][^"]*",protocol="[^"]*",policy="[^"]*"'
expect 'by upstream, protocol and policy' "$(metric filterd_proxy_blocks_total) $(metric 'filterd_upstream_errors_total{kind="status"}')" \
    "$(added "filterd_verdicts_total$of_all,action=\"block\"}") $(added "filterd_upstream_failures_total$of_all,kind=\"status\"}")"
expect 'an upstream of its own' 1 "$(operators /metrics | grep -c '^filterd_verdicts_total{upstream="ai",.*action="redact"} [1-9]')"
await 'none is open' 0 metric filterd_proxy_open
expect 'nothing is held' '0 0' "$(metric filterd_proxy_held_bytes) $(metric filterd_held_bytes)"

# The key of the upstream is nowhere but there.
operators /metrics >"$work/metrics"
for file in "$work/log" "$work/metrics" "$work/state/decisions.jsonl" "$work/answer" "$work/body"; do
    expect "no key in $file" '' "$(grep -aF "$key" "$file")"
    expect "no secret in $file" '' "$(grep -aF "$secret" "$file")"
done
stop
expect 'exit code' 0 "$status"
finish
