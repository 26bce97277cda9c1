#!/bin/sh
# Everything that reads the decision log reads it plain, by gzip and by zstd; record close names and compresses the files.
. "$(dirname "$0")/../service.inc"
record=$work/state/decisions.jsonl
tool() { command=$1; shift; "$bin/filterctl" record "$command" "$@"; }
say() { post /v1/filter "{\"text\":\"one $secret\",\"agent\":\"$1\"}" >/dev/null; }
rotate() { # rotate NAME: as logrotate does
    mv "$record" "$work/state/$1"; kill -HUP "$pid"
    for _ in $(seq 1200); do [ -s "$record" ] && return; say after; sleep 0.05; done
}
names() { (cd "$work/state" && echo decisions*); }
all() { "$bin/filterctl" log --operators "$work/operators.sock" --format ndjson; }
# How the log is read by all, whatever form its files have.
expect_read() { # expect_read WHAT
    checkpointed
    all >"$work/now"
    expect "$1: log" "$(wc -l <"$work/now") gapless" "$(jq .seq "$work/now" | awk '$1 != NR { bad = 1 } END { print NR, bad ? "gap" : "gapless" }')"
    expect "$1: the lines of before" '' "$(head -n "$(wc -l <"$work/lines")" "$work/now" | diff - "$work/lines")"
    expect "$1: verify" 0 "$(tool verify "$work/state" >"$work/out" 2>&1; echo $?)"
    for seq in 1 "$gz" "$zst" "$last"; do
        expect "$1: prove $seq" "$(sed -n "${seq}p" "$work/lines")" \
            "$(tool prove "$seq" "$work/state" | sed -n 's/^extra //p' | base64 -d)"
        expect "$1: the service proves $seq" 200 "$(curl -sS -o /dev/null -w '%{http_code}' --unix-socket "$work/operators.sock" "http://o/v1/records/$seq/proof")"
    done
    rm -f "$work/bundle"
    expect "$1: export" 0 "$(tool export --operators "$work/operators.sock" --keys "$work/state" --range "1..$last" --out "$work/bundle" >"$work/out" 2>&1; echo $?)"
    expect "$1: its lines" '' "$(tar -xOf "$work/bundle" records.jsonl | head -n "$last" | diff - "$work/lines")"
    ship
    expect "$1: ship" '' "$(head -n "$last" "$work/copy" | diff - "$work/lines")"
}
ship() { # ship: a sink from the first line on
    rm -rf "$work/copy" "$work/ship"; mkdir "$work/ship"
    printf 'sinks: {siem: {format: record, file: %s}}\nlog: %s\nstate: %s\n' "$work/copy" "$record" "$work/ship" >"$work/ship.yaml"
    "$bin/filterd-ship" --config "$work/ship.yaml" 2>"$work/ship.log" &
    ship_pid=$!
    for _ in $(seq 600); do [ "$(cat "$work/copy" 2>/dev/null | wc -l)" -ge "$last" ] && break; sleep 0.1; done
    kill $ship_pid; wait $ship_pid
}

start
say anna; say ben; rotate decisions.jsonl-20261121
gz=$(head -1 "$record" | jq .seq); say anna; rotate decisions.jsonl-20261122
zst=$(head -1 "$record" | jq .seq); say carl; rotate decisions.jsonl-20261123
plain=$(head -1 "$record" | jq .seq); say anna; rotate decisions.jsonl.1
last=$(head -1 "$record" | jq .seq)
all | head -n "$last" >"$work/lines"
expect 'lines before' "$last" "$(wc -l <"$work/lines")"
gzip "$work/state/decisions.jsonl-20261122"
if command -v zstd >/dev/null; then zstd -q --rm "$work/state/decisions.jsonl-20261123"; fi
expect_read 'as they were rotated'

expect 'close' 'closed 4 files' "$(tool close --operators "$work/operators.sock")"
expect 'names' "$(printf 'decisions-%08d.jsonl.%s ' 1 zst "$gz" gz "$zst" zst "$plain" zst)decisions.jsonl" "$(names)"
expect 'nothing more' 'closed 0 files' "$(tool close --log "$record")"
expect_read closed

# A hold sees lines in compressed files, and removal takes them.
"$bin/filterctl" record hold case-1 --operators "$work/operators.sock" --filter agent:carl
stop
start --keep=1s
sleep 1.2 # the lines are due
checkpointed
"$bin/filterctl" record prune --operators "$work/operators.sock" --log "$record" >"$work/out"
expect 'removed' "removed 2 files, to line $((zst - 1))" "$(sed -n 2p "$work/out")"
expect 'held' 1 "$(grep -c "jsonl.zst: hold case-1" "$work/out")"
expect 'their names on record' "[\"decisions-00000001.jsonl.zst\"] [\"decisions-$(printf %08d "$gz").jsonl.gz\"] " "$(jq -c 'select(.type == "prune") | .files' "$record" | tr '\n' ' ')"
say anna; checkpointed
expect 'verified' 0 "$(tool verify "$work/state" >/dev/null 2>&1; echo $?)"
stop
expect 'no log, nothing to close' 2 "$(tool close --log "$work/none/decisions.jsonl" >/dev/null 2>&1; echo $?)"
finish
