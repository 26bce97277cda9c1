#!/bin/sh
# SIGTERM: no new connections, requests at work finish, the log closes; a second signal ends at once.
. "$(dirname "$0")/service.inc"
start --drain-timeout=20

# A request whose body is still on its way when the signal comes.
(printf '{"text":"slow'; sleep 1.5; printf ' %s"}' "$secret") |
    curl -sS -D "$work/head" -H "$json" -H 'Transfer-Encoding: chunked' -T - -X POST "$url/v1/filter" >"$work/out" &
slow=$!
sleep 0.5
kill -TERM "$pid"
sleep 0.3
expect 'no new connections' 000 "$(status_of "$url/healthz" 2>/dev/null)"
wait $slow
expect_json 'the request at work' '[.action, .text]' '["redact","slow [test-key]"]' "$(cat "$work/out")"
expect 'its connection closes' 'Connection: close' "$(tr -d '\r' <"$work/head" | grep -i ^connection)"
wait "$pid"; expect 'exit code' 0 $?
pid=''
expect 'recorded' "$(jq -r .id "$work/out")" "$(records | tail -1 | jq -r .req_id)"

# Nothing at work: at once.
start --drain-timeout=20
before=$(date +%s)
stop
expect 'an idle stop is quick' 1 "$([ $(($(date +%s) - before)) -le 2 ] && echo 1)"

# A request that never ends: the time limit, or a second signal.
hang() {
    (printf '{"text":"'; sleep 6) | curl -sS -H "$json" -H 'Transfer-Encoding: chunked' -T - -X POST \
        "$url/v1/filter" >/dev/null 2>&1 &
    sleep 0.5
}
start --drain-timeout=1
hang; before=$(date +%s); stop
expect 'the limit' '2 1' "$status $([ $(($(date +%s) - before)) -le 4 ] && echo 1)"
start --drain-timeout=60
hang; before=$(date +%s)
kill -TERM "$pid"; sleep 0.3
stop
expect 'a second signal' '2 1' "$status $([ $(($(date +%s) - before)) -le 3 ] && echo 1)"

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
    kill -HUP "$pid"; wait_for_log 'reload: done'; sleep 0.1
    stop
    unset NOTIFY_SOCKET
    wait $listener
    expect 'systemd is told' 'READY=1 RELOADING=1 READY=1 STOPPING=1' "$(tr '\n' ' ' <"$work/told" | sed 's/ $//')"
fi
finish
