#!/bin/sh
# LiteLLM's generic guardrail: its request in, its answer out, and its way to stream.
. "$(dirname "$0")/service.inc"
route=/beta/litellm_basic_guardrail_api
start
guard() { # guard BODY [CURL-OPTION…]
    body=$1; shift
    post "$route" "$body" "$@"
}

# One text, whole: as in the request of a call.
got=$(guard "{\"input_type\":\"request\",\"texts\":[\"a\",\"use $secret now\"],\"images\":null}")
expect_json 'rewritten' . '{"action":"GUARDRAIL_INTERVENED","texts":["a","use [test-key] now"],"stream_holdback_chars":[0,0]}' "$got"
got=$(guard '{"input_type":"request","texts":["caf\u00e9 \"x\""],"images":["data:x"],"tools":[{"type":"function","x":1}],"model":"m"}')
expect_json 'nothing found' . '{"action":"NONE","texts":["café \"x\""],"stream_holdback_chars":[0]}' "$got"
got=$(guard '{"input_type":"request","texts":["E2EBOMB0001"]}')
expect_json 'blocked' . '{"action":"BLOCKED","blocked_reason":"Withheld by the tests."}' "$got"
expect_json 'no texts' . '{"action":"NONE"}' "$(guard '{"input_type":"response","texts":null,"tool_calls":null}')"
expect_json 'empty list' . '{"action":"NONE"}' "$(guard '{"input_type":"response","texts":[]}')"

# Tool calls cannot be rewritten: what would be redacted in them blocks, wherever it stands.
call() { # call ARGUMENTS-AS-JSON-STRING
    guard "{\"input_type\":\"response\",\"texts\":[\"fine\"],\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",
        \"function\":{\"name\":\"send\",\"arguments\":$1}}]}" | jq -r .action
}
expect 'clean arguments' NONE "$(call '"{\"to\":\"me\"}"')"
expect 'secret in arguments' BLOCKED "$(call "\"{\\\"to\\\":\\\"$secret\\\"}\"")"
expect 'escaped in arguments' BLOCKED "$(call '"{\"to\":\"E2EKEY\\\\u002d4kq9Zt7Xw2Lm8Rv5Bn3Jc6Hd\"}"')"
expect 'unfinished arguments' BLOCKED "$(call "\"{\\\"to\\\":\\\"$secret\"")"
expect 'secret as a name' BLOCKED "$(call "\"{\\\"$secret\\\":1}\"")"
expect 'blocked in arguments' BLOCKED "$(call '"{\"x\":[\"E2EBOMB0001\"]}"')"
expect_json 'paths of arguments' '[.channels[].path]' \
    '["/texts/0","/tool_calls/0/id","/tool_calls/0/id","/tool_calls/0/type","/tool_calls/0/type","/tool_calls/0/function","/tool_calls/0/function/name","/tool_calls/0/function/name","/tool_calls/0/function/arguments","/tool_calls/0/function/arguments/to","/tool_calls/0/function/arguments/to"]' \
    "$(records | grep '"allow"' | tail -1)"

# Messages say once more what the texts say, and are judged when there are none.
messages="\"structured_messages\":[{\"role\":\"user\",\"content\":\"$secret\"}]"
expect_json 'messages beside texts' .action '"GUARDRAIL_INTERVENED"' "$(guard "{\"input_type\":\"request\",\"texts\":[\"$secret\"],$messages}")"
expect_json 'messages alone' .action '"BLOCKED"' "$(guard "{\"input_type\":\"request\",$messages}")"

# What the model is offered goes to it; beside its answer it is what it was offered.
tools="\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"description\":\"use $secret\"}}]"
expect_json 'tools of a request' .action '"BLOCKED"' "$(guard "{\"input_type\":\"request\",\"texts\":[\"a\"],$tools}")"
expect_json 'tools of an answer' .action '"NONE"' "$(guard "{\"input_type\":\"response\",\"texts\":[\"a\"],$tools}")"

# Who speaks; headers of the operator win.
guard '{"input_type":"response","texts":["x"],"litellm_call_id":"c","litellm_trace_id":"t",
    "request_data":{"user_api_key_team_alias":"blue","user_api_key_alias":"web","user_api_key_hash":"h"}}' >/dev/null
who() { records | tail -1 | jq -c '[.tenant,.app,.route,(.session|length>0)]'; }
await 'who' "[\"blue\",\"web\",\"$route\",true]" who
team='"request_data":{"user_api_key_team_alias":"acme"}'
expect_json 'the team is the tenant' .blocked_reason '"Withheld by the strict tests."' "$(guard "{\"input_type\":\"response\",\"texts\":[\"$secret\"],$team}")"
expect_json 'tenant by header' .action '"GUARDRAIL_INTERVENED"' \
    "$(guard "{\"input_type\":\"response\",\"texts\":[\"$secret\"],$team}" -H 'Filterd-Tenant: other')"
