#!/bin/sh
# Envoy's external processing: each part of an exchange in messages, each verdict as the proxy gives it, and what cannot be judged.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
bomb=E2EBOMB0001
upstream
cat >"$upstreams" <<YAML
upstreams:
  ai: {protocol: openai, url: http://127.0.0.1:$port}
  hard: {protocol: openai, url: http://127.0.0.1:$port, block: hard}
YAML
grpc=$work/ext-proc.sock
start --upstreams="$upstreams" --ext-proc=unix:"$grpc"

# process [OPTION…] < ANSWER: what Envoy would deliver.
process() { /usr/bin/python3 tests/envoy/ext_proc.py --curl=--unix-socket --curl="$grpc" "$@" http://localhost; }
# An answer as the upstream writes it: words, one event each.
stream() { # stream TEXT
    for word in $1; do
        printf 'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"%s "},"finish_reason":null}]}\n\n' "$word"
    done
    printf 'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
}
whole() { # whole TEXT
    printf '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"%s"},"finish_reason":"stop"}]}' "$1"
}
question='{"model":"m","messages":[{"role":"user","content":"hello"}]}'

for mode in streamed buffered duplex; do
    for split in 0 1 7 100; do
        what="$mode, messages of $split"
        expect "$what: clean" 'all is well ' "$(stream 'all is well' | process --mode=$mode --split=$split | said)"
        got=$(stream "use $secret now" | process --mode=$mode --split=$split)
        expect "$what: redacted" 'use [test-key] now ' "$(printf '%s\n' "$got" | said)"
        got=$(stream "first $bomb then" | process --mode=$mode --split=$split)
        expect "$what: blocked, text" 0 "$(printf '%s\n' "$got" | grep -c "$bomb")"
        expect "$what: blocked, notice" 1 "$(printf '%s\n' "$got" | said | grep -c 'Withheld by the tests')"
        got=$(whole "use $secret now" | process --mode=$mode --split=$split --type=application/json --body="$question")
        expect "$what: a whole answer" 'use [test-key] now' "$(printf '%s\n' "$got" | tail -n +2 | jq -r '.choices[0].message.content')"
    done
done

# As through the proxy, byte by byte: the answer of the same upstream.
proxied=$(ask echo "use $secret and $bomb" | grep -v '^: ')
direct=$(curl -sS -H "$json" --data-binary "{\"model\":\"echo\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"use $secret and $bomb\"}]}" \
    "http://127.0.0.1:$port/v1/chat/completions")
for mode in streamed buffered duplex; do
    got=$(printf '%s\n\n' "$direct" | process --mode=$mode --split=33 | tail -n +2 | grep -v '^: ')
    as_proxied=$(printf '%s' "$proxied" | said)
    [ "$mode" != buffered ] || as_proxied='Withheld by the tests.' # what was in front of the block had not left
    expect "$mode: as the proxy" "$as_proxied" "$(printf '%s' "$got" | said)"
done

# Of an answer that is given as a whole nothing leaves before its last record.
for row in streamed:2 buffered:1 duplex:2; do
    before=$(records | wc -l)
    stream 'all is well' | process --mode=${row%:*} >"$work/out"
    expect "${row%:*}: records" "${row#*:}" "$(records | tail -n +$((before + 1)) | grep -c '"phase":')"
done

# The open record of an answer that is there at once is written with its last: the reactor is woken once. The thread that writes the log
# writes, besides, only the eight bytes of each such wake-up.
writes() { for task in /proc/"$pid"/task/*; do echo "${task##*/} $(sed -n 's/^wchar: //p' "$task/io")"; done; }
log_size() { stat -c %s "$work/state/decisions.jsonl"; }
wakes() { # wakes MODE: in 20 exchanges
    writes >"$work/before"
    size=$(log_size)
    for _ in $(seq 20); do stream 'all is well' | process --mode="$1" >/dev/null; done
    sleep 0.2 # the kernel counts a write behind it, when who was woken may have answered
    writes | awk -v grown=$(($(log_size) - size)) 'NR == FNR { was[$1] = $2; next }
        $2 - was[$1] >= grown && $2 - was[$1] < grown + 8 * 100 { print ($2 - was[$1] - grown) / 8 }' "$work/before" -
}
if [ -r "/proc/$pid/io" ]; then
    for mode in streamed duplex; do
        for _ in 1 2 3; do # on a busy machine what is sent at once may be read in two parts
            n=$(wakes $mode)
            [ "$n" -ge 32 ] || break
        done
        expect "$mode: 20 exchanges wake the reactor for their records $n times" 1 "$((n >= 20 && n < 32))"
    done
fi

# A block that may still be an answer of its own is one.
first() { head -n 1; }
got=$(whole "$bomb" | process --mode=buffered --type=application/json --upstream=hard --body="$question")
expect 'hard block' 'status 400' "$(printf '%s\n' "$got" | first)"
expect_json 'hard block: its form' '.error|has("message")' true "$(printf '%s\n' "$got" | tail -n +2)"
expect 'hard block of a stream' 'status 400' "$(stream "$bomb" | process --mode=duplex --upstream=hard | first)"

# What cannot be judged.
expect 'an encoded answer' 'status 400' "$(stream ok | process --mode=duplex --answer-header=content-encoding:gzip | first)"
expect 'an unknown type' 'status 400' "$(printf hello | process --mode=duplex --type=text/plain | first)"
expect 'a redirect' 'status 502' "$(printf '' | process --mode=duplex --status=302 --answer-header=location:http://x/ | first)"
expect_json 'not the protocol' '.choices[0].finish_reason' '"content_filter"' "$(printf '{"x' | process --mode=buffered --type=application/json --body="$question" | tail -n +2)"
expect 'trailers of a stream' 'all is well ' "$(stream 'all is well' | process --mode=duplex --trailers | said)"
for text in 'all is well' "use $secret now"; do
    for split in 0 1 7 100; do
        expect "trailers behind bodies in messages of $split: $text" "$(printf '%s ' "$text" | sed "s/$secret/[test-key]/")" \
            "$(stream "$text" | process --mode=streamed --split=$split --trailers | said)"
    done
done
expect 'trailers of an answer without an end' 'status 502' "$(stream 'all is' | sed '$d' | sed '/stop/d' | sed 's/is /E2EKEY-4kq/' | process --mode=streamed --trailers | first)"
whole 'all is well' | process --mode=buffered --type=application/json --body="$question" --trailers >"$work/out"
expect 'trailers that are sent' 0 "$(grep -c 'trailers were not sent' "$work/log")"
for _ in 1 2; do whole 'all is well' | process --mode=buffered --type=application/json --body="$question" --skipped-trailers >"$work/out"; done
expect 'trailers that are not are in the log, once' 1 "$(grep -c 'trailers were not sent' "$work/log")"
for row in streamed:400 buffered:400 duplex:200; do
    expect "${row%:*}: trailers of a request" "status ${row#*:}" "$(stream ok | process --mode=${row%:*} --request-trailers | first)"
done
expect 'buffered: trailers of a request that are not sent' 'status 400' "$(stream ok | process --mode=buffered --skipped-request-trailers | first)"
expect 'an Envoy that does not say its modes' 'use [test-key] ' "$(stream "use $secret" | process --old --split=9 | said)"

# Requests that the proxy refuses.
expect 'an unknown route' 'status 404' "$(stream ok | process --path=/v1/nowhere | first)"
expect 'an unknown upstream' 'status 500' "$(stream ok | process --upstream=nobody | first)"
expect 'no upstream' 'status 500' "$(stream ok | process --upstream= | first)"
expect 'an encoded path' 'status 404' "$(stream ok | process --path=/v1/chat%2Fnowhere | first)"
expect 'a malformed path' 'status 400' "$(stream ok | process --path=/v1/%zz | first)"
expect 'a NUL in a path' 'status 400' "$(stream ok | process --path=/v1/%00 | first)"
expect 'a body that is no JSON' 'status 400' "$(stream ok | process --body='{' | first)"
expect 'another method of gRPC' 12 "$(curl -sS --unix-socket "$grpc" --http2-prior-knowledge -D - -o /dev/null -H 'Content-Type: application/grpc' \
    -X POST http://localhost/other | sed -n 's/^grpc-status: *\([0-9]*\).*/\1/p')"

# Headers: as the proxy forwards them.
expect 'headers that do not go up' 'content-length cookie x-filterd-agent x-filterd-token' \
    "$(stream ok | process --removed=1 --header=cookie:a=1 --header=x-filterd-agent:bot --header=x-extra:1 --mode=duplex)"
expect 'headers that do not come down' 'content-length set-cookie x-secret-of-upstream' \
    "$(stream ok | process --removed=2 --answer-header=set-cookie:a=1 --answer-header=x-secret-of-upstream:1 --answer-header=x-request-id:req-1)"

# What the upstream's head says in places that Envoy or HTTP owns.
for mode in streamed buffered duplex; do
    got=$(stream ok | process --mode=$mode --head --type="text/event-stream; x=$secret")
    expect "$mode: the type is that of what was judged" 'content-type: text/event-stream' "$(printf '%s\n' "$got" | grep '^content-type:')"
    for name in trailer connection upgrade transfer-encoding keep-alive; do
        expect "$mode: $name" 0 "$(stream ok | process --mode=$mode --head --answer-header="$name:$secret" | grep -c "$secret")"
    done
    expect "$mode: what Envoy keeps is judged" 'status 502' "$(stream ok | process --mode=$mode --answer-header="x-envoy-note:$secret" | first)"
    expect "$mode: so is its name" 'status 502' "$(stream ok | process --mode=$mode --answer-header="x-envoy-$secret:1" | first)"
    expect "$mode: and passes" 'status 200' "$(stream ok | process --mode=$mode --answer-header=x-envoy-note:all-is-well | first)"
    for codings in gzip:identity identity:gzip; do
        expect "$mode: two codings, $codings" 'status 400' "$(stream ok | process --mode=$mode \
            --answer-header=content-encoding:${codings%:*} --answer-header=content-encoding:${codings#*:} | first)"
    done
done

# The record: as one of the proxy, and the agent of the request's headers.
stream "use $secret" | process --header=x-filterd-agent:envoy-bot >/dev/null
expect_json 'on record' '[.phase,.action,.protocol,.agent]' '["final","redact","openai","envoy-bot"]' \
    "$(records | jq -c 'select(.agent=="envoy-bot" and .phase=="final")' | tail -1)"
expect 'none is open' 0 "$(metric filterd_proxy_open)"

# Not HTTP/2 at all, and a client that leaves in the middle.
printf 'GET / HTTP/1.1\r\nHost: x\r\n\r\n' | /usr/bin/python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(sys.stdin.buffer.read()); s.settimeout(10)
while s.recv(4096): pass' "$grpc"
expect 'HTTP/1.1' 0 $?
# Hostile clients: what they took is given back, and others are served.
flood() { /usr/bin/python3 tests/envoy/ext_proc_flood.py "$grpc" "$@"; }
expect 'calls that are reset at once' 1 "$(flood resets 40000)"
expect 'calls that only begin' 0 "$(flood open 3000)"
flood garbage 50 >/dev/null
expect 'others are served' 'fine ' "$(stream fine | process | said)"
await 'connections' 0 metric filterd_ext_proc_connections
await 'calls' 0 metric filterd_ext_proc_calls
stop
expect 'it stops' 0 "$status"
expect 'its socket is gone' no "$([ -e "$grpc" ] && echo yes || echo no)"

# Requests are judged before they go up.
sed -i 's/request: {judge: false}.*/request: {actions: [{category: injection, action: block}, {category: secret, action: redact}]}/' "$rules/policy.yaml"
start --upstreams="$upstreams" --ext-proc=unix:"$grpc"
for mode in streamed buffered duplex; do
    body="{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"my key is $secret\"}]}"
    sent=$(stream ok | process --mode=$mode --split=11 --sent --body="$body")
    expect "$mode: the secret stays here" 0 "$(printf '%s' "$sent" | grep -c "$secret")"
    expect_json "$mode: the rest goes up" '.messages[0].content|startswith("my key is ")' true "$sent"
    expect "$mode: a clean request goes up" 1 \
        "$(stream ok | process --mode=$([ $mode = buffered ] && echo duplex || echo $mode) --sent | grep -c hello)"
    expect "$mode: a blocked request" 'status 400' \
        "$(stream ok | process --mode=$mode --body="{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"$bomb\"}]}" | first)"
done
stop

# Masked on its way up, restored on its way down, by session; nothing of another one is.
sed -i '/request: {actions/d' "$rules/policy.yaml"
start --upstreams="$upstreams" --ext-proc=unix:"$grpc"
for mode in streamed buffered duplex; do
    body="{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"my key is $secret\"}]}"
    sent=$(stream ok | process --mode=$mode --split=11 --sent --body="$body" --header=x-filterd-session:s1)
    expect "$mode: masked" 0 "$(printf '%s' "$sent" | grep -c "$secret")"
    pseudonym=$(printf '%s' "$sent" | grep -o '\[test-key-[0-9a-f]*\]')
    for split in 0 1 7; do
        expect "$mode, messages of $split: restored" "it is $secret " "$(stream "it is $pseudonym" |
            process --mode=$mode --split=$split --body="$body" --header=x-filterd-session:s1 | said)"
        expect "$mode, messages of $split: not in another session" "it is $pseudonym " "$(stream "it is $pseudonym" |
            process --mode=$mode --split=$split --header=x-filterd-session:s2 | said)"
    done
    expect "$mode: whole" "it is $secret" "$(whole "it is $pseudonym" |
        process --mode=$mode --type=application/json --body="$question" --header=x-filterd-session:s1 | sed 1d | jq -r '.choices[0].message.content')"
