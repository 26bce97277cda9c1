#!/bin/sh
# Streams that wait: of /v1/streams and of the proxy. Nothing leaves before the supervisor was asked about all of it.
. "$(dirname "$0")/supervisor.inc"
cd "$here/../.." || exit 2
here=tests/supervisor
. tests/e2e/proxy.inc
trap 'stop_upstreams; stop_endpoint; cleanup' EXIT
start_endpoint
endpoint_port=$port
upstream
upstream_port=$port
cat >"$upstreams" <<YAML
upstreams:
  ai: {protocol: openai, url: 'http://127.0.0.1:$port'}
  claude: {protocol: anthropic, url: 'http://127.0.0.1:$port'}
YAML
port=$endpoint_port
supervised 'when: always' 'deadline: 2s'

# stream TEXT…: posts each as a chunk and ends; sets chunks (what was released before the end) and answer.
stream() {
    id=$(post /v1/streams '{}' | jq -r .id)
    chunks=''
    for text in "$@"; do
        chunks=$chunks$(post "/v1/streams/$id/chunks" "{\"text\":\"$text\"}" | jq -r .text)
    done
    answer=$(post "/v1/streams/$id/end" '{}')
}

begin_supervisors 'retries: 0'
add_supervisor scripted honest
start --supervisors="$supervisors" --upstreams="$upstreams" --ext-proc=unix:"$work/ext-proc.sock"
stream 'All of this, ' "key $secret, " 'is fine.'
expect 'nothing leaves before the end' '' "$chunks"
expect_json 'then all does' '[.action,.text,.supervisor.outcome,.supervisor.verdict]' \
    '["redact","All of this, key [test-key], is fine.","answered","ok"]' "$answer"
stream 'Half of EVIL-' 'harm came here.'
expect_json 'a violation' '[.action,.rule,.text]' '["block","supervisor.harm",null]' "$answer"
stream 'A text E2EBOMB0001 that the rules block.'
expect_json 'what the rules block is not asked about' '[.action,.rule,.supervisor]' '["block","test-bomb",null]' "$answer"

expect 'proxy' 'hello world' "$(ask echo 'hello world' | said)"
expect 'proxy: redacted' 'a [test-key] b' "$(ask echo "a $secret b" | said)"
expect 'proxy: its last line' 'data: [DONE]' "$(ask echo "a b" | grep . | tail -1)"
expect_json 'proxy: whole' '.choices[0].message.content' '"hello world"' "$(ask_whole echo 'hello world')"
ask bytes 'some EVIL-harm for you' -i | tr -d '\r' >"$work/answer"
expect 'proxy: a violation is a 400' 'HTTP/1.1 400 Bad Request' "$(head -1 "$work/answer")"
expect 'proxy: nothing of it' '' "$(grep -i evil "$work/answer")"
expect_json 'proxy: its body' '.error.code' '"content_filter"' "$(tail -1 "$work/answer")"
expect 'proxy: whole, a violation' 400 "$(ask_whole echo 'some EVIL-hate for you' -o "$work/body" -w '%{http_code}')"
for mode in streamed buffered duplex; do
    process() { # process TEXT: as the upstream's answer, in messages of 40 bytes
        ask_upstream "$1" | /usr/bin/python3 tests/envoy/ext_proc.py --curl=--unix-socket --curl="$work/ext-proc.sock" --mode=$mode --split=40 http://localhost
    }
    ask_upstream() {
        curl -sS -H "$json" --data-binary "{\"model\":\"echo\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"$1\"}]}" "http://127.0.0.1:$upstream_port/v1/chat/completions"
    }
    expect "Envoy, $mode" 'hello world' "$(process 'hello world' | said)"
    expect "Envoy, $mode: redacted" 'a [test-key] b' "$(process "a $secret b" | said)"
    process 'some EVIL-harm for you' >"$work/answer"
    expect "Envoy, $mode: a violation" 'status 400' "$(head -1 "$work/answer")"
    expect "Envoy, $mode: nothing of it" '' "$(grep -i evil "$work/answer")"
done
expect 'proxy: what the rules block' 400 "$(ask echo 'E2EBOMB0001' -o "$work/body" -w '%{http_code}')"
stop
expect_json 'on record' '[.phase,.end,.action,.rule,.supervisor.outcome]' '["final","blocked","block","supervisor.harm","answered"]' \
    "$(records | jq -c 'select(.phase == "final" and .upstream == "ai" and .rule == "supervisor.harm")' | head -1)"

