#!/bin/sh
# Upstreams over TLS: HTTP/2 and HTTP/1.1, many streams on one connection, certificates that are refused, streams and
# connections that are broken off in the middle.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"

# An authority of the tests, and certificates of it: authority NAME; certificate NAME AUTHORITY HOST [END].
# `openssl ca` takes a certificate's dates in every version; `x509 -req -days -1` is an error since OpenSSL 3.5.
curve='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
authority() {
    openssl req -x509 $curve -subj "/CN=$1" -days 2 -keyout "$work/$1.key" -out "$work/$1.pem" \
        -addext keyUsage=critical,keyCertSign 2>>"$work/openssl"
    : >"$work/$1.index"
    cat >"$work/$1.conf" <<CONF
[ca]
default_ca = this
[this]
database = $work/$1.index
new_certs_dir = $work
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
CONF
}
certificate() {
    echo "subjectAltName=DNS:$3" >"$work/extensions"
    openssl req $curve -subj "/CN=$3" -keyout "$work/$1.key" -out "$work/$1.csr" 2>>"$work/openssl" &&
        openssl ca -batch -notext -config "$work/$2.conf" -cert "$work/$2.pem" -keyfile "$work/$2.key" -in "$work/$1.csr" \
            -startdate 20200101000000Z -enddate "${4:-$(date -u -d '+2 days' +%Y%m%d%H%M%SZ)}" \
            -extfile "$work/extensions" -out "$work/$1.pem" 2>>"$work/openssl"
    expect "a certificate: $1" 0 $?
}
authority ours; authority theirs
certificate good ours localhost
certificate unknown theirs localhost
certificate other-name ours elsewhere.test
certificate expired ours localhost 20200102000000Z

node tests/support/upstream_h2.mjs "$work/seen-by-h2" "$work/good.pem" "$work/good.key" \
    "$work/unknown.pem" "$work/unknown.key" "$work/other-name.pem" "$work/other-name.key" \
    "$work/expired.pem" "$work/expired.key" >"$work/ports" 2>"$work/node" &
upstream_pids=$!
await 'the upstream listens' 1 sh -c "wc -l <$work/ports"
read -r good_port unknown_port name_port expired_port <"$work/ports"
upstream "$work/good.pem" "$work/good.key"; h1_port=$port
key=sk-CANARY-of-the-upstream-9f8e7d6c5b
printf '%s\n' "$key" >"$work/key"
common="credential: $work/key, ca: $work/ours.pem"
cat >"$upstreams" <<YAML
upstreams:
  ai: {protocol: openai, url: 'https://localhost:$good_port', $common}
  hard: {protocol: openai, url: 'https://localhost:$good_port', $common, block: hard}
  one: {protocol: openai, url: 'https://localhost:$h1_port', $common}
  no-h2: {protocol: openai, url: 'https://localhost:$h1_port', $common, http2: false}
  unknown: {protocol: openai, url: 'https://localhost:$unknown_port', $common}
  other-name: {protocol: openai, url: 'https://localhost:$name_port', $common}
  expired: {protocol: openai, url: 'https://localhost:$expired_port', $common}
  claude: {protocol: anthropic, url: 'https://localhost:$expired_port', $common}
  system: {protocol: openai, url: 'https://localhost:$good_port', credential: $work/key}
  only-h2: {protocol: openai, url: 'https://localhost:$good_port', $common, http2: false}
YAML
start --upstreams="$upstreams" --threads=2
last() { records | tail -1 | jq -c '[.phase, .end, .action]'; }

seen() { jq -c "select($1)" "$work/seen-by-h2"; }

# Many streams share a connection from the first on: all are open at the same time, as each waits for the others.
n=60
rm -f "$work"/gathered.*
for i in $(seq $n); do ask gather-$n "$i $secret," >"$work/gathered.$i" 2>&1 & gathering="${gathering:-} $!"; done
wait $gathering
for i in $(seq $n); do said <"$work/gathered.$i"; echo; done | sort -n >"$work/gathered"
expect 'each got its own' "$(for i in $(seq $n); do echo "$i [test-key], end"; done)" "$(cat "$work/gathered")"
expect 'on one connection for each thread' 2 "$(seen ".model == \"gather-$n\"" | jq .connection | sort -u | wc -l)"
expect 'a stream each' $n "$(seen ".model == \"gather-$n\"" | jq -c '[.connection, .stream]' | sort -u | wc -l)"
expect 'nobody made another' 2 "$(seen .target | jq .connection | sort -u | wc -l)"

