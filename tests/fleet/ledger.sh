#!/bin/sh
# ledger.sh BINDIR: three nodes share the violations of agents: a threshold that their sum crosses is recorded once; an agent that is
# killed on one node is killed on all; a revival is, too; and so it stays whatever is killed. FILTERD_CROSSINGS (30) agents.
. "$(dirname "$0")/fleet.inc"
start_database
nodes='web-1 web-2 web-3'
for node in $nodes; do make_node $node; start_filterd $node; start_link $node; done
for node in $nodes; do wait_until "contact of $node" in_contact $node; done
has_nodes() { operators web-1 /metrics | grep -qx "filterd_fleet_nodes $1"; }
wait_until 'three nodes' has_nodes 3
is_readyz() { [ "$(operators "$1" /readyz)" = "{\"status\":\"$2\"}" ]; }
verdict() { python3 -c 'import json,sys; a = json.load(sys.stdin); print(a["action"], a["rule"])' <"$work/answer"; }

# --- a threshold that no node alone reaches ------------------------------------------------------
python3 tests/fleet/crossing.py "$work" "${FILTERD_CROSSINGS:-30}" $nodes || failures=$((failures + 1))

# --- round robin up to a kill ---------------------------------------------------------------------
for _ in 1 2 3 4 5 6 7; do for node in $nodes; do violate $node robin; done; done
for node in $nodes; do wait_until "the kill on $node" has_state $node robin killed; done
wait_until 'the line of the kill' has_events 1 kill policy robin
sleep 1
expect 'alerts of the agent' 1 "$(events alert policy robin)"
expect 'kills of the agent, by policy' 1 "$(events kill policy robin)"
expect 'what a node says that has not seen it' 'block filterd.agent-killed' "$(violate web-3 robin; verdict)"

# --- an operator kills and revives on different nodes ------------------------------------------------
curl -s -o /dev/null -X POST --unix-socket "$work/web-1/operators.sock" 'http://filterd/v1/agents/stray/kill?why=seen'
for node in $nodes; do wait_until "the operator's kill on $node" has_state $node stray killed; done
wait_until 'all have acknowledged' has_events 1 killed fleet stray
curl -s -o /dev/null -X POST --unix-socket "$work/web-2/operators.sock" 'http://filterd/v1/agents/stray/revive'
for node in $nodes; do wait_until "the revival on $node" has_state $node stray none; done
# What was counted before is forgotten everywhere; what comes after counts.
for node in $nodes; do for _ in 1 2 3; do violate $node stray; done; done
for node in $nodes; do wait_until "its new score on $node" has_state $node stray active; done
sleep 1.5
expect 'alerts after a revival: 9 of 10' 0 "$(events alert policy stray)"
# The first node has heard of 3 when it last counted; below half of the first threshold nobody looks again.
has_sum() { score_of "$1" stray | awk '{ exit !($1 > 8 && $1 <= 9) }'; }
for node in web-2 web-3; do wait_until "the sum of all nodes, fading, on $node" has_sum $node; done

# --- without contact: counted, recorded, killed; then known to all -----------------------------------
stop web-1 link KILL
wait_until 'no contact of web-1' out_of_contact web-1
for _ in $(seq 20); do violate web-1 apart; done
expect 'the kill without contact' 'killed' "$(state_of web-1 apart)"
expect 'its line' 1 "$(events kill policy apart)"
wait_until 'ready, but degraded' is_readyz web-1 degraded
violate web-1 unknown
expect 'the line of an exchange without contact' 1 "$(grep '"agent":"unknown"' "$work/web-1/decisions.jsonl" | grep -c '"store":"lost"')"
curl -s -o /dev/null -X POST --unix-socket "$work/web-2/operators.sock" 'http://filterd/v1/agents/late/kill'
start_link web-1
for node in $nodes; do wait_until "the kill of web-1 on $node" has_state $node apart killed; done
wait_until 'the kill that web-1 missed' has_state web-1 late killed
wait_until 'ready' is_readyz web-1 ready

# --- the database killed, filterd killed --------------------------------------------------------------
server -m immediate -w stop
wait_until 'no contact of web-2' out_of_contact web-2
curl -s -o /dev/null -X POST --unix-socket "$work/web-2/operators.sock" 'http://filterd/v1/agents/late/revive'
stop web-3 filterd KILL
server -w start
start_filterd web-3
for node in $nodes; do wait_until "contact of $node again" in_contact $node; done
for node in $nodes; do
    wait_until "the revival of web-2 on $node" has_state $node late none
    expect "what stands on $node" 'killed killed' "$(state_of $node robin) $(state_of $node apart)"
done

# --- strict: without contact nothing that names an agent is judged -----------------------------------
stop web-3 filterd TERM
start_filterd web-3 --on-loss=strict --kill-lease=2
wait_until 'contact of web-3' in_contact web-3
is_answered() { violate web-3 stern; [ "$(verdict)" = "$1" ]; }
wait_until 'strict, with contact' is_answered 'redact test-key'
stop web-3 link KILL
wait_until 'strict, without contact' is_answered 'block filterd.store-lost'
expect 'a stream says why' '403 the contact with the fleet is lost' \
    "$(curl -s -w '%{http_code}' -o "$work/answer" "http://$(cat "$work/web-3/address")/v1/streams" -H 'Content-Type: application/json' \
        -d '{"agent":"stern"}') $(jq -r .detail "$work/answer")"
[ -z "${FILTERD_SHOW:-}" ] || ask -c "SELECT * FROM filterd.orders ORDER BY id"
[ "$failures" -eq 0 ] || show_logs
[ "$failures" -eq 0 ]