# LiteLLM's guardrail waits like /v1/filter, and a batch line by line, in order.
begin_supervisors 'retries: 0'
add_supervisor scripted honest
start --supervisors="$supervisors"
guard() { post /beta/litellm_basic_guardrail_api "{\"texts\":[\"$1\"],\"input_type\":\"response\",\"request_data\":{}}" | jq -c '[.action,.texts,.blocked_reason]'; }
expect 'litellm: allowed' '["NONE",["hello"],null]' "$(guard hello)"
expect 'litellm: a violation' '["BLOCKED",null,"Withheld by the tests."]' "$(guard 'EVIL-harm here')"
for i in 1 2 3 4 5 6; do echo "{\"text\":\"line $i $([ $((i % 3)) -eq 0 ] && echo EVIL-hate)\",\"policy\":\"$([ $i -eq 4 ] && echo strict || echo default)\"}"; done >"$work/batch"
printf '{"text":"no newline at its end"}' >>"$work/batch"
expect 'batch' '["allow","answered"]["allow","answered"]["block","answered"]["allow",null]["allow","answered"]["block","answered"]["allow","answered"]' \
    "$(curl -sS -H "$ndjson" --data-binary @"$work/batch" "$url/v1/filter/batch" | jq -c '[.action,.supervisor.outcome]' | tr -d '\n')"
stop

# A supervisor that fails.
begin_supervisors 'retries: 0'
add_supervisor scripted hang
start --supervisors="$supervisors" --upstreams="$upstreams"
stream 'A text.'
expect_json 'no answer' '[.action,.rule,.text,.supervisor.outcome]' '["block","filterd.unjudged",null,"timeout"]' "$answer"
expect 'proxy: no answer' 400 "$(ask echo 'hello world' -o "$work/body" -w '%{http_code}')"
expect 'proxy: nothing of it' '' "$(grep hello "$work/body")"
stop
supervised 'when: always' 'deadline: 500ms' 'on_failure: allow'
start --supervisors="$supervisors" --upstreams="$upstreams"
stream 'A text.'
expect_json 'it is gone without' '[.action,.text,.supervisor.outcome]' '["allow","A text.","timeout"]' "$answer"
expect 'proxy: it is gone without' 'hello world' "$(ask echo 'hello world' | said)"
stop

# Who has no supervisor, and who does not let streams wait.
supervised 'when: always'
start --upstreams="$upstreams"
stream 'A text.'
expect_json 'nobody is set up' '[.action,.rule,.supervisor.outcome]' '["block","filterd.unjudged","not-asked"]' "$answer"
stop
supervised 'when: always' 'hold: none'
start --supervisors="$supervisors" --upstreams="$upstreams"
stream 'A text.'
expect 'nothing waits' 'A text.allow' "$chunks$(printf '%s' "$answer" | jq -r '.text + .action')"
expect 'proxy: nothing waits' 'hello world' "$(ask echo 'hello world' | said)"
stop
# Only where a finding says so; the stream waits all the same, as nobody knows before its end.
supervised 'when: {category: secret}'
begin_supervisors
add_supervisor scripted honest
start --supervisors="$supervisors" --upstreams="$upstreams"
forget
stream 'EVIL-harm without any finding.'
expect 'not asked about' 'allow null' "$(printf '%s' "$answer" | jq -r .action) $(counted .counts.honest)"
stream "EVIL-harm with a $secret."
expect 'asked about' 'block 1' "$(printf '%s' "$answer" | jq -r .action) $(counted .counts.honest)"
stop

# id_of: the id in an answer on standard input; jq would take most of the time of this test.
id_of() { sed 's/.*"id":"\([^"]*\)".*/\1/'; }
# each WHAT FILTER EXPECTED FILE: of the answers that each of the unanswered streams got.
each() {
    expect "$1" "$(echo "$unanswered" | wc -w) $3" "$(jq -c "$2" "$work/$4" | sort | uniq -c | sed 's/^ *//')"
}

