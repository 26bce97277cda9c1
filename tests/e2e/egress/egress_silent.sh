#!/bin/sh
# filterd-egress with a name server that says nothing: lookups end in time, at the end at once, each with its line.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
own_network "$0" "${2:-}"
echo 'nameserver 127.0.0.1' >"$work/resolv.conf"
chmod 644 "$work/resolv.conf"
mount --bind "$work/resolv.conf" /etc/resolv.conf
/usr/bin/python3 -c '
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 53))
print("bound", flush=True)
time.sleep(100)' >"$work/bound" &
upstream_pids=$!
for _ in $(seq 1200); do [ -s "$work/bound" ] && break; sleep 0.05; done
write() { # write CONNECT
    cat >"$work/egress.yaml" <<YAML
limits: {connect: $1, drain: 100ms}
rules:
  - {name: api, hosts: api.example.com, scheme: http, methods: GET, paths: /**}
YAML
}
now() { echo $(($(date +%s%N) / 1000000)); }

write 1s
egress
from=$(now)
expect 'time is up' 502 "$(code http://api.example.com/)"
expect 'after the time to connect' 1 "$(($(now) - from < 4000))"
expect 'its line' '["failed","resolve","the name does not resolve: time is up"]' "$(last '[.verdict,.reason,.detail]')"
stop

write 1m
egress
code http://api.example.com/under-way >"$work/code" &
sleep 1
from=$(now)
stop
expect 'a clean end' 0 "$status"
expect 'at once' 1 "$(($(now) - from < 3000))"
expect 'what was under way has its line' '["/under-way","failed","resolve"]' "$(tail -n 1 "$record" | jq -c '[.path,.verdict,.reason]')"
finish
