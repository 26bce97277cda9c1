#!/bin/sh
# escapes.sh BUILD [--write]: the attacks of tests/jail, one program, tried for real in filterd-jail and in other jails, as an ordinary
# user. Prints a table; --write puts it into bench/RESULTS.md. Nothing here is a test: tests/jail/escapes.sh is.
#
# Others: bwrap from the PATH, with the namespaces, a root of its own and no capabilities; srt (npm package
# @anthropic-ai/sandbox-runtime, whose program $SRT names) with its own settings. What is not installed is left out.
# Attacks that would take the machine's memory or processes where nothing holds them are not tried in any.
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
write=${2:-}
cd "$(dirname "$0")/.." || exit 2
here=$(mktemp -d "${TMPDIR:-/tmp}/filterd-escapes.XXXXXX") || exit 2
pids=''
trap 'for p in $pids; do kill "$p" 2>/dev/null; done; rm -rf "$here"' EXIT
trap 'exit 1' INT TERM
srt=${SRT:-$(command -v srt)}
limit='timeout -k 1 20'
user=
[ "$(id -u)" -ne 0 ] || user='setpriv --reuid=65534 --regid=65534 --clear-groups'
chmod 755 "$here"; cp "$build/bin/filterd-jail" "$build/tests/jail/attack" "$here/" || exit 2
chmod 755 "$here/filterd-jail" "$here/attack"

# What the attacks go for.
mkdir -p "$here/src/.git/hooks" "$here/home/.ssh"
echo data >"$here/src/file"; echo secret >"$here/src/.env"; echo secret >"$here/secret"; echo key >"$here/home/.ssh/id_rsa"
chmod -R a+rX "$here"
sleep 600 & sleeper=$!; pids="$pids $sleeper"
shm=$(ipcmk -M 4096 -p 0666 2>/dev/null | grep -o '[0-9]*$')
/usr/bin/python3 -c '
import os, socket, sys, time
tcp = socket.create_server(("127.0.0.1", 0))
one = socket.socket(socket.AF_UNIX); one.bind(sys.argv[1] + "/src/socket"); one.listen(64); os.chmod(sys.argv[1] + "/src/socket", 0o777)
two = socket.socket(socket.AF_UNIX); two.bind("\0filterd-escapes-" + sys.argv[2]); two.listen(64)
open(sys.argv[1] + "/port", "w").write(str(tcp.getsockname()[1]))
time.sleep(600)' "$here" $$ & pids="$pids $!"
for _ in $(seq 100); do [ -s "$here/port" ] || sleep 0.1; done
port=$(cat "$here/port")
[ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$here/src" "$here/home"
printf 'name: escapes\non_missing_mechanism: degrade\ninputs: [{from: %s, to: /attack}, {from: %s, to: /src}]\n' "$here/attack" "$here/src" >"$here/home/jail.yaml"
printf 'name: escapes\nprofile: shell\non_missing_mechanism: degrade\ninputs: [{from: %s, to: /attack}]\n' "$here/attack" >"$here/home/strict.yaml"
echo '{"network":{"allowedDomains":[],"deniedDomains":[]},"filesystem":{"denyRead":["~/.ssh"],"allowWrite":["/tmp/none"],"denyWrite":[]}}' >"$here/home/srt.json"
chmod 600 "$here/home/jail.yaml" "$here/home/strict.yaml"; [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$here/home"/*

in_filterd() { $limit $user "$here/filterd-jail" run -p "$here/home/${policy:-jail}.yaml" -- /attack "$@"; }
in_bwrap() {
    $limit $user bwrap --unshare-all --die-with-parent --new-session --cap-drop ALL --clearenv --setenv PATH /usr/bin:/bin --ro-bind /usr /usr \
        --symlink usr/bin /bin --symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev \
        --tmpfs /tmp --tmpfs /work --chdir /work --ro-bind "$here/attack" /attack --ro-bind "$here/src" /src --remount-ro / /attack "$@"
}
in_srt() { ( cd "$here/home" && HOME=$here/home $limit $user "$srt" --settings "$here/home/srt.json" "$here/attack" "$@" ); }
jails=filterd
! command -v bwrap >/dev/null || jails="$jails bwrap"
{ [ -n "$srt" ] && in_srt 2>&1 </dev/null | grep -q '^usage: attack'; } && jails="$jails srt"

try() {
    "in_$1" "$2" ${3:+"$3"} >"$here/answer" 2>"$here/why" </dev/null 9<"$here/secret"
    case $? in
    0) echo held ;;
    1) grep -q POSSIBLE "$here/answer" || grep -q 'is open' "$here/answer" || { echo 'held (ended)'; return; }
       echo "**possible**: $(sed -n 's/^  \(.*\): POSSIBLE.*/\1/p; s/^  \(descriptor .*\) is open/\1/p; s/^  \(without nosuid\).*/\1/p' "$here/answer" |
           sed "s|$here|HERE|g" | sort -u | head -n 3 | paste -sd, | sed 's/,/, /g' | cut -c1-90)" ;;
    2) echo 'not tried' ;;
    124 | 137) echo 'no end in 20 s' ;;
    *) echo "held (ended)" ;;
    esac
}
# What a path of the attacked folder is called in a jail that has the machine's own names.
place() { [ "$1" = srt ] && echo "$here$2" || echo "$2"; }

