#!/bin/sh
# The runner that scores an endpoint on labelled texts (bench/bench_supervisor): on one whose verdicts are known.
. "$(dirname "$0")/supervisor.inc"
runner=$(dirname "$bin")/bench/bench_supervisor
[ -x "$runner" ] || { echo "skip: bench/bench_supervisor is not built"; exit 0; }
start_endpoint
begin_supervisors
add_supervisor scripted honest
{
    for i in 1 2 3; do echo "{\"text\":\"EVIL-harm number $i\",\"label\":\"harm\"}"; done
    echo '{"text":"nothing that it sees","label":"harm"}'
    echo '{"text":"EVIL-hate for hate","label":"hate"}'
    echo '{"text":"EVIL-pii taken for another","label":"secret"}'
    for i in 1 2 3; do echo "{\"text\":\"harmless $i\",\"label\":\"none\"}"; done
    echo '{"text":"EVIL-sexual by mistake","label":"none"}'
} >"$work/texts.jsonl"
"$runner" "$supervisors" "$work/texts.jsonl" 2 8 >"$work/figures"
figure() { jq -r "select(.name == \"supervisor.$1\") | .value" "$work/figures"; }
expect 'answered' 1 "$(figure answered)"
expect 'accuracy: 8 of 10' 0.8 "$(figure accuracy)"
expect 'false blocks: 1 of 4' 0.25 "$(figure false_block_rate)"
expect 'recall of harm: 3 of 4' 0.75 "$(figure recall.harm)"
expect 'recall and accuracy differ' '1 0' "$(figure recall.secret) $(figure accuracy.secret)"
expect 'tokens' '9000 400' "$(figure tokens_in) $(figure tokens_out)"
expect 'cost of a thousand' 2.12 "$(figure cost_per_thousand)"
expect 'latency' yes "$([ -n "$(figure latency.p99)" ] && echo yes)"

begin_supervisors 'retries: 0'
add_supervisor scripted schema
"$runner" "$supervisors" "$work/texts.jsonl" >"$work/figures"
expect 'failures are told apart' '0 10' "$(figure answered) $(figure failures.shape)"
echo '{"text":"x","label":"odd"}' >"$work/texts.jsonl"
"$runner" "$supervisors" "$work/texts.jsonl" >/dev/null 2>"$work/err"
expect 'a line that is wrong' '1 yes' "$? $(grep -q 'texts.jsonl:1: ' "$work/err" && echo yes)"
finish
