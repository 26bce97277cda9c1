#!/bin/sh
# The guardrail APIs of other products: each request in, each verdict in the product's words, each error in its shape.
. "$(dirname "$0")/service.inc"
cat >"$rules/test/word.yaml" <<'RULES'
rules:
  - id: test-word
    title: A small word and a number that the tests block
    category: injection
    severity: critical
    pattern: 'swordfish|4242424242424242'
    boundary: token
    confidence: 0.9
    match: ['The word is swordfish.', swordfish, '4242424242424242']
    no_match: ['The word is sword.', swordfishes, '42424242424242421']
RULES
start
bomb=E2EBOMB0001

ask() { # ask PATH BODY [CURL-OPTION…]
    path=$1 body=$2; shift 2
    post "$path" "$body" "$@"
}
status() { # status PATH BODY [CURL-OPTION…]
    path=$1 body=$2; shift 2
    status_of -H "$json" -d "$body" "$@" "$url$path"
}

# OpenAI's moderations: one result for each string, or one for all parts.
got=$(ask /v1/moderations "{\"input\":[\"a\",\"use $secret\"]}")
expect_json 'moderations: flagged' '[.results[].flagged]' '[false,true]' "$got"
expect_json 'moderations: maps' '[.results[0]|.categories,.category_scores,.category_applied_input_types|length]' '[16,16,16]' "$got"
expect_json 'moderations: reason' '.results[1].categories|to_entries|map(select(.value).key)' '["filterd/secret"]' "$got"
expect_json 'moderations: score' '.results[1].category_scores["filterd/secret"]' '0.9' "$got"
expect_json 'moderations: model' '[.model,(.id|startswith("modr-"))]' '["omni-moderation-latest",true]' "$got"
expect_json 'moderations: parts' '[.results[].flagged]' '[true]' \
    "$(ask /v1/moderations "{\"input\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"$secret\"}]}")"
expect_json 'moderations: beside the text of a part' '[.results[]|.flagged,.categories["filterd/secret"]]' '[true,true]' \
    "$(ask /v1/moderations "{\"input\":[{\"type\":\"text\",\"text\":\"a\",\"title\":\"$secret\"},{\"type\":\"text\",\"text\":\"\"}]}")"
expect_json 'moderations: a string' '[.results[].flagged]' '[true]' "$(ask /v1/moderations "{\"input\":\"$bomb\"}")"
expect_json 'moderations: an image' '.error|[.type,.param]' '["invalid_request_error","input"]' \
    "$(ask /v1/moderations '{"input":[{"type":"image_url","image_url":{"url":"data:,x"}}]}')"
/usr/bin/python3 -c 'import json; print(json.dumps({"input": [""] * 2049}))' >"$work/inputs"
expect_json 'moderations: too many inputs' '.error|[.type,.param,.message]' \
    '["invalid_request_error","input","at most 2048 inputs expected"]' "$(ask /v1/moderations "@$work/inputs")"
expect 'moderations: too many inputs' 413 "$(status /v1/moderations "@$work/inputs")"
expect 'moderations: no input' 422 "$(status /v1/moderations '{}')"
expect 'moderations: twice' 400 "$(status /v1/moderations '{"input":"a","input":"b"}')"
expect 'moderations: not JSON' 400 "$(status /v1/moderations '{"input":')"

