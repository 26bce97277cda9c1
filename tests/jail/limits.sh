#!/bin/sh
# limits.sh BINDIR: more than is allowed of anything is refused or ended (A29), and outputs come out as data (B2).
. "$(dirname "$0")/jail.inc"
. "$(dirname "$0")/rules.inc"
printf 'policies: {default: {rules: [test], actions: []}}\n' >"$here/rules/policy.yaml"

for caller in $callers; do
    attack_input="inputs: [{from: $here/attack, to: /attack/attack}]"
    has_groups=yes; [ "$caller" = root ] || [ "$doctor" -eq 0 ] || has_groups=
    printf '%s\nwork: {size: 8M, inodes: 200}\ntmp: {size: 4M, inodes: 100}\nlimits: {pids: 20, file_size: 64M}\n' \
        "$attack_input" | policy "$caller" small
    for id in A29-processes A29-threads; do
        held "$caller" small $id 20
        # A29 is to be in the log; without a control group nobody counts what was refused.
        [ -z "$has_groups" ] || grep -q '^filterd-jail: limit.reached: 1, first: processes: ' "$here/err" ||
            fail "$id as $caller is not said: $(cat "$here/err")"
    done
    for id in A29-descriptors A29-sparse A29-mlock; do held "$caller" small $id; done
    for folder in /work /tmp /dev/shm; do
        held "$caller" small A29-files $folder
        held "$caller" small A29-fill $folder
    done

    # ended TEXT LIMITS COMMAND…: the launcher ends it, says why, and that nothing is left.
    ended() {
        text=$1 limits=$2
        shift 2
        tried=$((tried + 1))
        printf 'limits: {%s}\n' "$limits" | policy "$caller" limited
        in_jail "$caller" limited "$@"
        [ $? -eq 124 ] || { fail "limit {$limits} as $caller: not ended"; cat "$here/err"; }
        grep -q "killed: the $text limit was reached; .*none is left" "$here/err" ||
            { fail "limit {$limits} as $caller"; cat "$here/err"; }
        grep -q "^filterd-jail: limit.reached: [1-9][0-9]*, first: " "$here/err" || fail "limit {$limits} as $caller is not said"
    }
    ended 'wall clock' 'wall: 300ms' sleep 60
    ended idle 'idle: 600ms' sleep 60
    ended output 'output: 100K' sh -c 'yes'
    [ "$(wc -c <"$here/out")" -le 200000 ] || fail "output limit as $caller: $(wc -c <"$here/out") bytes came out"
    tried=$((tried + 1))
    printf 'limits: {idle: 3s}\n' | policy "$caller" limited
    in_jail "$caller" limited sh -c 'for i in 1 2 3 4 5; do sleep 0.8; echo $i; done' || fail "idle although it speaks"
    if [ -n "$has_groups" ]; then
        ended 'processor time' 'cpu_time: 700ms' sh -c '(while :; do :; done) & while :; do :; done'
        tried=$((tried + 1))
        printf '%s\nlimits: {memory: 64M}\n' "$attack_input" | policy "$caller" limited
        in_jail "$caller" limited /attack/attack A29-memory 256
        [ $? -eq 137 ] && grep -q 'the memory limit was reached' "$here/err" || { fail "memory as $caller"; cat "$here/err"; }
        in_jail "$caller" limited sh -c 'head -c 200M /dev/zero >/work/fill'
        [ $? -eq 137 ] || fail "files in memory are not counted as memory as $caller"
    else
        skip "limits of memory and processor time as $caller: no control group"
        tried=$((tried + 1))
        printf 'limits: {cpu_time: 1s}\n' | policy "$caller" limited
        in_jail "$caller" limited sh -c 'while :; do :; done'
        [ $? -gt 128 ] || fail "RLIMIT_CPU as $caller" # without groups: per process
    fi

    # B2: what comes out is plain data; everything else is counted and stays.
    mkdir -m 700 "$here/$caller/quarantine"
    [ "$caller" != user ] || [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$here/user/quarantine"
    printf 'outputs: {path: /out, quarantine: quarantine, size: 1M, files: 20}\n' | policy "$caller" out
    tried=$((tried + 1)) before=$failures
    in_jail "$caller" out sh -c 'cd /out; mkdir -p a/b empty; echo one >1; echo two >a/b/2; chmod 4755 1
        ln -s /etc/passwd link; ln a/b/2 twice; mkfifo fifo; echo x >hidden; chmod 0 hidden; echo "done"'
    folder=$(sed -n 's/^filterd-jail: outputs: .*: //p' "$here/err")
    [ -d "$folder" ] || { fail "no outputs as $caller"; cat "$here/err"; }
    [ "$(cat "$folder/1")" = one ] || fail "outputs as $caller: a file"
    [ "$(stat -c %a "$folder/1")" = 600 ] || fail "outputs as $caller: rights came out"
    for name in link fifo twice a/b/2; do [ ! -e "$folder/$name" ] || fail "outputs as $caller: $name came out"; done
    [ "$caller" = root ] && refused=4 || refused=5 # root reads what has no rights
    grep -q " $refused refused" "$here/err" || fail "outputs as $caller: $(cat "$here/err")"
    # No link that was left leads to a file of the machine, whoever promotes it.
    if [ -x "$bin/filterctl" ]; then
        mkdir "$here/$caller/target"
        digest() { sha256sum "$1" | sed 's/ .*//; s/^/sha256:/'; }
        in_jail "$caller" out sh -c 'cd /out; mkdir d; echo data >d/y; ln -s /etc x; ln -s /etc/passwd p; ln -s ../../target e; ln -s /etc/cron.d d/cron'
        folder=$(sed -n 's/^filterd-jail: outputs: .*: //p' "$here/err")
        promote() { "$bin/filterctl" outputs promote --rules "$here/rules" "$here/$caller/quarantine" "$here/$caller/target" "$@" >"$here/promoted" 2>&1; }
        promote "$(digest "$folder/d/y")" || fail "B2 as $caller: what is promoted: $(cat "$here/promoted")"
        promote "$(digest /etc/passwd)" && fail "B2 as $caller: what a link led to was promoted"
        [ "$(find "$here/$caller/target" ! -type d -printf '%y %f\n')" = 'f y' ] || fail "B2 as $caller: $(find "$here/$caller/target" -ls)"
        [ -z "$(find "$here/$caller/quarantine" -type l)" ] || fail "B2 as $caller: a link came out"
    fi
    held_since "$before" B2 "$caller"
    in_jail "$caller" out sh -c 'head -c 2M /dev/zero >/out/big' && fail "outputs as $caller: more than their size"
    in_jail "$caller" out true || fail "no outputs, as $caller"
    [ -s "$here/err" ] && [ "$has_groups" = yes ] && fail "no outputs are nothing to talk about: $(cat "$here/err")"

    # What the limits ended leaves its outputs all the same.
    printf 'outputs: {path: /out, quarantine: quarantine}\nlimits: {wall: 300ms}\n' | policy "$caller" out
    in_jail "$caller" out sh -c 'echo evidence >/out/e; sleep 60'
    folder=$(sed -n 's/^filterd-jail: outputs: .*: //p' "$here/err")
    [ "$(cat "$folder/e" 2>/dev/null)" = evidence ] || fail "a killed command's outputs as $caller"
    chmod 777 "$here/$caller/quarantine"
    in_jail "$caller" out true; [ $? -eq 125 ] || fail "a quarantine that others can write as $caller"
done

# An ordinary user with control groups of its own has every mechanism.
case $callers in *root*)
    given=
    for tree in /sys/fs/cgroup /sys/fs/cgroup/*; do
        [ -e "$tree/cgroup.procs" ] && mkdir "$tree/filterd-test-$$" 2>/dev/null && given="$given $tree/filterd-test-$$"
    done
    for folder in $given; do
        chown 65534:65534 "$folder" "$folder/cgroup.procs" "$folder/cgroup.subtree_control" 2>/dev/null
    done
    printf 'name: test\nlimits: {memory: 64M}\ninputs: [{from: %s, to: /attack/attack}]\n' "$here/attack" >"$here/user/full.yaml"
    chmod 600 "$here/user/full.yaml"; chown 65534:65534 "$here/user/full.yaml"
    # delegated COMMAND…: as the ordinary user, inside the groups.
    # shellcheck disable=SC2016
    delegated() { env given="$given" sh -c 'for g in $given; do echo $$ >"$g/cgroup.procs"; done; exec "$@"' sh $user "$@"; }
    if [ -n "$given" ] && delegated "$jail" doctor >"$here/out" 2>&1; then
        tried=$((tried + 1))
        delegated "$jail" run -p "$here/user/full.yaml" -- /attack/attack A29-memory 256 >"$here/out" 2>"$here/err" </dev/null
        [ $? -eq 137 ] && grep -q 'the memory limit was reached' "$here/err" || { fail "delegated groups"; cat "$here/out" "$here/err"; }
    else
        skip "an ordinary user with groups of its own: $(grep -i missing "$here/out" | tr -s ' ' | tr '\n' ';')"
    fi
    # shellcheck disable=SC2086
    [ -z "$given" ] || rmdir $given ;;
esac
finish
