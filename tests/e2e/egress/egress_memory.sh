#!/bin/sh
# filterd-egress: what the bodies of all connections take together is bounded; what is above is refused, and on record.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
upstream
cat >"$work/egress.yaml" <<YAML
limits: {connections: 100, memory: 40M}
rules:
  - {name: api, hosts: api.test, scheme: http, ports: $port, methods: [GET, POST], paths: /**, may_reach: loopback, addresses: 127.0.0.1, response_max: 64M}
  - {name: large, hosts: large.test, scheme: http, ports: $port, methods: POST, paths: /**, may_reach: loopback, addresses: 127.0.0.1, request_max: 64M}
YAML
/usr/bin/python3 - "$work" <<'PYTHON'
import gzip, sys
open(sys.argv[1] + "/words.gz", "wb").write(gzip.compress(b"a " * 4190000))
open(sys.argv[1] + "/long.gz", "wb").write(gzip.compress(b"a " * 25000000))
open(sys.argv[1] + "/long", "wb").write(b"a " * 25000000)
PYTHON
egress
send() { curl -s --max-time 60 -x "http://$proxy" -o /dev/null -w '%{http_code}\n' "$@"; }
peak() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status"; }
zipped='Content-Encoding: gzip'
called
expect 'one' 200 "$(send -H "$plain" -H "$zipped" --data-binary @"$work/words.gz" "http://api.test:$port/")"
before=$(peak)

# Sixty at once, of 8 MB each.
for _ in $(seq 60); do
    called
    send -H "$plain" -H "$zipped" --data-binary @"$work/words.gz" "http://api.test:$port/many" >>"$work/codes" &
    senders="${senders:-} $!"
done
wait $senders
expect 'all are answered' 60 "$(grep -cE '^(200|503)$' "$work/codes")"
expect 'some pass' true "$(grep -q 200 "$work/codes" && echo true)"
expect 'the refused are on record' "$(grep -c 503 "$work/codes")" "$(last . >/dev/null; grep -c '"reason":"busy"' "$record")"
case $bin in
*/asan/* | */tsan/*) ;; # which have an allocator of their own
*) expect 'none takes more than there is' true "$([ $(($(peak) - before)) -lt 61440 ] && echo true)" ;;
esac

# One that is longer than all may be, as sent and decoded.
called
expect 'as sent' 503 "$(send -H "$plain" --data-binary @"$work/long" "http://large.test:$port/")"
expect 'on record' '["refused","busy",503]' "$(last '[.verdict,.reason,.status]')"
called
expect 'decoded' 503 "$(send -H "$plain" -H "$zipped" --data-binary @"$work/long.gz" "http://large.test:$port/")"
expect 'on record, too' '["refused","busy",503]' "$(last '[.verdict,.reason,.status]')"
called
expect 'all is given back' 200 "$(send -H "$plain" -H "$zipped" --data-binary @"$work/words.gz" "http://api.test:$port/after")"
stop
finish
