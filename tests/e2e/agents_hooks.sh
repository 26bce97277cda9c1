#!/bin/sh
# Hooks end agents outside a jail; the record says whether that was seen.
. "$(dirname "$0")/service.inc"
cat >"$work/stop" <<'SH'
#!/bin/sh
echo "$FILTERD_AGENT $FILTERD_TENANT $FILTERD_WHY $*" >>"$(dirname "$0")/ran"
[ "$FILTERD_AGENT" != stubborn ] || exit 3
[ "$FILTERD_AGENT" != slow ] || sleep 60
SH
printf '#!/bin/sh\n[ "$FILTERD_AGENT" = gone ]\n' >"$work/gone"
chmod 755 "$work/stop" "$work/gone"
cat >"$work/hook.py" <<'PY'
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with open(sys.argv[1], "a") as out: out.write(self.path + " " + body + "\n")
        self.send_response(500 if "bad" in self.path else 204); self.end_headers()
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
PY
/usr/bin/python3 "$work/hook.py" "$work/posted" >"$work/port" &
hook_pid=$!
trap 'kill $hook_pid 2>/dev/null; cleanup' EXIT
for _ in $(seq 1200); do [ -s "$work/port" ] && break; sleep 0.05; done
port=$(cat "$work/port")
cat >>"$rules/policy.yaml" <<POLICY
violations:
  weights: {injection: 50}
  half_life: 400d
  actions: [{at: 50, do: kill}]
  hooks:
    - {agents: [gone, there], command: [$work/stop, now], verify: [$work/gone], timeout: 60s}
    - {agents: [unseen, stubborn], command: $work/stop, timeout: 60s}
    - {agents: slow, command: $work/stop, timeout: 1s}
    - {agents: 'cloud-*', webhook: 'http://127.0.0.1:$port/kill'}
    - {agents: lost, webhook: 'http://127.0.0.1:$port/bad'}
POLICY
start
violate() { post /v1/filter "{\"text\":\"E2EBOMB0001\",\"agent\":\"$1\",\"tenant\":\"t\"}" >/dev/null; }
outcome() { records | jq -r "select(.type == \"agent\" and .agent == \"$1\" and (.event | startswith(\"hook\"))) | \"\(.event): \(.why)\""; }
await() { # await AGENT OUTCOME
    for _ in $(seq 600); do [ -n "$(outcome "$1")" ] && break; sleep 0.1; done
    expect "$1" "$2" "$(outcome "$1")"
}
for agent in gone there unseen stubborn slow cloud-7 lost free; do violate $agent; done
await gone 'hook_verified: command: done, and the agent is seen to be gone'
await there 'hook_failed: command: done, but the agent is not seen to be gone (1)'
await unseen 'hook_unverified: command: done; not verified that the agent has ended'
await stubborn 'hook_failed: command: exit code 3'
await slow 'hook_failed: command: not started, not over in time, or ended by a signal'
await cloud-7 'hook_unverified: webhook: done; not verified that the agent has ended'
await lost 'hook_failed: webhook: answered 500'
expect 'without a hook nothing is run' '' "$(outcome free)"
expect 'the command knows whom' 'gone t policy: 50.0 violations now' "$(grep '^gone' "$work/ran")"
expect 'and so does the webhook' '/kill {"event":"kill","agent":"cloud-7","tenant":"t","why":"policy: 50.0 violations"}' "$(grep kill "$work/posted" | head -n 1)"

# What filterd could run was settled at its start.
sed -i "s|\[$work/stop, now\]|[/bin/true]|" "$rules/policy.yaml"
expect 'other hooks need a restart' 422 "$(status_of --unix-socket "$work/operators.sock" -X POST http://f/v1/policy/reload)"
sed -i "s|\[/bin/true\]|[$work/stop, now]|; s/at: 50/at: 60/" "$rules/policy.yaml"
expect 'the rest does not' 200 "$(status_of --unix-socket "$work/operators.sock" -X POST http://f/v1/policy/reload)"
stop
finish
