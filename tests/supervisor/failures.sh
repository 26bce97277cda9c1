#!/bin/sh
# Whatever the supervisor does, the answer is the policy's on_failure, and on record. That it comes in time is what
# bench/supervisor measures: here a supervisor that hangs would make the test fail by curl's own timeout.
. "$(dirname "$0")/supervisor.inc"
start_endpoint

# One policy asks and blocks, one asks and goes without.
policies() { # policies DEADLINE
    supervised 'when: always' "deadline: $1" 'on_failure: block'
    sed 's/^  default:/  lenient:/; s/on_failure: block/on_failure: allow/' "$rules/policy.yaml" |
        sed -n '/^  lenient:/,/^  strict:/p' | sed '$d' >"$work/lenient"
    sed -i "/^policies:/r $work/lenient" "$rules/policy.yaml"
}

# ask TEXT [POLICY]: sets answer.
ask() {
    answer=$(post /v1/filter "{\"text\":\"$1\",\"policy\":\"${2:-default}\"}" --max-time 60)
}

# The first three outlast a short deadline; the others answer within a long one on any machine.
policies 600ms
for case in hang:timeout late:timeout drip:timeout busy:busy error:broken denied:refused moved:refused broken:broken \
            half:shape cut:malformed prose:shape fenced:shape html:malformed schema:shape extra:shape \
            evidence:evidence echo:echo boundary:echo huge:too-large garbled:malformed empty:malformed; do
    model=${case%:*} outcome=${case#*:}
    [ "$model" != busy ] || policies 50s
    begin_supervisors 'retries: 0'
    add_supervisor scripted "$model"
    start --supervisors="$supervisors"
    ask "A text about EVIL-harm and more."
    expect_json "$model blocks" '[.action,.rule,.text,.supervisor.outcome,.coverage.judged]' \
        "[\"block\",\"filterd.unjudged\",null,\"$outcome\",0]" "$answer"
    ask "Another text, key $secret here." lenient
    expect_json "$model goes without" '[.action,.text,.supervisor.outcome]' \
        "[\"redact\",\"Another text, key [test-key] here.\",\"$outcome\"]" "$answer"
    stop
    expect_json "$model is on record" '[.[-2:][].supervisor|[.outcome,.on_failure,.endpoint,.model,.attempts,(.prompt|length)]]' \
        "[[\"$outcome\",\"block\",\"scripted\",\"$model\",1,71],[\"$outcome\",\"allow\",\"scripted\",\"$model\",1,71]]" \
        "$(records | grep '"type":"decision"' | jq -sc .)"
done

# Nobody there, and nobody set up.
begin_supervisors 'retries: 0'
printf '  gone:\n    url: http://127.0.0.1:1/v1\n    model: none\n' >>"$supervisors"
start --supervisors="$supervisors"
ask "A text."
expect_json 'nobody listens' '[.action,.supervisor.outcome]' '["block","unreachable"]' "$answer"
stop
start
ask "A text."
expect_json 'nobody is set up' '[.action,.supervisor.outcome]' '["block","not-asked"]' "$answer"
ask "A text." lenient
expect_json 'nobody is set up, lenient' '[.action,.supervisor.outcome]' '["allow","not-asked"]' "$answer"
stop

# It works: violations block, the rest passes, what the rules redact is not shown.
begin_supervisors 'retries: 0'
add_supervisor scripted honest
start --supervisors="$supervisors"
ask "A text about EVIL-harm and more."
expect_json 'a violation' '[.action,.rule,.text,.supervisor.outcome,.findings[0].bytes,.findings[0].category]' \
    '["block","supervisor.harm",null,"answered",[13,32],"content"]' "$answer"
ask "A text about nothing, key $secret."
expect_json 'no violation' '[.action,.text,.supervisor.verdict]' '["redact","A text about nothing, key [test-key].","ok"]' "$answer"
stop
expect_json 'the verdict is on record' '.[-2]|[.rule,.supervisor.verdict,.supervisor.category,.findings[0].source]' \
    '["supervisor.harm","violation","harm","supervisor"]' "$(records | grep '"type":"decision"' | jq -sc .)"
expect 'what the supervisor wrote is not on record' 0 "$(records | grep -c 'evil words')"
finish
