#!/bin/sh
# kill.sh BINDIR: an agent has a jail on each of three nodes; an order on one node ends all, within half a second, and all say so. A node
# that hangs is named, and its jail dies by its own lease; one without contact ends its jails where that is strict.
# FILTERD_FLEET_KILLS (10) agents.
. "$(dirname "$0")/fleet.inc"
"$bin/filterd-jail" doctor >"$work/doctor" 2>&1
[ $? -ne 2 ] || { echo "skip: no jail is possible here: $(grep MISSING "$work/doctor" | tr -s ' ' | tr '\n' ';')"; exit 0; }
start_database
nodes='web-1 web-2 web-3'
for node in $nodes; do
    make_node $node
    [ $node = web-3 ] && start_filterd $node --on-loss=strict --kill-lease=3 || start_filterd $node
    start_link $node
done
for node in $nodes; do wait_until "contact of $node" in_contact $node; done

# A jail of that agent on each node; processes are told by the last argument.
start_jail() { # NODE AGENT
    cat >"$work/$1/$2.yaml" <<POLICY
name: test
on_missing_mechanism: degrade
filter: {socket: $work/$1/agents.sock, agent: $2, lease: 5s}
POLICY
    chmod 600 "$work/$1/$2.yaml"
    "$bin/filterd-jail" run -p "$work/$1/$2.yaml" -- sh -c "echo begun; sleep 3000 & sleep 3000; true mark-$1-$2-$$" \
        </dev/null >"$work/$1/$2.begun" 2>"$work/$1/$2.log" & # a file of its own: that of the jail before has begun
    wait_until "the jail of $2 on $1" grep -q begun "$work/$1/$2.begun"
}
alive() { pgrep -f -c "mark-$1-$2-$$"; }
is_over() { [ "$(alive "$1" "$2")" -eq 0 ]; }
kill_agent() { curl -s -o /dev/null -X POST --unix-socket "$work/$1/operators.sock" "http://filterd/v1/agents/$2/kill?why=test"; } # NODE AGENT
# A member of the fleet's result of that agent's kill.
result() { # EVENT AGENT MEMBER
    cat "$work"/*/decisions.jsonl | jq -r "select(.event == \"$1\" and .by == \"fleet\" and .agent == \"$2\") | .fleet.$3 // empty" | tail -n 1
}

# --- an order on one node ends all ------------------------------------------------------------------
: >"$work/times"
for i in $(seq "${FILTERD_FLEET_KILLS:-10}"); do
    for node in $nodes; do start_jail $node "runner-$i"; done
    expect 'jails before' 3 "$(for node in $nodes; do is_over $node "runner-$i" || echo alive; done | wc -l)"
    for node in $nodes; do ! is_over $node "runner-$i" || tail -n 3 "$work/$node/runner-$i.log"; done # why it ended
    began=$(date +%s%N)
    kill_agent web-1 "runner-$i"
    wait_until 'the end on all nodes' has_events 1 killed fleet "runner-$i"
    echo $((($(date +%s%N) - began) / 1000000)) >>"$work/seen"
    for node in $nodes; do expect "processes on $node" 0 "$(alive $node "runner-$i")"; done
    expect 'what is on record' '3 0 0' "$(result killed "runner-$i" nodes) $(result killed "runner-$i" presumed) $(result killed "runner-$i" survivors)"
    result killed "runner-$i" since_order_us >>"$work/times"
done
sort -n "$work/times" | awk '{ us[NR] = $1 } END { printf "kills=%d order_to_last_ack_ms median=%.0f p99=%.0f greatest=%.0f\n", NR,
    us[int((NR + 1) / 2)] / 1000, us[int(NR * 0.99 + 0.99)] / 1000, us[NR] / 1000; exit us[NR] > 500000 }' ||
    { echo 'a kill took more than 500 ms'; failures=$((failures + 1)); }

# --- a node hangs: it is named, its jail dies by its own lease, and counts as done when the node's lease is over ---------
for node in $nodes; do start_jail $node hung; done
kill -STOP "$(cat "$work/web-3/filterd.pid")"
kill_agent web-1 hung
for node in web-1 web-2; do wait_until "the end on $node" is_over $node hung; done
wait_until 'a word about the node that hangs' has_events 1 not_killed fleet hung
expect 'its name' web-3 "$(result not_killed hung missing)"
wait_until 'the end by the lease of the jail' is_over web-3 hung
wait_until 'the end by the lease of the node' has_events 1 killed fleet hung
expect 'presumed' 1 "$(result killed hung presumed)"
kill -CONT "$(cat "$work/web-3/filterd.pid")"
wait_until 'it hears of the kill' has_state web-3 hung killed

# --- no contact: a strict node ends its jails, another goes on -------------------------------------------------
wait_until 'contact of web-3' in_contact web-3
for node in $nodes; do start_jail $node cut; done
stop web-3 link KILL
stop web-2 link KILL
wait_until 'the end of the jail of the strict node' is_over web-3 cut
expect 'the jail of the other' 1 "$(is_over web-2 cut && echo 0 || echo 1)"
kill_agent web-1 cut
wait_until 'a word about the other' has_events 1 not_killed fleet cut
expect 'its name' web-2 "$(result not_killed cut missing)"
start_link web-2
wait_until 'the end when it is back' is_over web-2 cut
wait_until 'the end on record' has_events 1 killed fleet cut
[ "$failures" -eq 0 ] || show_logs
[ "$failures" -eq 0 ]
