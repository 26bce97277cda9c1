#!/bin/sh
# Connections that send a byte now and then: they do not keep their places, and health answers meanwhile.
. "$(dirname "$0")/service.inc"
start --connections=200 --idle-timeout=3 --rate-min=256

# More of them than there are places; those that wait for one are served when it is free, and closed in turn.
slow() { # slow WHAT HEAD
    n_warned=$(grep -c 'listen: all connections are open n=200' "$work/log")
    /usr/bin/python3 tests/support/slow_senders.py "$address" 300 60 "$2" >"$work/slow" &
    slow_pid=$!
    wait_for_count 200
    expect "$1: health answers operators meanwhile" '200 200' "$(operators /healthz -o /dev/null -w '%{http_code}') $(
        operators /readyz -o /dev/null -w '%{http_code}')"
    wait $slow_pid
    expect "$1: all are closed" 'closed 300' "$(tail -n 1 "$work/slow")"
    expect "$1: there is room again" 200 "$(status_of "$url/healthz")"
}
# Until so many connections are open.
wait_for_count() {
    for _ in $(seq 1200); do
        [ "$(operators /metrics | sed -n 's/^filterd_connections //p')" -ge "$1" ] && return 0
        sleep 0.05
    done
    expect 'connections are open' "$1" "$(operators /metrics | sed -n 's/^filterd_connections //p')"
}
slow 'heads' 'GET /healthz HTTP/1.1\r\nX-Slow: '
expect 'the log says that no place is left' 1 "$(grep -c 'warn listen: all connections are open n=200' "$work/log")"
slow 'bodies' 'POST /v1/filter HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n'
slow 'bodies in chunks' 'POST /v1/filter/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n'
slow 'bodies that are dropped' 'POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n'
slow 'no head at all' ''
expect 'which it does not repeat each time' 1 "$(grep -c 'warn listen: all connections are open' "$work/log")"
expect 'nothing was judged' '' "$(exchanges 2>/dev/null)"

# A slow body that brings enough is taken.
{ printf 'POST /v1/filter HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 5000\r\n\r\n'
    for _ in 1 2 3 4 5; do head -c 1000 /dev/zero | tr '\0' a; sleep 1; done; } | curl -sS --max-time 20 "telnet://$address" >"$work/answer"
expect 'a body of a kilobyte a second' 'HTTP/1.1 200 OK' "$(head -n 1 "$work/answer" | tr -d '\r')"
# A connection that is kept is not late while it is used.
expect 'a connection in use' '200 200 200 200 200 200 ' "$(/usr/bin/python3 -c '
import http.client, sys, time
c = http.client.HTTPConnection(sys.argv[1])
for _ in range(6):
    c.request("GET", "/healthz"); r = c.getresponse(); r.read(); print(r.status, end=" "); time.sleep(0.8)
' "$address")"
stop

# One address may be held to fewer.
start --connections-per-ip=5 --idle-timeout=3
/usr/bin/python3 tests/support/slow_senders.py "$address" 20 1 'GET /healthz HTTP/1.1\r\nX-Slow: ' >"$work/slow"
expect 'more of one address are closed at once' 'closed 15' "$(tail -n 1 "$work/slow")"
stop
finish
