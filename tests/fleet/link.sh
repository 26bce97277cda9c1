#!/bin/sh
# link.sh BINDIR: filterd-link before Debian's PostgreSQL: two nodes in one database, filterd-link killed FILTERD_KILLS times (50),
# the database killed, stopped and started; then every line is there once, byte for byte, and no password was logged.
set -u
cd "$(dirname "$0")/../.." || exit 2
bin=$(cd "${1:?usage: $0 BINDIR}" && pwd)
kills=${FILTERD_KILLS:-50} password=LINKPW-not-to-be-seen failures=0 link_pid='' other_pid=''
postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
[ -n "$postgres" ] || { echo 'skip: no PostgreSQL (postgresql)'; exit 0; }
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-link.XXXXXX")
# PostgreSQL does not run as root.
as=
[ "$(id -u)" -ne 0 ] || as='setpriv --reuid=postgres --regid=postgres --clear-groups'
server() { $as "$postgres/pg_ctl" -s -D "$work/db/data" -l "$work/db/log" "$@"; }
cleanup() {
    for one in $link_pid $other_pid; do kill -9 "$one" 2>/dev/null; done
    [ ! -d "$work/db/data" ] || server -m immediate -w stop 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
expect() { # WHAT WANTED GOT
    [ "$2" = "$3" ] || { echo "$1: expected '$2', got '$3'"; failures=$((failures + 1)); }
}
# filterd-link takes no line before it has been there for 1.5 seconds, so asking more often only keeps the machine busy.
wait_until() { # WHAT COMMAND…: for more than a minute
    what=$1; shift
    for _ in $(seq 300); do "$@" && return; sleep 0.25; done
    echo "it never came: $what; filterd-link: $(tail -n 3 "$work/link.log")"; failures=$((failures + 1))
}
ask() { PGPASSFILE=$work/pgpass psql -X -q -A -t -h "$work/db" -U filterd -d postgres "$@"; }
count() { ask -c "SELECT count(*) FROM filterd.record JOIN filterd.node ON record.node = node.id WHERE node.node = '$1'" 2>/dev/null || echo 0; }
has() { [ "$(count "$1")" -ge "$2" ]; }
has_log() { grep -q "$1" "$work/link.log"; }

# --- a database, two configurations ------------------------------------------------------------
mkdir "$work/db" && chmod 755 "$work"
echo "$password" >"$work/db/password"
[ -z "$as" ] || chown -R postgres "$work/db"
$as "$postgres/initdb" -D "$work/db/data" -U filterd -A scram-sha-256 --pwfile="$work/db/password" >/dev/null || exit 1
printf "listen_addresses = ''\nunix_socket_directories = '%s'\n" "$work/db" | $as tee -a "$work/db/data/postgresql.conf" >/dev/null
server -w start || exit 1
echo "*:*:*:*:$password" >"$work/pgpass" && chmod 600 "$work/pgpass"
ask --single-transaction --set ON_ERROR_STOP=1 --file packaging/postgresql/filterd.sql || exit 1
echo "host=$work/db user=filterd dbname=postgres passfile=$work/pgpass" >"$work/store.conf"
for node in web-1 web-2; do
    mkdir "$work/$node"
    printf 'node: %s\nlog: %s\nstate: %s\nconnection: %s\nmetrics: %s\nbatch: 200\n' "$node" "$work/$node/decisions.jsonl" \
        "$work/$node/ship" "$work/store.conf" "$work/$node/link.prom" >"$work/$node.yaml"
done
start_link() {
    "$bin/filterd-link" --config "$work/web-1.yaml" 2>>"$work/link.log" &
    link_pid=$!
}
stop_link() { kill -"$1" $link_pid; wait $link_pid 2>/dev/null; status=$?; link_pid=''; }
write() { python3 tests/ship/make_log.py "$work/$1/decisions.jsonl" "$2" "$3"; } # NODE LINES FIRST

expect 'check' 'ok: node web-1' "$("$bin/filterd-link" --config "$work/web-1.yaml" --check 2>&1)"
sed "s|^|password=$password |" "$work/store.conf" >"$work/bad.conf"
sed "s|store.conf|bad.conf|" "$work/web-1.yaml" >"$work/bad.yaml"
expect 'a password beside the passfile' 2 "$("$bin/filterd-link" --config "$work/bad.yaml" --check 2>>"$work/link.log"; echo $?)"

# --- killed again and again, while lines come and files are rotated --------------------------------
write web-1 20000 1
write web-2 3000 1
"$bin/filterd-link" --config "$work/web-2.yaml" 2>>"$work/link.log" &
other_pid=$!
next=20001
for i in $(seq "$kills"); do
    before=$(count web-1)
    start_link
    # Some are killed while they copy, some before the first commit.
    [ $((i % 5)) -eq 0 ] || wait_until "lines after kill $((i - 1))" has web-1 $((before + 1))
    stop_link KILL
    write web-1 300 $next
    next=$((next + 300))
    if [ $((i % 10)) -eq 0 ]; then
        mv "$work/web-1/decisions.jsonl" "$work/web-1/decisions.jsonl.$i"
        write web-1 300 $next
        next=$((next + 300))
    fi
done

# --- the database killed, stopped, started -----------------------------------------------------------
start_link
for mode in immediate fast; do
    server -m $mode -w stop
    write web-1 1000 $next
    next=$((next + 1000))
    wait_until 'a word about the lost database' has_log 'it is tried again'
    server -w start
    wait_until "all lines after $mode" has web-1 $((next - 1))
done
wait_until 'the other node' has web-2 3000
expect 'sandbox' 'NoNewPrivs:1' "$(sed -n '/^NoNewPrivs/s/\t//p' /proc/$link_pid/status)"

# --- two with one name: the second waits, the first goes on --------------------------------------------
cp "$work/web-1.yaml" "$work/twin.yaml"
mkdir "$work/twin"; sed -i "s|$work/web-1/ship|$work/twin|" "$work/twin.yaml"
"$bin/filterd-link" --config "$work/twin.yaml" 2>>"$work/link.log" &
twin=$!
wait_until 'the second of a name' has_log 'another filterd-link has the node web-1'
kill $twin; wait $twin 2>/dev/null
stop_link TERM
expect 'exit status' 0 "$status"
expect 'the lag' 1 "$(grep -c '^filterd_link_lag_seconds [0-9]' "$work/web-1/link.prom")"
expect 'the position for filterd' 1 "$(grep -c '"v":1' "$work/web-1/ship/link.json")"

# --- the checker: the same lines, in order, byte for byte ------------------------------------------------
for node in web-1 web-2; do
    cat $(ls -v "$work/$node"/decisions.jsonl.* 2>/dev/null) "$work/$node/decisions.jsonl" >"$work/wanted"
    ask -c "COPY (SELECT encode(convert_to(line, 'UTF8'), 'hex') FROM filterd.record JOIN filterd.node ON record.node = node.id
            WHERE node.node = '$node' ORDER BY seq) TO STDOUT" | python3 -c 'import sys
for line in sys.stdin: sys.stdout.buffer.write(bytes.fromhex(line) + b"\n")' >"$work/copied"
    expect "$node: lines" "$(wc -l <"$work/wanted")" "$(wc -l <"$work/copied")"
    cmp "$work/wanted" "$work/copied" || failures=$((failures + 1))
done
expect 'numbers' "$((next - 1)) $((next - 1)) 1" "$(ask -F ' ' -c "SELECT count(*), max(seq), min(seq) FROM filterd.record
    JOIN filterd.node ON record.node = node.id WHERE node.node = 'web-1'")"
expect 'the password in a log or metric' '' "$(grep -l "$password" "$work/link.log" "$work"/*/link.prom "$work"/*/ship/link.json)"
[ "$failures" -eq 0 ] || cat "$work/web-1/link.prom" "$work/web-1/ship/link.json" "$work/link.log"
[ "$failures" -eq 0 ]