# Presidio: what the policy acts on, or what reaches the threshold; code points.
got=$(ask /analyze "{\"text\":\"é $secret\",\"language\":\"en\"}")
expect_json 'analyze' . '[{"analysis_explanation":null,"end":33,"entity_type":"TEST_KEY","score":0.9,"start":2}]' "$got"
expect_json 'analyze: a list' 'map(length)' '[0,1]' "$(ask /analyze "{\"text\":[\"a\",\"$secret\"],\"language\":\"en\"}")"
expect_json 'analyze: what the policy blocks' '[.[]|.entity_type,.start]' '["TEST_BOMB",2]' "$(ask /analyze "{\"text\":\"a $bomb\",\"language\":\"en\"}")"
expect_json 'analyze: threshold' length 0 "$(ask /analyze "{\"text\":\"$secret\",\"language\":\"en\",\"score_threshold\":0.95}")"
expect_json 'analyze: entities' length 0 "$(ask /analyze "{\"text\":\"$secret\",\"language\":\"en\",\"entities\":[\"TEST_KEY\"],\"score_threshold\":1}")"
expect_json 'analyze: asked for' length 1 "$(ask /analyze "{\"text\":\"$secret\",\"language\":\"en\",\"entities\":[\"TEST_KEY\"]}")"
expect_json 'analyze: allowed' length 0 "$(ask /analyze "{\"text\":\"$secret\",\"language\":\"en\",\"allow_list\":[\"$secret\"]}")"
expect_json 'analyze: explained' '.[0].analysis_explanation.recognizer' '"test-key"' \
    "$(ask /analyze "{\"text\":\"$secret\",\"language\":\"en\",\"return_decision_process\":true}")"
expect_json 'analyze: no text' . '{"error":"No text provided"}' "$(ask /analyze '{"language":"en"}')"
expect_json 'analyze: no language' . '{"error":"No language provided"}' "$(ask /analyze '{"text":"a"}')"
expect_json 'analyze: a language without lists' . '{"error":"No matching recognizers were found to serve the request."}' \
    "$(ask /analyze '{"text":"a","language":"zz"}')"
# An answer has a bound that is set by its request: 4,096 results, each explained with a pattern that takes 6 KB to write.
/usr/bin/python3 -c '
import json
pattern = {"name": "p", "score": 0.5, "regex": "a|" + "\x01" * 1000}
print(json.dumps({"text": "a " * 4000, "language": "en", "return_decision_process": True,
                  "ad_hoc_recognizers": [{"supported_entity": "E", "supported_language": "en", "patterns": [pattern]}]}))
results = [{"start": 2 * i, "end": 2 * i + 1, "score": 1, "entity_type": "E"} for i in range(2000)]
value = " ".join("E2EKEY-%024d" % i for i in range(40000))
for depth in range(60):
    value = {"a name of some length here": value}
print(json.dumps({"messages": [value]}))
operator = {"type": "replace", "new_value": "\x01" * 1200}
print(json.dumps({"text": "a," * 2000, "analyzer_results": results, "anonymizers": {"DEFAULT": operator}}))' >"$work/long"
sed -n 1p "$work/long" >"$work/explained"
sed -n 2p "$work/long" >"$work/found"
sed -n 3p "$work/long" >"$work/replaced"
expect 'an answer past its bound' 413 "$(status /analyze "@$work/explained")"
expect_json 'an answer past its bound, in words' '.error|test("fewer texts or results expected")' true "$(ask /analyze "@$work/explained")"
expect_json 'an answer past its bound is on record' '[.action,.rule,.reason]' \
    '["block","filterd.unjudged","the answer could not be written"]' "$(tail -n 1 "$work/state/decisions.jsonl")"
expect_json 'findings whose answer is past its bound' '[.action,.rule,.findings]|tostring' '"[\"block\",\"filterd.unjudged\",[]]"' \
    "$(ask /v1/filter "@$work/found")"
expect 'operators whose answer is past its bound' 413 "$(status /anonymize "@$work/replaced")"

# Recognizers of the request: beside the rules, in no record, within a budget. tests/clients/presidio has the rest.
brought='"ad_hoc_recognizers":[{"supported_entity":"TICKET","patterns":[{"name":"t","regex":"QX-\\d{4}","score":0.8}]}]'
expect_json 'analyze: a recognizer of the request' 'map([.entity_type,.start,.score])' '[["TEST_KEY",10,0.9],["TICKET",2,0.8]]' \
    "$(ask /analyze "{\"text\":\"é QX-4711 $secret\",\"language\":\"en\",$brought}")"
