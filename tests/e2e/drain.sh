#!/bin/sh
# SIGTERM: no new connections, active requests finish, the log closes; a second signal ends at once.
. "$(dirname "$0")/service.inc"
start --drain-timeout=600

# posted NAME: a request whose body comes from the fifo $work/NAME, and has begun to.
posted() {
    mkfifo "$work/$1"
    curl -sS -D "$work/head" -H "$json" -H 'Transfer-Encoding: chunked' -T - -X POST "$url/v1/filter" <"$work/$1" >"$work/out" 2>/dev/null &
    client=$!
    exec 7>"$work/$1"
    printf '{"text":"slow' >&7
    await "$1: in progress" 2 metric filterd_active_requests # the other asks for the metric
}

# A request whose body is still on its way when the signal comes.
posted slow
kill -TERM "$pid"
await 'no new connections' 000 status_of "$url/healthz"
printf ' %s"}' "$secret" >&7
exec 7>&-
wait $client
expect_json 'the active request' '[.action, .text]' '["redact","slow [test-key]"]' "$(cat "$work/out")"
expect 'its connection closes' 'Connection: close' "$(tr -d '\r' <"$work/head" | grep -i ^connection)"
wait "$pid"; expect 'exit code' 0 $?
pid=''
expect 'recorded' "$(jq -r .id "$work/out")" "$(records | tail -1 | jq -r .req_id)"

# Nothing in progress: at once, not after the limit.
start --drain-timeout=3600
stop
expect 'an idle stop' 0 "$status"

# A request that never ends: the time limit, or a second signal.
start --drain-timeout=1
posted never; stop
expect 'the limit' 2 "$status"
exec 7>&-
start --drain-timeout=3600
posted again
kill -TERM "$pid"
await 'no new connections' 000 status_of "$url/healthz"
stop
expect 'a second signal' 2 "$status"
exec 7>&-

# systemd is told.
if command -v python3 >/dev/null; then
    python3 - "$work/notify" >"$work/told" <<'PYTHON' &
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
s.settimeout(20)
while True:
    state = s.recv(4096).decode().split("\n")[0]
    print(state, flush=True)
    if state == "STOPPING=1":
        break
PYTHON
    listener=$!
    while [ ! -e "$work/notify" ]; do sleep 0.05; done
    export NOTIFY_SOCKET="$work/notify"
    start
    kill -HUP "$pid"; wait_for_log 'reload: done'
    await 'ready again' 2 grep -c READY=1 "$work/told"
    stop
    unset NOTIFY_SOCKET
    wait $listener
    expect 'systemd is told' 'READY=1 RELOADING=1 READY=1 STOPPING=1' "$(tr '\n' ' ' <"$work/told" | sed 's/ $//')"
fi
finish
