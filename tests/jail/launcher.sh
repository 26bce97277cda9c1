#!/bin/sh
# launcher.sh BINDIR: what the launcher promises its caller: exit codes, streams, environment, policies it refuses.
. "$(dirname "$0")/jail.inc"

# code EXPECTED WHAT: the exit code of the last command.
code() { got=$?; tried=$((tried + 1)); [ "$got" -eq "$1" ] || { fail "$2: exit code $got, $1 expected"; cat "$here/err"; }; }

for caller in $callers; do
    prefix=; [ "$caller" != user ] || prefix=$user
    printf '' | policy "$caller" plain
    run() { $prefix "$jail" run -p "$here/$caller/plain.yaml" "$@"; }

    in_jail "$caller" plain sh -c 'exit 7'; code 7 "the command's own"
    in_jail "$caller" plain sh -c 'kill -TERM $$'; code 143 "a signal's"
    in_jail "$caller" plain nonesuch; code 127 "no such command"
    in_jail "$caller" plain /etc/passwd; code 126 "not a program"
    in_jail "$caller" plain ls --help; code 0 "options behind the command are its own (D6)"

    # Streams are carried whole, apart, and end where they end.
    head -c 3000000 /dev/urandom >"$here/bytes"
    run cat <"$here/bytes" 2>"$here/err" | cmp -s - "$here/bytes" || fail "standard input and output as $caller"
    run sh -c 'echo out; echo err >&2' >"$here/out" 2>"$here/err" </dev/null
    [ "$(cat "$here/out")" = out ] || fail "standard output as $caller"
    grep -qx err "$here/err" || fail "standard error as $caller"
    seq 100000 | run cat 2>/dev/null | head -1 >"$here/out"
    [ "$(cat "$here/out")" = 1 ] || fail "a reader that goes away as $caller"
    run cat </dev/null >/dev/null 2>&1 >&-; code 0 "closed descriptors"

    # A program that does not say what it is, is a shell's.
    mkdir "$here/$caller/scripts"; printf 'echo "script $1"\n' >"$here/$caller/scripts/said"; chmod 755 "$here/$caller/scripts" "$here/$caller/scripts/said"
    printf 'inputs: [{from: scripts, to: /scripts}]\nenvironment: {set: {PATH: "/nowhere:/scripts"}}\n' | policy "$caller" script
    for name in /scripts/said said; do
        in_jail "$caller" script "$name" "$name"; code 0 "a script without a first line"
        grep -qx "script $name" "$here/out" || fail "a script without a first line, as $name, as $caller: $(cat "$here/out" "$here/err")"
    done

    # The environment is made, not inherited.
    printf 'environment: {pass: [PASSED, ABSENT], set: {SET: "a b", HOME: /tmp}}\n' | policy "$caller" environment
    PASSED=yes LEAKED=no SSH_AUTH_SOCK=/x in_jail "$caller" environment env
    sort "$here/out" >"$here/env"
    printf 'HOME=/tmp\nLANG=C.UTF-8\nLOGNAME=agent\nPASSED=yes\nPATH=/usr/local/bin:/usr/bin:/bin\nSET=a b\nUSER=agent\n' |
        cmp -s - "$here/env" || { fail "environment as $caller"; cat "$here/env"; }

    # What is read when init is there already reaches it whole, however much it is.
    awk 'BEGIN { printf "environment: {set: {"; for (i = 0; i < 200; i++) { printf "V%d: \"", i; for (k = 0; k < 100; k++) printf "%010d", i + k; printf "\", " } print "LAST: end}}" }' |
        policy "$caller" large
    in_jail "$caller" large env; code 0 "a policy of 200 KB"
    awk -F= '/^V[0-9]+=/ { n += $2 == sprintf("%010d", substr($1, 2)) substr($2, 11) && length($2) == 1000 } /^LAST=end$/ { n++ } END { exit n != 201 }' "$here/out" ||
        fail "an environment of 200 KB as $caller"

    printf 'environment: {set: {PATH: /nowhere}}\n' | policy "$caller" path
    in_jail "$caller" path true; code 127 "the jail's own PATH"

    # Policies that somebody else could have written.
    cp "$here/$caller/plain.yaml" "$here/$caller/open.yaml"; chmod 666 "$here/$caller/open.yaml"
    [ "$caller" != user ] || [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$here/user/open.yaml"
    in_jail "$caller" open true; code 125 "a policy that others can write (D2)"
    ln -s plain.yaml "$here/$caller/linked.yaml"
    in_jail "$caller" linked true; code 125 "a policy that is a link (D3)"
    in_jail "$caller" none true; code 125 "no policy (D4)"
    printf 'colour: red\n' | policy "$caller" unknown
    in_jail "$caller" unknown true; code 125 "a key that is unknown (D1)"
    grep -q ':[0-9]*:1: key .colour. is not known here' "$here/err" || fail "an error without a place as $caller"
    printf 'inputs: [{from: absent, to: /in}]\n' | policy "$caller" absent
    in_jail "$caller" absent true; code 125 "an input that is not there"
    mkfifo "$here/$caller/fifo"; chmod 644 "$here/$caller/fifo"
    printf 'inputs: [{from: fifo, to: /in}]\n' | policy "$caller" fifo
    in_jail "$caller" fifo true; code 125 "an input that is a pipe"
    grep -q 'a file or a folder expected' "$here/err" || fail "an input that is a pipe: $(cat "$here/err")"

    # Init reaps and names nobody; programs that need threads and loopback work.
    in_jail "$caller" plain sh -c 'cat /proc/self/status'
    for line in 'CapBnd:	0000000000000000' 'CapEff:	0000000000000000' 'NoNewPrivs:	1' 'Seccomp:	2'; do
        grep -qx "$line" "$here/out" || fail "$line expected as $caller"
    done
    cpus=$(grep Cpus_allowed_list: /proc/self/status)
    grep -qx "$cpus" "$here/out" || fail "processors as outside expected as $caller: $(grep Cpus_allowed_list: "$here/out"), not $cpus"
    in_jail "$caller" plain hostname; [ "$(cat "$here/out")" = jail ] || fail "host name as $caller"
    if [ -x /usr/bin/python3 ]; then
        in_jail "$caller" plain /usr/bin/python3 -c '
import asyncio, multiprocessing, socket, subprocess, threading
t = threading.Thread(target=print, args=("thread",)); t.start(); t.join()
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1, -2]))
    async def echo():
        server = await asyncio.start_server(lambda r, w: w.close(), "127.0.0.1", 0)
        r, w = await asyncio.open_connection(*server.sockets[0].getsockname())
        print(await r.read()); server.close()
    asyncio.run(echo()); print(subprocess.check_output(["echo", "child"]))'
        code 0 "python with threads, processes, sockets"
        grep -q "child" "$here/out" || { fail "python as $caller"; cat "$here/err"; }
    else
        skip "python3: not installed"
    fi
    if [ -x /usr/bin/gcc ]; then
        in_jail "$caller" plain sh -c 'echo "int main(void){return 3;}" >a.c && gcc a.c && ./a.out'; code 3 "gcc, and what it made"
    else
        skip "gcc: not installed"
    fi
    printf 'work: {exec: false}\n' | policy "$caller" noexec
    in_jail "$caller" noexec sh -c 'cp /bin/true . && ./true'; code 126 "work.exec: false"
