#!/bin/sh
# Second looks: the answer does not wait; the verdict is recorded, counted and posted.
. "$(dirname "$0")/supervisor.inc"
start_endpoint
supervised 'when: always' 'later: true' 'deadline: 5s'
cat >>"$rules/policy.yaml" <<'POLICY'
violations:
  weights: {content: 10, block: 5}
  half_life: 400d
  actions: [{at: 1000, do: alert}]
POLICY
begin_supervisors "webhook: {url: 'http://127.0.0.1:$port/hook'}"
add_supervisor scripted steady
start --supervisors="$supervisors"

looks() { records | jq -c 'select(.type == "second-look") | [.agent, .action, .rule, .supervisor.outcome, .supervisor.verdict]'; }
# Waits until there are so many; at most twenty seconds.
await_looks() {
    for _ in $(seq 1200); do
        [ "$(looks | wc -l)" -ge "$1" ] && return
        sleep 0.05
    done
}
answer=$(post /v1/filter '{"text":"Some EVIL-harm, already said.","agent":"talker"}')
expect_json 'the answer does not wait' '[.action,.text,.supervisor]' '["allow","Some EVIL-harm, already said.",null]' "$answer"
id=$(printf '%s' "$answer" | jq -r .id)
await_looks 1
expect 'the verdict is on record' '["talker","block","supervisor.harm","answered","violation"]' "$(looks)"
expect 'under the same id' "$id" "$(records | jq -r 'select(.type == "second-look") | .req_id')"
post /v1/filter '{"text":"Nothing special.","agent":"talker"}' >/dev/null
await_looks 2
expect 'no violation' '["talker","allow",null,"answered","ok"]' "$(looks | tail -1)"
post /v1/filter '{"text":"E2EBOMB0001"}' >/dev/null
for _ in $(seq 1200); do [ "$(counted '.counts.hook | length')" -ge 2 ] && break; sleep 0.05; done
expect 'the webhook was told' "[\"second-look\",\"$id\",\"talker\",\"block\",\"supervisor.harm\",\"answered\"]" \
    "$(counted '.counts.hook[0] | [.type,.id,.agent,.action,.rule,.outcome] | tojson')"
expect 'what was said is not in it' '' "$(counted '.counts.hook' | grep -i evil)"
expect 'the agent is charged' true "$(post /v1/filter '{"text":"x","agent":"talker"}' | jq '.agent.violations >= 10')"
expect 'metrics count' '1 yes' "$(operators /metrics | awk '/^filterd_supervisor_violations_total/ { v = $2 } /^filterd_supervisor_notices_total/ { n = $2 } END { print v, (n >= 2 ? "yes" : n) }')"
stop
expect 'a block has no second look' 3 "$(looks | wc -l)"

# A sample: about so many of those that nobody was asked about, chosen by their ids.
supervised 'sample: 0.5' 'deadline: 5s'
begin_supervisors
add_supervisor scripted honest
rm -rf "$work/state"
start --supervisors="$supervisors"
for i in $(seq 60); do echo "{\"text\":\"text $i\"}"; done >"$work/batch"
curl -sS -H "$ndjson" --data-binary @"$work/batch" "$url/v1/filter/batch" >/dev/null
stop
n=$(looks | wc -l)
expect 'a sample of a half' yes "$([ "$n" -ge 12 ] && [ "$n" -le 48 ] && echo yes || echo "$n")"
expect 'each is answered or stopped' "$n" "$(looks | grep -cE '"(answered|stopped)"')"
finish