guard '{"input_type":"response","texts":["x"]}' -H 'Filterd-Agent: one' >/dev/null
expect 'agent by header' '"one"' "$(until got=$(records | jq -c 'select(.agent) | .agent' | tail -1) && [ -n "$got" ]; do sleep 0.05; done; echo "$got")"
for header in Agent Tenant; do
    expect "422: a long $header" 422 "$(status_of -H "$json" -H "Filterd-$header: $(printf '%0257d' 0)" -d '{"input_type":"response","texts":["x"]}' "$url$route")"
done
expect_json 'policy by header' .action '"BLOCKED"' "$(guard "{\"input_type\":\"response\",\"texts\":[\"$secret\"]}" -H 'Filterd-Policy: strict')"

# Where LiteLLM takes no rewriting, what would be redacted blocks, in questions and answers alike.
for type in request response; do
    expect_json "redact: block, $type" . '{"action":"BLOCKED","blocked_reason":"Withheld by the tests."}' \
        "$(guard "{\"input_type\":\"$type\",\"texts\":[\"fine\",\"use $secret now\"]}" -H 'Filterd-Redact: block')"
done
expect_json 'redact: block, clean' .action '"NONE"' "$(guard '{"input_type":"response","texts":["fine"]}' -H 'Filterd-Redact: block')"
expect '422: redact: other' 422 "$(status_of -H "$json" -H 'Filterd-Redact: Block' -d '{"input_type":"response","texts":[]}' "$url$route")"

# What is wrong is said and never quoted.
for body in '[]' '{}' '{"input_type":"both"}' '{"input_type":null}' '{"input_type":"response","texts":"x"}' \
    '{"input_type":"response","texts":[1]}' '{"input_type":"response","tool_calls":{}}' \
    '{"input_type":"response","litellm_trace_id":1}' '{"input_type":"response","request_data":[]}'; do
    expect "422: $body" 422 "$(status_of -H "$json" -d "$body" "$url$route")"
done
expect 'twice' 400 "$(status_of -H "$json" -d '{"input_type":"response","texts":["a"],"texts":["b"]}' "$url$route")"
expect 'no JSON' 400 "$(status_of -H "$json" -d '{' "$url$route")"
expect 'unknown policy' 422 "$(status_of -H "$json" -H 'Filterd-Policy: none' -d '{"input_type":"response","texts":[]}' "$url$route")"
expect 'method' 405 "$(status_of "$url$route")"

# A stream, in pieces of any length: what comes out is what the whole text would have given, and nothing is taken back.
stream() { /usr/bin/python3 tests/support/litellm_client.py "$url" "$@"; }
text="Ünï 😀: use $secret now, or E2EKEY-short, and E2EKEY-000000000000000000000000"
wanted='"Ünï 😀: use [test-key] now, or E2EKEY-short, and [test-key]"'
for size in 1 2 7 33 1000; do
    expect_json "in pieces of $size" .emitted "$wanted" "$(stream $size "$text")"
done
expect_json 'a block ends it' .blocked '"Withheld by the tests."' "$(stream 3 'before E2EBOMB0001 after')"
expect_json 'nothing of it was shown' '.emitted | contains("E2EBOMB")' false "$(stream 3 'before E2EBOMB0001 after')"
expect_json 'most leaves early' '.early > 20' true "$(stream 4 'A clean line with nothing in it, then another.
')"
long=$(head -c 300000 /dev/zero | tr '\0' 'a')
printf '{"input_type":"response","texts":["%s"]}' "$long" >"$work/long"
expect_json 'a long text' '[.action, (.texts[0] | length)]' '["NONE",300000]' \
    "$(curl -sS -H "$json" --data-binary @"$work/long" "$url$route")"
stop

# x-api-key is the token.
printf 'token-of-the-caller-0123456789\n' | "$bin/filterd" --hash-token --role=caller >"$work/tokens"
start --tokens="$work/tokens"
body='{"input_type":"response","texts":["x"]}'
expect 'no key' 401 "$(status_of -H "$json" -d "$body" "$url$route")"
expect 'key' 200 "$(status_of -H "$json" -H 'x-api-key: token-of-the-caller-0123456789' -d "$body" "$url$route")"
expect 'wrong key' 401 "$(status_of -H "$json" -H 'x-api-key: token-of-nobody-0123456789' -d "$body" "$url$route")"
expect 'Authorization comes first' 401 "$(status_of -H "$json" -H 'Authorization: Bearer token-of-nobody-0123456789' \
    -H 'x-api-key: token-of-the-caller-0123456789' -d "$body" "$url$route")"
stop
finish
