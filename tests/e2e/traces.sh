#!/bin/sh
# Trace Context: a trace goes from the caller to the upstream and into the record; a malformed header begins another one. Times of
# sampled traces reach a receiver of OTLP as spans.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
. "$(dirname "$0")/ship.inc"
trap 'stop_upstreams; end_all' EXIT
upstream
echo "upstreams: {ai: {protocol: openai, url: 'http://127.0.0.1:$port'}}" >"$upstreams"
start --upstreams="$upstreams" --spans=on
id=0af7651916cd43dd8448eb211c80319c parent=b7ad6b7169203331

# seen HEADER: its values in the last request that the upstream got, a line each.
seen() { seen_by_upstream | tail -1 | jq -r --arg h "$1" '.headers[] | select((.[0] | ascii_downcase) == $h) | .[1]'; }
last_record() { records | jq -c 'select(.type == "decision")' | tail -1; }

# Not sampled: as it came.
ask_whole m hello -H "traceparent: 00-$id-$parent-00" -H 'tracestate: rojo=1' -H 'TraceState: congo=2' >/dev/null
expect 'passed on' "00-$id-$parent-00" "$(seen traceparent)"
expect 'tracestate' 'rojo=1,congo=2' "$(seen tracestate)"
expect 'on record' "$id $parent null" "$(last_record | jq -r '"\(.trace_id) \(.span_id) \(.span)"')"

# Sampled: our span is the parent of the upstream's.
ask m hello -H "traceparent: 00-$id-$parent-01" -H 'tracestate: rojo=1' >/dev/null
for _ in $(seq 1200); do [ "$(last_record | jq -r .phase)" = final ] && break; sleep 0.05; done
span=$(last_record | jq -r .span_id)
expect 'our span' "00-$id-$span-01" "$(seen traceparent)"
expect 'a span of its own' 1 "$([ "$span" != "$parent" ] && [ ${#span} -eq 16 ] && echo 1)"
expect 'tracestate of a sampled one' 'rojo=1' "$(seen tracestate)"
expect 'its parent' "$id $parent" "$(last_record | jq -r '"\(.trace_id) \(.parent_span_id)"')"
expect 'its parts' 'receive upstream hold' "$(last_record | jq -r '[.span.parts[].name | select(. != "deliver")] | join(" ")')"
expect 'both records' "open final" "$(records | jq -r --arg s "$span" 'select(.span_id == $s) | .phase' | xargs)"

# Malformed, repeated, without: another trace, none of the caller's state.
for bad in "00-$id-0000000000000000-01" "00-$id-$parent-01-more" 'E2EKEY' "ff-$id-$parent-01"; do
    ask_whole m hello -H "traceparent: $bad" -H 'tracestate: rojo=1' >/dev/null
    expect "$bad: another trace" 1 "$(seen traceparent | grep -v "$id" | grep -cE '^00-[0-9a-f]{32}-[0-9a-f]{16}-02$')"
    expect "$bad: no state" '' "$(seen tracestate)"
    expect "$bad: the record has it" "$(seen traceparent | cut -d- -f2)" "$(last_record | jq -r .trace_id)"
done
ask_whole m hello -H "traceparent: 00-$id-$parent-01" -H "traceparent: 00-$id-$parent-01" >/dev/null
expect 'two of them' 0 "$(seen traceparent | grep -c "$id")"
ask_whole m hello -H "traceparent: 00-$id-$parent-01" -H 'tracestate: rojo=1,rojo=2' >/dev/null
expect 'a malformed state is dropped, the trace is not' "$id-" "$(seen traceparent | grep -o "$id-")$(seen tracestate)"
ask_whole m hello -H 'tracestate: rojo=1' >/dev/null
expect 'without a trace' ' null' "$(seen traceparent) $(seen tracestate)$(last_record | jq -r .trace_id)"

# Verdicts of the API.
post /v1/filter '{"text":"E2EBOMB0001"}' -H "traceparent: 00-$id-$parent-01" >"$work/answer"
expect 'no header comes back' 0 "$(post /v1/filter '{"text":"hello"}' -H "traceparent: 00-$id-$parent-01" -i | grep -ci trace)"
expect 'a verdict has its stages' 1 "$(records | jq -c 'select(.rule == "test-bomb") | [.span.parts[].name]' |
    grep -c '^\["receive","judge","views","scan","confirm"')"
printf '{"text":"one"}\n{"text":"two"}\n' | curl -sS -H "$ndjson" -H "traceparent: 00-$id-$parent-01" --data-binary @- "$url/v1/filter/batch" >/dev/null
expect 'lines of a batch' "$id $parent null" "$(last_record | jq -r '"\(.trace_id) \(.span_id) \(.span)"')"
post /v1/streams '{}' -H "traceparent: 00-$id-$parent-01" >/dev/null
expect 'a stream' "$id $parent null" "$(last_record | jq -r '"\(.trace_id) \(.span_id) \(.span)"')"
indexed
expect 'found by the trace' "$(records | grep -c "$id")" "$(operators "/v1/records?query=trace:$id&limit=100" | jq '.records | length')"
stop
expect 'ended' 0 "$status"

# Spans reach a collector, and lines without a span are skipped.
start_receiver http 0 "$work/got"
cat >"$work/ship.yaml" <<YAML
{log: $work/state/decisions.jsonl, state: $work/ship, metrics: $work/ship.prom,
 sinks: {traces: {format: otlp-traces, url: 'http://127.0.0.1:$port/v1/traces'}}}
YAML
start_ship
has_spans() { [ -f "$work/got" ] && [ "$(wc -l <"$work/got")" -ge "$n_spans" ]; }
n_spans=$(records | jq -s '[.[] | select(.span) | 1 + (.span.parts | length)] | add')
wait_until 'all spans' has_spans
stop_ship
expect 'spans' "$n_spans" "$(wc -l <"$work/got")"
expect 'their traces' "$(records | jq -r 'select(.span) | .trace_id' | sort -u)" "$(jq -r .traceId "$work/got" | sort -u)"
expect 'each parent is a span or the caller' '' "$(jq -r .spanId "$work/got" | sort -u >"$work/ids"
    jq -r .parentSpanId "$work/got" | grep -v "$parent" | sort -u | comm -23 - "$work/ids")"
expect 'no content' 0 "$(grep -c -e hello -e E2EBOMB "$work/got")"

# Off by default, and a rate begins traces.
start --upstreams="$upstreams" --trace-rate=1000000
ask_whole m hello >/dev/null
expect 'begun here' 1 "$(seen traceparent | grep -cE '^00-[0-9a-f]{32}-[0-9a-f]{16}-03$')"
expect 'spans are off' null "$(last_record | jq -r .span)"
stop
finish