# What passes over HTTP/1.1 passes over HTTP/2: streams and whole answers, redactions however they are cut, blocks, errors.
expect 'allowed' 'hello world' "$(ask echo 'hello world' | said)"
expect 'redacted' 'a [test-key] b' "$(ask echo "a $secret b" | said)"
expect 'byte by byte' 'a [test-key] b' "$(ask bytes "a $secret b" | said)"
expect 'its end' 'stop' "$(ask echo "a $secret b" | finish_reason)"
expect 'on record' '["final","whole","redact"]' "$(last)"
expect_json 'whole' '.choices[0].message.content' '"a [test-key] b"' "$(ask_whole echo "a $secret b")"
expect 'a block' 'content_filter' "$(ask echo 'say E2EBOMB0001 now' | finish_reason)"
expect 'on record' '["final","blocked","block"]' "$(last)"
for n in 90000 110000; do # of which all is held to the end, and comes when its upstream has said all it says
    head -c $n /dev/zero | tr '\0' a >"$work/long"
    expect 'a long request and answer' $n "$(ask echo "$(cat "$work/long")" | said | wc -c)"
done
expect 'an error' '429 [test-key]' "$(ask error-429 "$secret" -o "$work/body" -w '%{http_code}') $(jq -r .error.message "$work/body")"
name=hard
expect 'a hard block' 400 "$(ask echo 'E2EBOMB0001' -o "$work/body" -w '%{http_code}')"
name=ai
ask echo hi -i | tr -d '\r' >"$work/answer"
expect 'headers that come down' 'x-request-id: req-from-upstream-2' "$(grep ^x-request-id "$work/answer")"
expect 'and those that do not' '' "$(grep -i secret-of-upstream "$work/answer")"
expect 'the credential goes up' "\"Bearer $key\"" "$(seen .target | jq '.headers.authorization' | sort -u)"

# What ends in the middle: by a reset of the stream, or of the connection, or a goodbye that leaves it out.
for way in reset cancel drop goaway-now half; do
    answer=$(ask $way "a $secret and more. "); expect "$way: its answer ends" 0 $?
    expect "$way: what came" 'a [test-key] and more. ' "$(printf '%s' "$answer" | said)"
    expect "$way: how" length "$(printf '%s' "$answer" | finish_reason)"
    expect "$way: on record" '["aborted","broken","redact"]' "$(last)"
    expect "$way: the half event" '' "$(printf '%s' "$answer" | grep 'the end of it')"
done
expect 'reset before its head' 502 "$(ask reset-first hello -o "$work/body" -w '%{http_code}')"
expect_json 'its shape' .error.message '"the upstream broke off its answer"' "$(cat "$work/body")"
expect 'on record' '["aborted","broken",null]' "$(last | sed 's/"allow"/null/')"
expect 'a whole answer that is broken off' 502 "$(ask_whole reset "a $secret" -o "$work/body" -w '%{http_code}')"
expect 'nothing of it' '' "$(grep -F "$secret" "$work/body")"
# A stream that was refused was not begun, and is sent again; a goodbye lets finish what it names.
expect 'refused once' hello "$(ask refuse hello | said)"
answer=$(ask goaway-after "a $secret,")
expect 'a goodbye lets it finish' 'a [test-key], end stop' "$(printf '%s' "$answer" | said) $(printf '%s' "$answer" | finish_reason)"
expect 'on record' '["final","whole","redact"]' "$(last)"
expect 'the next takes another connection' hello "$(ask echo hello | said)"
# Of two streams on a connection one is reset; the other goes on.
for i in 1 2 3 4; do ask slow "number $i is $secret," >"$work/slow.$i" & slow="${slow:-} $!"; done
for i in 1 2; do ask reset 'broken ' >/dev/null & slow="$slow $!"; done
wait $slow
for i in 1 2 3 4; do expect "beside a reset: $i" "number $i is [test-key], stop" "$(said <"$work/slow.$i") $(finish_reason <"$work/slow.$i")"; done
# The upstream of a client that leaves is told at once: alone on its connection, and beside others, who stay.
: >"$work/seen-by-h2"
ask stall hello --max-time 1 >/dev/null 2>&1
await 'a client left' 1 sh -c "grep -c closed $work/seen-by-h2"
await 'on record' '["aborted","client","allow"]' last
: >"$work/seen-by-h2"
others=''
for i in 1 2 3 4; do ask slow "one $secret, two three four five six seven eight nine ten $i" >"$work/slow.$i" & others="$others $!"; done
for i in 1 2; do ask stall hello --max-time 1 >/dev/null 2>&1 & others="$others $!"; done
wait $others
await 'two left' 2 sh -c "grep -c closed $work/seen-by-h2"
for i in 1 2 3 4; do expect "beside them: $i" stop "$(finish_reason <"$work/slow.$i")"; done
expect 'on the connections they had' 2 "$(seen .target | jq .connection | sort -u | wc -l)"