# Many ends wait for one answer, and when it comes there is no room to go on with all: some get 503. They take no more
# chunks then, as those would be dropped, and are carried out when they are sent again.
# ends_at_once TEXT: sixty-four streams of that text end at once; $work/id-N is a stream, $work/end-N what its end got.
ends_at_once() {
    for i in $(seq 64); do
        post /v1/streams '{}' | id_of >"$work/id-$i"
        post "/v1/streams/$(cat "$work/id-$i")/chunks" "{\"text\":\"$1\",\"sequence\":1}" >"$work/chunk-$i"
        printf 'url = "%s/v1/streams/%s/end"\nheader = "%s"\ndata = "{}"\noutput = "%s"\nnext\n' \
            "$url" "$(cat "$work/id-$i")" "$json" "$work/end-$i"
    done | sed '$d' >"$work/curl"
    curl -sS --no-progress-meter --max-time 60 --parallel --parallel-immediate --parallel-max 64 -K "$work/curl" &
    await 'all ends wait' 64 metric filterd_supervisor_waiting
    curl -sS -X POST "http://127.0.0.1:$endpoint_port/open" >/dev/null
    wait $!
}
supervised 'when: always' 'deadline: 60s'
begin_supervisors 'retries: 0'
add_supervisor scripted gate
start --supervisors="$supervisors" --threads=1 --queue=1
for round in $(seq 20); do
    forget
    ends_at_once "The text $round."
    unanswered=$(grep -l '"status":503' "$work"/end-*)
    [ -z "$unanswered" ] || break
done
expect 'some ends are not answered' yes "${unanswered:+yes}"
for file in $unanswered; do
    stream=/v1/streams/$(cat "$work/id-${file##*-}")
    post "$stream/chunks" '{"text":"more","sequence":2}' >>"$work/more"
    post "$stream/chunks" '{"text":"more","channel":"/b"}' >>"$work/more-channels"
    expect "stream ${file##*-}: the last is answered again" "$(cat "$work/chunk-${file##*-}")" \
        "$(post "$stream/chunks" "{\"text\":\"The text $round.\",\"sequence\":1}")"
    post "$stream/end" '{"truncated":true}' >>"$work/other-ends"
    post "$stream/end" '{}' >>"$work/ends"
    post "$stream/end" '{}' >>"$work/over"
done
each 'no more chunks' .status 409 more
each 'nor channels' .status 409 more-channels
each 'no other end' '[.status,.pointer]' '[409,"/truncated"]' other-ends
each 'the end again' '[.action,.text,.supervisor.outcome]' "[\"allow\",\"The text $round.\",\"answered\"]" ends
each 'they are over' .status 404 over
stop

# Likewise chunks that end what is asked about: one that got 503 is sent again, numbered or not, and is not taken twice.
# chunks_at_once TEXT: sixty-four streams get that chunk at once; $work/id-N is a stream, $work/chunk-N what it got.
chunk_of() { # chunk_of N TEXT
    if [ $(($1 % 2)) -eq 0 ]; then printf '{"text":"%s"}' "$2"; else printf '{"text":"%s","sequence":1}' "$2"; fi
}
chunks_at_once() {
    for i in $(seq 64); do
        post /v1/streams '{}' | id_of >"$work/id-$i"
        chunk_of "$i" "$1" >"$work/body-$i"
        printf 'url = "%s/v1/streams/%s/chunks"\nheader = "%s"\ndata = "@%s"\noutput = "%s"\nnext\n' \
            "$url" "$(cat "$work/id-$i")" "$json" "$work/body-$i" "$work/chunk-$i"
    done | sed '$d' >"$work/curl"
    curl -sS --no-progress-meter --max-time 60 --parallel --parallel-immediate --parallel-max 64 -K "$work/curl" &
    await 'all chunks wait' 64 metric filterd_supervisor_waiting
    curl -sS -X POST "http://127.0.0.1:$endpoint_port/open" >/dev/null
    wait $!
}
supervised 'when: always' 'hold: sentence' 'deadline: 60s'
start --supervisors="$supervisors" --threads=1 --queue=1
for round in $(seq 20); do
    forget
    said="The text round$(echo "$round" | tr 0-9 abcdefghij) ends."
    chunks_at_once "$said And"
    unanswered=$(grep -l '"status":503' "$work"/chunk-*)
    [ -z "$unanswered" ] || break
done
expect 'some chunks are not answered' yes "${unanswered:+yes}"
for file in $unanswered; do
    i=${file##*-} stream=/v1/streams/$(cat "$work/id-${file##*-}")
    post "$stream/chunks" "$(cat "$work/body-$i")" >>"$work/chunks-again"
    post "$stream/end" '{}' >>"$work/rests"
done
each 'the chunk again' '[.action,.text]' "[\"allow\",\"$said \"]" chunks-again
each 'its rest' '[.action,.text]' '["allow","And"]' rests
stop
expect 'each has two records' 0 "$(jq -r 'select(.route == "/v1/streams" and .phase != null) | .req_id' "$work/state/decisions.jsonl" |
    sort | uniq -c | awk '$1 != 2' | wc -l)"
finish