expect 'analyze: not in the record' 0 "$(grep -c "TICKET\|QX-" "$work/state/decisions.jsonl")"
expect 'analyze: a recognizer without an entity' 400 "$(status /analyze '{"text":"a","language":"en","ad_hoc_recognizers":[{"name":"x"}]}')"
dear='"ad_hoc_recognizers":[{"supported_entity":"A","patterns":[{"name":"a","regex":"(a|a)*$","score":1}]}]'
expect 'analyze: a pattern that is too dear' 400 "$(status /analyze "{\"text\":\"$(printf '%04000d' 0 | tr 0 a)b\",\"language\":\"en\",$dear}")"
expect_json 'analyze: unknown entities' . '{"error":"No matching recognizers were found to serve the request."}' \
    "$(ask /analyze '{"text":"a","language":"en","entities":["NOT_ONE"]}')"
expect_json 'analyze: allowed by a pattern' length 0 \
    "$(ask /analyze "{\"text\":\"$secret\",\"language\":\"en\",\"allow_list\":[\"^[a-z0-9-]+$\"],\"allow_list_match\":\"regex\"}")"
expect 'analyze: its errors are 500' 500 "$(status /analyze '{}')"
expect_json 'entities' 'index("TEST_KEY")!=null' true "$(curl -s "$url/supportedentities?language=en")"
expect_json 'recognizers' 'index("test-key")!=null' true "$(curl -s "$url/recognizers")"
expect 'entities of a foreign language' 500 "$(status_of "$url/supportedentities?language=zz")"
expect_json 'anonymizers' length 7 "$(curl -s "$url/anonymizers")"

anonymize() { # anonymize TEXT RESULTS [ANONYMIZERS]
    ask /anonymize "{\"text\":\"$1\",\"analyzer_results\":$2,\"anonymizers\":${3:-{\}}}"
}
name='{"start":3,"end":6,"score":0.8,"entity_type":"NAME"}'
expect_json 'replaced' . '{"text":"é, <NAME> x","items":[{"start":3,"end":9,"entity_type":"NAME","text":"<NAME>","operator":"replace","score":0.8}]}' \
    "$(anonymize 'é, Ann x' "[$name]")"
expect_json 'by DEFAULT' .text '"é, * x"' "$(anonymize 'é, Ann x' "[$name]" '{"DEFAULT":{"type":"replace","new_value":"*"}}')"
expect_json 'masked from the end' .text '"é, A## x"' \
    "$(anonymize 'é, Ann x' "[$name]" '{"NAME":{"type":"mask","masking_char":"#","chars_to_mask":2,"from_end":true}}')"
expect_json 'redacted' .text '"é,  x"' "$(anonymize 'é, Ann x' "[$name]" '{"NAME":{"type":"redact"}}')"
expect_json 'kept' '[.text,.items[0].operator]' '["é, Ann x","keep"]' "$(anonymize 'é, Ann x' "[$name]" '{"NAME":{"type":"keep"}}')"
expect_json 'hashed with a salt' .items[0].text "\"$(printf 'Ann0123456789abcdef' | sha256sum | cut -d' ' -f1)\"" \
    "$(anonymize 'é, Ann x' "[$name]" '{"NAME":{"type":"hash","salt":"0123456789abcdef"}}')"
key=0123456789abcdef
got=$(anonymize 'é, Ann x' "[$name]" "{\"NAME\":{\"type\":\"encrypt\",\"key\":\"$key\"}}")
back=$(printf '%s' "$got" | jq -c "{text,anonymizer_results:.items,deanonymizers:{NAME:{type:\"decrypt\",key:\"$key\"}}}")
expect_json 'decrypted' '[.text,.items[0].operator]' '["é, Ann x","decrypt"]' "$(ask /deanonymize "$back")"
expect_json 'merged and contained' '[.text,(.items|length)]' '["<A> <B>",2]' \
    "$(anonymize 'one two six' '[{"start":0,"end":3,"score":1,"entity_type":"A"},{"start":4,"end":7,"score":1,"entity_type":"A"},{"start":8,"end":11,"score":1,"entity_type":"B"},{"start":9,"end":10,"score":1,"entity_type":"C"}]')"
expect_json 'overlapping in part' .text '"<A><B>"' \
    "$(anonymize 'abcdef' '[{"start":0,"end":4,"score":1,"entity_type":"A"},{"start":2,"end":6,"score":1,"entity_type":"B"}]')"
