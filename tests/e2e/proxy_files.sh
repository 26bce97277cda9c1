#!/bin/sh
# Forms go up judged, and what is neither JSON nor a model's stream comes down judged: transcriptions, files, images, runs. What cannot be
# judged is on record. The operator refuses routes, or lets them pass.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
script=$work/script
/usr/bin/python3 tests/support/scripted_upstream.py "$script" >"$work/port" &
upstream_pids=$!
for _ in $(seq 1200); do [ -s "$work/port" ] && break; sleep 0.05; done
cat >"$upstreams" <<YAML
upstreams:
  ai: {protocol: openai, url: "http://127.0.0.1:$(cat "$work/port")"}
  own:
    protocol: openai
    url: "http://127.0.0.1:$(cat "$work/port")/v1"
    routes: {/v1/audio/speech: refuse, /v1/videos/*: pass, /v1/evals/*: judge}
YAML
cat >"$rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions:
      - {category: secret, action: redact}
      - {category: injection, action: block}
    notice: "Withheld by the tests."
POLICY
start --upstreams="$upstreams"
says() { # says STATUS TYPE BODY
    jq -n --argjson status "$1" --arg type "$2" --arg body "$3" '{$status, $body, headers: [["Content-Type", $type]]}' >"$script"
}
says_bytes() { # says_bytes TYPE, of standard input
    base64 -w0 | jq -R --arg type "$1" '{status: 200, base64: ., headers: [["Content-Type", $type]]}' >"$script"
}
call() { # call PATH [CURL-OPTION…]
    path=$1; shift
    curl -sS --max-time $timeout_s "$@" "$url$path"
}
seen() { cat "$script.seen"; }
last() { records | tail -1 | jq -c "$1"; }
key=$secret
label='[test-key]'

# --- up ---------------------------------------------------------------------------
says 200 application/json '{"id":"file-1"}'
printf '{"custom_id":"1","body":{"messages":[{"role":"user","content":"key %s"}]}}\n{"custom_id":"2"}\n' "$key" >"$work/batch.jsonl"
printf '\211PNG\r\n\032\n\001\002\003\004' >"$work/image.png"
printf 'one %s\r\ntwo\r\n' "$key" >"$work/notes.txt"
expect 'a form goes up' '{"id":"file-1"}' "$(call /ai/v1/files -F purpose=batch -F "file=@$work/batch.jsonl;type=application/jsonl")"
expect 'without the secret' 0 "$(seen | grep -ac "$key")"
expect 'with its lines' 2 "$(seen | grep -ac '^{"custom_id":"[12]"')"
expect 'which are JSON' '"key [test-key' "$(seen | grep -a '"1"' | jq -c .body.messages[0].content | cut -c1-14)"
call /ai/v1/files -F purpose=user_data -F "file=@$work/notes.txt" -o /dev/null
expect 'a text keeps its lines' "one [test-key|two" "$(seen | tr -d '\r' | sed -n 's/^\(one .test-key\).*/\1/p; s/^two$/two/p' | paste -sd'|')"
call /ai/v1/files -F "purpose=$key" -F "file=@$work/notes.txt" -o /dev/null
expect 'a field is judged' 0 "$(seen | grep -ac "$key")"
expect 'a name with a secret is blocked' 400 "$(status_of -F "$key=a" "$url/ai/v1/files")"
expect_json 'in words of the API' .error.code '"content_filter"' "$(call /ai/v1/files -F "$key=a")"
expect 'a form of its own kind' 400 "$(status_of -H 'Content-Type: multipart/form-data; boundary=b' --data-binary 'text' "$url/ai/v1/files")"
expect 'without a boundary' 415 "$(status_of -H 'Content-Type: multipart/form-data' --data-binary 'text' "$url/ai/v1/files")"
expect 'a form on a route of JSON' 400 "$(status_of -F a=b "$url/ai/v1/chat/completions")"
expect 'from a web page' 403 "$(status_of -H 'Origin: https://evil.example' -F a=b "$url/ai/v1/files")"
n=$(records | wc -l)
expect 'an image goes up as it is' 0 "$(call /ai/v1/images/edits -F prompt=a -F "image=@$work/image.png;type=image/png" -o /dev/null
    seen | grep -aq 'PNG'; echo $?)"
expect 'and is on record as unread' '[12,0]' "$(records | tail -n +$((n + 1)) | jq -c 'select(.direction == "request") | .channels[] | select(.judged == 0) | [.bytes, .judged]')"

# --- down -------------------------------------------------------------------------
says 200 application/jsonl "$(printf '{"custom_id":"1","response":{"body":{"a":"%s"}}}\n{"b":"c"}' "$key")"
expect 'JSON Lines' "{\"custom_id\":\"1\",\"response\":{\"body\":{\"a\":\"$label\"}}}|{\"b\":\"c\"}" "$(call /ai/v1/files/f/content | paste -sd'|')"
expect 'keep their type' application/jsonl "$(call /ai/v1/files/f/content -o /dev/null -w '%{content_type}')"
for type in text/plain application/x-subrip text/vtt; do
    says 200 $type "$(printf '1\n00:00:01,000 --> 00:00:02,000\nthe %s' "$key")"
    expect "a transcription as $type" "1|00:00:01,000 --> 00:00:02,000|the $label" \
        "$(call /ai/v1/audio/transcriptions -F model=m -F "file=@$work/image.png" | paste -sd'|')"
