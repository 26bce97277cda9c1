#!/bin/sh
# What stands beside the text of a model: headers of an answer, and routes that carry no text of one. Nothing of the
# upstream comes down unread.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
script=$work/script
/usr/bin/python3 tests/support/scripted_upstream.py "$script" >"$work/port" &
upstream_pids=$!
for _ in $(seq 1200); do [ -s "$work/port" ] && break; sleep 0.05; done
{
    echo 'upstreams:'
    for protocol in openai anthropic ollama gemini cohere; do
        echo "  $protocol: {protocol: $protocol, url: 'http://127.0.0.1:$(cat "$work/port")', policy: \"default\", event_max: 16K, other_routes: judge}"
    done
    echo "  listed: {protocol: openai, url: 'http://127.0.0.1:$(cat "$work/port")'}"
} >"$upstreams"
start --upstreams="$upstreams"

# says STATUS BODY [NAME VALUE…]: what the upstream answers from now on.
says() {
    status=$1 body=$2; shift 2
    jq -n --argjson status "$status" --arg body "$body" '{$status, $body, headers: [$ARGS.positional | _nwise(2)]}' --args "$@" >"$script"
}
type='Content-Type application/json'
# Each route that is let through but not judged as a model's answer, and one that is.
cat >"$work/passed" <<ROUTES
POST /anthropic/v1/messages/count_tokens
GET /anthropic/v1/models
GET /anthropic/v1/models/m
GET /openai/v1/models
GET /openai/v1/models/m
GET /openai/openai/v1/models
POST /openai/v1/embeddings
POST /openai/openai/v1/embeddings
POST /openai/openai/deployments/d/embeddings
GET /openai/v1/responses/r/input_items
DELETE /openai/v1/responses/r
POST /openai/v1/responses/input_tokens
POST /openai/v1/responses/compact
POST /openai/v1/conversations
GET /openai/openai/v1/conversations/c/items
GET /openai/openai/models/m
GET /openai/v1/conversations/c/items
DELETE /openai/v1/conversations/c
GET /openai/v1/chat/completions
GET /openai/v1/chat/completions/c/messages
POST /openai/v1/moderations
POST /openai/v1/vector_stores
DELETE /openai/v1/uploads/u
GET /openai/v1/batches/b
POST /openai/v1/fine_tuning/jobs
GET /openai/v1/assistants
GET /anthropic/v1/organizations/me
GET /gemini/v1beta/cachedContents
GET /cohere/v1/datasets
POST /ollama/api/copy
GET /ollama/api/tags
GET /ollama/api/ps
POST /ollama/api/show
GET /ollama/api/version
POST /ollama/api/embed
POST /ollama/api/embeddings
GET /gemini/v1beta/models
GET /gemini/v1beta/models/m
POST /gemini/v1beta/models/m:embedContent
POST /gemini/v1beta/models/m:countTokens
POST /cohere/v2/embed
POST /cohere/v2/rerank
POST /gemini/v1beta/models/m:batchEmbedContents
GET /gemini/v1/models
POST /cohere/v1/generate
POST /cohere/v1/embed
POST /cohere/v1/rerank
GET /cohere/v1/models
GET /cohere/v1/models/m
ROUTES
cat >"$work/judged" <<ROUTES
POST /anthropic/v1/messages
POST /openai/v1/chat/completions
POST /openai/v1/completions
POST /openai/v1/responses
GET /openai/v1/responses/r
POST /openai/v1/responses/r/cancel
POST /ollama/api/chat
POST /ollama/api/generate
POST /gemini/v1beta/models/m:generateContent
POST /cohere/v2/chat
POST /cohere/v1/chat
ROUTES
call() { # call METHOD PATH [CURL-OPTION…]
    method=$1 path=$2; shift 2
    [ "$method" != POST ] || set -- -H "$json" --data-binary '{"model":"m","stream":false,"messages":[],"input":"a"}' "$@"
    curl -sS --max-time $timeout_s -X "$method" "$@" "$url$path"
}