expect_json 'beyond the end' .error '"Invalid analyzer result, start: 3 and end: 9, while text length is only 4."' \
    "$(anonymize 'abcd' '[{"start":3,"end":9,"score":1,"entity_type":"A"}]')"
expect 'no results' 422 "$(status /anonymize '{"text":"a"}')"
expect 'empty' 400 "$(status /anonymize '{}')"
expect_json 'an unknown operator' .error '"Invalid operator class."' "$(anonymize 'é, Ann x' "[$name]" '{"NAME":{"type":"shred"}}')"

# Detectors of the FMS orchestrator.
id='detector-id: filterd'
expect_json 'contents' 'map(length)' '[0,1]' "$(ask /api/v1/text/contents "{\"contents\":[\"a\",\"$secret\"]}" -H "$id")"
expect_json 'contents: place' '.[0][0]|[.start,.end,.detection,.detection_type]' '[2,33,"test-key","secret"]' \
    "$(ask /api/v1/text/contents "{\"contents\":[\"é $secret\"]}" -H "$id")"
expect 'contents: no id' 422 "$(status /api/v1/text/contents '{"contents":[]}')"
expect_json 'generation' length 1 "$(ask /api/v1/text/generation "{\"prompt\":\"p\",\"generated_text\":\"$secret\"}" -H "$id")"
expect_json 'chat: tools' length 1 "$(ask /api/v1/text/chat "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"description\":\"$secret\"}}],\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}")"
expect_json 'chat' length 1 "$(ask /api/v1/text/chat "{\"messages\":[{\"role\":\"user\",\"content\":\"$secret\"}]}")"
expect_json 'context' length 1 "$(ask /api/v1/text/context/doc "{\"content\":\"$secret\",\"context_type\":\"url\",\"context\":[]}" -H "$id")"

# agentgateway: pass, mask, reject.
reply() { printf '{"body":{"choices":[{"message":{"role":"assistant","content":"%s"}}]}}' "$1"; }
expect_json 'webhook: pass' . '{"action":{}}' "$(ask /response "$(reply fine)")"
expect_json 'webhook: mask' . '{"action":{"body":{"choices":[{"message":{"role":"assistant","content":"[test-key]"}}]}}}' "$(ask /response "$(reply "$secret")")"
expect_json 'webhook: reject' . '{"action":{"body":"Withheld by the tests.","status_code":403}}' "$(ask /response "$(reply "$bomb")")"
expect_json 'webhook: a stream takes no mask' .action.status_code 403 "$(ask /response "$(reply "$secret")" -H 'Filterd-Redact: block')"
expect_json 'webhook: request' '.action.body.messages[0].content' '"[test-key]"' \
    "$(ask /request "{\"body\":{\"messages\":[{\"role\":\"user\",\"content\":\"$secret\"}]}}")"
expect 'webhook: no body' 422 "$(status /response '{}')"
# The format Raw, which lets pass what has no messages.
raw() { printf '{"messages":[{"role":"user","content":"%s"}],"model":"m"}' "$1"; }
expect_json 'webhook: raw, pass' . '{"messages":null}' "$(ask /request "$(raw fine)")"
expect_json 'webhook: raw, mask' . '{"messages":[{"role":"user","content":"[test-key]"}]}' "$(ask /request "$(raw "$secret")")"
expect_json 'webhook: raw, reject' . '{"messages":[]}' "$(ask /request "$(raw "$bomb")")"
expect_json 'webhook: raw, no messages' .messages '[]' "$(ask /request '{"model":"m"}')"
expect_json 'webhook: raw, messages that are none' .messages '[]' "$(ask /request '{"messages":"a"}')"

# Portkey, before and after.
hook() { printf '{"eventType":"%s","request":{"json":{"m":"%s"}},"response":{"json":{"m":"%s"}}}' "$1" "$2" "$3"; }
expect_json 'hook: passes' . '{"verdict":true}' "$(ask /portkey "$(hook afterRequestHook "$secret" fine)")"
expect_json 'hook: changed' . '{"verdict":true,"transformedData":{"response":{"json":{"m":"[test-key]"}}}}' \
    "$(ask /portkey "$(hook afterRequestHook fine "$secret")")"
