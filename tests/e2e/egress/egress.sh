#!/bin/sh
# filterd-egress: plain requests through the proxy, what is refused and why, what the record says.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
upstream
cat >"$work/egress.yaml" <<YAML
limits: {connections: 8, head: 4K, idle: 2s, total: 20s, connect: 2s, drain: 3s}
credentials:
  key: {file: $work/credential, hosts: api.test, methods: GET, paths: /says, plain: true, ttl: 1h, uses: 2}
rules:
  - {name: api, hosts: [api.test, '*.api.test'], ports: $port, scheme: http, methods: [GET, POST, HEAD], paths: /**,
     addresses: 127.0.0.1, may_reach: loopback, judge: none}
  - {name: judged, hosts: judged.test, ports: $port, scheme: http, methods: [GET, POST], paths: /**,
     addresses: 127.0.0.1, may_reach: loopback, request_max: 64K, response_max: 64K}
  - {name: noted, hosts: noted.test, ports: $port, scheme: http, methods: GET, paths: /says,
     addresses: 127.0.0.1, may_reach: loopback, judge: responses, on_response: annotate}
  - {name: narrow, hosts: narrow.test, ports: $port, scheme: http, methods: GET, paths: [/a/*, /status],
     addresses: 127.0.0.1, may_reach: loopback, judge: none}
  - {name: rare, hosts: rare.test, ports: $port, scheme: http, methods: GET, paths: /**, rate: 2/h,
     addresses: 127.0.0.1, may_reach: loopback, judge: none}
  - {name: small, hosts: small.test, ports: $port, scheme: http, methods: GET, paths: /**, bytes_in: 100K,
     addresses: 127.0.0.1, may_reach: loopback, judge: none}
  - {name: thrifty, hosts: thrifty.test, ports: $port, scheme: http, methods: POST, paths: /**, bytes_out: 2K,
     addresses: 127.0.0.1, may_reach: loopback, judge: none}
  - {name: metadata, hosts: [meta.test, 169.254.169.254], scheme: http, methods: GET, paths: /**,
     addresses: 169.254.169.254, judge: none}
  - {name: rebound, hosts: rebound.test, ports: $port, scheme: http, methods: GET, paths: /**,
     addresses: 127.0.0.1, judge: none}
  - {name: literal, hosts: 127.0.0.1, ports: $port, scheme: http, methods: GET, paths: /**,
     may_reach: loopback, judge: none}
YAML
printf 'Sesame-4711\n' >"$work/credential"
"$bin/filterd-egress" --check --policy "$work/egress.yaml" --rules "$rules" || { echo 'the policy is not good'; exit 1; }
untrusted() { # untrusted WHAT TEXT: the policy as it is now is not read
    "$bin/filterd-egress" --check --policy "${3:-$work/egress.yaml}" --rules "$rules" 2>"$work/out"
    expect "$1" "2 1" "$? $(grep -c "$2" "$work/out")"
}
chmod 666 "$work/egress.yaml"; untrusted 'a policy that others can write' 'only its owner can write'; chmod 600 "$work/egress.yaml"
ln -s egress.yaml "$work/linked.yaml"; untrusted 'a policy that is a link' 'without symbolic links' "$work/linked.yaml"
if [ "$(id -u)" -eq 0 ]; then
    chown 65534 "$work/egress.yaml"; untrusted 'a policy of somebody else' 'owned by root or by the caller'; chown 0 "$work/egress.yaml"
fi
egress

expect 'no new privileges' 1 "$(sed -n 's/^NoNewPrivs:[^0-9]*//p' "/proc/$pid/status")"
expect 'no core dumps, files for both sides of all connections' '0 144' \
    "$(awk '/^Max core/ { core = $5 } /^Max open/ { print core, $4 }' "/proc/$pid/limits")"
descriptors() { ls "/proc/$pid/fd" | wc -l; }
at_rest=$(descriptors)

# What is allowed arrives, written anew.
expect 'GET' '0 bytes' "$(get "http://api.test:$port/a?b=c")"
expect 'the request line' "GET /a?b=c HTTP/1.1" "$(head -n 1 "$seen")"
expect 'Host' "Host: api.test:$port" "$(grep ^Host "$seen")"
expect 'nothing of the proxy' 0 "$(grep -ci ^proxy "$seen")"
expect 'recorded' '["j1","a1","http","api.test","GET","/a?b=*","allowed","api",200,"127.0.0.1"]' \
    "$(last '[.jail,.agent,.kind,.host,.method,.path,.verdict,.rule,.status,.address]')"
expect 'counted' true "$(last '.bytes_out > 50 and .bytes_in > 50 and .duration_ns > 0 and .port == '"$port"'')"
parent=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
: >"$seen"; expect 'a trace' 200 "$(code -H "traceparent: $parent" -H 'tracestate: rojo=1' "http://api.test:$port/")"
expect 'goes on' "$parent rojo=1" "$(sed -n 's/^traceparent: //p; s/^tracestate: //p' "$seen" | xargs)"
: >"$seen"; expect 'a malformed trace' 200 "$(code -H 'traceparent: 00-key-in-a-header-01' -H 'tracestate: rojo=1' "http://api.test:$port/")"
expect 'is replaced' '1 0' "$(grep -cE '^traceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-02$' "$seen") $(grep -c ^tracestate "$seen")"
: >"$seen"; expect 'two traces' 200 "$(code -H "traceparent: $parent" -H "traceparent: $parent" "http://api.test:$port/")"
expect 'are replaced by one' '1 0' "$(grep -c ^traceparent "$seen") $(grep -c "$parent" "$seen")"
expect 'a subdomain' 200 "$(code "http://x.api.test:$port/")"
expect 'HEAD' 200 "$(code -I "http://api.test:$port/")"
expect 'POST' '11 bytes' "$(get -d 'hello world' "http://api.test:$port/")"
expect 'POST in chunks' '11 bytes' "$(get -H 'Transfer-Encoding: chunked' -d 'hello world' "http://api.test:$port/")"
head -c 3000000 /dev/zero >"$work/big"
expect 'POST that waits for 100' '3000000 bytes' "$(get -H 'Expect: 100-continue' --data-binary @"$work/big" "http://api.test:$port/")"
expect 'chunks in' 'one,two,three' "$(get "http://api.test:$port/chunks")"
expect 'chunks for HTTP/1.0' 'one,two,three' "$(get -0 "http://api.test:$port/chunks")"
expect 'until the end' 'until the end' "$(get "http://api.test:$port/to-end")"
expect 'a large answer' 1000000 "$(get "http://api.test:$port/large" | wc -c)"
expect 'a literal address' 200 "$(code "http://127.0.0.1:$port/")"

# What no rule allows is refused, and says what is missing.
refused() { # refused WHAT REASON STATUS CURL-ARGUMENT…
    what=$1 reason=$2 want=$3; shift 3
    before=$(wc -l <"$seen")
    expect "$what: status" "$want" "$(code "$@")"
    expect "$what: recorded" "\"$reason\"" "$(last .reason)"
    expect "$what: nothing arrived" "$before" "$(wc -l <"$seen")"
}
refused 'other host' host 403 "http://evil.test:$port/"
refused 'suffix alone' host 403 "http://xapi.test:$port/"
refused 'other port' port 403 "http://api.test:1/"
refused 'other method' method 403 -X DELETE "http://api.test:$port/"
refused 'other path' path 403 "http://narrow.test:$port/b"
refused 'too deep' path 403 "http://narrow.test:$port/a/b/c"
refused 'dots' request 400 --path-as-is "http://narrow.test:$port/a/../b"
refused 'encoded dots' request 400 --path-as-is "http://narrow.test:$port/a/%2e%2e%2fb"
refused 'trailing dot' request 400 "http://api.test.:$port/"
refused 'metadata by name' address 403 "http://meta.test/"
refused 'metadata by address' address 403 "http://169.254.169.254/latest/"
refused 'loopback that no rule names' address 403 "http://rebound.test:$port/"
expect 'which address' '"127.0.0.1"' "$(last .address)"
refused 'loopback in hexadecimal' request 400 --path-as-is --request-target "http://0x7f000001:$port/" -H "Host: 0x7f000001:$port" "http://api.test:$port/"
refused 'mapped loopback' host 403 --path-as-is --request-target "http://[::ffff:127.0.0.1]:$port/" -H "Host: [::ffff:127.0.0.1]:$port" "http://api.test:$port/"
refused 'userinfo' request 400 --path-as-is --request-target "http://api.test@evil.test:$port/" "http://api.test:$port/"
refused 'another Host' request 400 -H 'Host: evil.test' "http://api.test:$port/"
refused 'no absolute form' request 400 --request-target / "http://api.test:$port/"
for header in 'X-HTTP-Method-Override: DELETE' 'x_http_method_override: DELETE' 'X-Original-URL: /admin' 'X-Rewrite-URL: /admin' \
    'X-Forwarded-Host: evil.test' 'Forwarded: for=a;host=evil.test' 'X-Forwarded-Prefix: /admin' 'Content_Length: 3'; do
    refused "restated by $header" restated 403 -d ok -H "$header" "http://api.test:$port/"
done
refused 'restated twice' restated 403 -H 'X-Host: a' -H 'X-Host: b' "http://api.test:$port/"
refused 'restated by a query' restated 403 -d ok "http://api.test:$port/?a=b&%5Fmethod=DELETE"
refused 'restated by a form' restated 403 -d 'a=b&_method=DELETE' "http://judged.test:$port/"
expect 'what a refusal for that says' 'no X-Original-URL expected: method, path and host stand in the request once' \
    "$(get -H 'X_Original.URL: /secret-place' "http://api.test:$port/" | jq -r .detail)"
expect 'and does not say' 0 "$(last . | grep -c secret-place)"
expect 'a header that only looks like it' 200 "$(code -H 'X-Forwarded-For: 192.0.2.1' -H 'X-Hosts: a' "http://api.test:$port/?method=list")"
refused 'a long head' head 431 -H "X: $(head -c 5000 /dev/zero | tr '\0' a)" "http://api.test:$port/"
expect_json 'a problem' '[.status,.reason,.rule]' '[403,"path",null]' "$(get "http://narrow.test:$port/b")"
expect 'a redirect to metadata is not followed for anybody' 302 "$(code "http://api.test:$port/redirect")"
refused 'and refused when the client follows' address 403 "http://169.254.169.254/latest/meta-data/"

# Smuggling.
smuggled() { # smuggled WHAT REQUEST
    before=$(wc -l <"$seen")
    expect "$1" 'HTTP/1.1 400 Refused' "$(raw "$2" | head -n 1 | tr -d '\r')"
    expect "$1: nothing arrived" "$before" "$(wc -l <"$seen")"
}
smuggled 'two lengths' "POST http://api.test:$port/ HTTP/1.1\r\nHost: api.test:$port\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"
smuggled 'length and chunks' "POST http://api.test:$port/ HTTP/1.1\r\nHost: api.test:$port\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
smuggled 'folded' "GET http://api.test:$port/ HTTP/1.1\r\nHost: api.test:$port\r\nX: a\r\n b\r\n\r\n"
smuggled 'bare LF' "GET http://api.test:$port/ HTTP/1.1\nHost: api.test:$port\n\n"
smuggled 'space before colon' "GET http://api.test:$port/ HTTP/1.1\r\nHost: api.test:$port\r\nTransfer-Encoding : chunked\r\n\r\n"
smuggled 'two Hosts' "GET http://api.test:$port/ HTTP/1.1\r\nHost: api.test:$port\r\nHost: api.test:$port\r\n\r\n"
smuggled 'no Host' "GET http://api.test:$port/ HTTP/1.1\r\n\r\n"
smuggled 'bare CR' "GET http://api.test:$port/ HTTP/1.1\r\nHost: api.test:$port\rX: a\r\n\r\n"
smuggled 'restated in a trailer' "POST http://api.test:$port/ HTTP/1.1\r\nHost: api.test:$port\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-HTTP-Method-Override: DELETE\r\n\r\n"
smuggled 'NUL in the host' "GET http://evil.test\0.api.test:$port/ HTTP/1.1\r\nHost: api.test:$port\r\n\r\n"
before=$(grep -c HTTP/1.1 "$seen")
two="GET http://api.test:$port/1 HTTP/1.1\r\nHost: api.test:$port\r\n\r\nGET http://api.test:$port/2 HTTP/1.1\r\nHost: api.test:$port\r\n\r\n"
expect 'one request a connection' 1 "$(raw "$two" | grep -c '^HTTP/1.1')"
expect 'the second never arrived' $((before + 1)) "$(grep -c HTTP/1.1 "$seen")"
expect 'bytes that are no HTTP' 'HTTP/1.1 400 Refused' "$(raw 'SSH-2.0-x\r\n\r\n' | head -n 1 | tr -d '\r')"
expect 'a bad chunk in the middle' '"request"' "$(raw "POST http://api.test:$port/ HTTP/1.1\r\nHost: api.test:$port\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\n\r\n" >/dev/null; last .reason)"

: >"$seen"
expect 'a switch of protocols does not happen' 200 \
    "$(code -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==' "http://api.test:$port/")"
expect 'it was not asked for' '0 1' "$(grep -ci '^upgrade' "$seen") $(grep -c '^Connection: close' "$seen")"
smuggled 'HTTP/2 at once' 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
smuggled 'a header that Connection takes away' "GET http://api.test:$port/ HTTP/1.1\r\nHost: api.test:$port\r\nConnection: Authorization\r\n\r\n"

# Answers that are malformed.
expect 'a broken answer' 502 "$(code "http://api.test:$port/broken")"
expect 'recorded' '"response"' "$(last .reason)"
expect 'a short answer is not whole' 18 "$(get "http://api.test:$port/short" >/dev/null; echo $?)"
expect 'recorded as failed' '"failed"' "$(last .verdict)"

# Judged: what leaves.
expect 'nothing to find' '2 bytes' "$(get -d ok "http://judged.test:$port/")"
judged() { # judged WHAT CURL-ARGUMENT…
    what=$1; shift
    before=$(wc -l <"$seen")
    expect_json "$what" '[.status,.reason,.rule]' '[403,"filter","test-key"]' "$(get "$@")"
    expect "$what: recorded" '["refused","filter","test-key","judged"]' "$(last '[.verdict,.reason,.filter_rule,.rule]')"
    expect "$what: nothing arrived" "$before" "$(wc -l <"$seen")"
}
judged 'secret in the body' -d "key=$secret" "http://judged.test:$port/"
judged 'secret in JSON' -H "$json" -d "{\"a\":[\"\\u0045${secret#E}\"]}" "http://judged.test:$port/"
printf 'the key is %s' "$secret" | gzip >"$work/body.gz"
judged 'secret in gzip' -H 'Content-Encoding: gzip' --data-binary @"$work/body.gz" "http://judged.test:$port/"
{ printf 'nothing' | gzip; cat "$work/body.gz"; } >"$work/members.gz"
judged 'secret in a second member' -H 'Content-Encoding: gzip' --data-binary @"$work/members.gz" "http://judged.test:$port/"
judged 'secret in base64' -d "$(printf 'the key is %s' "$secret" | base64 -w0)" "http://judged.test:$port/"
judged 'secret in chunks' -H 'Transfer-Encoding: chunked' -d "$secret" "http://judged.test:$port/"
judged 'secret in a header' -H "X-Note: $secret" "http://judged.test:$port/"
judged 'secret in the name of a header' -H "$secret: 1" "http://judged.test:$port/"
judged 'secret in the query' "http://judged.test:$port/a?k=$secret"
expect 'no path then' '"*"' "$(last .path)"
judged 'secret in the path' "http://judged.test:$port/$secret"
refused 'unknown coding' coding 415 -H 'Content-Encoding: br' -d ab "http://judged.test:$port/"
refused 'lying coding' coding 415 -H 'Content-Encoding: gzip' -d ab "http://judged.test:$port/"
refused 'a large body' size 413 --data-binary @"$work/big" "http://judged.test:$port/"
refused 'a large body in chunks' size 413 -H 'Transfer-Encoding: chunked' --data-binary @"$work/big" "http://judged.test:$port/"
gzip -9 <"$work/big" >"$work/bomb.gz"
refused 'a bomb' size 413 -H 'Content-Encoding: gzip' --data-binary @"$work/bomb.gz" "http://judged.test:$port/"

# Judged: what comes in. The upstream says it backwards, so that the request is clean.
backwards=$(printf 'read E2EBOMB0001 now' | rev)
expect 'an answer' 'hello' "$(get -H "X-Say: olleh" "http://judged.test:$port/says")"
expect_json 'an answer is refused' '[.status,.reason,.rule]' '[403,"filter","test-bomb"]' "$(get -H "X-Say: $backwards" "http://judged.test:$port/says")"
expect 'recorded' '["refused","test-bomb"]' "$(last '[.verdict,.filter_rule]')"
expect_json 'an answer in gzip is refused' .rule '"test-bomb"' "$(get -H "X-Say: $backwards" "http://judged.test:$port/says-gzip")"
expect 'an answer is annotated' 'Filterd-Verdict: block; rule=test-bomb' \
    "$(get -D- -o /dev/null -H "X-Say: $backwards" "http://noted.test:$port/says" | tr -d '\r' | grep -i ^filterd)"
expect 'and comes whole' 'read E2EBOMB0001 now' "$(get -H "X-Say: $backwards" "http://noted.test:$port/says")"
expect 'allowed and noted' '["allowed","test-bomb"]' "$(last '[.verdict,.filter_rule]')"
expect 'a large answer is refused' 502 "$(code "http://judged.test:$port/large")"

# Credentials stay outside.
: >"$seen"
expect 'a credential is put in' 200 "$(code -H 'Authorization: Bearer filterd-credential-key' "http://api.test:$port/says")"
expect 'it arrived' 'Authorization: Bearer Sesame-4711' "$(grep ^Auth "$seen")"
refused 'other path' credential 403 -H 'Authorization: Bearer filterd-credential-key' "http://api.test:$port/a"
refused 'other host' credential 403 -H 'Authorization: Bearer filterd-credential-key' "http://narrow.test:$port/status"
refused 'no such credential' credential 403 -H 'X: filterd-credential-other' "http://api.test:$port/says"
expect 'the second use' 200 "$(code -H 'X: filterd-credential-key' "http://api.test:$port/says")"
refused 'used up' credential 403 -H 'X: filterd-credential-key' "http://api.test:$port/says"
expect 'never recorded' 0 "$(cat "$record" "$work/log" | grep -c Sesame)"
expect 'the secret is nowhere' 0 "$(cat "$record" "$work/log" | grep -c "$secret")"

# Rates and budgets.
expect 'rate' '200 200 429' "$(code "http://rare.test:$port/") $(code "http://rare.test:$port/") $(code "http://rare.test:$port/")"
expect 'recorded' '"rate"' "$(last .reason)"
expect 'budget in: cut' 18 "$(get "http://small.test:$port/large" >/dev/null; echo $?)"
expect 'recorded' '"budget"' "$(last .reason)"
expect 'budget out' 429 "$(code --data-binary @"$work/body.gz" -H "X: $(head -c 2000 /dev/zero | tr '\0' a)" "http://thrifty.test:$port/")"
expect 'recorded' '"budget"' "$(last .reason)"

# Times.
expect 'a silent upstream' 408 "$(code "http://api.test:$port/slow")"
expect 'recorded' '["failed","time"]' "$(last '[.verdict,.reason]')"
expect 'a head that never ends' '"time"' "$(raw_open 'GET http://api.test/ HT' >/dev/null; last .reason)"

# All of that left nothing behind.
for _ in $(seq 3000); do [ "$(descriptors)" -eq "$at_rest" ] && break; sleep 0.02; done
expect 'no descriptor is left open' "$at_rest" "$(descriptors)"

# Drain: what is under way is finished, nothing new begins.
get "http://api.test:$port/wait" >"$work/waited" &
waiter=$!
for _ in $(seq 3000); do grep -q /wait "$seen" && break; sleep 0.02; done
stop
expect 'a clean end' 0 "$status"
wait "$waiter"
expect 'finished' waited "$(cat "$work/waited")"
expect 'lines are JSON' '' "$(jq -e . "$record" 2>&1 >/dev/null)"
finish