# Headers that are let through: a secret in each of them, on every route that is judged and on some that are passed.
ids='request-id x-request-id apim-request-id x-ms-request-id'
numbers='retry-after retry-after-ms openai-processing-ms openai-version x-ratelimit-limit-requests x-ratelimit-reset-tokens anthropic-ratelimit-requests-reset'
cat "$work/judged" >"$work/some"; sed -n '1p;4p;7p;13p' "$work/passed" >>"$work/some"
for value in "$secret" "1-$secret" "req_$secret-1" "0$secret"; do
    set -- Content-Type application/json
    for header in $numbers $([ "$value" = "0$secret" ] || echo $ids); do # with a digit before it, it is no key to the rules
        set -- "$@" $header "$value"
    done
    says 200 '{}' "$@"
    while read -r method path; do
        expect "$value in a header of $path" 0 "$(call "$method" "$path" -D- -o /dev/null </dev/null | grep -ac "${secret#E2EKEY-}")"
    done <"$work/some"
done
for pair in 'x-request-id x-request-id' 'request-id x-request-id' 'apim-request-id x-ms-request-id'; do
    says 200 '{}' Content-Type application/json "${pair% *}" "${secret%????????????}" "${pair#* }" "${secret#"${secret%????????????}"}"
    while read -r method path; do
        expect "halves of a secret in $pair of $path" 0 "$(call "$method" "$path" -D- -o /dev/null </dev/null | grep -ac "${secret#"${secret%????????????}"}")"
    done <"$work/some"
done
says 200 '{}' Content-Type application/json "x-ratelimit-$secret" 1 "x-$secret" 1
call GET /openai/v1/models -i | grep -aq "$secret" && expect 'a secret as the name of a header' '' came
says 200 '{"data":[]}' Content-Type application/json x-request-id req_011CSHoEeqs5C35K2UUqR7Fy retry-after 'Sun, 06 Nov 1994 08:49:37 GMT' \
    x-ratelimit-reset-requests 6m0s x-ratelimit-remaining-tokens 149984 openai-version 2020-10-01
for path in /openai/v1/models /openai/v1/embeddings; do
    method=GET; [ $path = /openai/v1/models ] || method=POST
    expect "what headers are for comes down: $path" 'openai-version: 2020-10-01|retry-after: Sun, 06 Nov 1994 08:49:37 GMT|x-ratelimit-remaining-tokens: 149984|x-ratelimit-reset-requests: 6m0s|x-request-id: req_011CSHoEeqs5C35K2UUqR7Fy|' \
        "$(call $method $path -D- -o /dev/null | tr -d '\r' | grep -E '^(openai|retry|x-r)' | LC_ALL=C sort | tr '\n' '|')"
done

# each WHAT STATUS JQ-FILTER EXPECTED: of the answers of all passed routes; one jq, as each takes longer than an answer.
each() {
    : >"$work/bodies"
    while read -r method path; do
        got=$(call "$method" "$path" -o "$work/body" -w '%{http_code}' </dev/null)
        [ "$got" = "$2" ] || { echo "$1: $method $path: $got $(head -c 300 "$work/body")"; failures=$((failures + 1)); }
        { cat "$work/body"; echo; } >>"$work/bodies"
    done <"$work/passed"
    expect "$1" "$(wc -l <"$work/passed") $4" "$(if [ "$3" = . ]; then cat "$work/bodies"; else jq -c "$3" "$work/bodies"; fi |
        sort | uniq -c | sed 's/^ *//')"
}
n=$(records | wc -l)
says 200 "{\"a\":[\"x $secret y\",{\"b\":\"$secret\"}],\"n\":[0.12345678901,-1e-9]}" Content-Type application/json
each 'a secret in a string' 200 . '{"a":["x [test-key] y",{"b":"[test-key]"}],"n":[0.12345678901,-1e-9]}'
# Events of WebSockets have routes that no request can name.
expect 'every route that is passed is tried' "$(grep -ohE 'PASSED(\(|, )"[a-z-]+"' filterd/protocol/dialects/*.c | cut -d'"' -f2 | grep -v -- '-event$' | sort -u)" \
    "$(records | tail -n +$((n + 1)) | jq -r .route | cut -d/ -f3 | sort -u)"
expect 'each is on record' "$(wc -l <"$work/passed") redact" "$(records | tail -n +$((n + 1)) | jq -r .action | sort | uniq -c | sed 's/^ *//')"
expect 'and the record does not hold it' 0 "$(records | grep -c "$secret")"
says 200 "{\"a\":1,\"$secret\":2}" Content-Type application/json
each 'a secret as a member name' 400 'tostring | contains("Withheld")' true
says 200 '["E2EBOMB0001"]' Content-Type application/json
each 'what blocks' 400 'tostring | contains("Withheld")' true
for status in 401 500; do
    says $status "{\"error\":{\"message\":\"no: $secret\",\"$status\":[[[\"$secret\"]]]},\"other\":\"$secret\"}" Content-Type application/json
    each "an error of $status" $status . "{\"error\":{\"message\":\"no: [test-key]\",\"$status\":[[[\"[test-key]\"]]]},\"other\":\"[test-key]\"}"
    says $status "<p>$secret</p>" Content-Type text/html
    each "a page of $status" $status 'tostring | [contains("[test-key]"), contains("E2EKEY")]' '[true,false]'
done
says 500 'E2EBOMB0001' Content-Type text/plain
each 'an error that blocks' 400 'tostring | contains("Withheld")' true
for answer in "$secret" "{\"a\":1} $secret"; do
    says 200 "$answer" Content-Type application/json
    each 'what is no JSON' 400 'tostring | contains("E2EKEY")' false
done
for kind in text/event-stream application/octet-stream; do
    says 200 "{\"a\":\"$secret\"}" Content-Type $kind
    each "an answer of type $kind" 400 'tostring | contains("E2EKEY")' false
done
says 200 '' Content-Type application/json
each 'nothing at all' 200 . ''

# What is clean comes down byte for byte, also when it is longer than an event may be.
/usr/bin/python3 -c '
import json, random
random.seed(1)
rows = [[random.random() for _ in range(1536)] for _ in range(64)]
print(json.dumps({"object": "list", "data": [{"embedding": r, "index": i} for i, r in enumerate(rows)], "q": "\u00fc\ud83d\ude00/"}, indent=1))
' >"$work/embeddings"
jq -n --rawfile body "$work/embeddings" '{status: 200, headers: [["Content-Type", "application/json"]], $body}' >"$script"
call POST /openai/v1/embeddings -o "$work/body"
expect "embeddings of $(wc -c <"$work/embeddings") bytes" 0 "$(cmp "$work/embeddings" "$work/body"; echo $?)"

# HEAD is wherever GET is, and has no body.
says 200 '{"a":1}' Content-Type application/json x-request-id fine-1
for path in $(sed -n 's/^GET //p' "$work/passed"); do
    expect "HEAD $path" '200 0' "$(curl -sS -I -o /dev/null -w '%{http_code} %{size_download}' --max-time 10 "$url$path")"
done
for path in /healthz /readyz /metrics; do
    expect "HEAD $path" '200 0' "$(curl -sS -I -o /dev/null -w '%{http_code} %{size_download}' --max-time 10 "$url$path")"
done
for path in /v1/policy /v1/rules /v1/agents; do
    expect "HEAD $path" '200 0' "$(operators $path -I -o /dev/null -w '%{http_code} %{size_download}')"
done
expect 'a route that is not listed' 404 "$(status_of "$url/listed/v1/evals")"
expect 'HEAD of what is posted' '405 Allow: POST' "$(status_of -I "$url/v1/filter") $(curl -sSI "$url/v1/filter" | tr -d '\r' | grep ^Allow)"
expect 'Allow of what is got' 'Allow: GET, HEAD' "$(curl -sS -D- -o /dev/null -d a "$url/healthz" | tr -d '\r' | grep ^Allow)"
stop
finish
