#!/bin/sh
# escapes.sh BINDIR: egress of the jail, each tried from inside, as root and as an ordinary user.
. "$(dirname "$0")/jail.inc"
need_python=/usr/bin/python3

echo "not for the jail" >"$here/secret"; chmod 644 "$here/secret"
sleep 300 & background="$background $!" sleeper=$!
shm=$(ipcmk -M 4096 -p 0666 2>/dev/null | grep -o '[0-9]*$')

# A server on loopback, a Unix socket in a folder that is shown, and an abstract one.
cat >"$here/server.py" <<'P'
import os, socket, sys, threading, time
folders = sys.argv[2:]
tcp = socket.socket(); tcp.bind(("127.0.0.1", 0)); tcp.listen(64)
kept = [tcp]
def hand_over(s):
    while True:
        peer = s.accept()[0]
        with socket.create_connection(tcp.getsockname()) as connection:
            socket.send_fds(peer, [b"x"], [connection.fileno()])
        kept.append(peer)
for folder in folders:
    s = socket.socket(socket.AF_UNIX); s.bind(folder + "/socket"); s.listen(64); os.chmod(folder + "/socket", 0o777); kept.append(s)
    threading.Thread(target=hand_over, args=(s,), daemon=True).start()
s = socket.socket(socket.AF_UNIX); s.bind("\0" + sys.argv[1]); s.listen(64); kept.append(s)
with open(sys.argv[1] + ".new", "w") as f: f.write(str(tcp.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(300)
P
# Who connects to the sockets in folders is passed a connection to the machine's loopback; so is standard input (C6).
cat >"$here/hand.py" <<'P'
import socket, subprocess, sys
port, command = int(sys.argv[1]), sys.argv[2:]
ours, theirs = socket.socketpair()
with socket.create_connection(("127.0.0.1", port)) as connection:
    socket.send_fds(ours, [b"x"], [connection.fileno()])
sys.exit(subprocess.run(command, stdin=theirs, check=False).returncode)
P
folders=; for caller in $callers; do folders="$folders $here/$caller/src"; done
# shellcheck disable=SC2086
"$need_python" "$here/server.py" "$here/port" $folders & background="$background $!"
[ -z "$shm" ] || "$here/attack" make-queue "$shm"
for _ in $(seq 300); do [ -s "$here/port" ] || sleep 0.2; done
port=$(cat "$here/port" 2>/dev/null)
[ -n "$port" ] || skip "C5, C6, C15: no server could be started"

for caller in $callers; do
    src=$here/$caller/src
    mkdir -p "$src/.git/hooks" "$src/deep/.envdir"
    echo data >"$src/file"; echo secret >"$src/.env"; echo secret >"$src/deep/server.pem"; echo s >"$src/deep/.envdir/x"
    echo secret >"$src/deep/ID_RSA"; ln -s .env "$src/link"
    [ "$caller" = root ] || [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$src"
    chmod -R a+rX "$src"
    # Programs that would be somebody else's, or more than their caller.
    if [ "$(id -u)" -eq 0 ]; then
        cp "$attack" "$src/suid"; chmod 6755 "$src/suid"
        if command -v setcap >/dev/null; then cp "$attack" "$src/capable"; setcap cap_net_admin,cap_sys_admin+ep "$src/capable"; chmod 755 "$src/capable"; fi
    fi
    inputs="inputs: [{from: $here/attack, to: /attack/attack}, {from: src, to: /src}]"
    printf '%s\n' "$inputs" | policy "$caller" agent
    printf '%s\nsyscalls: {profile: strict}\n' "$inputs" | policy "$caller" strict

    for profile in agent strict; do
        for id in A3 A4 A5 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A20 A21 A22 A23 A24 A25 A26 A28 A31 \
                  B3 B4 B7 C1 C2 C3 C4 C22; do
            held "$caller" $profile $id
        done
        held "$caller" $profile A6 "$sleeper"
        held "$caller" $profile A18 /src/suid,/src/capable
        [ -z "$shm" ] || held "$caller" $profile A32 "$shm"
        held "$caller" $profile B6 "$here/secret"
        held "$caller" $profile B6 "$src/file"
        for name in .env deep/server.pem deep/.envdir deep/ID_RSA; do held "$caller" $profile B5 /src/$name; done
        if [ -n "$port" ]; then
            held "$caller" $profile C5 /src/socket
            held "$caller" $profile C5 "@$here/port"
            held "$caller" $profile C15 "$port"
            held "$caller" $profile C6 /src/socket
        fi
        # What only attacks ask for is said (A15, C3, C4: "L"), and what an input would have got is not there (B4).
        while read -r id kind times; do
            in_jail "$caller" $profile /attack/attack "$id"
            said=$(sed -n "s/^filterd-jail: $kind: \([0-9]*\),.*/\1/p" "$here/err")
            [ "${said:-0}" -ge "$times" ] || fail "$id as $caller in $profile: said ${said:-0} times, $times expected: $(cat "$here/err")"
        done <<'SAID'
A15 syscall.refused 4
C3 net.raw 9
C4 net.raw 2
SAID
    done
    for name in .git/hooks/pre-commit .mcp.json .vscode AGENTS.md CLAUDE.md .bashrc git; do
        [ ! -e "$src/$name" ] || fail "B4 as $caller: $name is left on the machine"
    done
    held "$caller" strict A19

    # What is not denied is there.
    in_jail "$caller" agent cat /src/file
    [ "$(cat "$here/out")" = data ] || fail "an input cannot be read as $caller: $(cat "$here/err")"
    in_jail "$caller" agent cat /src/link
    [ -s "$here/out" ] && fail "a link leads to a denied name as $caller"
done
kill -0 "$sleeper" 2>/dev/null || fail "A6: a process of the machine was ended"
[ -n "$shm" ] || skip "A32: no shared memory could be made"
[ -z "$shm" ] || { ipcrm -m "$shm"; "$here/attack" end-queue "$shm"; }

# C23: a port that the jail listens on is not the machine's.
reach() { "$need_python" -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)' "$1" 2>/dev/null; }
[ -z "$port" ] || reach "$port" || fail "C23: what is there cannot be reached either"
for caller in $callers; do
    tried=$((tried + 1)) before=$failures
    prefix=; [ "$caller" != user ] || prefix=$user
    : >"$here/listening"
    free=$("$need_python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/agent.yaml" -- /attack/attack C23 "$free" </dev/null >"$here/listening" 2>&1 &
    runner=$!
    for _ in $(seq 600); do grep -q '^listening' "$here/listening" && break; sleep 0.1; done
    reach "$free" && fail "C23: the jail's port is the machine's as $caller"
    wait "$runner"; [ $? -eq 0 ] || { fail "C23 as $caller"; cat "$here/listening"; }
    held_since "$before" C23 "$caller"
done

# What covers a denied name holds where Landlock, which goes by inode, cannot: the file has another name.
for caller in $callers; do
    tried=$((tried + 1))
    ln "$here/$caller/src/.env" "$here/$caller/src/other-name"
    in_jail "$caller" agent cat /src/.env
    grep -q secret "$here/out" && fail "B6: a denied name with a second name as $caller"
    in_jail "$caller" agent cat /src/other-name
    grep -q secret "$here/out" || fail "a name that is not denied cannot be read as $caller"
    rm -f "$here/$caller/src/other-name"
done

# A1: the launcher on a terminal.
if command -v script >/dev/null; then
    for caller in $callers; do
        prefix=; [ "$caller" != user ] || prefix=$user
        tried=$((tried + 1)) before=$failures
        script -qec "$prefix $jail run -p $here/$caller/agent.yaml -- /attack/attack A1" /dev/null >"$here/out" 2>&1 </dev/null ||
            { fail "A1 as $caller"; sed 's/^/    /' "$here/out"; }
        held_since "$before" A1 "$caller"
        # It is a terminal of the jail's own, of the caller's size, and ends with its end.
        script -qec "stty rows 33 cols 77; $prefix $jail run -p $here/$caller/agent.yaml -- sh -c 'tty; stty size; ls /dev/pts'" \
            /dev/null </dev/null 2>&1 | tr -d '\r' >"$here/out"
        # script(1) types an end of its own input, which is shown as ^@, before whichever line comes then.
        # shellcheck disable=SC2046
        set -- $(tr -d '\000' <"$here/out" | sed 's/^\^@//' | grep -v '^filterd-jail: degraded' | tail -n 3)
        [ "$*" = '/dev/pts/0 33 77 0 ptmx' ] || { fail "terminal as $caller: $*"; cat -v "$here/out"; }
    done
else
    skip "A1: no script(1) to make a terminal with"
fi

# A2: descriptors of the caller's, among them a folder, which would lead out of any root.
for caller in $callers; do
    prefix=; [ "$caller" != user ] || prefix=$user
    tried=$((tried + 1)) before=$failures
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/agent.yaml" -- /attack/attack A2 9 9<"$here/secret" 8</ >"$here/out" 2>&1 </dev/null ||
        { fail "A2 as $caller"; sed 's/^/    /' "$here/out"; }
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/agent.yaml" -- sh -c 'ls /proc/self/fd/0/' </ >"$here/out" 2>/dev/null
    [ -s "$here/out" ] && fail "A2: a folder as standard input leads out as $caller"
    held_since "$before" A2 "$caller"
done

# C6: standard input is a socket that a connection waits in.
for caller in $callers; do
    [ -n "$port" ] || break
    prefix=; [ "$caller" != user ] || prefix=$user
    tried=$((tried + 1)) before=$failures
    # shellcheck disable=SC2086
    "$need_python" "$here/hand.py" "$port" $prefix "$jail" run -p "$here/$caller/agent.yaml" -- /attack/attack C6 /src/socket \
        >"$here/out" 2>&1 || { fail "C6 as $caller"; cat "$here/out"; }
    held_since "$before" C6 "$caller"
done

# B5, later: names that appear while the jail runs stay shut, and so does what is renamed to or from them.
for caller in $callers; do
    prefix=; [ "$caller" != user ] || prefix=$user
    src=$here/$caller/src
    rm -f "$src/go"
    : >"$here/later"
    tried=$((tried + 1))
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/agent.yaml" -- sh -c '
        echo ready
        for i in $(seq 200); do [ ! -e /src/go ] || break; sleep 0.05; done
        cat /src/.env.later /src/plain.txt /src/new/.env && echo OPEN' </dev/null >"$here/later" 2>&1 &
    runner=$!
    for _ in $(seq 600); do grep -q ready "$here/later" || sleep 0.1; done
    echo secret >"$src/.env.later"; echo secret >"$src/.x.env"; mv "$src/.x.env" "$src/plain.txt"
    mkdir "$src/new"; echo secret >"$src/new/.env"; chmod -R a+rX "$src"; : >"$src/go"
    wait "$runner"
    grep -q 'secret\|OPEN' "$here/later" && { fail "B5: a file that appeared later can be read as $caller"; cat "$here/later"; }
    [ "$(grep -c 'Permission denied' "$here/later")" -eq 3 ] || { fail "B5 later as $caller"; cat "$here/later"; }
done

# B1: a link in the place of an input, from the start or put there while jails are being built.
for caller in $callers; do
    prefix=; [ "$caller" != user ] || prefix=$user
    folder=$here/$caller
    mkdir "$folder/real" "$folder/hidden"; echo secret >"$folder/hidden/key"; ln -s hidden "$folder/link"
    chmod -R a+rX "$folder/real" "$folder/hidden"
    printf 'inputs: [{from: link, to: /in}]\n' | policy "$caller" linked
    tried=$((tried + 1)) before=$failures
    in_jail "$caller" linked cat /in/key
    [ $? -eq 125 ] || fail "B1: an input that is a link is shown as $caller"
    printf 'inputs: [{from: swapped, to: /in}]\n' | policy "$caller" swapped
    ( cd "$folder" || exit; i=0; while [ $i -lt 4000 ]; do mv -T real swapped; mv -T swapped real; ln -sfn hidden swapped
        rm -f swapped; i=$((i + 1)); done ) 2>/dev/null &
    swapper=$!
    for _ in $(seq 25); do
        in_jail "$caller" swapped cat /in/key
        grep -q secret "$here/out" && { fail "B1: a link put in the place of an input was followed as $caller"; break; }
    done
    kill "$swapper" 2>/dev/null; wait "$swapper" 2>/dev/null
    held_since "$before" B1 "$caller"
done

# D8: root's jail runs as a user that is nobody else's.
case $callers in *root*)
    in_jail root agent sh -c 'cat /proc/self/uid_map'
    uid=$(awk '{ print $2 }' "$here/out")
    [ "${uid:-0}" -ge 61184 ] && [ "$uid" -le 65519 ] || fail "D8: root's jail is user '$uid' of the machine" ;;
esac
finish
