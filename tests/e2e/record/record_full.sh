#!/bin/sh
# A disk that becomes full under load: what was delivered has its line, also what nobody waited for; the log, /readyz and the metrics
# say what cannot be written; when there is room again everything goes on, and the record is what was signed.
. "$(dirname "$0")/../service.inc"
[ "${2:-}" = inside ] || {
    unshare -m true 2>/dev/null || { echo 'skip: no file system can be mounted'; exit 0; }
    unshare -m sh "$0" "$bin" inside
    exit
}
mkdir "$work/state"
mount -t tmpfs -o size=16m,mode=700 none "$work/state"
trap 'umount -l "$work/state" 2>/dev/null; cleanup' EXIT
cat >>"$rules/policy.yaml" <<'POLICY'
violations: {weights: {secret: 1, injection: 1, block: 1}, half_life: 10m, actions: [{at: 1000000, do: alert}]}
POLICY
fill() { dd if=/dev/zero of="$work/state/fill" bs=4096 2>/dev/null; }
readiness() { curl -s "$url/readyz"; }
# A disk that is nearly full may fail and work several times in a round.
said() { [ "$(grep -c "$2" "$work/log")" -ge "$1" ] && echo yes; } # said TIMES PATTERN

start
# Each prints the ids of what it delivered; the allowed ones, for whose lines nobody waits, are most.
for body in '{"text":"hello"}' '{"text":"hello","agent":"one"}' '{"text":"'"$secret"'","agent":"two"}'; do
    while [ ! -e "$work/enough" ]; do
        post /v1/filter "$body" | jq -r 'select(.rule != "filterd.unjudged") | .id'
    done >>"$work/delivered" &
    load="${load:-} $!"
done
for round in 1 2; do
    await 'it delivers' '{"status":"ready"}' readiness
    before=$(wc -l <"$work/delivered")
    more() { [ "$(wc -l <"$work/delivered")" -gt $((before + 30)) ] && echo yes; }
    await 'more is delivered' yes more
    fill
    cannot() { readiness | jq -r .detail; }
    await 'not ready, and why' 'not ready: the record cannot be written or signed' cannot
    expect 'a metric says it' 0 "$(metric filterd_record_healthy)"
    await 'the log names the file' yes said "$round" "error record: .*$work/state/decisions.jsonl: .*No space left on device"
    await 'the ledger names its file' yes said "$round" "error ledger: $work/state/agents.db cannot be written"
    rm "$work/state/fill"
done
await 'ready again' '{"status":"ready"}' readiness
await 'it says so' yes said 2 'info record: lines are written again'
await 'the ledger, too' yes said 2 'info ledger: .*agents.db is written again'
: >"$work/enough"
wait $load
indexed
checkpointed
stop
sort "$work/delivered" >"$work/given"
jq -r 'select(.type == "decision") | .req_id' "$work/state/decisions.jsonl" | sort >"$work/recorded"
expect 'everything that was delivered is on record' '' "$(comm -23 "$work/given" "$work/recorded" | head -3)"
expect 'nothing is twice' '' "$(uniq -d "$work/recorded" | head -3)"
expect 'numbered without a gap' 0 "$(jq -r .seq "$work/state/decisions.jsonl" | awk 'NR > 1 && $1 != p + 1 {bad++} {p = $1} END {print bad + 0}')"
expect 'it says that lines were lost' true "$(jq -s 'any(.[]; .type == "loss")' "$work/state/decisions.jsonl")"
"$bin/filterctl" record verify "$work/state" >"$work/verified" 2>&1
expect 'as it was signed' 0 $?
cp -r "$work/state" "$work/kept" # for the look at every line at the end
finish