# A client that does not read holds up its own answer, not those of others on the connection.
: >"$work/seen-by-h2"
mkfifo "$work/unread"
curl -sS --max-time 60 -N -H "$json" "$url/ai/v1/chat/completions" -o "$work/unread" \
    -d '{"model":"much","stream":true,"messages":[{"role":"user","content":"x"}]}' 2>/dev/null &
slow=$!
exec 4<>"$work/unread" # open, and never read: curl fills it and stops
await 'it has begun' 1 sh -c "grep -c '\"much\"' $work/seen-by-h2"
sleep 1 # by then nobody takes any more of it
for i in 1 2 3 4; do expect "beside an answer that is not read: $i" "hello $i" "$(ask echo "hello $i" | said)"; done
expect 'on the same connections' 1 "$([ "$(seen .target | jq .connection | sort -u | wc -l)" -le 2 ] && echo 1)"
kill $slow; wait $slow 2>/dev/null
exec 4>&-
await 'it is over' 0 metric filterd_proxy_open
expect 'on record' '["aborted","client","allow"]' "$(records | jq -c 'select(.end == "client") | [.phase, .end, .action]' | tail -1)"

# HTTP/1.1 over TLS.
for name in one no-h2; do
    expect "$name: a stream" 'a [test-key] b' "$(ask echo "a $secret b" | said)"
    expect_json "$name: whole" '.choices[0].message.content' '"a [test-key] b"' "$(ask_whole echo "a $secret b")"
    expect "$name: broken off" length "$(ask half "a $secret" | finish_reason)"
done
name=one
streams=''
for i in $(seq 8); do ask slow "$i $secret," >"$work/one.$i" & streams="$streams $!"; done
wait $streams
expect 'eight at once' 8 "$(for i in $(seq 8); do said <"$work/one.$i"; echo; done | grep -c '^[1-8] \[test-key\],$')"
name=only-h2
expect 'two that have no protocol in common' 502 "$(ask echo hello -o /dev/null -w '%{http_code}')"

# Certificates that are not to be trusted: an error in the protocol's shape, and nothing goes up, neither text nor key.
lines=$(seen .target | wc -l)
: >"$work/bodies"
for name in unknown other-name expired system; do
    expect "$name: a stream" 502 "$(ask echo "$secret" -o "$work/body" -w '%{http_code}')"
    expect_json "$name: its error" '[.error.message, .error.type]' '["the upstream could not be trusted","server_error"]' "$(cat "$work/body")"
    cat "$work/body" >>"$work/bodies"
    expect "$name: on record" '["aborted","tls"]' "$(records | tail -1 | jq -c '[.phase, .end]')"
    expect "$name: whole" 502 "$(ask_whole echo "$secret" -o "$work/body" -w '%{http_code}')"
    cat "$work/body" >>"$work/bodies"
done
expect_json 'in its protocol' '[.type, .error.message]' '["error","the upstream could not be trusted"]' \
    "$(curl -sS --max-time 30 -H "$json" -H 'anthropic-version: 2023-06-01' "$url/claude/v1/messages" \
        -d "{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"$secret\"}]}")"
expect 'nothing went up' "$lines" "$(seen .target | wc -l)"
expect 'nothing of it came down' '' "$(grep -aF -e "$secret" -e "$key" -e localhost "$work/bodies")"
expect 'counted' 9 "$(metric 'filterd_upstream_errors_total{kind="tls"}' | awk '{print ($1 > 9) ? 9 : $1}')"
name=ai
expect 'the others are as they were' hello "$(ask echo hello | said)"

await 'none is open' 0 metric filterd_proxy_open
expect 'nothing is held' '0 0' "$(metric filterd_proxy_held_bytes) $(metric filterd_held_bytes)"
expect 'each that began has its end' 0 "$(records | jq -r 'select(.phase == "open") | .req_id' | sort >"$work/opened"
    records | jq -r 'select(.phase == "final" or .phase == "aborted") | .req_id' | sort | comm -23 "$work/opened" - | wc -l)"
operators /metrics >"$work/metrics"
expect 'secret and key are nowhere' '' \
    "$(grep -laF -e "$secret" -e "$key" "$work/log" "$work/metrics" "$work/state/decisions.jsonl" "$work/answer")"
stop
expect 'exit code' 0 "$status"
[ "$failures" -eq 0 ] || { cat "$work/node"; tail -3 "$work/openssl"; }
finish
