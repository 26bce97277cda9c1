#!/bin/sh
# Errors: status, shape, pointer; limits on what a client can grow. Nothing of the input comes back.
. "$(dirname "$0")/service.inc"
start --text-max=100K --body-max=200K --batch-body-max=2M --batch-line-max=64K --connections=20 \
    --idle-timeout=5 --memory-max=1M

problem() { # problem WHAT STATUS POINTER BODY
    a=$(post /v1/filter "$4")
    expect_json "$1" '[.status, .pointer]' "[$2,\"$3\"]" "$a"
    expect_json "$1: shape" 'keys' '["detail","pointer","status","title","type"]' "$a"
    expect "$1: status line" "$2" "$(status_of -H "$json" --data-binary "$4" "$url/v1/filter")"
}
problem 'no JSON' 400 '' '{'
problem 'empty' 400 '' ''
problem 'not UTF-8' 400 '' "$(printf '{"text":"\377"}')"
problem 'half a surrogate' 400 '' '{"text":"\ud800"}'
problem 'trailing text' 400 '' '{"text":"a"} x'
problem 'duplicate' 400 /text '{"text":"a","text":"b"}'
problem 'not an object' 422 '' '["text"]'
problem 'nothing to judge' 422 '' '{"agent":"a"}'
problem 'two things to judge' 422 '' '{"text":"a","document":1}'
problem 'unknown member' 422 /txet '{"text":"a","txet":"b"}'
problem 'unknown member of another API' 422 /max_tokens '{"text":"a","max_tokens":7}'
problem 'unknown member that may be a secret' 422 '' "{\"text\":\"a\",\"$secret\":7}"
problem 'unknown member that is long' 422 '' '{"text":"a","abcdefghijklmnopqrstuvwxyz":7}'
problem 'unknown member of other letters' 422 '' '{"text":"a","t\u0435xt":7}'
problem 'unknown member without a name' 422 '' '{"text":"a","":7}'
expect_json 'unknown member of a stream' '[.pointer, (.detail | startswith("only the members policy"))]' '["/colour",true]' \
    "$(post /v1/streams '{"colour":1}')"
expect_json 'unknown member of a report' '[.pointer, (.detail | startswith("only the members kind"))]' '["/user",true]' \
    "$(operators /v1/agents/a/violations -H "$json" -d '{"kind":"dns","user":1}')"
problem 'text of the wrong type' 422 /text '{"text":["a"]}'
problem 'messages of the wrong type' 422 /messages '{"messages":"a"}'
problem 'a message of the wrong type' 422 /messages/1 '{"messages":[{},"a"]}'
problem 'explain of the wrong type' 422 /explain '{"text":"a","explain":"yes"}'
problem 'agent of the wrong type' 422 /agent '{"text":"a","agent":7}'
problem 'long agent' 422 /agent "{\"text\":\"a\",\"agent\":\"$(head -c 300 /dev/zero | tr '\0' a)\"}"
problem 'unknown policy' 422 /policy '{"text":"a","policy":"nope"}'

expect 'no such path' 404 "$(status_of "$url/v1/filters")"
expect 'operators only' 404 "$(status_of "$url/v1/policy")"
expect 'wrong method' 405 "$(status_of "$url/v1/filter")"
expect 'Allow' 'Allow: POST' "$(curl -sS -D- -o /dev/null "$url/v1/filter" | tr -d '\r' | grep ^Allow:)"
expect_json 'the right method' .detail '"another method expected: POST"' "$(curl -sS "$url/v1/filter")"
expect_json 'the right methods' .detail '"another method expected: GET, HEAD"' "$(curl -sS -d a "$url/healthz")"
types() { curl -sS -H 'Content-Type: application/x-www-form-urlencoded' -d a "$1" | jq -r .detail | sed 's/, in UTF-8.*//'; }
expect 'the right types' 'the Content-Type application/json or text/plain' "$(types "$url/v1/filter")"
expect 'the right type' 'the Content-Type application/x-ndjson' "$(types "$url/v1/filter/batch")"
expect 'DELETE' 405 "$(status_of -X DELETE "$url/v1/filter")"
expect 'wrong type' 415 "$(status_of -H 'Content-Type: application/xml' -d '<a/>' "$url/v1/filter")"
expect 'wrong charset' 415 "$(status_of -H "$plain; charset=utf-16" -d a "$url/v1/filter")"
expect 'right charset' 200 "$(status_of -H "$plain; charset=UTF-8" -d a "$url/v1/filter")"
expect 'compressed' 415 "$(status_of -H "$json" -H 'Content-Encoding: gzip' -d a "$url/v1/filter")"
expect 'unknown parameter' 422 "$(status_of -H "$plain" -d a "$url/v1/filter?agnet=a")"
expect 'parameter twice' 400 "$(status_of -H "$plain" -d a "$url/v1/filter?agent=a&agent=b")"
expect 'bad explain' 422 "$(status_of -H "$plain" -d a "$url/v1/filter?explain=perhaps")"

