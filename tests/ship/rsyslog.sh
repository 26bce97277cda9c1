#!/bin/sh
# rsyslog.sh BINDIR: Debian's rsyslog takes CEF over TLS from a client with a certificate and refuses another one; it is killed
# in the middle and loses nothing that filterd-ship does not send again; the messages are what the log has.
here=$(cd "$(dirname "$0")" && pwd)
support=$here/../support
. "$here/../e2e/service.inc"
. "$here/../e2e/ship.inc"
command -v rsyslogd >/dev/null && [ -e "$(ls /usr/lib/*/rsyslog/lmnsd_gtls.so 2>/dev/null | head -1)" ] ||
    { echo 'skip: rsyslog with its GnuTLS driver is not installed'; exit 0; }
n=${FILTERD_RSYSLOG_LINES:-100000}
make_certificates "$work"
at=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >"$work/rsyslog.conf" <<CONF
global(workDirectory="$work" maxMessageSize="128k" debug.unloadModules="off"
       defaultNetstreamDriverCAFile="$work/ca.pem" defaultNetstreamDriverCertFile="$work/server.pem" defaultNetstreamDriverKeyFile="$work/server.key")
module(load="imtcp" streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="x509/name" permittedPeer=["client", "localhost"]
       maxSessions="200")
template(name="all" type="list") { property(name="timestamp" dateFormat="rfc3339") constant(value=" ") property(name="hostname")
    constant(value=" ") property(name="app-name") constant(value=" ") property(name="msgid") constant(value=" ") property(name="syslogfacility")
    constant(value=" ") property(name="msg") constant(value="\n") }
input(type="imtcp" address="127.0.0.1" port="$at" ruleset="take")
ruleset(name="take") { action(type="omfile" file="$work/taken" template="all" asyncWriting="off" flushOnTXEnd="on") }
CONF
rsyslog_pid=''
: >"$work/taken"
start_rsyslog() {
    rsyslogd -n -f "$work/rsyslog.conf" -i "$work/rsyslog.pid" 2>>"$work/rsyslog.log" &
    rsyslog_pid=$!
    for _ in $(seq 600); do
        python3 -c "import socket; socket.create_connection(('127.0.0.1', $at))" 2>/dev/null && return
        sleep 0.1
    done
    echo "rsyslog did not start: $(cat "$work/rsyslog.log")"; exit 1
}
trap '[ -z "$rsyslog_pid" ] || kill -9 $rsyslog_pid 2>/dev/null; end_all' EXIT
start_rsyslog
python3 "$here/make_log.py" "$work/decisions.jsonl" "$n"
configure() {
    cat >"$work/ship.yaml" <<YAML
{log: $work/decisions.jsonl, state: $work/ship, metrics: $work/ship.prom, sinks: {arc: {format: cef, syslog: '127.0.0.1:$at', ca: $work/ca.pem,
  certificate: $work/$1.pem, key: $work/$1.key, timeout: 5s}}}
YAML
}
configure other
start_ship
wait_until 'a refused certificate' grep -q 'sink arc: .*: it is tried again' "$work/ship.log"
expect 'nothing came' 0 "$(wc -l <"$work/taken")"
configure client
kill -HUP $ship_pid
has_taken() { [ "$(wc -l <"$work/taken")" -ge "$1" ]; }
wait_until 'a third' has_taken $((n / 3))
kill -9 $rsyslog_pid; wait $rsyslog_pid 2>/dev/null
sleep 1
start_rsyslog
has_last() { grep -q "|cn1Label=seq cn1=$n " "$work/taken"; }
wait_until 'all messages' has_last
stop_ship
expect 'ended' 0 "$status"
python3 "$here/check_cef.py" "$work/decisions.jsonl" "$work/taken"
expect 'CEF says what the log says' 0 $?
expect 'the metric' "$n" "$(sed -n 's/^filterd_ship_seq{sink="arc"} //p' "$work/ship.prom")"
finish
