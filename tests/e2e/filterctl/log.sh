#!/bin/sh
# filterctl log: queries on a decision log, also one that a crash left torn.
. "$(dirname "$0")/fixture"

cat > "$dir/log" <<'LOG'
{"id":"a1","ts":"2026-11-20T08:00:00.000Z","agent":"bot-1","action":"allow","rule":null,"findings":[]}
{"id":"a2","ts":"2026-11-20T09:00:00.000Z","agent":"bot-2","action":"redact","rule":"test-key","findings":[{"rule":"test-key"},{"rule":"test-weak"}]}
{"id":"a3","ts":"2026-11-21T09:00:00.500+01:00","agent":"bot-1","action":"block","rule":"test-token","findings":[{"rule":"test-token"}]}
LOG
printf '{"id":"a4","ts":"2026-11' >> "$dir/log"

ids() { jq -r .id "$dir/out" | tr '\n' ' '; }
expect 0 "$ctl" log "$dir/log" --format ndjson
[ "$(ids)" = "a1 a2 a3 " ] || fail "all"
says "torn last line"
expect 0 "$ctl" log "$dir/log" --format ndjson --agent bot-1
[ "$(ids)" = "a1 a3 " ] || fail "by agent"
expect 0 "$ctl" log "$dir/log" --format ndjson --rule test-weak
[ "$(ids)" = "a2 " ] || fail "by rule"
expect 0 "$ctl" log "$dir/log" --format ndjson --action block
[ "$(ids)" = "a3 " ] || fail "by action"
expect 0 "$ctl" log "$dir/log" --format ndjson --since 2026-11-20T09:00:00Z --until 2026-11-21T08:00:00.500Z
[ "$(ids)" = "a2 " ] || fail "by time"
expect 0 "$ctl" log "$dir/log" --format json --action redact
[ "$(jq length "$dir/out")" = 1 ] || fail "array"
expect 0 "$ctl" log "$dir/log" --format json --agent nobody
[ "$(jq length "$dir/out")" = 0 ] || fail "empty array"
expect 0 "$ctl" log "$dir/log"
has "bot-2"
gzip -k "$dir/log"
expect 0 "$ctl" log "$dir/log.gz" --format ndjson --agent bot-2
[ "$(ids)" = "a2 " ] || fail "gzipped"

# Agents choose their names: no control character reaches the terminal.
printf '{"id":"b","ts":"2026-11-20T08:00:00Z","agent":"x\\u001b[31m","action":"allow","rule":"","findings":[]}\n' > "$dir/evil"
expect 0 "$ctl" log "$dir/evil"
! grep -q "$(printf '\033')" "$dir/out" || fail "escape sequence"

printf 'nonsense\n{"id":"c","ts":"2026-11-20T08:00:00Z","action":"allow"}\n' > "$dir/broken"
expect 2 "$ctl" log "$dir/broken" --format ndjson
says "broken:1: a JSON object expected"
[ "$(ids)" = "c " ] || fail "the rest is still read"
expect 2 "$ctl" log "$dir/none"
expect 2 "$ctl" log "$dir/log" --since yesterday
