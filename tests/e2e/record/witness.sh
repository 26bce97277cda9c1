#!/bin/sh
# A witness cosigns a log that grows, and no fork, rollback or stale size; what it signed survives kill -9.
set -u
bin=${1:?folder of the programs expected}
cd "$(dirname "$0")/../../.." || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-witness.XXXXXX")
pid='' failures=0
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

expect() { # expect WHAT EXPECTED ACTUAL
    [ "$2" = "$3" ] || { echo "$1: expected: $2"; echo "$1: got:      $3"; failures=$((failures + 1)); }
}
start() {
    : >"$work/program.log"
    "$bin/filterd-witness" --config "$work/witness.yaml" --listen 127.0.0.1:0 2>"$work/program.log" &
    pid=$!
    for _ in $(seq 1200); do
        url=$(sed -n 's/.*witness: ready listen=\([^ ]*\) .*/http:\/\/\1/p' "$work/program.log")
        [ -z "$url" ] || return 0
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    echo "it did not start: $(cat "$work/program.log")"; exit 1
}

witness=$("$bin/filterd-witness" --make-key "$work/witness.key" --name witness.example/w1)
expect 'mode of the key' 600 "$(stat -c %a "$work/witness.key")"
"$bin/filterd-witness" --make-key "$work/witness.key" --name witness.example/w1 2>/dev/null
expect 'a key that exists' 2 $?
log=$(/usr/bin/python3 tests/support/witness_scenario.py "$bin/filterd-witness" "$work" PREPARE)
cat >"$work/witness.yaml" <<YAML
name: witness.example/w1
key: $work/witness.key
state: $work/state
logs:
  - $log
YAML
expect 'what --check prints' "$witness" "$("$bin/filterd-witness" --config "$work/witness.yaml" --check)"

start
"$bin/filterd-witness" --config "$work/witness.yaml" --check >"$work/out" 2>&1
expect 'the state of another process' 2 $?
/usr/bin/python3 tests/support/witness_scenario.py "$bin/filterd-witness" "$work" "$url" "$witness" >"$work/answers" 2>&1 ||
    { cat "$work/answers"; failures=$((failures + 1)); }
# Everything else is refused, and the program lives on.
expect 'another path' 404 "$(curl -s -o /dev/null -w '%{http_code}' -d x "$url/other")"
expect 'another method' 405 "$(curl -s -o /dev/null -w '%{http_code}' "$url/add-checkpoint")"
head -c 200000 /dev/zero >"$work/long"
expect 'a body that is too long' 413 "$(curl -s -o /dev/null -w '%{http_code}' --data-binary "@$work/long" "$url/add-checkpoint")"
expect 'two lengths' 400 "$(curl -s -o /dev/null -w '%{http_code}' -H 'Content-Length: 1' -H 'Content-Length: 2' -d x "$url/add-checkpoint")"

kill -9 "$pid"; wait "$pid" 2>/dev/null; pid=''
start
/usr/bin/python3 - "$bin/filterd-witness" "$work" "$url" <<'PYTHON' || failures=$((failures + 1))
import sys
sys.path.insert(0, "tests/support")
import tlog
signer = tlog.Signer(sys.argv[1], f"{sys.argv[2]}/log")
log = tlog.Log(signer, "web-1/filterd/0011223344556677")
log.grow(301)
log.signed = 300
status, kind, body = tlog.post(sys.argv[3], tlog.request(0, [], log.sign()))
print((status, kind, body))
sys.exit((status, kind, body) != (409, "text/x.tlog.size", b"300\n"))
PYTHON
kill -TERM "$pid"; wait "$pid"
expect 'its end' 0 $?
pid=''

# A signer waits for the one before it, which is about to end.
/usr/bin/python3 - "$bin/filterd-witness" "$work" <<'PYTHON' || failures=$((failures + 1))
import os, signal, sys, threading
sys.path.insert(0, "tests/support")
import tlog
first = tlog.Signer(sys.argv[1], f"{sys.argv[2]}/log")
os.kill(first.process.pid, signal.SIGSTOP)
threading.Timer(0.3, lambda: (os.kill(first.process.pid, signal.SIGKILL), first.process.wait())).start()
second = tlog.Signer(sys.argv[1], f"{sys.argv[2]}/log")
sys.exit(second.public != first.public or second.close())
PYTHON

# Configurations that are none.
refused() { # refused WHAT LINE
    sed "$2" "$work/witness.yaml" >"$work/other.yaml"
    "$bin/filterd-witness" --config "$work/other.yaml" --check >/dev/null 2>"$work/out"
    expect "$1" 2 $?
    grep -q "other.yaml:[0-9]*:[0-9]*: " "$work/out" || { echo "$1: no place: $(cat "$work/out")"; failures=$((failures + 1)); }
}
refused 'a key of another name' 's|- web-1|- web-9|'
refused 'an unknown key' 's|^state:|stat:|'
refused 'a name with a plus sign' 's|^name: .*|name: a+b|'
chmod 644 "$work/witness.key"
"$bin/filterd-witness" --config "$work/witness.yaml" --check >/dev/null 2>&1
expect 'a key that others can read' 2 $?
[ "$failures" -eq 0 ] || { echo "$failures failed"; cat "$work/program.log"; exit 1; }