expect_json 'hook: before' '.transformedData.request.json.m' '"[test-key]"' "$(ask /portkey "$(hook beforeRequestHook "$secret" fine)")"
expect_json 'hook: denied' .verdict false "$(ask /portkey "$(hook afterRequestHook fine "$bomb")")"
expect_json 'hook: a text takes no change' .verdict false \
    "$(ask /portkey "{\"eventType\":\"afterRequestHook\",\"response\":{\"text\":\"$secret\"}}")"

# What is refused before it is read has the product's shape, too.
wrong() { # wrong PATH
    curl -s -H "$plain" -d 'a' "$url$1"
}
expect_json 'LLM Guard: not JSON' '[.is_valid,(.message|length>0)]' '[false,true]' "$(wrong /analyze/prompt)"
expect_json 'Guardrails AI: not JSON' '[.validationPassed,.status]' '[false,415]' "$(wrong /guards/default/validate)"
expect_json 'FMS: not JSON' .code 415 "$(wrong /api/v1/text/contents)"
expect_json 'moderations: not JSON' '.error|has("message")' true "$(wrong /v1/moderations)"
expect_json 'Presidio: not JSON' '.error|length>0' true "$(wrong /analyze)"
# OpenGuardrails.
event() { printf '{"kind":"step/response","step_id":"s","agent_id":"a1","agent_type":"","agent_workspace":"","agent_user":"","llm_protocol":"openai.chat","payload":%s}' "$1"; }
expect_json 'evaluate: allow' '[.decision,.provider,.findings]' '["allow","filterd",[]]' "$(ask /v1/evaluate "$(event '{"m":"fine"}')")"
expect_json 'evaluate: spans' '[.decision,.modifications.spans]' \
    '["allow",[{"path":"payload.choices.0.message.content","start":0,"end":33,"replacement":"é [test-key]"}]]' \
    "$(ask /v1/evaluate "$(event "{\"choices\":[{\"message\":{\"content\":\"é $secret\"}}]}")")"
expect_json 'evaluate: block' .decision '"block"' "$(ask /v1/evaluate "$(event "{\"m\":\"$bomb\"}")")"
expect_json 'evaluate: arguments' '[.decision,has("modifications")]' '["block",false]' \
    "$(ask /v1/evaluate "$(event "{\"function\":{\"arguments\":\"{\\\"x\\\":\\\"$secret\\\"}\"}}")")"
# A runtime that does not find the place of a change leaves the text as it is.
for payload in "{\"a.b\":\"$secret\"}" "{\"a\":\"$secret\",\"a\":\"fine\"}" "{\"a\":{\"b\":\"fine\"},\"a\":{\"b\":\"$secret\"}}" "{\"a\":[{\"x/y\":\"$secret\"}]}" "{\"12\":\"$secret\"}" "{\"a\":[$(printf '%s' "$secret" | sed 's/./"&",/g; s/,$//')]}"; do
    expect_json "evaluate: no place for $payload" '[.decision,has("modifications")]' '["block",false]' "$(ask /v1/evaluate "$(event "$payload")")"
done
older() { # older TEXT: an event of protocol 0.4
    printf '{"ogr_version":"0.4","kind":"tool_call","event_id":"e-1","guard_id":"g-1","subject":{"agent_id":"a"},"payload":{"arguments":{"c":"%s"}}}' "$1"
}
expect_json 'evaluate 0.4: redacted' '[.event_id,.guard_id,.decision,.modifications.kind,.modifications.spans[0].replacement,.categories[0].domain]' \
    '["e-1","g-1","redact","redact","[test-key]","security"]' "$(ask /v1/evaluate "$(older "$secret")")"
