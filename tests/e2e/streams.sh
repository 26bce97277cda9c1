#!/bin/sh
# The stream API: open, chunks, end; what may be released now, what is held, and the record of both.
. "$(dirname "$0")/service.inc"

open() { post /v1/streams "${1:-{\}}" | jq -r .id; }
chunk() { # chunk ID TEXT
    curl -sS --max-time 30 -H "$plain" --data-binary "$2" "$url/v1/streams/$1/chunks"
}
end() { post "/v1/streams/$1/end" "${2:-{\}}"; }
# through TEXT SIZE: the text in pieces of that many bytes; what was released, joined.
through() {
    id=$(open) released=''
    rest=$1
    while [ -n "$rest" ]; do
        piece=$(printf '%s.' "$rest" | head -c "$2"); [ ${#piece} -le ${#rest} ] || piece=$rest
        rest=${rest#"$piece"}
        released="$released$(chunk "$id" "$piece" | jq -r '.text // ""')"
    done
    printf '%s' "$released$(end "$id" | jq -r '.text // "BLOCKED"')"
}

start --streams=8
got=$(post /v1/streams '{"agent":"a","session":"s","app":"web","tenant":"blue","policy":"default"}')
expect_json 'opened' '[(.id|test("^[0-9a-f]{32}$")), (.req_id|length), .policy.name, .timeout_s]' '[true,36,"default",60]' "$got"
id=$(printf '%s' "$got" | jq -r .id) req_id=$(printf '%s' "$got" | jq -r .req_id)
expect_json 'its first record is there at once' '[.req_id,.phase,.action,.agent,.app,.tenant,.route]' \
    "[\"$req_id\",\"open\",null,\"a\",\"web\",\"blue\",\"/v1/streams\"]" "$(records | tail -1)"
got=$(chunk "$id" 'A clean line with nothing in it.
')
expect_json 'a chunk' '[.action,.rule,(.text|type),(.held|type)]' '["allow",null,"string","number"]' "$got"
expect_json 'is released but for its end' '[(.text|startswith("A clean line with")), .held < 16, (.text|length) + .held]' \
    '[true,true,33]' "$got"
got=$(end "$id")
expect_json 'end' '[.id,.action,.rule,.policy.name,.agent.id,.coverage.unjudged]' "[\"$req_id\",\"allow\",null,\"default\",\"a\",[]]" "$got"
expect_json 'its last record is there before the answer' '[.req_id,.phase,.action]' "[\"$req_id\",\"final\",\"allow\"]" "$(records | tail -1)"
expect_json 'an ended stream is gone' .status 404 "$(chunk "$id" x)"
expect_json 'and cannot be ended' .status 404 "$(end "$id")"

# In pieces of any length the same leaves, and a secret never.
text="use $secret now, or E2EKEY-short, and E2EKEY-000000000000000000000000"
for size in 3 30 1000; do
    expect "in pieces of $size" 'use [test-key] now, or E2EKEY-short, and [test-key]' "$(through "$text" $size)"
done
expect 'a block leaves only what stood before it' BLOCKED "$(through 'E2EBOMB0001 and after it' 4)"

# A block: no text, a notice, and so it stays.
id=$(open)
chunk "$id" "E2EBOMB0001 and $secret behind it. " >"$work/blocked"
expect_json 'a block in a chunk' '[.action,.rule,.text,.notice,.held]' \
    '["block","test-bomb",null,"Withheld by the tests.",0]' "$(cat "$work/blocked")"
expect_json 'it stays' '[.action,.text]' '["block",null]' "$(chunk "$id" more)"
got=$(end "$id")
expect_json 'its end' '[.action,.rule,.text,.notice]' '["block","test-bomb",null,"Withheld by the tests."]' "$got"
expect_json 'with the finding' '[.findings[]|select(.action=="block")|[.rule,.bytes,.path]]' '[["test-bomb",[0,11],""]]' "$got"
expect_json 'on record' '[.phase,.action,.rule]' '["final","block","test-bomb"]' "$(records | tail -1)"

# Channels are judged on their own.
id=$(open '{"path":"/content"}')
post "/v1/streams/$id/chunks" '{"text":"use E2EKEY-4kq9Zt7Xw2Lm"}' >"$work/a"
post "/v1/streams/$id/chunks" '{"text":"8Rv5Bn3Jc6Hd","channel":"/reasoning"}' >"$work/b"
post "/v1/streams/$id/chunks" '{"text":"8Rv5Bn3Jc6Hd now","channel":"/content"}' >"$work/c"
got=$(end "$id" '{"truncated":false}')
expect_json 'two channels' '[.action,.rule,[.channels[].channel]]' '["redact","test-key",["/reasoning"]]' "$got"
expect 'content' 'use [test-key] now' "$(jq -r .text "$work/a")$(jq -r .text "$work/c")$(printf '%s' "$got" | jq -r .text)"
expect 'reasoning' '8Rv5Bn3Jc6Hd' "$(jq -r .text "$work/b")$(printf '%s' "$got" | jq -r '.channels[0].text')"
id=$(open); curl -sS -H "$plain" --data-binary 'x ' "$url/v1/streams/$id/chunks?channel=/b" >/dev/null
expect_json 'a channel by parameter' '[.text,.channels[].channel]' '["","/b"]' "$(end "$id")"

# A chunk sent again is answered again, not judged twice.
id=$(open)
numbered() { post "/v1/streams/$id/chunks" "{\"text\":\"$1\",\"sequence\":$2}"; }
first=$(numbered 'one ' 1)
expect 'sent again' "$first" "$(numbered 'one ' 1)"
second=$(numbered 'two ' 2)
expect_json 'a gap' '[.status,.pointer]' '[409,"/sequence"]' "$(numbered 'four ' 4)"
expect_json 'too old' .status 409 "$(numbered 'one ' 1)"
expect 'all of it, once' 'one two ' "$(printf '%s%s%s' "$(printf '%s' "$first" | jq -j .text; echo .)" "" "" | sed 's/\.$//')$(
    printf '%s' "$second" | jq -j .text)$(end "$id" | jq -j .text)"

# What is wrong is said.
id=$(open)
for case in '/v1/streams|{"x":1}' '/v1/streams|{"path":"x"}' '/v1/streams|{"policy":"none"}' '/v1/streams|[]' \
    "/v1/streams/$id/chunks|{}" "/v1/streams/$id/chunks|{\"text\":1}" "/v1/streams/$id/chunks|{\"text\":\"a\",\"sequence\":0}" \
    "/v1/streams/$id/chunks|{\"text\":\"a\",\"sequence\":1.5}" "/v1/streams/$id/chunks|{\"text\":\"a\",\"channel\":\"b\"}" \
    "/v1/streams/$id/end|{\"truncated\":1}" "/v1/streams/$id/end|{\"text\":\"a\"}"; do
    expect "422: $case" 422 "$(status_of -H "$json" -d "${case#*|}" "$url${case%%|*}")"
done
expect 'a path that holds a secret' 422 "$(status_of -H "$json" -d "{\"path\":\"/$secret\"}" "$url/v1/streams")"
expect 'a channel that does' 422 "$(status_of -H "$json" -d "{\"text\":\"a\",\"channel\":\"/$secret\"}" "$url/v1/streams/$id/chunks")"
expect 'no JSON' 400 "$(status_of -H "$json" -d '{' "$url/v1/streams")"
expect 'twice' 400 "$(status_of -H "$json" -d '{"text":"a","text":"b"}' "$url/v1/streams/$id/chunks")"
expect 'a body without a type' 415 "$(status_of -H 'Content-Type:' -d '{}' "$url/v1/streams")"
expect 'parameter' 422 "$(status_of -H "$plain" -d a "$url/v1/streams/$id/chunks?agent=x")"
expect 'no such stream' '404 404 404 404' "$(status_of -H "$plain" -d a "$url/v1/streams/00000000000000000000000000000000/chunks") $(
    status_of -H "$plain" -d a "$url/v1/streams/x/chunks") $(status_of -H "$plain" -d a "$url/v1/streams//chunks") $(
    status_of -H "$plain" -d a "$url/v1/streams/$(head -c 500 /dev/zero | tr '\0' a)/chunks")"
expect 'method' 405 "$(status_of "$url/v1/streams/$id/chunks")"
expect 'after all of that it works' 200 "$(status_of -X POST "$url/v1/streams/$id/end")"

# Two at once: one of them waits its turn, or is told so; nothing is lost.
id=$(open)
head -c 100000 /dev/zero | tr '\0' a >"$work/body"
for i in 1 2 3 4 5 6; do
    curl -sS -o /dev/null -w '%{http_code}\n' -H "$plain" --data-binary @"$work/body" "$url/v1/streams/$id/chunks" >"$work/code.$i" &
    waited="${waited:-} $!"
done
wait $waited
expect 'told so' '' "$(cat "$work"/code.* | grep -v -e 200 -e 409)"
end "$id" >/dev/null

# No more than --streams.
for _ in $(seq 8); do open >/dev/null; done
expect 'too many' 503 "$(status_of -H "$json" -d '{}' "$url/v1/streams")"
expect 'gauge' 8 "$(curl -sS "$url/metrics" | awk '$1 == "filterd_open_streams" {print $2}')"
stop
expect 'stopped' 0 "$status"
expect 'stopping gives up those that are open' 8 "$(records | grep -c '"phase":"aborted"')"
expect 'each has two records' 0 "$(jq -r 'select(.phase != null) | .req_id' "$work/state/decisions.jsonl" | sort | uniq -c |
    awk '$1 != 2' | wc -l)"
expect 'none holds content' 0 "$(grep -c -e "$secret" -e 'clean line' "$work/state/decisions.jsonl")"

# A reload in between does not touch an open stream. One that waits too long is given up, recorded, and counted.
start --stream-timeout=1
id=$(open); chunk "$id" "$secret " >"$work/a"
sed -i 's/category: secret, action: redact/category: secret, action: block/' "$rules/policy.yaml"
kill -HUP "$pid"; wait_for_log 'reload: done'
expect_json 'judged as begun' .action '"redact"' "$(end "$id")"
last=$(post /v1/streams '{}')
for _ in $(seq 600); do
    records | tail -1 | grep -q '"phase":"aborted"' && break
    sleep 0.1
done
expect_json 'given up' '[.req_id,.phase,.end]' "[$(printf '%s' "$last" | jq .req_id),\"aborted\",\"expired\"]" "$(records | tail -1)"
expect_json 'it is gone' .status 404 "$(end "$(printf '%s' "$last" | jq -r .id)")"
expect 'counted' 1 "$(curl -sS "$url/metrics" | awk '$1 == "filterd_streams_expired_total" {print $2}')"
expect 'no memory is kept' '0 0' "$(curl -sS "$url/metrics" | awk '$1 == "filterd_open_streams" || $1 == "filterd_held_bytes" {print $2}' | xargs)"
stop

# A stream belongs to the token that opened it.
for name in one two; do
    printf 'token-of-caller-%s-0123456789\n' $name | "$bin/filterd" --hash-token --role=caller --name=$name >>"$work/tokens"
done
start --tokens="$work/tokens"
as() { name=$1; shift; curl -sS -H "Authorization: Bearer token-of-caller-$name-0123456789" -H "$json" "$@"; }
id=$(as one -d '{}' "$url/v1/streams" | jq -r .id)
expect_json 'not mine' .status 404 "$(as two -d '{"text":"x"}' "$url/v1/streams/$id/chunks")"
expect_json 'mine' .action '"allow"' "$(as one -d '{"text":"x"}' "$url/v1/streams/$id/chunks")"
expect 'nobody' 401 "$(status_of -H "$json" -d '{"text":"x"}' "$url/v1/streams/$id/chunks")"
stop
finish
