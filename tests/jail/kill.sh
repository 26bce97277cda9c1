#!/bin/sh
# kill.sh BINDIR: nothing survives: not a fork bomb, not a launcher that is killed first, not what daemonised.
. "$(dirname "$0")/jail.inc"
# Processes of a bomb; the limit stands before the bomb does. Without a control group for the processor a bomb competes
# with everything else on the machine, so it is a small one there.
bomb_of() { if [ "$1" = root ] || [ "$doctor" -eq 0 ]; then echo 1000; else echo 150; fi; }

# Control groups whose launcher is dead; others may be running jails of their own.
abandoned() {
    find /sys/fs/cgroup -maxdepth 6 -type d -name 'filterd-jail-*' 2>/dev/null | while read -r group; do
        launcher_of=${group##*/filterd-jail-}
        kill -0 "${launcher_of%%-*}" 2>/dev/null || echo "$group"
    done
}
alive() { pgrep -f -c "$1" 2>/dev/null; } # of the processes that carry the mark in their arguments
# until_none MARK: waits for all to be gone, half a minute at most.
until_none() {
    for _ in $(seq 600); do [ "$(alive "$1")" -gt 0 ] || return 0; sleep 0.1; done
    fail "$(alive "$1") processes of '$1' survive"
    return 1
}
# await MARK N: until so many are there.
await() {
    for _ in $(seq 600); do [ "$(alive "$1")" -lt "$2" ] || return 0; sleep 0.1; done
    fail "only $(alive "$1") processes of '$1'"
    return 1
}

for caller in $callers; do
    prefix=; [ "$caller" != user ] || prefix=$user
    attack_input="inputs: [{from: $here/attack, to: /attack/attack}]"
    bomb=$(bomb_of "$caller")
    printf '%s\nlimits: {pids: %d, wall: 3s, memory: 2G, cpu: 1}\n' "$attack_input" "$bomb" | policy "$caller" bomb
    printf '%s\nlimits: {pids: 300, memory: 2G, cpu: 0.5}\n' "$attack_input" | policy "$caller" endless
    printf '' | policy "$caller" plain

    # A30: the wall clock ends a bomb, and the launcher has seen that it did.
    tried=$((tried + 1)) before=$failures
    mark=mark-$caller-wall-$$
    in_jail "$caller" bomb /attack/attack A30 $mark
    [ $? -eq 124 ] || fail "A30 as $caller: exit code"
    grep -q 'killed: the wall clock limit was reached; .*none is left' "$here/err" || { fail "A30 as $caller"; cat "$here/err"; }
    sed -n "s/^filterd-jail: killed/$caller: killed/p" "$here/err"
    [ "$(alive $mark)" -eq 0 ] || fail "A30 as $caller: $(alive $mark) survive"
    held_since "$before" A30 "$caller"

    # A27, with a bomb: the launcher is killed and can do nothing.
    tried=$((tried + 1)) before=$failures
    mark=mark-$caller-killed-$$
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/endless.yaml" -- /attack/attack A30 $mark </dev/null >"$here/begun" 2>&1 &
    launcher=$!
    for _ in $(seq 600); do [ ! -s "$here/begun" ] || break; sleep 0.1; done
    sleep 1 # looking at a bomb with ps(1) takes longer than that
    kill -9 $launcher
    wait $launcher 2>/dev/null
    until_none $mark

    # A27: the launcher killed, the watchdog killed, both at once.
    for victims in launcher watchdog both; do
        tried=$((tried + 1))
        mark=mark-$caller-$victims-$$
        # shellcheck disable=SC2086
        $prefix "$jail" run -p "$here/$caller/plain.yaml" -- sh -c "setsid sleep 1000 & sleep 2000; true $mark" \
            </dev/null >/dev/null 2>&1 &
        launcher=$!
        await $mark 4 # launcher, watchdog, init, shell
        watchdog=$(pgrep -P $launcher jail-watchdog)
        sleep 0.3 # the shell has started its own
        [ -n "$watchdog" ] || fail "no watchdog as $caller"
        case $victims in
        launcher) kill -9 $launcher ;;
        watchdog) kill -9 "$watchdog" ;;
        both) kill -9 $launcher "$watchdog" ;;
        esac
        wait $launcher 2>/dev/null
        [ "$victims" != watchdog ] || [ -z "$(find /sys/fs/cgroup -maxdepth 6 -type d -name "filterd-jail-$launcher-*")" ] ||
            fail "the watchdog killed as $caller: its control groups are left"
        until_none $mark
    done
    held_since "$before" A27 "$caller"

    # A27: the launcher is stopped by its own user, so that nobody looks at the clock: the jail ends all the same, and the launcher
    # says so once it goes on.
    tried=$((tried + 1)) before=$failures
    mark=mark-$caller-stopped-$$
    [ -d "$here/$caller/quarantine" ] || mkdir -m 700 "$here/$caller/quarantine"
    [ "$caller" != user ] || [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$here/user/quarantine"
    printf 'limits: {wall: 3s}\noutputs: {path: /out, quarantine: quarantine}\n' | policy "$caller" wall
    : >"$here/begun"
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/wall.yaml" -- sh -c "echo evidence >/out/e; echo begun; setsid sleep 1000 & sleep 2000; true $mark" \
        </dev/null >"$here/begun" 2>"$here/err" &
    launcher=$!
    for _ in $(seq 600); do [ ! -s "$here/begun" ] || break; sleep 0.1; done
    [ -s "$here/begun" ] || fail "a stopped launcher as $caller: the command has not begun"
    kill -STOP $launcher
    for _ in $(seq 600); do [ "$(alive "$mark")" -gt 1 ] || break; sleep 0.1; done # the launcher itself is left
    [ "$(alive "$mark")" -le 1 ] || fail "a stopped launcher as $caller: $(alive "$mark") processes survive the wall clock"
    [ "$(ps -o state= -p $launcher | cut -c1)" = T ] || fail "a stopped launcher as $caller: it went on"
    kill -CONT $launcher
    wait $launcher
    [ $? -eq 124 ] && grep -q 'killed: the wall clock limit was reached; .*none is left' "$here/err" ||
        fail "a stopped launcher as $caller: $(cat "$here/err")"
    [ "$(cat "$here/$caller/quarantine"/*/e)" = evidence ] || fail "a stopped launcher as $caller: no outputs"
    held_since "$before" A27-stopped "$caller"

    # A7: what left its session and its parents ends with the command.
    tried=$((tried + 1)) before=$failures
    mark=mark-$caller-daemon-$$
    in_jail "$caller" plain sh -c "(setsid sh -c 'sleep 3000; true $mark' &) ; (setsid setsid sh -c 'sleep 3000; true $mark' &); sleep 0.2"
    [ "$(alive $mark)" -eq 0 ] || fail "A7 as $caller: a daemon survives the command"
    held_since "$before" A7 "$caller"

    # The watchdog ends a jail when the disk hangs, too: it keeps its memory, which an ordinary user may do with little only.
    tried=$((tried + 1))
    mark=mark-$caller-memory-$$ locked=0
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/plain.yaml" -- sh -c "sleep 3000; true $mark" </dev/null >/dev/null 2>&1 &
    launcher=$!
    await $mark 4
    watchdog=$(pgrep -P $launcher jail-watchdog)
    for _ in $(seq 3000); do
        locked=$(awk '$1 == "VmLck:" { print $2 }' "/proc/$watchdog/status")
        [ "${locked:-0}" -eq 0 ] || break
        sleep 0.02
    done
    case $bin in
    */release/*) [ "${locked:-0}" -gt 0 ] && [ "$locked" -lt 4096 ] || fail "the watchdog as $caller keeps ${locked:-no} kB of memory" ;;
    *) skip "the watchdog's memory as $caller: sanitizers keep none, or much" ;;
    esac
    kill -TERM $launcher
    wait $launcher
    until_none $mark

    # SIGTERM to the launcher ends the jail.
    tried=$((tried + 1))
    mark=mark-$caller-term-$$
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/plain.yaml" -- sh -c "trap '' TERM; sleep 3000; true $mark" </dev/null 2>"$here/err" &
    launcher=$!
    await $mark 4
    kill -TERM $launcher
    wait $launcher
    [ $? -eq 143 ] || fail "SIGTERM as $caller: exit code"
    grep -q 'received a signal; .*none is left' "$here/err" || fail "SIGTERM as $caller: $(cat "$here/err")"
    until_none $mark

    # The launcher killed at any point of its start leaves nothing.
    tried=$((tried + 1))
    mark=mark-$caller-start-$$
    for i in $(seq 40); do
        # shellcheck disable=SC2086
        $prefix "$jail" run -p "$here/$caller/plain.yaml" -- sh -c "sleep 3000; true $mark" </dev/null >/dev/null 2>&1 &
        launcher=$!
        /usr/bin/env sleep "0.0$((i % 4))$((i % 10))"
        kill -9 $launcher 2>/dev/null
        wait $launcher 2>/dev/null
    done
    until_none $mark
done

# Watchdogs remove what killed launchers left; give them their turn. Where both were killed the next launch does.
sleep 3
for caller in $callers; do in_jail "$caller" plain true; done
for _ in $(seq 600); do [ -n "$(abandoned)" ] || break; sleep 0.1; done
[ -z "$(abandoned)" ] || fail "control groups are left: $(abandoned)"
finish