expect_json 'evaluate 0.4: blocked' '[.decision,has("findings")]' '["block",false]' "$(ask /v1/evaluate "$(older "$bomb")")"
expect 'evaluate 0.4: nobody acts' 422 "$(status /v1/evaluate '{"kind":"exec","event_id":"e","guard_id":"g","payload":{}}')"
expect_json 'evaluate: alive' . '{"ok":true}' "$(ask /v1/heartbeat '{}')"
expect_json 'evaluate: a name' '[.decision,(tostring|contains("E2EKEY"))]' '["block",false]' "$(ask /v1/evaluate "$(event "{\"$secret\":\"a\"}")")"
expect_json 'evaluate: its error' .error '"invalid_event"' "$(ask /v1/evaluate '{"kind":"x"}')"

# LLM Guard, Amazon Bedrock, NeMo, Guardrails AI, Kong.
expect_json 'LLM Guard: output' '[.sanitized_output,.is_valid,.scanners.Secrets]' '["[test-key]",true,0.9]' \
    "$(ask /analyze/output "{\"prompt\":\"p\",\"output\":\"$secret\"}")"
expect_json 'LLM Guard: scan' .is_valid false "$(ask /scan/output "{\"prompt\":\"p\",\"output\":\"$secret\"}")"
expect_json 'LLM Guard: prompt' '[.sanitized_prompt,.is_valid]' '["Withheld by the tests.",false]' "$(ask /analyze/prompt "{\"prompt\":\"$bomb\"}")"
expect_json 'LLM Guard: clean' .is_valid true "$(ask /scan/prompt '{"prompt":"a"}')"
apply() { ask /guardrail/g1/version/DRAFT/apply "{\"source\":\"OUTPUT\",\"content\":[{\"text\":{\"text\":\"$1\"}}]}"; }
expect_json 'Bedrock: nothing' '[.action,.outputs]' '["NONE",[]]' "$(apply fine)"
expect_json 'Bedrock: anonymized' '[.action,.outputs[0].text,.assessments[0].sensitiveInformationPolicy.regexes[0].action]' \
    '["GUARDRAIL_INTERVENED","[test-key]","ANONYMIZED"]' "$(apply "$secret")"
expect_json 'Bedrock: blocked' '[.outputs[0].text,.guardrailCoverage.textCharacters.total]' '["Withheld by the tests.",11]' "$(apply "$bomb")"
beside() { ask /guardrail/g1/version/DRAFT/apply "{\"source\":\"OUTPUT\",\"content\":[{\"text\":{\"text\":\"one\"}},{\"text\":{\"text\":\"$1\",\"qualifiers\":[\"query\"]}$2}]}"; }
expect_json 'Bedrock: what is beside a text has no place in the answer' '[.action,.outputs]' '["NONE",[]]' "$(beside fine ',"x":{"y":"ok"}')"
expect_json 'Bedrock: it is not an output' '[.outputs[].text]' '["one","[test-key]"]' "$(beside "$secret" ',"x":{"y":"ok"}')"
expect_json 'Bedrock: a redaction beside a text blocks' '[.action,.outputs]' '["GUARDRAIL_INTERVENED",[{"text":"Withheld by the tests."}]]' \
    "$(beside fine ",\"x\":{\"y\":\"$secret\"}")"
expect_json 'Bedrock: also in its qualifiers' .action '"GUARDRAIL_INTERVENED"' \
    "$(ask /guardrail/g1/version/DRAFT/apply "{\"source\":\"OUTPUT\",\"content\":[{\"text\":{\"text\":\"a\",\"qualifiers\":[\"$secret\"]}}]}")"
expect_json 'Bedrock: the id names a policy' '.outputs[0].text' '"Withheld by the strict tests."' \
    "$(ask /guardrail/strict/version/1/apply "{\"source\":\"OUTPUT\",\"content\":[{\"text\":{\"text\":\"$secret\"}}]}")"
