#!/bin/sh
# tables.sh BINDIR: what the kernel has for the whole machine, or for one user: a jail that takes all it can get of it leaves the
# others what they need, before, during and after (A29).
. "$(dirname "$0")/jail.inc"
python=/usr/bin/python3
[ -x "$python" ] || { skip "A29-tables: no python"; finish; }
cp "$(dirname "$0")/tables.py" "$here/"; chmod 644 "$here/tables.py"

mkdir "$here/scratch"; chmod 1777 "$here/scratch"
# probe TABLE WHO WHEN: somebody outside has its part.
probe() {
    case $2 in root) as='' ;; *) as=$user ;; esac
    # shellcheck disable=SC2086
    FILTERD_TABLES=$here/scratch $as "$python" "$here/tables.py" probe "$1" </dev/null >"$here/probed" 2>&1 ||
        fail "$1: $2 has not its part $3: $(cat "$here/probed")"
}
probes() { for who in $callers; do probe "$1" "$who" "$2"; done; }

pool=/proc/sys/vm/nr_hugepages had_pages=
if [ "$(id -u)" -eq 0 ] && [ -w $pool ]; then
    had_pages=$(cat $pool)
    echo $((had_pages + 16)) >$pool
    trap 'echo "$had_pages" >$pool; stop' EXIT
fi

# try TABLE GROWTH: GROWTH is the most that the machine may count more while the jail holds what it has.
try() {
    tried=$((tried + 1))
    probes "$1" "before a jail of $caller"
    was=$("$python" "$here/tables.py" gauge "$1")
    prefix=; [ "$caller" != user ] || prefix=$user
    mkfifo "$here/hold"
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/tables.yaml" -- "$python" /tables.py take "$1" <"$here/hold" >"$here/holding" 2>"$here/err" &
    runner=$!
    exec 9>"$here/hold"
    for _ in $(seq 600); do grep -q '^holding' "$here/holding" && break; kill -0 $runner 2>/dev/null || break; sleep 0.1; done
    grep -q '^holding' "$here/holding" || grep -q 'memory limit' "$here/err" || fail "$1 as $caller: nobody took any: $(cat "$here/err")"
    is=$("$python" "$here/tables.py" gauge "$1")
    [ $((is - was)) -le "$2" ] || fail "$1 as $caller: the machine counts $((is - was)) more, $2 expected; $(cat "$here/holding")"
    probes "$1" "while a jail of $caller is $(cat "$here/holding")"
    exec 9>&-
    wait $runner
    rm -f "$here/hold"
    probes "$1" "after a jail of $caller"
}

for caller in $callers; do
    before=$failures
    printf 'inputs: [{from: %s, to: /tables.py}]\nlimits: {memory: 256M, wall: 60s, idle: none}\n' "$here/tables.py" | policy "$caller" tables
    [ -n "$had_pages" ] && try huge-pages 0 || skip "A29: huge pages as $caller: no pool can be made"
    try aio 0
    for table in inotify-instances inotify-watches user-namespaces timers message-queues locked-segments keys processes; do
        try $table 0
    done
    try terminals 80 # 64, and some for who else is there
    try open-files 40000
    # In pages: a quarter of the memory limit, which is 16384; what 16 listeners have that is not accepted yet, 128 times 16 KB,
    # which is 8192; and some for who else is there. Without a limit there were 600000.
    if [ "$caller" = root ] || [ "$doctor" -eq 0 ]; then # what memory is counted at all
        try udp-memory 20000
        try tcp-memory 32768
    fi
    # What is counted by user is the user's own in that user's jail; only root's has a user of its own.
    [ "$caller" != root ] || for table in descriptors-in-flight epoll-watches pipe-pages; do try $table 0; done
    held_since "$before" A29-tables "$caller"

    # What is left to a jail is enough for programs that watch files.
    tried=$((tried + 1))
    in_jail "$caller" tables "$python" /tables.py watch || fail "inotify as $caller: $(cat "$here/out" "$here/err")"
    in_jail "$caller" tables timeout 20 sh -c 'echo first >f; tail -n 9 -F f >seen & until grep -q first seen; do sleep 0.1; done
        echo second >>f; mv f g; echo third >f; until grep -q third seen; do sleep 0.1; done; cat seen; kill %1'
    [ "$(grep -c 'first\|second\|third' "$here/out")" -eq 3 ] || fail "tail -F as $caller: $(cat "$here/out" "$here/err")"
    if [ -x /usr/bin/node ]; then
        in_jail "$caller" tables timeout 20 node -e 'const fs = require("fs"); fs.writeFileSync("f", "");
            fs.watch("f", () => { console.log("changed"); process.exit(0) }); setTimeout(() => fs.appendFileSync("f", "x"), 100)'
        [ "$(cat "$here/out")" = changed ] || fail "fs.watch as $caller: $(cat "$here/out" "$here/err")"
    else
        skip "fs.watch as $caller: no node"
    fi
done

# A machine that does not let the limits be written: the wall is missing, and the policy says what follows.
case $callers in *root*)
    # shellcheck disable=SC2016
    without() { unshare -m sh -c 'mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys && exec "$@"' sh \
        "$jail" run -p "$1" -- true >"$here/out" 2>"$here/err" </dev/null; }
    tried=$((tried + 1))
    printf 'limits: {wall: 60s}\n' | policy root strictly
    printf 'on_missing_mechanism: degrade\n' | policy root loosely
    without "$here/root/strictly.yaml"
    [ $? -eq 125 ] && grep -q "mechanism 'tables' is missing: /proc/sys/user/max_inotify_instances" "$here/err" || fail "no limits: $(cat "$here/err")"
    without "$here/root/loosely.yaml" || fail "no limits, degraded: $(cat "$here/err")"
    grep -q "degraded: mechanism 'tables' is missing" "$here/err" && grep -q "degraded: mechanism 'no_nesting' is missing" "$here/err" ||
        fail "no limits, degraded: $(cat "$here/err")" ;;
esac
finish
