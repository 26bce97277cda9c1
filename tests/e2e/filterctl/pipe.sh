#!/bin/sh
# filterctl check --pipe: a line for a line, in order, answered before the next one comes.
. "$(dirname "$0")/fixture"

printf '{"text":"key-123456789012"}\n\n{"text":"fine","n":1}\n{"text":"tok_abcdefgh12345678"}\n' > "$dir/in"
expect 0 "$ctl" check --pipe $rules --field text < "$dir/in"
[ "$(wc -l < "$dir/out")" -eq 4 ] || fail "four lines expected"
[ "$(sed -n 1p "$dir/out" | jq -r '.action + " " + .rule + " " + .text')" = "redact test-key [test-key]" ] || fail "line 1"
[ -z "$(sed -n 2p "$dir/out")" ] || fail "line 2"
[ "$(sed -n 3p "$dir/out" | jq -c '[.action, .rule, .text, .findings]')" = '["allow",null,"fine",[]]' ] || fail "line 3"
[ "$(sed -n 4p "$dir/out" | jq -c '[.action, .text, .notice]')" = '["block",null,"Withheld."]' ] || fail "line 4"

# Whole documents keep their shape.
expect 0 "$ctl" check --pipe $rules < "$dir/in"
[ "$(sed -n 1p "$dir/out" | jq -c .document)" = '{"text":"[test-key]"}' ] || fail "document"

# The name of --field is where the text is: the verdict is that of the text alone. In a document a name is context.
printf '{"account":"key-123456789012"}\n' > "$dir/in"
expect 0 "$ctl" check --pipe $rules --field account < "$dir/in"
jq -e '.findings[0].confidence == 0.7' "$dir/out" >/dev/null || fail "a text without a name"
expect 0 "$ctl" check --pipe $rules < "$dir/in"
jq -e '.findings[0].confidence == 0.8' "$dir/out" >/dev/null || fail "a member with its name"

# What cannot be judged is blocked in its place.
printf 'nonsense\n{"other":1}\n{"text":"fine"}' > "$dir/in"
expect 2 "$ctl" check --pipe $rules --field text < "$dir/in"
[ "$(jq -r .action "$dir/out" | tr '\n' ' ')" = "block block allow " ] || fail "blocked in place"

# What rsyslog is to change.
cat > "$dir/in" <<'LINES'
{"text":"a\tkey-123456789012\n\\ end\u0000"}
{"text":"tok_abcdefgh12345678"}
nonsense
{"text":"fine"}
LINES
expect 2 "$ctl" check --pipe $rules --field text --answer rsyslog < "$dir/in"
[ "$(sed -n 1p "$dir/out" | jq -c .)" = '{"text":"a\t[test-key]\n\\ end\u0000","$!":{"filterd":{"action":"redact","rule":"test-key"}}}' ] || fail "a change"
[ "$(jq -r '.text + " " + .["$!"].filterd.rule' "$dir/out" | sed -n '3,4p' | tr '\n' '|')" = 'Withheld. test-token|Withheld. filterd.unjudged|' ] ||
    fail "blocked messages: $(cat "$dir/out")"
[ "$(sed -n 4p "$dir/out" | jq -c .)" = '{"text":"fine","$!":{"filterd":{"action":"allow","rule":""}}}' ] || fail "an allowed message"
expect 2 "$ctl" check --pipe $rules --answer rsyslog < "$dir/in"
expect 2 "$ctl" check $rules --field text --answer rsyslog "$dir/in"

# Many lines: same order, and no line lost.
i=0; while [ $i -lt 3000 ]; do echo "{\"text\":\"line $i key-123456789012 and more words to fill it\"}"; i=$((i + 1)); done > "$dir/in"
expect 0 "$ctl" check --pipe $rules --field text --jobs 4 < "$dir/in"
[ "$(jq -r .text "$dir/out" | awk '$2 != NR - 1' | wc -l)" -eq 0 ] || fail "order"
[ "$(wc -l < "$dir/out")" -eq 3000 ] || fail "lines lost"

# A writer that waits for each answer gets it.
mkfifo "$dir/to" "$dir/from"
"$ctl" check --pipe $rules --field text < "$dir/to" > "$dir/from" & pid=$!
exec 3> "$dir/to" 4< "$dir/from"
for n in 1 2 3; do
    echo "{\"text\":\"$n key-123456789012\"}" >&3
    read -r answer <&4 || fail "no answer"
    [ "$(printf '%s' "$answer" | jq -r .text)" = "$n [test-key]" ] || fail "answer $n"
done
exec 3>&-
wait $pid || fail "exit code of the pipe"

expect 2 "$ctl" check --pipe $rules --format sarif

# What separates the variables of /proc/PID/environ ends a value.
printf '{"text":"HOME=/root\\u0000DB_PASSWORD=hunter2Secret91xQ\\u0000API_KEY=Zk3nQ8vT5wY2rB7mX1pL\\u0000PATH=/bin"}\n' > "$dir/in"
expect 0 "$ctl" check --pipe --field text < "$dir/in"
jq -e '.text | startswith("HOME=/root\u0000DB_PASSWORD=[")' "$dir/out" >/dev/null || fail "variables between NULs"
has_not hunter2
has_not Zk3nQ8