expect_json 'NeMo' .status '"blocked"' "$(ask /v1/guardrail/checks "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"$secret\"}]}")"
expect_json 'NeMo: clean' .status '"success"' "$(ask /v1/guardrail/checks '{"messages":[]}')"
expect_json 'Guardrails AI: since 0.11' .validatedOutput '"[test-key]"' "$(ask /guards/other/validate "{\"llm_output\":\"$secret\"}")"
expect 'Guardrails AI: both names' 422 "$(status /guards/other/validate '{"llm_output":"a","llmOutput":"b"}')"
expect_json 'Guardrails AI: a guard' 'map(.id)' '["default"]' "$(curl -s "$url/guards?name=default")"
expect_json 'Guardrails AI: no guard' . '[]' "$(curl -s "$url/guards?name=not-there")"
expect_json 'Guardrails AI: its history' . '[]' "$(curl -s "$url/guards/default/history/1")"
expect 'Guardrails AI: nothing else' 404 "$(status_of "$url/guards/default/other")"
expect_json 'Guardrails AI' '[.validationPassed,.validatedOutput]' '[true,"[test-key]"]' "$(ask /guards/other/validate "{\"llmOutput\":\"$secret\"}")"
expect_json 'Guardrails AI: a policy' '[.validationPassed,.error]' '[false,"Withheld by the strict tests."]' \
    "$(ask /guards/strict/validate "{\"llmOutput\":\"$secret\"}")"
expect_json 'Kong' '[.text,.anonymized_pii]' '["[test-key]",["test-key"]]' "$(ask /llm/v1/sanitize "{\"text\":\"$secret\",\"anonymize\":[\"all\"]}")"
expect 'Kong: a block' 400 "$(status /llm/v1/sanitize "{\"text\":\"$bomb\"}")"
expect 'Kong: patterns of the caller' 422 "$(status /llm/v1/sanitize '{"text":"a","custom_patterns":[{"name":"x","regex":"y","score":1}]}')"
# Hooks of coding agents: nothing is granted, what the policy would change is denied, no rule is named.
hooked() { ask /v1/hooks/claude-code "{\"session_id\":\"s1\",\"hook_event_name\":\"$1\",\"tool_name\":\"Bash\",\"$2\":$3}"; }
expect_json 'hook: a clean call' . '{}' "$(hooked PreToolUse tool_input '{"command":"ls"}')"
expect_json 'hook: a secret in a call' . \
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Withheld by the tests."}}' \
    "$(hooked PreToolUse tool_input "{\"command\":\"curl -d $secret x\"}")"
expect_json 'hook: a permission' .hookSpecificOutput \
    '{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"Withheld by the tests."}}' \
    "$(hooked PermissionRequest tool_input "{\"command\":\"curl -d $secret x\"}")"
expect_json 'hook: a redacted response' . \
    '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"type":"text","file":{"content":"[test-key]","lines":2}}}}' \
    "$(hooked PostToolUse tool_response "{\"type\":\"text\",\"file\":{\"content\":\"$secret\",\"lines\":2}}")"
expect_json 'hook: a blocked response' '[.decision,.reason,.hookSpecificOutput.updatedToolOutput]' \
    '["block","Withheld by the tests.",{"stdout":"Withheld by the tests.","stderr":"","mode":"content","n":12345678,"isImage":false}]' \
    "$(hooked PostToolUse tool_response "{\"stdout\":\"$bomb\",\"stderr\":\"\",\"mode\":\"content\",\"n\":12345678,\"isImage\":false}")"
codes() { printf '%s' "$1" | od -An -v -tu1 | xargs | tr ' ' ,; }
for row in "{\"name\":1,\"$bomb\":\"x\"}=\"Withheld by the tests.\"" "{\"a\":[$(codes "$bomb")],\"n\":12345678}={\"a\":\"Withheld by the tests.\",\"n\":12345678}" \
    '{"a":4242424242424242,"status":"ok"}={"a":"Withheld by the tests.","status":"ok"}' \
    '{"type":"swordfish","mode":"text"}={"type":"Withheld by the tests.","mode":"text"}'; do
    expect_json "hook: a block of what is no text: ${row%%=*}" '[.decision,.hookSpecificOutput.updatedToolOutput]' "[\"block\",${row#*=}]" \
        "$(hooked PostToolUse tool_response "${row%%=*}")"