# Limits. A refused short body leaves the connection of use.
expect 'two requests on one connection' '404:1 200:0' "$(
    curl -sS -d a -o /dev/null -w '%{http_code}:%{num_connects} ' "$url/nope" \
        --next -sS -o /dev/null -w '%{http_code}:%{num_connects}' "$url/healthz")"
head -c 120000 /dev/zero | tr '\0' a >"$work/text"
expect 'text too long' 413 "$(status_of -H "$plain" --data-binary @"$work/text" "$url/v1/filter")"
head -c 300000 /dev/zero | tr '\0' a >"$work/body"
expect 'body too long' 413 "$(status_of -H "$plain" -H 'Expect:' --data-binary @"$work/body" "$url/v1/filter")"
expect 'body too long, chunked' 413 "$(
    status_of -H "$plain" -H 'Transfer-Encoding: chunked' --data-binary @"$work/body" "$url/v1/filter")"
head -c 102400 /dev/zero | tr '\0' a >"$work/text"
expect 'longest text' 200 "$(status_of -H "$plain" --data-binary @"$work/text" "$url/v1/filter")"
expect 'header too long' 1 "$(
    status_of -H "X-Long: $(head -c 60000 /dev/zero | tr '\0' a)" "$url/healthz" | grep -c '4[13][134]')"
expect 'two lengths' 400 "$(
    printf 'POST /v1/filter HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n' |
        curl -sS --max-time 5 "telnet://$address" 2>/dev/null | head -1 | cut -d' ' -f2)"

# Silent connections are closed; the limit of connections holds, and room comes back.
mkfifo "$work/silence"
exec 7<>"$work/silence"
for _ in $(seq 30); do
    curl -sSv --max-time 120 "telnet://$address" <&7 >/dev/null 2>>"$work/silent" &
    silent="${silent:-} $!"
done
await 'all are there' 30 grep -c 'Connected to' "$work/silent"
await 'room after silence' 200 status_of "$url/healthz"
kill $silent 2>/dev/null

expect 'alive after all that' '"alive"' "$(curl -sS "$url/healthz" | jq .status)"
stop
expect 'exit code' 0 "$status"

# The memory of all requests together is bounded, too.
start --memory-max=1M
head -c 500000 /dev/zero | tr '\0' a >"$work/text"
curl -sS -D "$work/head" -o "$work/out" -H "$plain" --data-binary @"$work/text" "$url/v1/filter"
expect 'no room' '503 Retry-After: 1' "$(tr -d '\r' <"$work/head" | sed -n '1s/.* \(503\) .*/\1/p; /^Retry-After/p' | tr '\n' ' ' | sed 's/ $//')"
expect 'no room, in words' 503 "$(jq .status "$work/out")"
expect 'room for a short one' 200 "$(status_of -H "$plain" -d a "$url/v1/filter")"
/usr/bin/python3 -c '
import json
pattern = {"name": "p", "score": 0.5, "regex": "a|" + "b" * 1000}
print(json.dumps({"text": "a " * 4000, "language": "en", "return_decision_process": True,
                  "ad_hoc_recognizers": [{"supported_entity": "E", "supported_language": "en", "patterns": [pattern]}]}))' >"$work/text"
expect 'no room for an answer' 503 "$(status_of -H "$json" --data-binary @"$work/text" "$url/analyze")"
expect 'overload is counted' 2 "$(curl -sS "$url/metrics" | sed -n 's/^filterd_overloads_total //p')"
expect 'nothing is held afterwards' 0 "$(curl -sS "$url/metrics" | sed -n 's/^filterd_held_bytes //p')"
stop
finish
