#!/bin/sh
# filterd-egress: an address of the machine itself is no public one, whatever block it is of.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
own_network "$0" "${2:-}"
ip addr add 93.184.216.34/32 dev lo
cat >"$work/egress.yaml" <<'YAML'
rules:
  - {name: own, hosts: own.test, ports: 9, scheme: http, methods: GET, paths: /**, addresses: 93.184.216.34, judge: none}
  - {name: meant, hosts: meant.test, ports: 9, scheme: http, methods: GET, paths: /**, addresses: 93.184.216.34, may_reach: loopback, judge: none}
  - {name: public, hosts: public.test, ports: 9, scheme: http, methods: GET, paths: /**, addresses: 93.184.216.35, judge: none}
YAML
egress
expect 'its own' 403 "$(code http://own.test:9/)"
expect 'recorded' '["refused","address","93.184.216.34"]' "$(last '[.verdict,.reason,.address]')"
expect 'its own, where the rule says so' 502 "$(code http://meant.test:9/)"
expect 'recorded' '["failed","connect"]' "$(last '[.verdict,.reason]')"
expect 'another' 502 "$(code http://public.test:9/)"
expect 'recorded' '["failed","connect","93.184.216.35"]' "$(last '[.verdict,.reason,.address]')"
stop
finish
