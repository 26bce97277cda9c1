#!/bin/sh
# faults.sh BINDIR: filterd, filterd-link and PostgreSQL are killed, hang and are cut off, on several nodes at once, again and again, under load
# with violations, kills and policy bundles. Then every answer is once on record, every line once in the database, no kill is forgotten on any
# node, and no bundle was rolled back. FILTERD_FLEET_FAULTS (25) faults, FILTERD_SEED.
. "$(dirname "$0")/fleet.inc"
mkdir "$work/relays" && chmod 755 "$work/relays"
# So that every answer waits for its line; otherwise one that allows does not.
filterd_options=--receipts=always
start_database
make_keys
nodes='web-1 web-2 web-3'
make_bundle 1
publish 1 >/dev/null
for node in $nodes; do
    mkdir "$work/relays/$node"
    python3 tests/fleet/relay.py "$work/relays/$node/.s.PGSQL.5432" "$work/db/.s.PGSQL.5432" "$work/relays/$node.cut" &
    echo $! >"$work/relays/$node.pid"
    wait_until "the relay of $node" test -S "$work/relays/$node/.s.PGSQL.5432"
    make_node $node
    take_bundles $node
    echo "host=$work/relays/$node user=node dbname=postgres" >"$work/$node.conf"
    sed -i "s|$work/store.conf|$work/$node.conf|" "$work/$node.yaml"
    fetch_first $node
    start_filterd $node; start_link $node
done
for node in $nodes; do wait_until "contact of $node" in_contact $node; done

# Answers that clients had: each asks one node, and goes on when that is gone.
mkdir "$work/load"
loads='' busy='' running=''
for node in $nodes; do
    while [ ! -e "$work/stop" ]; do
        # Where it may ask, the address is that of the filterd that runs.
        [ -e "$work/$node/pause" ] || python3 tests/fleet/load.py "$(cat "$work/$node/address")" 1 "$work/load/$node.$(date +%s%N)" "$work/$node/pause" >/dev/null 2>&1
        sleep 0.1
    done &
    loads="$loads $!"
done
pause() { touch "$work/$1/pause"; }
go_on() { rm -f "$work/$1/pause"; }
# Interrupted, too: a fault that is not over starts its program again, and only then it can be ended.
end() {
    touch "$work/stop"
    for node in $nodes; do pause $node; done
    # shellcheck disable=SC2086 # several
    wait $loads $busy $running 2>/dev/null
    cleanup
}
trap end EXIT

# Another shell may have started it: then init collects it.
is_gone() { ! grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null; }
end_now() { # NODE PROGRAM
    pid=$(cat "$work/$1/$2.pid")
    kill -KILL "$pid"; wait_until "the end of $2 of $1" is_gone "$pid"
}
fault() { # KIND NODE MILLISECONDS
    for_a_while=$(echo "$3" | awk '{ print $1 / 1000 }')
    case $1 in
    link) end_now "$2" link; sleep "$for_a_while"; start_link "$2" ;;
    filterd) pause "$2"; end_now "$2" filterd; sleep "$for_a_while"; start_filterd "$2"; go_on "$2" ;;
    database) server -m immediate -w stop; sleep "$for_a_while"; server -w start ;;
    hang) kill -STOP "$(cat "$work/$2/link.pid")"; sleep "$for_a_while"; kill -CONT "$(cat "$work/$2/link.pid")" ;;
    cut) touch "$work/relays/$2.cut"; sleep "$for_a_while"; rm "$work/relays/$2.cut" ;;
    esac
    [ "$failures" -eq 0 ] || touch "$work/failed"
}
# A line is a round: one fault on each node, and in every fourth one of the database; who kills by hand.
python3 - "${FILTERD_SEED:-24}" "${FILTERD_FLEET_FAULTS:-25}" >"$work/faults" <<'PYTHON'
import random, sys
draw, left = random.Random(int(sys.argv[1])), int(sys.argv[2])
while left > 0:
    faults = [(draw.choice(['link', 'link', 'filterd', 'filterd', 'filterd', 'hang', 'cut']), node) for node in ('web-1', 'web-2', 'web-3')]
    faults += [('database', '-')] if draw.randrange(4) == 0 else []
    faults = draw.sample(faults, min(left, len(faults)))
    left -= len(faults)
    print(draw.choice(['web-1', 'web-2', 'web-3']), *(f'{kind}:{node}:{draw.randrange(10, 1000)}' for kind, node in faults))
PYTHON
i=0 newest=1
while read -r other faults <&3; do
    i=$((i + 1))
    # Violations on all nodes, an operator's kill and now and then a bundle, while it happens.
    (for _ in 1 2 3 4 5 6 7; do for one in $nodes; do violate $one "agent-$i"; done; done) 2>/dev/null &
    busy=$!
    curl -s -m 5 -o /dev/null -X POST --unix-socket "$work/$other/operators.sock" "http://filterd/v1/agents/by-hand-$i/kill" &
    running=
    for one in $faults; do
        # shellcheck disable=SC2046 # several words
        fault $(echo "$one" | tr : ' ') &
        running="$running $!"
    done
    if [ $((i % 4)) -eq 0 ]; then
        # What failed may have been committed.
        [ -e "$work/out/rules-$((newest + 1)).note" ] || make_bundle $((newest + 1))
        publish $((newest + 1)) >/dev/null || :
        [ "$(ask -c 'SELECT max(version) FROM filterd.bundle' 2>/dev/null)" != $((newest + 1)) ] || newest=$((newest + 1))
    fi
    # shellcheck disable=SC2086 # several
    wait $busy $running
done 3<"$work/faults"
touch "$work/stop"
for node in $nodes; do pause $node; done
for node in $nodes; do wait_until "contact of $node" in_contact $node; done
sleep 3
newest=$(ask -c 'SELECT max(version) FROM filterd.bundle') # of a publication that failed, too, when it was committed
expect 'every program started again' 1 "$([ -e "$work/failed" ] || echo 1)"

# --- what must be so ----------------------------------------------------------------------------------
cat "$work"/load/* >"$work/asked"
echo "rounds=$i $(tr ' ' '\n' <"$work/faults" | grep : | cut -d: -f1 | sort | uniq -c | awk '{ printf "%s=%s ", $2, $1 }')answers: $(cut -d" " -f1 "$work/asked" | sort | uniq -c | awk '{ printf "%s=%s ", $2, $1 }')"
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
wait_until "the newest bundle, $newest, on all nodes" all_run $newest
for node in $nodes; do
    sed -n 's/.*policy bundle: taken version=\([0-9]*\) .*/\1/p' "$work/$node/filterd.log" >"$work/taken"
    sort -c -n -u "$work/taken" || { echo "$node took a bundle twice, or one older than before"; failures=$((failures + 1)); }
done
echo "bundles=$newest killed=$(wc -l <"$work/killed") orders=$(ask -c 'SELECT count(*) FROM filterd.orders')"
expect 'kills that are not acknowledged by all' '' "$(ask -c "SELECT id, agent FROM filterd.orders WHERE done IS NULL AND what = 'kill'")"
[ "$failures" -eq 0 ] || show_logs
[ "$failures" -eq 0 ]
