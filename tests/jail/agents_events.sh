#!/bin/sh
# agents_events.sh BINDIR: what a jail does counts at filterd, which first closes its egress proxy and then ends it.
. "$(dirname "$0")/agents.inc"
[ -x "$bin/filterd-egress" ] && [ -x /usr/bin/python3 ] || { skip "$0: filterd-egress and python3 are needed"; exit 0; }
cp "$bin/filterd-egress" "$here/" && chmod 755 "$here/filterd-egress"
cat >"$here/rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions: [{category: secret, action: redact}]
violations:
  weights: {honeytoken: 60, egress: 1, network: 2, dns: 4, syscall: 8, block: 16}
  half_life: 400d
  actions: [{at: 60, do: cut_network}, {at: 120, do: kill}]
POLICY
chmod 644 "$here/rules/policy.yaml"
start_filterd
: >"$here/seen"
/usr/bin/python3 "$(dirname "$0")/../support/egress_upstream.py" "$here/seen" >"$here/port" 2>/dev/null &
background="$background $!"
for _ in $(seq 1200); do [ -s "$here/port" ] && break; sleep 0.05; done
port=$(cat "$here/port")

score() { operators "/v1/agents/$1" | jq -r '.violations'; }
# until_score AGENT FROM TO: what is counted gets there.
until_score() {
    for _ in $(seq 600); do
        awk "BEGIN { exit !($(score "$1") >= $2 && $(score "$1") <= $3) }" 2>/dev/null && return
        sleep 0.1
    done
    fail "$1 has $(score "$1"), $2 to $3 expected"
}
said() { for _ in $(seq 600); do grep -q "^$1" "$here/said" && return; sleep 0.1; done; fail "$2: $(cat "$here/said" "$here/err")"; }

for caller in $callers; do
    tried=$((tried + 6))
    agent=events-$caller
    printf 'rules:\n  - {name: api, hosts: api.test, ports: %s, scheme: http, methods: [GET, POST], paths: /**, addresses: 127.0.0.1, may_reach: loopback}\ncredentials:\n  key: {file: %s, hosts: api.test, methods: GET, paths: /**, plain: true, ttl: 1h, uses: 9}\n' \
        "$port" "$here/$caller/credential" >"$here/$caller/egress.yaml"
    echo Sesame-4711 >"$here/$caller/credential"
    chmod 600 "$here/$caller/egress.yaml" "$here/$caller/credential"
    [ "$caller" != user ] || [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$here/user/egress.yaml" "$here/user/credential"
    mkdir -p "$here/$caller/src/steps"; rm -f "$here/$caller/src/steps/"*
    cat >"$here/$caller/src/run.sh" <<RUN
curl="curl -s -m 10 -o /dev/null -w %{http_code}"
step() { while [ ! -e /src/steps/\$1 ]; do sleep 0.1; done; }
echo "before \$(\$curl -H 'X-Key: filterd-credential-key' http://api.test:$port/)"
step one
\$curl http://api.test:$port/ -d E2EKEY-000000000000000000000000 >/dev/null
\$curl http://192.0.2.7:4444/ >/dev/null
\$curl --resolve '*:$port:192.0.2.8' http://evil.test:$port/ >/dev/null
echo counted
step two
cat /work/.env >/dev/null
step three
echo "after \$(\$curl --resolve '*:$port:192.0.2.8' http://api.test:$port/)"
step four
cat /work/.env
sleep 60
RUN
    policy "$caller" events <<POLICY
inputs: [{from: src, to: /src}]
deny_names: []
honeytokens: [/work/.env]
network: {egress: egress.yaml, record: record.jsonl, rules: $here/rules, ports: [$port]}
filter: {socket: $here/agents.sock, agent: $agent, lease: 5s}
POLICY
    chmod -R a+rX "$here/$caller/src"
    prefix=; [ "$caller" != user ] || prefix=$user
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/events.yaml" -- sh /src/run.sh </dev/null >"$here/said" 2>"$here/err" &
    launcher=$!
    background="$background $launcher"
    said 'before 200' "the egress proxy as $caller"
    dropped() { jq -c 'select(.kind == "credential") | [.reason, .detail, .agent]' "$here/$caller/record.jsonl"; }
    [ -z "$(dropped)" ] || fail "credentials as $caller are dropped too early"
    : >"$here/$caller/src/steps/one"
    said counted "the steps as $caller"
    # A body with a secret 16, a port 2, a host 1.
    until_score "$agent" 18.9 19.1
    : >"$here/$caller/src/steps/two"
    until_score "$agent" 78.9 79.1
    for _ in $(seq 600); do [ -z "$(pgrep -r R,S,D -P $launcher filterd-egress)" ] && break; sleep 0.1; done
    for _ in $(seq 600); do [ -n "$(dropped)" ] && break; sleep 0.1; done
    [ "$(dropped)" = '["revoked","wiped: 1","'"$agent"'"]' ] || fail "credentials as $caller: $(dropped)"
    : >"$here/$caller/src/steps/three"
    said 'after 000' "a honeytoken does not close the egress proxy as $caller"
    kill -0 $launcher 2>/dev/null || fail "the jail ended too early as $caller"
    # Another jail of the agent has no network either, or does not start for lack of it: cutting it lasts until a revival.
    policy "$caller" again <<POLICY
inputs: [{from: src, to: /src}]
deny_names: []
network: {egress: egress.yaml, record: again.jsonl, rules: $here/rules, ports: [$port]}
filter: {socket: $here/agents.sock, agent: $agent, lease: 5s}
POLICY
    # shellcheck disable=SC2086
    again=$($prefix "$jail" run -p "$here/$caller/again.yaml" -- sh -c "sleep 1; curl -s -m 10 -o /dev/null -w '%{http_code}' --resolve '*:$port:192.0.2.8' http://api.test:$port/" 2>"$here/again" </dev/null)
    case $again in 000 | '') ;; *) false ;; esac || fail "another jail of the agent as $caller: $again $(cat "$here/again")"
    : >"$here/$caller/src/steps/four"
    wait $launcher
    [ $? -eq 124 ] || fail "the second honeytoken does not end the jail as $caller"
    grep -q 'filterd ended the agent' "$here/err" || fail "the launcher as $caller does not say who: $(cat "$here/err")"
    jq -c 'select(.filter_rule == "test-key" and .agent == "'"$agent"'")' "$here/$caller/record.jsonl" | grep -q . ||
        fail "the record as $caller"
done
finish
