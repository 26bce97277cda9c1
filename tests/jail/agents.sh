#!/bin/sh
# agents.sh BINDIR: filterd and jails: registration, the kill by violations, and what happens when either side dies.
. "$(dirname "$0")/agents.inc"
cat >"$here/rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions: [{category: injection, action: block}]
violations:
  weights: {injection: 90, block: 10, honeytoken: 60}
  half_life: 400d
  actions: [{at: 50, do: freeze}, {at: 100, do: kill}]
POLICY

violate() { # violate AGENT: prints the answer's agent
    curl -sS -m 10 -H 'Content-Type: application/json' -d "{\"text\":\"E2EBOMB0001\",\"agent\":\"$1\"}" "$url/v1/filter"
}
alive() { pgrep -f -c "$1" 2>/dev/null; }
until_none() {
    for _ in $(seq 600); do [ "$(alive "$1")" -gt 0 ] || return 0; sleep 0.1; done
    fail "$(alive "$1") processes of '$1' survive"
}
await() { # await FILE: until something was written there
    for _ in $(seq 600); do [ ! -s "$1" ] || return 0; sleep 0.1; done
    fail "nothing came to $1: $mark"
}
recorded() { jq -c "select(.type == \"agent\" and .agent == \"$1\") | $2" "$here/state/decisions.jsonl"; }
# run_jail CALLER AGENT POLICY COMMAND…: in the background; sets launcher.
more= # further lines of the policy
socket=$here/agents.sock lease=2s
run_jail() {
    prefix=; [ "$1" != user ] || prefix=$user
    caller_of=$1 agent_of=$2 policy_of=$3
    rm -f "$here/begun" "$here/err"
    shift 3
    policy "$caller_of" "$policy_of" <<POLICY
inputs: [{from: $here/attack, to: /attack/attack}]
limits: {pids: $pids, memory: 2G, cpu: 1}
filter: {socket: $socket, agent: $agent_of, lease: $lease}
$more
POLICY
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller_of/$policy_of.yaml" -- "$@" </dev/null >"$here/begun" 2>"$here/err" &
    launcher=$!
    background="$background $launcher"
}

chmod 755 "$here"
start_filterd
# The self-test: children in a group of their own where that can be, and nothing of it stays.
tried=$((tried + 1))
for _ in $(seq 600); do grep -q 'self-test passed' "$here/filterd.log" && break; sleep 0.1; done
grep 'self-test passed' "$here/filterd.log" || fail "the kill's self-test: $(cat "$here/filterd.log")"
[ "$(id -u)" -ne 0 ] || grep -q 'by=cgroup.kill' "$here/filterd.log" || fail "the self-test has no group"

