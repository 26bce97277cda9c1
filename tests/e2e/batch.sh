#!/bin/sh
# Batches: order, faults of single lines, size without memory, limits.
. "$(dirname "$0")/service.inc"
start --batch-line-max=64K
batch() { curl -sS --max-time 120 -H "$ndjson" --data-binary "$@" "$url/v1/filter/batch"; }

printf '%s\n' '{"text":"one"}' "{\"text\":\"two $secret\"}" '' '{"text":3}' '{' '{"text":"E2EBOMB0001"}' \
    '{"document":{"a":"six"}}' >"$work/lines"
printf '{"text":"no newline at the end"}' >>"$work/lines"
batch @"$work/lines" >"$work/out"
expect 'one answer a line, in order' \
    '"one" "two [test-key]" 422 400 "block" {"a":"six"} "no newline at the end"' \
    "$(jq -c 'if .status then .status elif .action == "block" then .action else .text // .document end' "$work/out" |
        tr '\n' ' ' | sed 's/ $//')"
expect 'faults say where' '"/text"' "$(sed -n 3p "$work/out" | jq .pointer)"
expect 'type' 'application/x-ndjson' "$(curl -sS -o /dev/null -w '%{content_type}' -H "$ndjson" \
    --data-binary @"$work/lines" "$url/v1/filter/batch")"
expect 'empty' '200 0' "$(curl -sS -o "$work/out" -w '%{http_code} %{size_download}' -H "$ndjson" --data-binary '' "$url/v1/filter/batch")"
expect 'wrong type' 415 "$(status_of -H "$json" --data-binary '{}' "$url/v1/filter/batch")"

# Many lines: all answered, in order, recorded before they leave; memory does not follow.
lines=20000
awk -v n=$lines -v key="$secret" 'BEGIN {
    filler = sprintf("%1200s", ""); gsub(/ /, "word ", filler); filler = substr(filler, 1, 1200)
    for (i = 1; i <= n; i++) printf "{\"text\":\"line %d %s%s\"}\n", i, filler, i % 100 ? "" : key }' >"$work/many"
before=$(curl -sS "$url/metrics" | sed -n 's/^process_resident_memory_bytes //p')
batch @"$work/many" >"$work/out"
after=$(curl -sS "$url/metrics" | sed -n 's/^process_resident_memory_bytes //p')
expect 'all lines' $lines "$(wc -l <"$work/out")"
expect 'in order' 0 "$(jq -r .text "$work/out" | awk '$2 != NR {bad++} END {print bad + 0}')"
expect 'redacted' $((lines / 100)) "$(jq -r .action "$work/out" | grep -c redact)"
expect 'the key is gone' 0 "$(grep -cF "$secret" "$work/out")"
expect 'recorded' 0 "$(jq -r .id "$work/out" | sort >"$work/ids"
    jq -r 'select(.type == "decision") | .req_id' "$work/state/decisions.jsonl" | sort | comm -23 "$work/ids" - | wc -l)"
expect "memory grew from $before to $after" 1 "$([ $((after - before)) -lt 64000000 ] && echo 1)"
receipts_of() { /usr/bin/python3 tests/support/batch_receipts.py "$work/state/decisions.jsonl" <"$1"; }
expect 'receipts of what was held back' "allow false $((lines * 99 / 100)), redact true $((lines / 100))" "$(receipts_of "$work/out")"
expect 'nothing of it is left on disk' 0 "$(find "$work/state" -size +0 -name '#*' | wc -l)"

# Chunked, in small pieces, and several at a time.
(head -c 300000 "$work/many" | grep -a '}$'; sleep 0.3; printf '{"text":"last"}') |
    curl -sS -H "$ndjson" -H 'Transfer-Encoding: chunked' -T - -X POST "$url/v1/filter/batch" >"$work/out"
expect 'chunked' '"last"' "$(tail -1 "$work/out" | jq .text)"
for i in 1 2 3 4; do
    head -2000 "$work/many" | curl -sS -H "$ndjson" --data-binary @- "$url/v1/filter/batch" >"$work/out.$i" &
    several="${several:-} $!"
done
wait $several
expect 'several at a time' '2000 2000 2000 2000' "$(for i in 1 2 3 4; do wc -l <"$work/out.$i"; done | tr '\n' ' ' | sed 's/ $//')"

# Receipts at any place of the window, between faults, which have no records; in long answers, too.
awk -v key="$secret" -v long="$(head -c 30000 /dev/zero | tr '\0' a)" 'BEGIN {
    for (i = 1; i <= 5000; i++)
        print i % 7 == 0 ? "{" : i % 3 == 0 ? "{\"text\":\"E2EBOMB0001\"}" : i % 11 == 0 ? "{\"text\":\"" key " " long "\"}" : "{\"text\":\"" i "\"}" }' >"$work/mixed"
batch @"$work/mixed" >"$work/out"
expect 'receipts between faults' 'allow false 2598, block true 1428, fault false 714, redact true 260' "$(receipts_of "$work/out")"
expect 'each in its place' "$(jq -rR 'try (fromjson | .text[:6]) catch "fault"' "$work/mixed" | sed 's/E2EBOM/block/; s/E2EKEY/redact/; s/^[0-9].*/allow/')" \
    "$(jq -r '.action // "fault"' "$work/out")"

# Limits.
head -c 100000 /dev/zero | tr '\0' a >"$work/long"
expect 'long line among others' '200 413 200' "$(
    (echo '{"text":"a"}'; printf '{"text":"'; cat "$work/long"; echo '"}'; echo '{"text":"b"}') >"$work/lines"
    batch @"$work/lines" | jq -r '.status // 200' | tr '\n' ' ' | sed 's/ $//')"
head -c 3000000 /dev/zero | tr '\0' a >"$work/long"
expect 'endless line' 413 "$(status_of -H "$ndjson" --data-binary @"$work/long" "$url/v1/filter/batch")"
stop
start --batch-body-max=1M
expect 'long batch' 413 "$(status_of -H "$ndjson" -H 'Expect:' --data-binary @"$work/many" "$url/v1/filter/batch")"
expect 'long batch, chunked' 413 "$(head -c 1500000 "$work/many" |
    status_of -H "$ndjson" -H 'Transfer-Encoding: chunked' -T - -X POST "$url/v1/filter/batch")"
# A client that goes away in the middle of a batch.
for _ in 1 2 3 4 5; do
    (head -c 800000 "$work/many"; sleep 0.6) | timeout 0.3 curl -sS -H "$ndjson" -H 'Transfer-Encoding: chunked' \
        -T - -X POST "$url/v1/filter/batch" >/dev/null 2>&1
done
expect 'alive after that' 200 "$(status_of "$url/healthz")"
stop
expect 'exit code' 0 "$status"
finish
