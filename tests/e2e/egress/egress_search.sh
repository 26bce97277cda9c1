#!/bin/sh
# filterd-egress: a name is looked up as the rule has it, not below a search domain of resolv.conf, where it is another host.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
# In a network of its own, whose one name server knows names below search.test alone.
own_network "$0" "${2:-}"
printf 'nameserver 127.0.0.1\nsearch search.test\noptions ndots:5\n' >"$work/resolv.conf"
printf '127.0.0.1 here.example.com\n' >"$work/hosts"
chmod 644 "$work/resolv.conf" "$work/hosts"
mount --bind "$work/resolv.conf" /etc/resolv.conf
mount --bind "$work/hosts" /etc/hosts
cat >"$work/names.py" <<'PYTHON'
import socket
import sys

s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('127.0.0.1', 53))
print('bound', flush=True)
while True:
    query, peer = s.recvfrom(600)
    end, labels = 12, []
    while query[end]:
        labels.append(query[end + 1:end + 1 + query[end]].decode())
        end += query[end] + 1
    name, kind = '.'.join(labels), query[end + 2]
    print(name, file=sys.stderr, flush=True)
    known, has_address = name.endswith('.search.test'), kind == 1
    answer = b'\xc0\x0c\0\1\0\1\0\0\0\5\0\4\x7f\0\0\1' if known and has_address else b''
    s.sendto(query[:2] + (b'\x81\x80' if known else b'\x81\x83') + b'\0\1\0' + bytes([bool(answer)]) + b'\0\0\0\0' +
             query[12:end + 5] + answer, peer)
PYTHON
/usr/bin/python3 "$work/names.py" >"$work/bound" 2>>"$work/asked" &
upstream_pids=$!
for _ in $(seq 1200); do [ -s "$work/bound" ] && break; sleep 0.05; done
upstream
cat >"$work/egress.yaml" <<YAML
rules:
  - {name: api, hosts: [api.example.com, here.example.com, api], scheme: http, ports: $port, methods: GET, paths: /**, may_reach: loopback}
YAML
egress
expect 'the name server answers' 127.0.0.1 "$(getent ahosts api.example.com | awk 'NR == 1 { print $1 }')"
: >"$work/asked"
for host in api.example.com api; do
    expect "$host" 502 "$(code "http://$host:$port/")"
    expect "$host is on record" "[\"$host\",\"failed\",\"resolve\",null]" "$(last '[.host,.verdict,.reason,.address]')"
done
expect 'what the name server was asked' 'api api.example.com ' "$(sort -u "$work/asked" | tr '\n' ' ')"
expect 'nothing went there' 0 "$(wc -l <"$seen")"
expect 'a name of /etc/hosts' 200 "$(code "http://here.example.com:$port/")"
stop
finish