table() {
    echo "| attack | $(echo $jails | sed 's/ / | /g') |"
    echo "|---|$(for _ in $jails; do printf -- '---|'; done)"
    while read -r id argument what; do
        [ "$argument" != - ] || argument=
        row="| $id $what |"
        for jail in $jails; do
            policy=jail; [ "$id" != A19 ] || policy=strict
            given=$argument
            case $argument in
            SRC*) given=$(place $jail "/src${argument#SRC}") ;;
            esac
            row="$row $(try $jail "$id" "$given") |"
        done
        echo "$row"
    done <<ROWS
A2 9 a descriptor of the caller's
A3 - the launcher's program file
A4 - init's memory and files
A5 - a descriptor of another process
A6 $sleeper signals to others
A8 - nested user namespaces
A9 - clone3 with namespaces
A10 - the new mount calls
A11 - mounting and remounting
A12 - io_uring
A13 - the 32-bit and x32 interfaces
A14 - the kernel's keyring
A15 - bpf, perf, userfaultfd, fanotify
A16 - calls for the machine's administrator
A17 - opening by handle
A18 - set-user-id programs
A19 - programs that never were a file (filterd: profile shell)
A20 - a denied program by the loader
A21 - core files to a program of the machine
A23 - the kernel's log and addresses
A24 - /proc/sys, /sys, own limits
A25 - a seccomp listener
A26 - taking rights back
A28 - zombies
A29-processes - more processes than 128
A29-descriptors - more than 1024 descriptors
A29-sparse - a file of 1 TiB
A29-mlock - locked memory
A31 - devices of the machine
A32 ${shm:-0} the machine's shared memory
B3 SRC hard links and writes into an input
B4 SRC settings and hooks of an input
B5 SRC/.env a denied name in an input
B6 $here/secret a file of the machine by other names
B7 - homes and settings of the machine
C1 - connections past a proxy
C2 - a question to a name server
C3 - UDP, raw and rarer protocols
C4 - AF_VSOCK
C5 SRC/socket a Unix socket in an input
C5 @filterd-escapes-$$ an abstract Unix socket
C15 $port the machine's loopback
C22 - IPv6
ROWS
}

# A27: who lives on 1.5 s after the launcher was killed.
survivors() {
    mark=escape-mark-$1-$$
    case $1 in
    filterd) $user "$here/filterd-jail" run -p "$here/home/jail.yaml" -- sh -c "setsid sleep 100 & sleep 100; true $mark" ;;
    bwrap) $user bwrap --unshare-all --die-with-parent --new-session --ro-bind / / --proc /proc --dev /dev sh -c "setsid sleep 100 & sleep 100; true $mark" ;;
    srt) ( cd "$here/home" && HOME=$here/home exec $user "$srt" --settings "$here/home/srt.json" -c "setsid sleep 100 & sleep 100; true $mark" ) ;;
    esac </dev/null >/dev/null 2>&1 &
    sleep 2
    launcher=$(pgrep -f "$mark" | head -n 1)
    kill -9 "$launcher" 2>/dev/null
    sleep 1.5
    left=$(pgrep -f -c "$mark")
    for p in $(pgrep -f "$mark"); do kill -9 "$p" 2>/dev/null; done
    [ "$left" -eq 0 ] && echo held || echo "**possible**: $left processes"
}

{
    table
    row='| A27 the launcher killed |'
    for jail in $jails; do row="$row $(survivors $jail 2>/dev/null) |"; done
    echo "$row"
} >"$here/table"
[ -z "$shm" ] || ipcrm -m "$shm"
{
    echo "Tried $(date -u +%Y-%m-%d) as an ordinary user, Linux $(uname -r | sed 's/-.*//'): filterd-jail with the default policy$(
        case $jails in *bwrap*) echo ", $(bwrap --version) with own namespaces and root" ;; esac)$(
        case $jails in *srt*) echo ", srt $("$srt" --version) with no allowed domain and a denied ~/.ssh" ;; esac). Held: $(
        n=2; for jail in $jails; do n=$((n + 1)); echo "$jail $(awk -F'|' -v n=$n 'NR > 2 && $n ~ /held/ { k++ } END { print k + 0 " of " NR - 2 }' "$here/table")"; done | paste -sd, | sed 's/,/, /g')."
    echo
    cat "$here/table"
} >"$here/section"
cat "$here/section"
[ "$write" = --write ] || exit 0
awk -v section="$here/section" '
    /<!-- escapes: end -->/ { inside = 0 }
    !inside { print }
    /<!-- escapes: begin -->/ { inside = 1; while ((getline line < section) > 0) print line }
' bench/RESULTS.md >"$here/results" && cp "$here/results" bench/RESULTS.md