done
batch() { printf '[{"tool_input":{"command":"%s"},"tool_response":"fine"},{"tool_input":{}},{"tool_input":{},"tool_response":[{"text":"%s"}]}]' "$@"; }
expect_json 'hook: responses of several calls' . '{"decision":"block","reason":"Withheld by the tests."}' "$(hooked PostToolBatch tool_calls "$(batch ls "$secret")")"
expect_json 'hook: a call without a response' '[.decision]' '["block"]' "$(hooked PostToolBatch tool_calls "[{\"tool_name\":\"a\",\"error\":\"$secret\"}]")"
expect_json 'hook: their input is not judged again' . '{}' "$(hooked PostToolBatch tool_calls "$(batch "$secret" ls)")"
expect_json 'hook: a prompt' . \
    '{"decision":"block","reason":"Withheld by the tests.","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","suppressOriginalPrompt":true}}' \
    "$(hooked UserPromptSubmit prompt "\"$secret\"")"
expect_json 'hook: another event' . '{"continue":false,"stopReason":"Withheld by the tests."}' "$(hooked Notification message "\"$secret\"")"
expect_json 'hook: Codex knows no other members' . '{"decision":"block","reason":"Withheld by the tests."}' \
    "$(ask /v1/hooks/codex "{\"hook_event_name\":\"PostToolUse\",\"tool_response\":\"$secret\"}")"
expect_json 'hook: Codex, a prompt' . '{"decision":"block","reason":"Withheld by the tests."}' \
    "$(ask /v1/hooks/codex "{\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"$secret\"}")"
expect 'hook: no input' 422 "$(status /v1/hooks/codex '{"hook_event_name":"PreToolUse"}')"
# The same as a command.
hook_command() { printf '{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"%s"}}' "$1" | "$bin/filterctl" hook codex "$2" 2>"$work/hook.err"; }
expect 'filterctl hook: a clean call' '{}|0' "$({ hook_command ls "$url"; echo $?; } | paste -sd'|')"
expect_json 'filterctl hook: a secret' .hookSpecificOutput.permissionDecision '"deny"' "$(hook_command "$secret" "$url")"
# What a tool said comes back as it was but for the secret, whatever JSON it is.
for said in '"a\u0000b E2E"' '{"n":12345678901234567890123,"o":"E2E"}' '{"a":0.10,"a":"E2E"}' '[1e999,"E2E"]'; do
    event=$(printf '%s' "$said" | sed "s/E2E/$secret/")
    expect "filterctl hook: $said" "{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",\"updatedToolOutput\":$(printf '%s' "$said" | sed 's/E2E/[test-key]/')}}" \
        "$(printf '%s' "{\"hook_event_name\":\"PostToolUse\",\"tool_response\":$event}" | "$bin/filterctl" hook claude-code "$url")"
done
expect 'filterctl hook: no service' '2' "$(hook_command ls http://127.0.0.1:9; echo $?)"
expect 'which says why' 1 "$(grep -c 'without a verdict the call is denied' "$work/hook.err")"
expect 'filterctl hook: no event' 2 "$("$bin/filterctl" hook codex "$url" </dev/null 2>/dev/null; echo $?)"
expect 'filterctl hook: another agent' 2 "$("$bin/filterctl" hook other "$url" </dev/null 2>/dev/null; echo $?)"
for path in /health /v1/health /llm/v1/status; do
    expect "health: $path" 200 "$(status_of "$url$path")"
done

# What was judged is on record, by its route; a block that is an error in the product's words, too.
until [ "$(records | jq -r 'select(.action=="block") | .route' | grep -c /llm/v1/sanitize)" -ge 1 ]; do sleep 0.05; done
expect 'routes on record' 12 "$(records | jq -r .route | grep -v '^null$' | sort -u | grep -vc '^/v1/filter$' | awk '{print ($1 >= 12) ? 12 : $1}')"
expect 'agent of the body' '"a1"' "$(records | jq -c 'select(.agent) | .agent' | tail -1)"
expect 'no secret on record' 0 "$(records | grep -c E2EKEY-4kq9)"
finish
