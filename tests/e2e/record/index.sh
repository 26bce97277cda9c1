#!/bin/sh
# The record is found again: pages, one line, the lines of a request, tallies; who looks is on record first, in their role; and the
# index goes on over rotation, compression, kills, and is the one that reindex makes.
. "$(dirname "$0")/../service.inc"
cd "$(dirname "$0")/../../.." || exit 2
ctl=$bin/filterctl
operators_socket=$work/operators.sock
state=$work/state
log=$state/decisions.jsonl
index=$state/record/index.db

start
post /v1/filter '{"text":"nothing","agent":"one","tenant":"t"}' >/dev/null
blocked=$(post /v1/filter '{"text":"E2EBOMB0001","agent":"two","tenant":"t"}' | jq -r .id)
post /v1/filter "{\"text\":\"$secret\",\"agent\":\"two\"}" >/dev/null
indexed

answer=$(operators '/v1/records?query=action:block')
expect_json 'the block' '[.records[].req_id]' "[\"$blocked\"]" "$answer"
expect_json 'no other page' .next null "$answer"
expect_json 'how far it is' '.indexed.seq > 0 and .indexed.behind_ms >= 0' true "$answer"
expect_json 'by agent, newest first' '[.records[].action]' '["redact","block"]' "$(operators '/v1/records?query=agent:two')"
expect_json 'no line of a query that nothing matches' '[.records, .next]' '[[],null]' "$(operators '/v1/records?query=agent:nobody')"
expect 'the whole answer is one of JSON' true "$(operators '/v1/records' | jq -s 'length == 1 and (.[0].records | length) > 3')"

# Page by page: all of them, each once.
all=$(operators '/v1/records?limit=500' | jq -c '[.records[].seq]')
first=$(operators '/v1/records?limit=3')
second=$(operators "/v1/records?limit=3&$(echo "$first" | jq -r .next)")
expect 'pages follow on one another' true "$(echo "$first $second" |
    jq -s '[.[].records[].seq] | . == (sort | reverse) and (.[0] - .[-1]) == length - 1')"
expect 'as one page has them' true "$(echo "$all" | jq '. == (sort | reverse)')"

# One line, as written.
seq=$(echo "$answer" | jq '.records[0].seq')
operators "/v1/records/$seq" -D "$work/head" >"$work/line"
expect 'the line' "$(records | jq -c "select(.seq == $seq)" | cksum)" "$(jq -c . "$work/line" | cksum)"
expect 'its bytes' "$(sed -n "${seq}p" "$log" | tr -d '\n' | cksum)" "$(cksum <"$work/line")"
leaf=$({ printf '\000'; cat "$work/line"; } | openssl dgst -sha256 -binary | base64)
expect 'its leaf hash' "ETag: \"$leaf\"" "$(tr -d '\r' <"$work/head" | grep -i '^etag')"
expect_json 'of a request' '[.records[].seq]' "[$seq]" "$(operators "/v1/records/by-request/$blocked")"

# Who looked is on record.
expect 'who looked' '["list",null,"action:block","operator"]' \
    "$(records | jq -c 'select(.type == "access") | [.what, .item, .query, .role]' | head -1)"
expect 'at which line' "[\"record\",$seq,null]" "$(records | jq -c 'select(.type == "access" and .what == "record") | [.what, .item, .query]')"
looked=$(records | grep -c '"type":"access"')
indexed
expect 'the index has them too' true "$(operators '/v1/records?query=type:access&limit=500' | jq ".records | length == $looked")"

# A secret that is looked for is not in the record either.
operators "/v1/records?query=agent:$secret" >/dev/null
expect 'no secret' 0 "$(grep -c "$secret" "$log")"
expect 'but that somebody looked' 1 "$(records | jq -c 'select(.type == "access") | .query' | grep -c '^"~tok:')"

# Tallies.
tally=$(operators '/v1/tally?by=action,rule')
expect_json 'by action and rule' '[.rows[] | [.action, .rule, .n]] | sort' \
    '[["allow",null,1],["block","test-bomb",1],["redact","test-key",1]]' "$tally"
expect_json 'of a tenant' '[.rows[] | [.tenant, .n]]' '[["t",2]]' "$(operators '/v1/tally?by=tenant&tenant=t')"
expect_json 'by hour' '[.rows[].n] | add' 3 "$(operators '/v1/tally?by=hour&since=1h')"
expect_json 'of before' .rows '[]' "$(operators '/v1/tally?by=hour&since=7d&until=6d')"

# What is asked wrongly, and by whom it may not be.
at() { operators "$1" -o /dev/null -w '%{http_code}'; }
expect 'errors' '422 422 422 422 422 404 404 404 404' "$(at '/v1/records?query=color:red') $(at '/v1/records?limit=501') $(
    at '/v1/records?limit=0') $(at '/v1/records?before=x') $(at '/v1/tally?by=agent') $(at /v1/records/0) $(
    at /v1/records/99999999) $(at /v1/records/x) $(at /v1/records/by-request/x)"
expect 'not for callers' 404 "$(status_of "$url/v1/records")"
expect_json 'why' .detail '"query: column 1: a field (tenant, app, agent, rule, category, severity, action, type, state, disposition, who, policy, token, req, session, since, until, seq) and a colon expected"' \
    "$(operators '/v1/records?query=color:red')"

# A file moved away and compressed: the lines are found all the same, and what comes goes into the same index.
mv "$log" "$state/decisions-00000001.jsonl"
kill -HUP "$pid"
for _ in $(seq 600); do [ -e "$log" ] && break; sleep 0.1; done
post /v1/filter '{"text":"E2EBOMB0001","agent":"three"}' >/dev/null
zstd -q --rm "$state/decisions-00000001.jsonl" 2>/dev/null || gzip "$state/decisions-00000001.jsonl"
indexed
expect_json 'over files' '[.records[].agent]' '["three","two"]' "$(operators '/v1/records?query=action:block')"
expect 'from a compressed file' "$(cksum <"$work/line")" "$(operators "/v1/records/$seq" | cksum)"

# Killed, started again.
kill -9 "$pid"; wait "$pid" 2>/dev/null
start
post /v1/filter '{"text":"E2EBOMB0001","agent":"four"}' >/dev/null
indexed
expect_json 'after a kill' '[.records[].agent]' '["four","three","two"]' "$(operators '/v1/records?query=action:block')"

# While a service writes it, nobody else does; then reindex makes the same of the lines.
"$ctl" record reindex "$log" >"$work/out" 2>&1
expect 'not beside a service' 2 "$?"
indexed
kill -9 "$pid"; wait "$pid" 2>/dev/null
dump() { /usr/bin/python3 - "$index" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for table in "word chunk finding held agent_held agent_region tally file block filter position".split():
    print(table, sorted(db.execute(f"SELECT * FROM {table}").fetchall(), key=str))
PY
}
dump >"$work/live"
"$ctl" record reindex "$log" >"$work/out" 2>&1
expect 'reindex' 0 "$?"
dump >"$work/made"
expect 'the same as was there' "$(cksum <"$work/live")" "$(cksum <"$work/made")"
expect 'says how many' true "$(grep -q '^[0-9]* lines' "$work/out" && echo true)"
start
indexed
stop
expect 'private' 600 "$(stat -c %a "$index")"

start --index=off
expect 'no index' '404 404' "$(at /v1/records) $(at '/v1/tally?by=hour')"
finish