done

# A caller's real-time priority stays outside.
case $callers in *root*)
    if chrt -f 1 true 2>/dev/null; then
        tried=$((tried + 1))
        chrt -f 1 "$jail" run -p "$here/root/plain.yaml" -- sh -c 'chrt -p $$' >"$here/out" 2>"$here/err" </dev/null
        grep -q SCHED_OTHER "$here/out" || { fail "a real-time caller"; cat "$here/out" "$here/err"; }
    else
        skip "a real-time caller: no chrt"
    fi ;;
esac

# A mechanism that is missing: refused by default, said when the policy goes on.
if [ "$doctor" -eq 1 ]; then
    caller=user
    printf 'name: test\n' >"$here/user/strict.yaml"; chmod 600 "$here/user/strict.yaml"
    [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$here/user/strict.yaml"
    in_jail user strict touch /work/ran; code 125 "a missing mechanism (D5, D10)"
    grep -q "mechanism '.*' is missing: .*on_missing_mechanism" "$here/err" || fail "a missing mechanism is not named"
    in_jail user plain true; code 0 "a missing mechanism, degraded"
    grep -q "^filterd-jail: degraded: mechanism 'kill' is missing" "$here/err" || fail "a degraded run does not say so"
else
    skip "D5: no mechanism is missing here"
fi

# Everything else that reads a policy.
for caller in $callers; do
    prefix=; [ "$caller" != user ] || prefix=$user
    "$jail" --help >/dev/null && "$jail" run --help >/dev/null && "$jail" --version >/dev/null; code 0 "help"
    $prefix "$jail" check -p "$here/$caller/plain.yaml" >"$here/$caller/effective.yaml" 2>"$here/err"; code 0 "check"
    chmod 600 "$here/$caller/effective.yaml"
    [ "$caller" != user ] || [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$here/user/effective.yaml"
    $prefix "$jail" check -p "$here/$caller/effective.yaml" 2>"$here/err" | cmp -s - "$here/$caller/effective.yaml" ||
        fail "the effective policy is not one as $caller"
    grep -q '^# score: [0-9]* of 100$' "$here/$caller/effective.yaml" || fail "no score as $caller"
    $prefix "$jail" check -p "$here/$caller/unknown.yaml" >/dev/null 2>"$here/err"; code 2 "check of what is none"
    printf 'inputs: [{from: src, to: /src}]\n' | policy "$caller" explained
    explain() { $prefix "$jail" explain -p "$here/$caller/explained.yaml" "$@" 2>&1; }
    for row in 'path /src/a|read-only: ' 'path /src/a/.env|denied: ' 'path /src/.env/x|denied: ' 'path /root|not there' \
               'path /work/x|writable' 'path /usr/bin|read-only' 'host example.com|not reachable' 'host 127.0.0.1|the jail itself' \
               'syscall read|allowed' 'syscall ptrace|refused' 'syscall clone3|absent' 'syscall reboot|fatal' \
               'syscall clone|allowed for threads' 'syscall nonesuch|unknown' 'word x|filterd-jail: explain: one of'; do
        tried=$((tried + 1))
        # shellcheck disable=SC2086
        explain ${row%%|*} | grep -q "^${row#*|}" || fail "explain ${row%%|*}: $(explain ${row%%|*})"
    done
    $prefix "$jail" describe -p "$here/$caller/explained.yaml" >"$here/out"; code 0 "describe"
    grep -q 'You can read /src' "$here/out" || fail "describe says nothing of an input"
    grep -q "$here" "$here/out" && fail "describe names a path of the machine"
    grep -q snapshot "$here/out" && fail "describe says that a live input is a snapshot"
    # The same of a copy, and of one beside a live input.
    printf 'inputs: [{from: src, to: /src, snapshot: true}]\n' | policy "$caller" explained
    for row in "path /src/file|read-only: a copy, made at the start, of $here/$caller/src/file" 'path /src/.env|not there: .*deny_names'; do
        tried=$((tried + 1))
        # shellcheck disable=SC2086
        explain ${row%%|*} | grep -q "^${row#*|}" || fail "explain ${row%%|*}: $(explain ${row%%|*})"
    done
    $prefix "$jail" describe -p "$here/$caller/explained.yaml" >"$here/out"; code 0 "describe a copy"
    grep -q '^- You can read /src, a snapshot made before you started' "$here/out" && grep -q 'these names are missing there: .*\.env\*' "$here/out" &&
        ! grep -q 'cannot open' "$here/out" || fail "describe a copy: $(cat "$here/out")"
    printf 'inputs: [{from: src, to: /src, snapshot: true}, {from: src, to: /live}]\n' | policy "$caller" explained
    $prefix "$jail" describe -p "$here/$caller/explained.yaml" >"$here/out"; code 0 "describe both"
    grep -q '^- You can read /live; ' "$here/out" && grep -q 'Nor can you open files that appear there later. Snapshots do not contain them.$' "$here/out" ||
        fail "describe both: $(cat "$here/out")"
done
finish