for caller in $callers; do
    pids=1000
    [ "$caller" = root ] || [ "$doctor" -eq 0 ] || pids=150

    # The threshold kills a fork bomb; both sides say so.
    tried=$((tried + 1))
    mark=mark-$caller-violation-$$
    lease=20s # a bomb in no control group may keep filterd from the processor for longer than a short one
    run_jail "$caller" "bomber-$caller" bomb /attack/attack A30 $mark
    lease=2s
    await "$here/begun"
    sleep 0.5
    answer=$(violate "bomber-$caller")
    [ "$(echo "$answer" | jq -r .agent.state)" = killed ] || fail "the agent's state as $caller: $answer"
    wait $launcher
    [ $? -eq 124 ] || fail "the launcher's exit code as $caller"
    [ "$(alive $mark)" -eq 0 ] || fail "$(alive $mark) processes survive filterd's kill as $caller"
    grep -q 'filterd ended the agent' "$here/err" || fail "the launcher as $caller does not say who: $(cat "$here/err")"
    for _ in $(seq 600); do [ -z "$(recorded "bomber-$caller" 'select(.event == "killed")')" ] || break; sleep 0.1; done
    [ "$(recorded "bomber-$caller" 'select(.event == "killed") | [.kill.verified, .kill.survivors]')" = '[true,0]' ] ||
        fail "the record as $caller: $(recorded "bomber-$caller" .)"
    recorded "bomber-$caller" 'select(.event == "killed") | "\(.kill.processes // "an unknown number of") processes, \(.since_order_us // .kill.since_order_us) us"'

    # A stopped agent runs no jail until it is revived.
    tried=$((tried + 1))
    run_jail "$caller" "bomber-$caller" again true
    wait $launcher
    [ $? -eq 125 ] && grep -q 'the agent is stopped' "$here/err" || fail "a killed agent runs again as $caller: $(cat "$here/err")"
    operators "/v1/agents/bomber-$caller/revive" -X POST >/dev/null
    run_jail "$caller" "bomber-$caller" again sh -c 'echo alive'
    wait $launcher
    [ $? -eq 0 ] && grep -q alive "$here/begun" || fail "a revived agent does not run as $caller: $(cat "$here/err")"

    # The launcher is killed first, with its watchdog: filterd's own hand ends the bomb.
    tried=$((tried + 1))
    mark=mark-$caller-orphan-$$
    run_jail "$caller" "orphan-$caller" orphan /attack/attack A30 $mark
    await "$here/begun"
    kill -9 "$(pgrep -P $launcher jail-watchdog)" $launcher
    wait $launcher 2>/dev/null
    until_none $mark

    # The launcher hangs: the violation still ends the jail.
    tried=$((tried + 1))
    mark=mark-$caller-hung-$$
    run_jail "$caller" "hung-$caller" hung sh -c "echo begun; sleep 3000; true $mark"
    await "$here/begun"
    kill -STOP $launcher
    violate "hung-$caller" >/dev/null
    for _ in $(seq 600); do [ -z "$(recorded "hung-$caller" 'select(.event == "killed")')" ] || break; sleep 0.1; done
    [ "$(recorded "hung-$caller" 'select(.event == "killed") | .kill.survivors')" = 0 ] || fail "a hung launcher as $caller"
    kill -CONT $launcher
    wait $launcher
    until_none $mark

    # What happens inside counts, too: two honeytokens are one too many.
    tried=$((tried + 1))
    mark=mark-$caller-honeytoken-$$
    more='honeytokens: [/work/.env, /work/key.pem]'
    run_jail "$caller" "curious-$caller" curious sh -c \
        "echo begun; (setsid sh -c 'sleep 3000; true $mark' &); cat /work/.env; sleep 3000; true $mark"
    more=
    await "$here/begun"
    for _ in $(seq 600); do [ -z "$(recorded "curious-$caller" 'select(.event == "honeytoken")')" ] || break; sleep 0.1; done
    operators "/v1/agents/curious-$caller" | jq -e '.state == "frozen" and .counts.honeytoken == 1' >/dev/null ||
        fail "a honeytoken does not freeze as $caller: $(operators "/v1/agents/curious-$caller")"
    [ "$caller" = user ] && [ "$doctor" -ne 0 ] || [ "$(recorded "curious-$caller" 'select(.event == "carried_out") | .done')" = '["freeze"]' ] ||
        fail "the freeze as $caller: $(recorded "curious-$caller" .)"
    violate "curious-$caller" >"$here/answer"
    [ "$(jq -r .rule "$here/answer")" = filterd.agent-frozen ] || fail "a frozen agent as $caller: $(cat "$here/answer")"
    "$bin/filterctl" agents revive "curious-$caller" --operators unix:"$here/operators.sock" >/dev/null || fail "a revival as $caller"
    violate "curious-$caller" >/dev/null
    wait $launcher
    until_none $mark

    # An operator kills one that did nothing.
    tried=$((tried + 1))
    mark=mark-$caller-operator-$$
    run_jail "$caller" "calm-$caller" calm sh -c "echo begun; sleep 3000; true $mark"
    await "$here/begun"
    operators /v1/agents | jq -e '.agents[] | select(.id == "'"calm-$caller"'") | .jails == 1 and .state == "active"' >/dev/null ||
        fail "a jail without violations is not listed as $caller"
    "$bin/filterctl" agents kill "calm-$caller" --why drill --operators unix:"$here/operators.sock" >"$here/killed" 2>&1 ||
        fail "filterctl as $caller: $(cat "$here/killed")"
    wait $launcher
    grep -q 'operator: drill' "$here/err" || fail "an operator's kill as $caller: $(cat "$here/err")"
    until_none $mark

    # Outside a jail: one process by its number; with rights, a control group and all in it.
    tried=$((tried + 1))
    if [ "$caller" = root ]; then
        sleep 4000 &
        outside=$!
        "$bin/filterctl" agents attach "outside-$caller" $outside --agents "$here/agents.sock" >/dev/null || fail "attach a process"
        violate "outside-$caller" >/dev/null
        wait $outside 2>/dev/null
        [ $? -eq 137 ] || fail "a process outside a jail is not ended"
        group=$(find /sys/fs/cgroup -maxdepth 2 -name cgroup.kill -prune -o -name cgroup.controllers -print 2>/dev/null | head -n 1)
        group=${group%/*}/filterd-test-$$
        if [ -n "$group" ] && mkdir "$group" 2>/dev/null; then
            sh -c "echo 0 >$group/cgroup.procs; setsid sleep 4001 & sleep 4002" &
            outside=$!
            for _ in $(seq 600); do [ "$(grep -c . "$group/cgroup.procs")" -lt 3 ] || break; sleep 0.1; done
            "$bin/filterctl" agents attach "group-$caller" "$group" --agents "$here/agents.sock" >/dev/null || fail "attach a group"
            "$bin/filterctl" agents kill "group-$caller" --operators unix:"$here/operators.sock" >/dev/null || fail "kill a group"
            [ -z "$(cat "$group/cgroup.procs")" ] || fail "a group is not ended"
            wait $outside 2>/dev/null
            rmdir "$group"
        else
            skip "no control group can be made beside the jails'"
        fi
    fi

    # filterd is killed first: the lease ends the jail, whether the launcher looks or hangs.
    for state in awake hung; do
        tried=$((tried + 1))
        mark=mark-$caller-lease-$state-$$
        run_jail "$caller" "leased-$caller-$state" "lease-$state" /attack/attack A30 $mark
        await "$here/begun"
        [ $state = awake ] || kill -STOP $launcher
        kill -9 $filterd_pid
        wait $filterd_pid 2>/dev/null
        until_none "^/attack/attack A30 $mark"
        [ $state = awake ] || kill -CONT $launcher
        wait $launcher
        [ $state = hung ] || grep -q 'filterd is gone or silent; .*none is left' "$here/err" || fail "lease as $caller: $(cat "$here/err")"
        start_filterd
    done

    # Both hang, and no connection closes: the watchdog keeps the time of the lease.
    tried=$((tried + 1))
    mark=mark-$caller-both-$$
    run_jail "$caller" "both-$caller" both /attack/attack A30 $mark
    await "$here/begun"
    kill -STOP $launcher $filterd_pid
    until_none "^/attack/attack A30 $mark"
    kill -CONT $launcher $filterd_pid
    wait $launcher
    grep -q 'filterd is gone or silent' "$here/err" || fail "both hang as $caller: $(cat "$here/err")"

    # The launcher alone hangs for longer than a lease: filterd is there, and the jail is its.
    tried=$((tried + 1))
    mark=mark-$caller-long-$$
    run_jail "$caller" "long-$caller" long sh -c "echo begun; sleep 3000; true $mark"
    await "$here/begun"
    kill -STOP $launcher
    sleep 5
    [ "$(alive "$mark")" -gt 0 ] || fail "a launcher that hangs ends the jail as $caller"
    kill -CONT $launcher
    violate "long-$caller" >/dev/null
    wait $launcher
    until_none $mark

    # C24: filterd hangs: nothing comes for a lease.
    tried=$((tried + 1)) before=$failures
    mark=mark-$caller-silent-$$
    run_jail "$caller" "silent-$caller" silent sh -c "echo begun; sleep 3000; true $mark"
    await "$here/begun"
    kill -STOP $filterd_pid
    wait $launcher
    kill -CONT $filterd_pid
    grep -q 'filterd is gone or silent; .*none is left' "$here/err" || fail "a silent filterd as $caller: $(cat "$here/err")"
    until_none $mark
    held_since "$before" C24 "$caller"

    # C24: filterd lies: what it says is not of its language, so it is as good as gone.
    before=$failures socket=$here/liar.sock
    for lie in noise short long 'another version' nothing; do
        tried=$((tried + 1))
        mark=mark-$caller-lie-$$
        python3 "$(dirname "$0")/liar.py" "$here/liar.sock" "$lie" >"$here/liar.out" &
        background="$background $!"
        await "$here/liar.out"
        run_jail "$caller" "lie-$caller" lie sh -c "sleep 3000; true $mark"
        wait $launcher
        grep -q 'filterd is gone or silent; .*none is left' "$here/err" || fail "a filterd that lies ($lie) as $caller: $(cat "$here/err")"
        until_none $mark
        rm -f "$here/liar.sock" "$here/liar.out"
    done
    tried=$((tried + 1))
    python3 "$(dirname "$0")/liar.py" "$here/liar.sock" 'no welcome' >"$here/liar.out" &
    background="$background $!"
    await "$here/liar.out"
    run_jail "$caller" "lie-$caller" lie touch "$here/ran"
    socket=$here/agents.sock
    wait $launcher
    [ $? -eq 125 ] && grep -q 'a welcome expected' "$here/err" || fail "no welcome as $caller: $(cat "$here/err")"
    rm -f "$here/liar.sock" "$here/liar.out"
    held_since "$before" C24-lie "$caller"

    # Without filterd nothing runs.
    tried=$((tried + 1))
    printf 'filter: {socket: %s/nobody.sock}\n' "$here" | policy "$caller" nobody
    in_jail "$caller" nobody true
    [ $? -eq 125 ] || fail "without filterd as $caller: exit code"
done
kill $filterd_pid
wait $filterd_pid
finish
