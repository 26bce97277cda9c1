#!/bin/sh
# A low limit of open files: connections do not take all of them, so health answers operators and the record goes on.
. "$(dirname "$0")/../service.inc"
echo 'upstreams: {ai: {protocol: openai, url: "http://127.0.0.1:9"}}' >"$work/upstreams.yaml"
programs=$bin
# limited FILES: filterd cannot raise that limit.
limited() {
    drop=$([ "$(id -u)" -ne 0 ] || echo setpriv --bounding-set -sys_resource)
    mkdir -p "$work/limited"
    printf '#!/bin/sh\nulimit -n %s\nexec %s "%s/filterd" "$@"\n' "$1" "$drop" "$programs" >"$work/limited/filterd"
    chmod 755 "$work/limited/filterd"
    bin=$work/limited
}
used() { sed -n 's/.*may be needed: \(connections=[0-9]* and proxy-streams=[0-9]*\) are used.*/\1/p' "$work/log"; }

limited 150
start --threads=2 --idle-timeout=2
expect 'what is used' 'connections=78 and proxy-streams=10000' "$(used)"
/usr/bin/python3 tests/support/slow_senders.py "$address" 150 30 'GET /healthz HTTP/1.1\r\nX-Slow: ' >"$work/slow" &
slow=$!
all_open() { operators /metrics | sed -n 's/^filterd_connections //p' | awk '{ print ($1 >= 70) }'; }
await 'connections are open' 1 all_open
sleep 0.5 # as long as the rest of them takes
expect 'health answers operators meanwhile' 200 "$(operators /healthz -o /dev/null -w '%{http_code}')"
before=$(cut -d ' ' -f 14,15 "/proc/$pid/stat" | awk '{ print $1 + $2 }')
sleep 1
expect 'the processor is not busy' 1 "$(cut -d ' ' -f 14,15 "/proc/$pid/stat" | awk -v before="$before" '{ print ($1 + $2 - before < 50) }')"
wait $slow
expect 'all are closed' 'closed 150' "$(tail -n 1 "$work/slow")"
expect 'there is room again' '["redact","test-key"]' "$(post /v1/filter "{\"text\": \"$secret\"}" | jq -c '[.action, .rule]')"
stop

# With upstreams a quarter of the files is theirs.
limited 472
start --threads=2 --upstreams="$work/upstreams.yaml"
expect 'what is used with upstreams' 'connections=300 and proxy-streams=100' "$(used)"
stop

# What connections do not need is for streams, and no more than that.
limited 600
start --threads=2 --connections=100 --upstreams="$work/upstreams.yaml"
expect 'what is used with few connections' 'connections=100 and proxy-streams=428' "$(used)"
stop

# Too few for anything.
limited 80
timeout 20 "$bin/filterd" --threads=2 --listen=127.0.0.1:0 --operators=none --rules="$rules" --state-directory="$work/state" 2>"$work/refused"
expect 'too few' 2 $?
expect 'why' 'error filterd: 80 open files are allowed: at least 104 expected (LimitNOFILE=)' "$(grep error "$work/refused")"
finish
