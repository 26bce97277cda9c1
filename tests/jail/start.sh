#!/bin/sh
# start.sh BINDIR: a launcher, its watchdog, its init and the command killed at each system call of theirs, signals and
# a new size of the terminal before the command begins: nothing is left, nothing is lost, nobody waits for ever.
. "$(dirname "$0")/jail.inc"
[ -x /usr/bin/python3 ] || { skip "starts: no python3"; finish; }
# By its path, as nobody looks for it.
[ -z "$user" ] || user="$(command -v setpriv) ${user#setpriv }"

start() { /usr/bin/python3 "$(dirname "$0")/start.py" "$@"; }
# Sanitizers start processes and calls of their own.
case $bin in */release/*) step=1 ;; *) step=25 ;; esac

for caller in $callers; do
    prefix=; [ "$caller" != user ] || prefix=$user
    printf '' | policy "$caller" plain
    awk 'BEGIN { printf "environment: {set: {"; for (i = 0; i < 200; i++) { printf "V%d: \"", i; for (k = 0; k < 110; k++) printf "%010d", i + k; printf "\", " } print "LAST: end}}" }' |
        policy "$caller" large
    # with POLICY COMMAND…: the words of a run.
    with() { name=$1; shift; echo "$prefix $jail run -p $here/$caller/$name.yaml -- $*"; }

    for point in "launcher kill 1" "watchdog kill 1" "first kill 3" "command kill 2"; do
        tried=$((tried + 1))
        # shellcheck disable=SC2046,SC2086 # words
        start points ${point% *} $((${point##* } * step)) $(with plain echo ran) >"$here/out" 2>&1
        case $? in
        0) ;;
        3) skip "starts as $caller: $(cat "$here/out")" ;;
        *) fail "$point as $caller"; cat "$here/out" ;;
        esac
    done

    # An init that stands still, with more to read than a channel holds.
    tried=$((tried + 1))
    # shellcheck disable=SC2046
    start points first stop $((120 * step)) $(with large echo ran) >"$here/out" 2>&1
    case $? in 0 | 3) ;; *) fail "an init that stands still as $caller"; cat "$here/out" ;; esac

    # Told to end when it begins: no command begins, and a report says so.
    tried=$((tried + 1))
    printf 'report: {folder: reports}\n' | policy "$caller" reported
    # shellcheck disable=SC2086
    $prefix mkdir -m 700 "$here/$caller/reports"
    # shellcheck disable=SC2046
    start pending $(with reported echo ran) >"$here/out" 2>"$here/err" </dev/null
    [ $? -eq 125 ] && grep -q 'received a signal' "$here/err" || fail "told to end at once as $caller: $(cat "$here/err")"
    [ ! -s "$here/out" ] || fail "told to end at once as $caller: the command began"
    grep -q 'received a signal' "$here/$caller"/reports/*-*[0-9a-f].json || fail "told to end at once as $caller: no report says so"

    # A new size of the terminal is no end, while filterd-egress (here one that only waits, and fails) is not ready.
    tried=$((tried + 1))
    mkdir "$here/$caller/beside" && cp "$jail" "$here/$caller/beside/"
    printf '#!/bin/sh\n: >%s/begun\nsleep 0.5\nexit 1\n' "$here/$caller" >"$here/$caller/beside/filterd-egress"
    chmod -R 755 "$here/$caller/beside"
    [ "$caller" != user ] || [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$here/user/beside"
    printf 'network: {egress: egress.yaml, record: record.jsonl, rules: %s, cache: cache, proxy: 3128}\n' "$here" | policy "$caller" open
    $prefix "$here/$caller/beside/filterd-jail" run -p "$here/$caller/open.yaml" -- true </dev/null >"$here/out" 2>"$here/err" &
    launcher=$!
    for _ in $(seq 6000); do [ ! -e "$here/$caller/begun" ] || break; sleep 0.01; done
    kill -WINCH $launcher
    wait $launcher
    grep -q 'filterd-egress: it ended' "$here/err" || fail "a new size at the start as $caller: $(cat "$here/err")"

    tried=$((tried + 1))
    # shellcheck disable=SC2016
    printf 'for i in $(seq 1000); do [ "$(stty size)" != "44 111" ] || exit 0; sleep 0.01; done; exit 1\n' >"$here/$caller/src/sees"
    chmod 644 "$here/$caller/src/sees"
    printf 'inputs: [{from: src, to: /src}]\n' | policy "$caller" sized
    # shellcheck disable=SC2046
    start sizes $(with sized sh /src/sees) >"$here/out" 2>&1 || { fail "the terminal's size as $caller"; cat "$here/out"; }
done
finish
