#!/bin/sh
# faults.sh BINDIR: filterd, filterd-link and PostgreSQL are killed, hang and are cut off, again and again, under load with violations and kills.
# Then every answer is once on record, every line once in the database, and no kill is forgotten on any node.
# FILTERD_FLEET_FAULTS (25) faults, FILTERD_SEED.
. "$(dirname "$0")/fleet.inc"
mkdir "$work/relays" && chmod 755 "$work/relays"
# So that every answer waits for its line; otherwise one that allows does not.
filterd_options=--receipts=always
start_database
nodes='web-1 web-2 web-3'
for node in $nodes; do
    mkdir "$work/relays/$node"
    python3 tests/fleet/relay.py "$work/relays/$node/.s.PGSQL.5432" "$work/db/.s.PGSQL.5432" "$work/relays/$node.cut" &
    echo $! >"$work/relays/$node.pid"
    make_node $node
    echo "host=$work/relays/$node user=node dbname=postgres" >"$work/$node.conf"
    sed -i "s|$work/store.conf|$work/$node.conf|" "$work/$node.yaml"
    start_filterd $node; start_link $node
done
for node in $nodes; do wait_until "contact of $node" in_contact $node; done

# Answers that clients had: each asks one node, and goes on when that is gone.
mkdir "$work/load"
for node in $nodes; do
    while [ ! -e "$work/stop" ]; do
        # Where it may ask, the address is that of the filterd that runs.
        [ -e "$work/$node/pause" ] || python3 tests/fleet/load.py "$(cat "$work/$node/address")" 1 "$work/load/$node.$(date +%s%N)" "$work/$node/pause" >/dev/null 2>&1
        sleep 0.1
    done &
done
pause() { touch "$work/$1/pause"; }
go_on() { rm -f "$work/$1/pause"; }

fault() { # KIND NODE MILLISECONDS
    for_a_while=$(echo "$3" | awk '{ print $1 / 1000 }')
    case $1 in
    link) stop "$2" link KILL; sleep "$for_a_while"; start_link "$2" ;;
    filterd) pause "$2"; stop "$2" filterd KILL; sleep "$for_a_while"; start_filterd "$2"; go_on "$2" ;;
    database) server -m immediate -w stop; sleep "$for_a_while"; server -w start ;;
    hang) kill -STOP "$(cat "$work/$2/link.pid")"; sleep "$for_a_while"; kill -CONT "$(cat "$work/$2/link.pid")" ;;
    cut) touch "$work/relays/$2.cut"; sleep "$for_a_while"; rm "$work/relays/$2.cut" ;;
    esac
}
python3 - "${FILTERD_SEED:-24}" "${FILTERD_FLEET_FAULTS:-25}" >"$work/faults" <<'PYTHON'
import random, sys
draw = random.Random(int(sys.argv[1]))
kinds = ['link', 'filterd', 'database', 'hang', 'cut', 'cut']
for i in range(int(sys.argv[2])):
    print(draw.choice(kinds), draw.choice(['web-1', 'web-2', 'web-3']), draw.randrange(10, 2000), draw.choice(['web-1', 'web-2', 'web-3']))
PYTHON
i=0
while read -r kind node for_ms other <&3; do
    i=$((i + 1))
    # Violations on all nodes and an operator's kill, while it happens.
    (for _ in 1 2 3 4 5 6 7; do for one in $nodes; do violate $one "agent-$i"; done; done) 2>/dev/null &
    busy=$!
    curl -s -m 5 -o /dev/null -X POST --unix-socket "$work/$other/operators.sock" "http://filterd/v1/agents/by-hand-$i/kill" &
    fault "$kind" "$node" "$for_ms"
    wait $busy
done 3<"$work/faults"
touch "$work/stop"
for node in $nodes; do pause $node; done
for node in $nodes; do wait_until "contact of $node" in_contact $node; done
sleep 3

# --- what must be so ----------------------------------------------------------------------------------
cat "$work"/load/* >"$work/asked"
echo "faults=$i answers: $(cut -d" " -f1 "$work/asked" | sort | uniq -c | awk '{ printf "%s=%s ", $2, $1 }')"
expect 'leaked' 0 "$(grep -c leaked "$work/asked")"
python3 tests/fleet/on_record.py "$work/asked" "$work"/web-*/decisions.jsonl || failures=$((failures + 1))
cat "$work"/web-*/decisions.jsonl | jq -r 'select(.type == "agent" and .event == "kill") | .agent' | sort -u >"$work/killed"
expect 'some were killed by each' 1 "$([ "$(grep -c ^agent "$work/killed")" -gt 0 ] && [ "$(grep -c ^by-hand "$work/killed")" -gt 0 ] && echo 1)"
for node in $nodes; do
    while read -r agent; do
        wait_until "the kill of $agent on $node" has_state $node "$agent" killed || break
    done <"$work/killed"
done
for node in $nodes; do
    lines=$(wc -l <"$work/$node/decisions.jsonl")
    copied() { [ "$(ask -c "SELECT count(*) FROM filterd.record r JOIN filterd.node n ON r.node = n.id WHERE n.node = '$node'")" -ge "$lines" ]; }
    wait_until "the copies of $node" copied
    ask -c "COPY (SELECT encode(convert_to(line, 'UTF8'), 'hex') FROM filterd.record r JOIN filterd.node n ON r.node = n.id
        WHERE n.node = '$node' ORDER BY seq) TO STDOUT" | python3 -c 'import sys
for line in sys.stdin: sys.stdout.buffer.write(bytes.fromhex(line) + b"\n")' >"$work/copied"
    cmp "$work/$node/decisions.jsonl" "$work/copied" || failures=$((failures + 1))
done
echo "killed=$(wc -l <"$work/killed") orders=$(ask -c 'SELECT count(*) FROM filterd.orders')"
expect 'kills that are not acknowledged by all' '' "$(ask -c "SELECT id, agent FROM filterd.orders WHERE done IS NULL AND what = 'kill'")"
[ "$failures" -eq 0 ] || show_logs
[ "$failures" -eq 0 ]
