#!/bin/sh
# Sixty-four at once: the same question is asked once, answers are kept, budgets hold, the breaker opens and closes.
. "$(dirname "$0")/supervisor.inc"
start_endpoint
supervised 'when: always' 'deadline: 8s'

# many N BODY…: posts bodies $work/body-1 … N at once; $work/answers has one answer a line.
many() {
    for i in $(seq "$1"); do
        printf 'url = "%s/v1/filter"\nheader = "%s"\ndata-binary = "@%s"\noutput = "%s"\nnext\n' \
            "$url" "$json" "$work/body-$i" "$work/answer-$i"
    done | sed '$d' >"$work/curl"
    rm -f "$work"/answer-*
    curl -sS --no-progress-meter --max-time 60 --parallel --parallel-immediate --parallel-max 64 -K "$work/curl"
    for i in $(seq "$1"); do cat "$work/answer-$i"; echo; done >"$work/answers"
}
summary() { jq -r '[.action, .rule, .supervisor.outcome] | join(" ")' "$work/answers" | sort | uniq -c | sed 's/^ *//'; }

# One text, sixty-four times: one question is asked, and later none.
begin_supervisors
add_supervisor scripted steady
start --supervisors="$supervisors"
for i in $(seq 64); do printf '{"text":"The one text about EVIL-harm."}' >"$work/body-$i"; done
many 64
expect 'the same at once' '64 block supervisor.harm answered' "$(summary)"
expect 'it is asked once' 1 "$(counted '.counts.steady')"
many 64
expect 'it is kept' 1 "$(counted '.counts.steady')"
# What an answer depends on: another policy asks again.
expect 'another text is asked about' allow "$(post /v1/filter '{"text":"Another text."}' | jq -r .action)"
expect 'once' 2 "$(counted '.counts.steady')"
stop
expect 'records say which were kept' '128 64' \
    "$(records | jq -s -r '[.[] | select(.supervisor.category == "harm")] | "\(length) \(map(select(.supervisor.cached)) | length)"')"

# Sixty-four texts: never more at once than the endpoint has places.
forget
begin_supervisors
add_supervisor scripted steady 'concurrency: 6'
start --supervisors="$supervisors"
for i in $(seq 64); do printf '{"text":"Text number %s, EVIL-hate."}' "$i" >"$work/body-$i"; done
many 64
expect 'all are answered' '64 block supervisor.hate answered' "$(summary)"
expect 'each is asked once' 64 "$(counted '.counts.steady')"
expect 'places' 6 "$(counted '.most.steady')"
stop

# A bounded queue: what is too many fails at once.
forget
begin_supervisors 'queue: 10'
add_supervisor scripted steady 'concurrency: 2'
start --supervisors="$supervisors"
many 64
expect 'the queue is bounded' yes "$(summary | awk '/overloaded/ { n = $1 } END { if (n >= 40 && n <= 54) print "yes"; else print n }')"
stop

# Tokens: half a minute's worth is granted, the rest waits until the deadline and fails.
forget
supervised 'when: always' 'deadline: 1s'
begin_supervisors
add_supervisor scripted honest 'tokens_per_minute: 20000' 'answer_tokens: 512'
start --supervisors="$supervisors"
many 32
expect 'tokens are bounded' yes "$(counted '.counts.honest' | awk '{ if ($1 >= 5 && $1 <= 16) print "yes"; else print $1 }')"
expect 'the rest is overloaded' yes "$(summary | grep -q overloaded && echo yes)"
stop

# The breaker: after five failures nobody is asked for a second, so most of 64 are not.
forget
begin_supervisors 'retries: 0'
add_supervisor scripted error 'concurrency: 4'
start --supervisors="$supervisors"
for i in $(seq 64); do printf '{"text":"Text %s."}' "$i" >"$work/body-$i"; done
many 64
asked=$(counted '.counts.error')
expect 'an endpoint that fails is left alone' yes "$([ "$asked" -ge 5 ] && [ "$asked" -le 16 ] && echo yes || echo "$asked")"
expect 'the others fail at once' "$asked $((64 - asked))" \
    "$(jq -r .supervisor.outcome "$work/answers" | awk '$1 == "broken" { b++ } $1 == "unavailable" { u++ } END { print b, u }')"
stop

# With a second endpoint nobody notices; the first is asked again when it may work.
forget
begin_supervisors
add_supervisor broken error
add_supervisor works honest
start --supervisors="$supervisors"
many 64
expect 'the second answers' '64 allow  answered' "$(summary)"
expect 'the first is left alone' yes "$([ "$(counted '.counts.error')" -le 16 ] && echo yes)"
sleep 1.2
before=$(counted '.counts.error')
for i in 1 2 3; do post /v1/filter "{\"text\":\"Later text $i.\"}" >/dev/null; done
expect 'one finds out' $((before + 1)) "$(counted '.counts.error')"
stop

# Retry-After is kept: nobody asks again.
forget
begin_supervisors 'retries: 0'
add_supervisor scripted paused
start --supervisors="$supervisors"
expect 'busy' busy "$(post /v1/filter '{"text":"a"}' | jq -r .supervisor.outcome)"
sleep 1.2
expect 'paused' unavailable "$(post /v1/filter '{"text":"b"}' | jq -r .supervisor.outcome)"
expect 'asked once' 1 "$(counted '.counts.paused')"
stop

# Hedging: the second answers for the first, which takes its time.
forget
supervised 'when: always' 'deadline: 8s'
begin_supervisors 'hedge_ms: 100'
add_supervisor slow late
add_supervisor fast honest
start --supervisors="$supervisors"
expect 'hedged' 'answered fast' "$(post /v1/filter '{"text":"EVIL-pii"}' | jq -r .supervisor.outcome) $(records | tail -1 | jq -r .supervisor.endpoint)"
expect 'both were asked' '1 1' "$(counted '"\(.counts.late) \(.counts.honest)"')"
stop

# One that was talked round is not asked again, nor is anybody else.
forget
begin_supervisors 'retries: 3'
add_supervisor first echo
add_supervisor second honest
start --supervisors="$supervisors"
expect 'an echo is final' 'block echo' "$(post /v1/filter '{"text":"EVIL-pii"}' | jq -r '"\(.action) \(.supervisor.outcome)"')"
expect 'no second chance' null "$(counted '.counts.honest')"
stop
finish
