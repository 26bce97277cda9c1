#!/bin/sh
# No record, no release: a full disk, a crash under load.
. "$(dirname "$0")/../service.inc"

# Every answer that was not allowed has its record before it leaves, and the file is whole after kill -9.
start
for i in 1 2 3 4; do
    (while post /v1/filter '{"text":"E2EBOMB0001"}' 2>/dev/null; do :; done | jq -r .id 2>/dev/null >"$work/ids.$i") &
    load="${load:-} $!"
done
many() { [ "$(records | wc -l)" -ge 100 ] && echo yes; } # of which four may wait for their answer
await 'load' yes many
stop KILL
wait $load
cat "$work"/ids.* | grep -v null | sort >"$work/answered"
expect 'some were answered' 1 "$([ "$(wc -l <"$work/answered")" -gt 10 ] && echo 1)"
start
post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null
stop
jq -r 'select(.type == "decision") | .req_id' "$work/state/decisions.jsonl" | sort >"$work/recorded"
expect 'every line is JSON' 0 "$(jq -c . "$work/state/decisions.jsonl" >/dev/null 2>&1; echo $?)"
expect 'every answered block is recorded' '' "$(comm -23 "$work/answered" "$work/recorded" | head -3)"
expect 'numbered without a gap' 0 "$(jq -r .seq "$work/state/decisions.jsonl" | awk 'NR > 1 && $1 != p + 1 {bad++} {p = $1} END {print bad + 0}')"

# A disk that takes no more: blocks, not ready; ready again when there is room.
rm -rf "$work/state"
: >"$work/log" # or the wait below finds what the last one said
(
    trap '' XFSZ # a write past the limit is an error then, as on a full disk
    ulimit -f 8 # of 512 bytes
    exec "$bin/filterd" --listen=127.0.0.1:0 --operators=none --rules="$rules" --state-directory="$work/state" \
        2>>"$work/log"
) &
pid=$!
wait_for_log 'filterd: ready'
url=http://$(sed -n 's/.*ready listen=\([^ ]*\) .*/\1/p' "$work/log")
for _ in $(seq 40); do
    a=$(post /v1/filter '{"text":"'"$secret"'"}')
    [ "$(printf '%s' "$a" | jq -r .rule)" = filterd.unjudged ] && break
done
# Not even the shortest line fits any more.
for _ in $(seq 20); do
    [ "$(post /v1/streams '{}' | jq -r .status)" = 503 ] && break
done
a=$(post /v1/filter '{"text":"'"$secret"'"}')
expect_json 'no record, no release' '[.action, .rule, .text, .notice, .findings, .coverage.judged]' \
    '["block","filterd.unjudged",null,"Withheld by the tests.",[],0]' "$a"
expect_json 'the reason' '.coverage.unjudged[0].reason' '"the record could not be written"' "$a"
expect 'plain text, too' 'Withheld by the tests.' "$(
    printf '%s' "$secret" | curl -sS -H "$plain" -H 'Accept: text/plain' --data-binary @- "$url/v1/filter")"
expect_json 'what would be allowed, too' .action '"block"' "$(post /v1/filter '{"text":"hello"}')"
expect_json 'LiteLLM, too' .action '"BLOCKED"' \
    "$(post /beta/litellm_basic_guardrail_api '{"input_type":"response","texts":["hello"]}')"
expect_json 'no stream begins' .status 503 "$(post /v1/streams '{}')"
expect_json 'a batch is not delivered' .status 503 "$(
    curl -sS -H "$ndjson" --data-binary '{"text":"hello"}' "$url/v1/filter/batch")"
expect 'not ready' 503 "$(status_of "$url/readyz")"
expect 'alive' 200 "$(status_of "$url/healthz")"
expect 'counted' 1 "$(curl -sS "$url/metrics" | awk '/^filterd_unrecorded_total/ {print ($2 > 0)}')"
expect 'the secret stays out' 0 "$(grep -rlF "$secret" "$work/state" "$work/log" | wc -l)"
stop
finish
