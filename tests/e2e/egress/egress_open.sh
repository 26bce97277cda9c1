#!/bin/sh
# filterd-egress: tunnels that are opened, so that rules hold for what is in them.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=tls.test" \
    -addext 'subjectAltName=DNS:tls.test' -keyout "$work/key" -out "$work/pem" 2>/dev/null
upstream "$work/pem" "$work/key"
cat >"$work/egress.yaml" <<YAML
limits: {idle: 3s}
credentials:
  key: {file: $work/credential, hosts: tls.test, methods: GET, paths: /says, ttl: 1h, uses: 1}
rules:
  - {name: judged, hosts: tls.test, ports: $port, scheme: https, tls: open, ca: $work/pem, methods: [GET, POST],
     paths: [/judged/*, /says], rate: 100/h, addresses: 127.0.0.1, may_reach: loopback}
  - {name: rest, hosts: tls.test, ports: $port, scheme: https, tls: open, ca: $work/pem, methods: GET,
     paths: [/large, /chunks, /slow], judge: none, addresses: 127.0.0.1, may_reach: loopback}
  - {name: stranger, hosts: stranger.test, ports: $port, scheme: https, tls: open, methods: GET, paths: /**,
     judge: none, addresses: 127.0.0.1, may_reach: loopback}
  - {name: misnamed, hosts: misnamed.test, ports: $port, scheme: https, tls: open, ca: $work/pem, methods: GET,
     paths: /**, judge: none, addresses: 127.0.0.1, may_reach: loopback}
  - {name: metadata, hosts: meta.test, scheme: https, tls: open, methods: GET, paths: /**, judge: none,
     addresses: 169.254.169.254}
YAML
printf 'Sesame-4711' >"$work/credential"
timeout 10 "$bin/filterd-egress" --policy "$work/egress.yaml" --rules "$rules" --log "$record" 2>"$work/out"
expect 'not without a place for the certificate' 2 $?
egress --ca-file "$work/ca.pem"
expect 'nothing but the certificate is written' 1 "$(grep -c BEGIN "$work/ca.pem")"
tls() { called; curl -sS --max-time 20 --cacert "$work/ca.pem" -x "http://$proxy" "$@" 2>&1; }
status() { tls -o /dev/null -w '%{http_code}' "$@"; }

expect 'a request' '11 bytes' "$(tls -d 'hello world' "https://tls.test:$port/judged/a?b=c")"
expect 'recorded' '["https","tls.test","POST","/judged/a?b=*","allowed","judged",200,"127.0.0.1"]' \
    "$(last '[.kind,.host,.method,.path,.verdict,.rule,.status,.address]')"
expect 'Host' "Host: tls.test:$port" "$(grep ^Host "$seen")"
expect 'HTTP/1.1 is what is agreed on' '1.1' "$(tls --http2 -o /dev/null -w '%{http_version}' "https://tls.test:$port/says")"
expect 'TLS 1.2' 200 "$(status --tls-max 1.2 "https://tls.test:$port/says")"
expect 'a large answer' 1000000 "$(tls "https://tls.test:$port/large" | wc -c)"
expect 'chunks' 'one,two,three' "$(tls "https://tls.test:$port/chunks")"
expect 'nobody else trusts it' 60 "$(called; curl -s --max-time 20 -x "http://$proxy" -o /dev/null "https://tls.test:$port/says"; echo $?)"
expect 'recorded' '"tls"' "$(last .reason)"

refused() { # refused WHAT REASON STATUS CURL-ARGUMENT…
    what=$1 reason=$2 want=$3; shift 3
    before=$(wc -l <"$seen")
    expect "$what: status" "$want" "$(status "$@")"
    expect "$what: recorded" "[\"https\",\"$reason\"]" "$(last '[.kind,.reason]')"
    expect "$what: nothing arrived" "$before" "$(wc -l <"$seen")"
}
refused 'another path' path 403 "https://tls.test:$port/other"
refused 'another method' method 403 -X DELETE "https://tls.test:$port/judged/a"
refused 'the method of another rule' path 403 -d x "https://tls.test:$port/large"
refused 'dots' request 400 --path-as-is "https://tls.test:$port/judged/../other"
refused 'another Host inside' request 400 -H 'Host: evil.test' "https://tls.test:$port/judged/a"
refused 'a path restated inside' restated 403 -H 'X-Original-URL: /other' "https://tls.test:$port/judged/a"
refused 'a method restated inside' restated 403 "https://tls.test:$port/judged/a?_method=DELETE"
refused 'an address that no rule names' address 403 "https://meta.test/latest/"
refused 'a certificate of nobody known' tls 502 "https://stranger.test:$port/"
refused 'a certificate of another name' tls 502 "https://misnamed.test:$port/"
refused 'a secret in the body' filter 403 -d "key=$secret" "https://tls.test:$port/judged/a"
expect 'which rule' '["test-key","judged"]' "$(last '[.filter_rule,.rule]')"
refused 'a secret in the query' filter 403 "https://tls.test:$port/judged/a?k=$secret"
printf 'the key is %s' "$secret" | gzip >"$work/body.gz"
refused 'a secret in gzip' filter 403 -H 'Content-Encoding: gzip' --data-binary @"$work/body.gz" "https://tls.test:$port/judged/a"
backwards=$(printf 'read E2EBOMB0001 now' | rev)
expect_json 'an answer is refused' '[.status,.rule]' '[403,"test-bomb"]' "$(tls -H "X-Say: $backwards" "https://tls.test:$port/says")"
: >"$seen"
expect 'a credential is put in' 200 "$(status -H 'Authorization: Bearer filterd-credential-key' "https://tls.test:$port/says")"
expect 'it arrived' 'Authorization: Bearer Sesame-4711' "$(grep ^Auth "$seen")"
refused 'it is used up' credential 403 -H 'Authorization: Bearer filterd-credential-key' "https://tls.test:$port/says"
expect 'a silent upstream' 408 "$(status "https://tls.test:$port/slow")"

# The name that the hello asks for, as in tunnels that are not opened.
called; timeout 10 openssl s_client -proxy "$proxy" -connect "tls.test:$port" -servername evil.test >/dev/null 2>&1 </dev/null
expect 'another name' '["refused","hello"]' "$(last '[.verdict,.reason]')"
# One request: the second in the same connection is never read.
before=$(grep -c HTTP/1.1 "$seen")
called; printf "GET /says HTTP/1.1\r\nHost: tls.test:$port\r\n\r\nGET /says HTTP/1.1\r\nHost: tls.test:$port\r\n\r\n" |
    timeout 10 openssl s_client -quiet -proxy "$proxy" -connect "tls.test:$port" -servername tls.test >"$work/two" 2>/dev/null
expect 'one request a connection' 1 "$(grep -c '^HTTP/1.1 200' "$work/two")"
expect 'the second never arrived' $((before + 1)) "$(grep -c HTTP/1.1 "$seen")"
called; printf 'SSH-2.0-x\r\n\r\n' | timeout 10 openssl s_client -quiet -proxy "$proxy" -connect "tls.test:$port" -servername tls.test >"$work/two" 2>/dev/null
expect 'no HTTP inside' '["https","request"]' "$(last '[.kind,.reason]')"
expect 'the secrets are nowhere' 0 "$(cat "$record" "$work/log" | grep -c -e "$secret" -e Sesame)"
stop
expect 'a clean end' 0 "$status"
finish
