#!/bin/sh
# filterd-egress: a request has a line before it leaves, which stays when the process is killed; nobody reads its memory.
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
opened() { grep '"verdict":"opened"' "$record" | jq -c '[.kind,.method,.host,.path,.rule,.status]'; }
# The other side has it, so the line is there, however short it has been under way.
for host in api judged; do
    : >"$record"; : >"$seen"
    get "http://$host.test:$port/slow" >/dev/null & client=$!
    while ! grep -q /slow "$seen"; do :; done
    kill -9 "$pid"; wait "$pid" 2>/dev/null; pid=''
    wait "$client"
    expect "of $host, killed" "[\"http\",\"GET\",\"$host.test\",\"/slow\",\"$host\",null]" "$(opened)"
    egress
done
# One that comes to its end has both; one that is refused has not left.
: >"$record"; : >"$work/calls"
expect 'an answer' '3 bytes' "$(get -d 'abc' "http://api.test:$port/")"
expect 'one that ends' '["allowed",200,"127.0.0.1"]' "$(last '[.verdict,.status,.address]')"
expect 'one that ends: its first line' '["http","POST","api.test","/","api",null]' "$(opened)"
: >"$record"; : >"$work/calls"
expect 'refused' 403 "$(code "http://evil.test:$port/")"
last . >/dev/null
expect 'refused: one line' 1 "$(wc -l <"$record")"
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
