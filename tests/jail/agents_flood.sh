#!/bin/sh
# agents_flood.sh BINDIR: what a jail does again and again hides nothing from filterd, and does not fill its record.
. "$(dirname "$0")/agents.inc"
[ -x /usr/bin/python3 ] || { skip "$0: python3 is needed"; exit 0; }
cat >"$here/rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions: [{category: secret, action: redact}]
violations:
  weights: {honeytoken: 60}
  half_life: 400d
  actions: [{at: 60, do: kill}]
POLICY
chmod 644 "$here/rules/policy.yaml"
start_filterd

for caller in $callers; do
    tried=$((tried + 3))
    agent=flood-$caller
    mkdir -p "$here/$caller/src"
    cat >"$here/$caller/src/flood.py" <<'PYTHON'
import ctypes, os, sys, time
call = ctypes.CDLL(None).syscall
def refused(n, seconds):
    end = time.monotonic() + seconds
    while n > 0 and time.monotonic() < end:
        call(101, 0, 0, 0, 0)  # ptrace
        n -= 1
print("began", flush=True)
while not os.path.exists("/src/go"):
    time.sleep(0.05)
refused(500, 3)
open("/work/.env").read()
print("opened", flush=True)
while not os.path.exists("/src/on"):
    time.sleep(0.05)
time.sleep(10)
PYTHON
    rm -f "$here/$caller/src/go" "$here/$caller/src/on"
    policy "$caller" flood <<POLICY
inputs: [{from: src, to: /src}]
deny_names: []
honeytokens: [/work/.env]
filter: {socket: $here/agents.sock, agent: $agent, lease: 20s}
POLICY
    chmod -R a+rX "$here/$caller/src"
    prefix=; [ "$caller" != user ] || prefix=$user
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/flood.yaml" -- /usr/bin/python3 /src/flood.py </dev/null >"$here/said" 2>"$here/err" &
    launcher=$!
    background="$background $launcher"
    for _ in $(seq 600); do grep -q began "$here/said" && break; sleep 0.1; done
    # filterd is slow: what it is told waits, and the honeytoken comes last.
    kill -STOP "$filterd_pid"
    : >"$here/$caller/src/go"
    for _ in $(seq 600); do grep -q opened "$here/said" && break; sleep 0.1; done
    sleep 1
    kill -CONT "$filterd_pid"
    : >"$here/$caller/src/on"
    wait $launcher
    [ $? -eq 124 ] || fail "a honeytoken behind many refused calls does not end the jail as $caller: $(operators "/v1/agents/$agent")"
    operators "/v1/agents/$agent" | jq -e '.counts.honeytoken >= 1' >/dev/null || fail "the honeytoken as $caller: $(operators "/v1/agents/$agent")"
    # Calls in a loop take turns: each is on record, and they are no more than a hundred a second behind the first thousand.
    sed "s/agent: $agent/agent: many-$caller/" "$here/$caller/flood.yaml" >"$here/$caller/many.yaml"
    chmod --reference="$here/$caller/flood.yaml" "$here/$caller/many.yaml"
    chown --reference="$here/$caller/flood.yaml" "$here/$caller/many.yaml"
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/many.yaml" -- /usr/bin/python3 -c 'import ctypes, time
call, end, n = ctypes.CDLL(None).syscall, time.monotonic() + 3, 0
while time.monotonic() < end:
    call(101, 0, 0, 0, 0)
    n += 1
print(n)' </dev/null >"$here/said" 2>"$here/err"
    operators "/v1/agents/many-$caller" | jq -e --argjson n "$(cat "$here/said")" '.counts.syscall == $n and $n < 2000' >/dev/null ||
        fail "calls in a loop as $caller: $(cat "$here/said") said, $(operators "/v1/agents/many-$caller")"
done
finish
