#!/bin/sh
# Readers of the log while its files are rotated, compressed and removed: each has the lines or says that they were removed;
# none has half a line, a gap that it does not say, or raises an alarm. FILTERD_RACES is the number of rounds.
. "$(dirname "$0")/../service.inc"
record=$work/state/decisions.jsonl rounds=${FILTERD_RACES:-12}
tool() { command=$1; shift; "$bin/filterctl" record "$command" "$@"; }
say() { post /v1/filter "{\"text\":\"one $secret\",\"agent\":\"$1\"}" >/dev/null; }
rotate() { # rotate NAME: as logrotate does
    mv "$record" "$work/state/$1"; kill -HUP "$pid"
    for _ in $(seq 1200); do [ -s "$record" ] && return; say after; sleep 0.05; done
}
goes_on() { [ ! -e "$work/over" ]; }
failed() { echo "$*" >>"$work/failed"; }
# Numbers, one a line, without a gap; "none" is fine.
gapless() { awk 'NR > 1 && $1 != last + 1 { bad = 1 } { last = $1 } END { exit bad }'; }

move() {
    for i in $(seq "$rounds"); do
        for agent in anna ben carl; do say $agent; done
        rotate "decisions.jsonl-$i"
        sleep 0.3
        tool close --operators "$work/operators.sock" >>"$work/moved" 2>&1 || failed "close: $(tail -1 "$work/moved")"
        tool prune --operators "$work/operators.sock" --log "$record" >>"$work/moved" 2>&1 || failed "prune: $(tail -1 "$work/moved")"
    done
    : >"$work/over"
}
read_verify() {
    while goes_on; do
        tool verify "$work/state" >"$work/verify" 2>&1 || failed "verify: $? $(cat "$work/verify")"
    done
}
read_log() {
    while goes_on; do
        "$bin/filterctl" log --operators "$work/operators.sock" --format ndjson >"$work/lines" 2>"$work/lines.err" ||
            grep -q 'it was removed' "$work/lines.err" || failed "log: $? $(cat "$work/lines.err")"
        jq .seq "$work/lines" >"$work/seqs" 2>"$work/lines.err" || failed "log: $(cat "$work/lines.err")"
        gapless <"$work/seqs" || failed "log: a gap: $(tr '\n' ' ' <"$work/seqs")"
    done
}
read_export() {
    while goes_on; do
        last=$(tail -n 1 "$record" 2>/dev/null | jq .seq 2>/dev/null); last=${last:-9}
        rm -f "$work/bundle"
        if tool export --operators "$work/operators.sock" --keys "$work/state" --range "$((last > 9 ? last - 8 : 1))..$((last > 9 ? last - 4 : 1))" \
            --out "$work/bundle" >"$work/export" 2>&1; then
            "$bin/filterctl" record verify-bundle "$work/bundle" >"$work/export" 2>&1 || failed "bundle: $(cat "$work/export")"
        elif ! grep -q 'removed\|checkpoint' "$work/export"; then
            failed "export: $(cat "$work/export")"
        fi
    done
}
get() { curl -sS --max-time 30 -o "$work/$1" -w '%{http_code}' --unix-socket "$work/operators.sock" "http://o$2"; }
read_index() {
    while goes_on; do
        status=$(get page '/v1/records?limit=40')
        case $status in
        200) jq '.records[].seq' "$work/page" | tac | gapless || failed "records: a gap: $(jq -c '[.records[].seq]' "$work/page")" ;;
        404 | 503) ;;
        *) failed "records: $status $(cat "$work/page")" ;;
        esac
        seq=$(jq '.records[-1].seq' "$work/page" 2>/dev/null)
        status=$(get one "/v1/records/${seq:-1}")
        case $status in
        200) [ "$(jq .seq "$work/one")" = "${seq:-1}" ] || failed "record $seq: $(cut -c1-80 "$work/one")" ;;
        404 | 410 | 503) ;;
        *) failed "record $seq: $status $(cat "$work/one")" ;;
        esac
    done
}

: >"$work/failed"
start --keep=2s
say anna; checkpointed
"$bin/filterctl" log -f --operators "$work/operators.sock" --format ndjson >"$work/followed" 2>"$work/followed.err" & follower=$!
readers=
for reader in read_verify read_log read_export read_index; do $reader & readers="$readers $!"; done
move
wait $readers
say last
follows() { [ "$(tail -n 1 "$work/followed" | jq .seq)" = "$(tail -n 1 "$record" | jq .seq)" ] && echo yes; }
await 'followed: to the last line' yes follows
checkpointed
kill $follower; wait $follower 2>/dev/null
expect 'readers' '' "$(sort "$work/failed" | uniq -c | head -20)"
expect 'files were compressed and removed' true "$(grep -q '^closed 1' "$work/moved" && grep -q '^removed 1 file' "$work/moved" && echo true)"
expect 'followed: no gap' 0 "$(jq .seq "$work/followed" | gapless; echo $?)"
expect 'verified at the end' 0 "$(tool verify "$work/state" >/dev/null 2>&1; echo $?)"
stop
finish