done
stop

# Tokens are those of the call.
printf 'proxy-token-of-envoy-0001' | "$bin/filterd" --hash-token --role=proxy --name=envoy >"$work/tokens"
printf 'caller-token-of-somebody-1' | "$bin/filterd" --hash-token --role=caller --name=other >>"$work/tokens"
printf 'operator-token-for-the-test' | "$bin/filterd" --hash-token --role=operator --name=op >>"$work/tokens"
start --upstreams="$upstreams" --ext-proc=127.0.0.1:0 --tokens="$work/tokens" --idle-timeout=2
tcp=$(sed -n 's/.*ext_proc: listening address=\([^ ]*\).*/\1/p' "$work/log")
over_tcp() { /usr/bin/python3 tests/envoy/ext_proc.py "$@" "http://$tcp"; }
expect 'with the token' 'fine ' "$(stream fine | over_tcp --token=proxy-token-of-envoy-0001 | said)"
expect 'without' 'grpc-status 16' "$(stream fine | over_tcp)"
expect 'of another role' 'grpc-status 16' "$(stream fine | over_tcp --token=caller-token-of-somebody-1)"
# Who speaks HTTP/2 and has no call taken would hold a place for ever.
expect 'without a call' closed "$(timeout 60 /usr/bin/python3 -c '
import socket, sys, time
host, port = sys.argv[1].rsplit(":", 1)
s = socket.create_connection((host, int(port)), 30)
s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
try:
    while True:
        s.sendall(bytes([0, 0, 8, 6, 0, 0, 0, 0, 0]) + b"12345678") # a ping
        if not s.recv(4096):
            break
        time.sleep(0.2)
