#!/bin/sh
# kill -9 while requests run, again and again: no answered block or redaction without its line, and every log verifies.
# FILTERD_KILLS says how often (15).
. "$(dirname "$0")/../service.inc"
kills=${FILTERD_KILLS:-15}
: >"$work/answered"
for round in $(seq "$kills"); do
    start
    load=''
    for i in 1 2 3; do
        (while post /v1/filter "{\"text\":\"$([ $i = 1 ] && echo "$secret" || echo E2EBOMB0001)\"}" 2>/dev/null; do :; done |
            jq -r 'select(.action != "allow" and .rule != "filterd.unjudged") | .id' 2>/dev/null >>"$work/ids.$i") &
        load="$load $!"
    done
    # Around the moment of a checkpoint, too, which comes a second after the first line.
    sleep "$(awk -v n="$round" 'BEGIN {srand(n); printf "%.2f", 0.1 + (n % 3 == 0 ? 0.95 : 0.3) * rand()}')"
    # Some rotate just before.
    if [ $((round % 4)) = 0 ]; then
        mv "$work/state/decisions.jsonl" "$work/state/older.$round"
        kill -HUP "$pid"
    fi
    stop KILL
    wait $load
done 2>/dev/null
# The signer of the one that was killed may live a moment longer.
flock "$work/state/signed" sleep 1 &
held=$!
start
wait $held
post /v1/filter '{"text":"hello"}' >/dev/null
stop
expect 'it verifies' 0 "$("$bin/filterctl" record verify "$work/state" >"$work/verified" 2>&1; echo $?)"
expect 'what it says' '' "$(grep -v 'are what was signed\|^key:' "$work/verified")"
cat "$work"/ids.* | sort >"$work/answered"
expect 'some were answered' 1 "$([ "$(wc -l <"$work/answered")" -gt "$kills" ] && echo 1)"
cat "$work/state/decisions.jsonl" "$work"/state/older.* 2>/dev/null | jq -r 'select(.type == "decision") | .req_id' |
    sort >"$work/recorded"
expect 'every answered block is recorded' '' "$(comm -23 "$work/answered" "$work/recorded" | head -3)"
finish
