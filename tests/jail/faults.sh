#!/bin/sh
# faults.sh BINDIR: memory and room run out inside, the launcher is killed at random points of a run: nothing is left behind.
# FILTERD_JAIL_KILLS is how often the launcher is killed as each caller (default 20).
. "$(dirname "$0")/jail.inc"
kills=${FILTERD_JAIL_KILLS:-20}

alive() { pgrep -f -c "$1" 2>/dev/null; }
# Groups of launchers that are dead; others may be running jails of their own.
abandoned() {
    find /sys/fs/cgroup -maxdepth 6 -type d -name 'filterd-jail-*' 2>/dev/null | while read -r group; do
        launcher_of=${group##*/filterd-jail-}
        kill -0 "${launcher_of%%-*}" 2>/dev/null || echo "$group"
    done
}
# The mounts that are seen from here; a jail's own are in its namespace, which processes of the jail or descriptors keep.
mounts() { wc -l </proc/self/mountinfo; }
# left WHAT MARK: what is there that was not there before, after its time to go.
left() {
    for _ in $(seq 600); do [ "$(alive "$2")" -gt 0 ] || [ -n "$(abandoned)" ] || break; sleep 0.1; done
    [ "$(alive "$2")" -eq 0 ] || fail "$1: $(alive "$2") processes are left"
    [ -z "$(abandoned)" ] || fail "$1: control groups are left: $(abandoned)"
    [ "$(mounts)" -eq "$mounts_before" ] || fail "$1: $(mounts) mounts, $mounts_before before"
    files=$(find "$here" | sort)
    [ "$files" = "$files_before" ] || fail "$1: files are left: $(printf '%s\n%s\n' "$files" "$files_before" | sort | uniq -u)"
}

for caller in $callers; do
    prefix=; [ "$caller" != user ] || prefix=$user
    attack_input="inputs: [{from: $here/attack, to: /attack/attack}]"
    printf '%s\nlimits: {memory: 64M, pids: 60}\nwork: {size: 48M}\n' "$attack_input" | policy "$caller" small
    printf '%s\nwork: {size: 1M, inodes: 64}\ntmp: {size: 1M, inodes: 64}\n' "$attack_input" | policy "$caller" full
    printf '' | policy "$caller" plain
    printf 'colour: red\n' | policy "$caller" refused
    : >"$here/out"; : >"$here/err"; : >"$here/killed"; cat >"$here/killer.py" <<'P'
"""Starts a command N times and kills it at a random point: a third each while it starts, soon after, and later."""
import random, signal, subprocess, sys, time
n, seed, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
rng = random.Random(seed)
for i in range(n):
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(rng.uniform(0, (0.004, 0.02, 0.1)[i % 3]))
    child.send_signal(signal.SIGKILL)
    child.wait()
P
    files_before=$(find "$here" | sort) mounts_before=$(mounts)

    # Refused by a policy that is read when the jail has begun already.
    tried=$((tried + 1))
    in_jail "$caller" refused true; [ $? -eq 125 ] || fail "a policy that is refused as $caller"
    left "a policy that is refused as $caller" "run -p $here/$caller/refused"

    # Out of memory: in one process, in many, and by files.
    if [ "$caller" = root ] || [ "$doctor" -eq 0 ]; then
        tried=$((tried + 3)) mark=mark-$caller-memory-$$
        in_jail "$caller" small /attack/attack A29-memory 256 $mark
        [ $? -eq 137 ] && grep -q 'the memory limit was reached' "$here/err" || { fail "memory as $caller"; cat "$here/err"; }
        in_jail "$caller" small sh -c "for i in 1 2 3 4 5 6 7 8; do /attack/attack A29-memory 256 $mark & done; wait"
        grep -q 'the memory limit was reached' "$here/err" || { fail "memory in many processes as $caller"; cat "$here/err"; }
        in_jail "$caller" small sh -c "head -c 60M /dev/zero >fill; /attack/attack A29-memory 64 $mark; true"
        grep -q 'the memory limit was reached' "$here/err" || { fail "memory in files and processes as $caller"; cat "$here/err"; }
        left "out of memory as $caller" $mark
    else
        skip "out of memory as $caller: no control group"
    fi

    # No room: the command is told, lives on, and ends as it likes.
    tried=$((tried + 2)) mark=mark-$caller-room-$$
    in_jail "$caller" full sh -c "head -c 2M /dev/zero >/work/f; head -c 2M /dev/zero >/tmp/f
        for i in \$(seq 99); do touch /work/i\$i; done; rm -f /work/f /work/i*; echo room >/work/g && cat /work/g; exit 5; $mark"
    code=$?
    [ "$code" -eq 5 ] && [ "$(cat "$here/out")" = room ] && grep -q 'No space left' "$here/err" ||
        { fail "no room as $caller: exit code $code"; cat "$here/out" "$here/err"; }
    in_jail "$caller" full sh -c "head -c 2M /dev/zero >/dev/shm/f; head -c 2M /dev/zero >/etc/f; mkdir /new; exit 6; $mark"
    [ $? -eq 6 ] || fail "no room elsewhere as $caller"
    left "no room as $caller" $mark

    tried=$((tried + kills)) mark=mark-$caller-killed-$$
    seed=$$
    # shellcheck disable=SC2086
    "/usr/bin/python3" "$here/killer.py" "$kills" "$seed" $prefix "$jail" run -p "$here/$caller/plain.yaml" -- \
        sh -c "setsid sleep 1000 & sleep 1000; true $mark"
    left "the launcher killed $kills times as $caller (seed $seed)" $mark
    rm -f "$here/killer.py" "$here/killed"
done
finish
