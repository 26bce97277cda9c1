#!/bin/sh
# filterctl log and a running service: it finds the log by itself, and follows it over rotations.
. "$(dirname "$0")/../service.inc"
ctl=$bin/filterctl
mkdir "$work/logs"
start --log="$work/logs/decisions.jsonl"
log() { "$ctl" log --operators "$work/operators.sock" --format ndjson "$@" 2>"$work/err"; }
agents() { jq -r '.agent // empty' | tr '\n' ' '; }
say() { post /v1/filter "{\"text\":\"$2\",\"agent\":\"$1\"}" >/dev/null; }

# Where it is: asked, or read in the configuration.
say a1 E2EBOMB0001
say a2 "$secret"
expect 'asked' 'a1 a2 ' "$(log --query type:decision | agents)"
expect 'a query' 'a1 ' "$(log --query action:block | agents)"
expect 'a rule among findings' 'a2 ' "$(log --query 'rule:test-key -agent:a1' | agents)"
expect 'options are terms' 'a2 ' "$(log --agent a2 --since 1h --query action:redact,block | agents)"
printf 'listen: 127.0.0.1:0\nlog: %s\n' "$work/logs/decisions.jsonl" >"$work/filterd.yaml"
expect 'the configuration' 'a1 a2 ' "$("$ctl" log --config "$work/filterd.yaml" --format ndjson --query type:decision | agents)"
expect 'who is asked says so' "{\"log\":\"$work/logs/decisions.jsonl\",\"state\":\"$work/state\"}" "$(operators /v1/record)"
expect 'a path without a slash' 'a1 a2 ' "$(program=$(realpath "$ctl"); cd "$work" && "$program" log --operators operators.sock --format ndjson --query type:decision | agents)"
"$ctl" log --operators "$work/none.sock" >/dev/null 2>"$work/err"; expect 'nobody answers' 2 $?

# A query that is wrong names its column.
log --query 'action:stop' >/dev/null; expect 'exit code' 2 $?
expect 'the column' 1 "$(grep -c 'query: column 8: one of allow|redact|block expected' "$work/err")"

# For people: what is aligned, and no control character.
row=$("$ctl" log --operators "$work/operators.sock" --query action:redact)
expect 'a row' 1 "$(printf '%s' "$row" | grep -Ec '^ +[0-9]+  20[0-9T:-]+Z  redact    test-key +a2 +0 +0\.90$')"
expect 'colours only when asked for' 1 "$("$ctl" log --operators "$work/operators.sock" --color always --query action:redact | grep -c "$(printf '\033')")"

# Followed, over a rotation: nothing is missed, nothing comes twice.
"$ctl" log --operators "$work/operators.sock" --format ndjson -f --query type:decision >"$work/followed" 2>"$work/err" & # not log: kill ends what it started
follower=$!
await() { for _ in $(seq 1200); do [ "$(agents <"$work/followed")" = "$1" ] && return; sleep 0.05; done; }
await 'a1 a2 '
say a3 E2EBOMB0001
await 'a1 a2 a3 '
expect 'as they come' 'a1 a2 a3 ' "$(agents <"$work/followed")"
mv "$work/logs/decisions.jsonl" "$work/logs/decisions-old.jsonl"
say a4 E2EBOMB0001
kill -HUP "$pid"
for _ in $(seq 1200); do [ -s "$work/logs/decisions.jsonl" ] && break; say a5 hello; sleep 0.05; done
say a6 E2EBOMB0001
for _ in $(seq 1200); do grep -q a6 "$work/followed" && break; sleep 0.05; done
kill $follower 2>/dev/null; wait $follower 2>/dev/null
expect 'each line once' "$(jq -r .seq "$work/followed" | sort -nu | tr '\n' ' ')" "$(jq -r .seq "$work/followed" | tr '\n' ' ')"
expect 'none is missed' "$(cat "$work/logs/decisions-old.jsonl" "$work/logs/decisions.jsonl" | jq -r 'select(.type == "decision") | .seq' | tr '\n' ' ')" \
    "$(jq -r .seq "$work/followed" | tr '\n' ' ')"
expect 'without following: closed files first' "$(cat "$work/logs/decisions-old.jsonl" "$work/logs/decisions.jsonl" | jq -r .seq | tr '\n' ' ')" \
    "$(log | jq -r .seq | tr '\n' ' ')"
expect 'numbers are looked for' '3 4 ' "$(log --query seq:3..4 | jq -r .seq | tr '\n' ' ')"
"$ctl" log -f --format json "$work/logs/decisions.jsonl" 2>"$work/err"; expect 'an array has an end' 2 $?
stop
finish
