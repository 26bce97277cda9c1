#!/bin/sh
# filterd-egress: a plain request that takes long has a line before it ends, which stays when the process is killed; nobody reads its memory.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
upstream
cat >"$work/egress.yaml" <<YAML
limits: {idle: 20s}
rules:
  - {name: api, hosts: api.test, ports: $port, scheme: http, methods: [GET, POST], paths: /**, addresses: 127.0.0.1, may_reach: loopback, judge: none}
  - {name: judged, hosts: judged.test, ports: $port, scheme: http, methods: GET, paths: /**, addresses: 127.0.0.1, may_reach: loopback}
YAML
egress
opened() { grep -c '"verdict":"opened"' "$record"; }
expect 'a quick one has one line' '3 bytes' "$(get -d 'abc' "http://api.test:$port/")"
last . >/dev/null
expect 'a quick one: no other' 0 "$(opened)"
for host in api judged; do
    get "http://$host.test:$port/slow" >/dev/null & client=$!
    await "a slow one of $host" 1 opened
    expect "a slow one of $host: its line" "[\"http\",\"GET\",\"$host.test\",\"/slow\",\"$host\",\"127.0.0.1\",null]" \
        "$(tail -n 1 "$record" | jq -c '[.kind,.method,.host,.path,.rule,.address,.status]')"
    kill -9 "$pid"; wait "$pid" 2>/dev/null; pid=''
    wait "$client"
    expect "a slow one of $host, killed" 1 "$(opened)"
    : >"$record"
    egress
done
# One that comes to its end has both.
: >"$work/calls"
get "http://api.test:$port/wait-longer" >/dev/null
expect 'one that ends' '["allowed",200]' "$(last '[.verdict,.status]')"
expect 'one that ends: both lines' 1 "$(opened)"
stop

# What has the credentials makes no core, and another process of its user cannot read it: its files in /proc are root's then.
as_user=''
if [ "$(id -u)" -eq 0 ]; then
    as_user='setpriv --reuid=65534 --clear-groups --'
    chmod 711 "$work"
    chmod -R a+rX "$rules" "$work/egress.yaml"
fi
: >"$work/log" # it still has the line of the process before
# shellcheck disable=SC2086
$as_user "$bin/filterd-egress" --policy "$work/egress.yaml" --rules "$rules" --cache-directory none --log - >>"$work/log" 2>&1 &
pid=$!
for _ in $(seq 1200); do grep -q 'listening on' "$work/log" && break; sleep 0.05; done
expect 'its memory' 0 "$(stat -c %u "/proc/$pid/environ")"
stop
finish