except ConnectionError:
    pass
print("closed")' "$tcp")"
expect 'of the request' 'grpc-status 16' "$(stream fine | over_tcp --header=x-filterd-token:proxy-token-of-envoy-0001)"
stop

# TLS, with certificates of clients.
certificate() { # certificate NAME
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' \
        -keyout "$work/$1.key" -out "$work/$1.pem" 2>/dev/null
}
certificate server; certificate ca; certificate stranger
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=envoy -keyout "$work/envoy.key" -out "$work/envoy.csr" 2>/dev/null
openssl x509 -req -in "$work/envoy.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial -days 2 -out "$work/envoy.pem" 2>/dev/null
start --upstreams="$upstreams" --ext-proc=127.0.0.1:0 --tls-certificate="$work/server.pem" --tls-key="$work/server.key" --tls-client-ca="$work/ca.pem"
tcp=$(sed -n 's/.*ext_proc: listening address=\([^ ]*\).*/\1/p' "$work/log")
over_tls() { # over_tls NAME: with the certificate of that name
    /usr/bin/python3 tests/envoy/ext_proc.py --curl=--cacert --curl="$work/server.pem" --curl=--cert --curl="$work/$1.pem" \
        --curl=--key --curl="$work/$1.key" "https://$tcp" 2>/dev/null
}
expect 'over TLS' 'fine ' "$(stream fine | over_tls envoy | said)"
expect 'of a stranger' 'grpc-status None' "$(stream fine | over_tls stranger)"
expect 'in plain' 'grpc-status None' "$(stream fine | over_tcp 2>/dev/null)"
stop

expect 'without upstreams' 2 "$("$bin/filterd" --check --rules="$rules" --ext-proc=unix:"$grpc" >/dev/null 2>&1; echo $?)"
expect 'open to others, a CA without TLS' 2 \
    "$("$bin/filterd" --check --rules="$rules" --upstreams="$upstreams" --ext-proc=0.0.0.0:0 --tls-client-ca="$work/ca.pem" >/dev/null 2>&1; echo $?)"
expect 'open to others without credentials' 2 \
    "$("$bin/filterd" --check --rules="$rules" --upstreams="$upstreams" --ext-proc=0.0.0.0:0 >/dev/null 2>&1; echo $?)"
finish