done
says 200 text/plain E2EBOMB0001
expect 'a block' 400 "$(status_of -F model=m "$url/ai/v1/audio/transcriptions")"
says_bytes audio/mpeg <"$work/image.png"
expect 'speech comes down' 0 "$(call /ai/v1/audio/speech -H "$json" -d '{"model":"m","input":"a","voice":"v"}' | cmp - "$work/image.png"; echo $?)"
expect 'and is on record as unread' '["allow",12,0]' "$(last '[.action, .in_bytes, .judged_bytes]')"
call /ai/v1/audio/speech -H "$json" -d "{\"model\":\"m\",\"input\":\"say $key\",\"voice\":\"v\"}" -o /dev/null
expect 'what it says is judged' 0 "$(seen | grep -c "$key")"
expect 'where text is expected it is not' 400 "$(status_of -F model=m "$url/ai/v1/audio/transcriptions")"

delta() { printf 'data: {"type":"transcript.text.delta","delta":"%s"}\n\n' "$1"; }
says 200 text/event-stream "$(delta "a ${key%%????????}"; delta "${key#"${key%%????????}"} b"; printf 'data: {"type":"transcript.text.done","text":"a %s b"}\n\ndata: [DONE]\n\n' "$key")"
expect 'a transcription as a stream' "a $label b|a $label b" "$(call /ai/v1/audio/transcriptions -F model=m -F stream=true |
    sed -n 's/^data: \({.*\)/\1/p' | jq -rs '"\([.[].delta // ""] | add)|\(.[-1].text)"')"
says 200 text/event-stream "$(printf 'event: thread.message.delta\ndata: {"id":"m","object":"thread.message.delta","delta":{"content":[{"index":0,"type":"text","text":{"value":"a %s"}}]}}\n\nevent: thread.run.completed\ndata: {"id":"r","object":"thread.run","status":"completed"}\n\nevent: done\ndata: [DONE]\n\n' "$key")"
expect 'a run as a stream' "event: thread.message.delta|a $label|event: thread.run.completed|event: done" \
    "$(call /ai/v1/threads/t/runs -H "$json" -d '{"assistant_id":"a","stream":true}' |
        sed -n 's/^event/&/p; s/.*"value":"\([^"]*\)".*/\1/p' | paste -sd'|')"
says 200 text/event-stream "$(printf 'event: thread.message.delta\ndata: {"id":"m","delta":{"content":[{"index":0,"type":"text","text":{"value":"E2EBOMB0001"}}]}}\n\n')"
expect_json 'a run that is blocked before anything left' .error.code '"content_filter"' \
    "$(call /ai/v1/threads/t/runs -H "$json" -d '{"assistant_id":"a","stream":true}')"

# --- a response in the background ------------------------------------------------------
in_background() { jq -cn --arg s "$1" --arg t "$2" '{id: "resp_1", object: "response", status: $s, background: true, model: "m",
    output: (if $t == "" then [] else [{type: "message", id: "m", role: "assistant", status: "completed", content: [{type: "output_text", text: $t, annotations: []}]}] end)}'; }
says 200 application/json "$(in_background queued '')"
expect_json 'a response in the background begins' .status '"queued"' "$(call /ai/v1/responses -H "$json" -d '{"model":"m","input":"a","background":true}')"
says 200 application/json "$(in_background completed "the $key")"
expect_json 'and is fetched, judged' .output[0].content[0].text "\"the $label\"" "$(call /ai/v1/responses/resp_1)"
expect_json 'or cancelled' .output[0].content[0].text "\"the $label\"" "$(call /ai/v1/responses/resp_1/cancel -X POST)"

# --- pieces ------------------------------------------------------------------------------
says 200 application/json "$(jq -cn --arg a "${key%%????????}" --arg b "${key#"${key%%????????}"}" '{text: ($a + $b), words: [{word: "the"}, {word: "end"}],
    segments: [{text: (" is " + $a), tokens: [5, 6]}, {text: $b, tokens: [7]}], logprobs: [{token: $a, bytes: [69]}, {token: $b, bytes: [50]}]}')"
expect 'pieces of a transcription' "{\"text\":\"$label\",\"words\":[{\"word\":\"the\"},{\"word\":\"end\"}],\"segments\":[{\"text\":\" is $label\",\"tokens\":[]},{\"text\":\"\",\"tokens\":[]}],\"logprobs\":[{\"token\":\"$label\",\"bytes\":[]},{\"token\":\"\",\"bytes\":[]}]}" \
    "$(call /ai/v1/audio/transcriptions -F model=m -F response_format=verbose_json -F "file=@$work/image.png")"

# --- what the operator says of routes ------------------------------------------------
says 200 text/html "<p>$key</p>"
expect 'a route that is refused' 404 "$(status_of -H "$json" -d '{"input":"a"}' "$url/own/v1/audio/speech")"
expect 'without its version, too' 404 "$(status_of -H "$json" -d '{"input":"a"}' "$url/own/audio/speech")"
expect 'a route that passes' "<p>$key</p>" "$(call /own/v1/videos/v/content)"
expect 'with its type' text/html "$(call /own/videos/v/content -o /dev/null -w '%{content_type}')"
expect 'is on record as unjudged' "[\"allow\",$((${#key} + 7)),0]" "$(last '[.action, .in_bytes, .judged_bytes]')"
call /own/v1/videos/v -H "$plain" --data-binary "say $key" -o /dev/null
expect 'its requests are judged' 0 "$(seen | grep -c "$key")"
expect 'a route that is judged' "<p>$label</p>" "$(call /own/v1/evals/e)"
expect 'and any other' 404 "$(status_of "$url/own/v1/skills")"
expect 'no secret is on record' 0 "$(records | grep -c "$key")"
stop
finish
