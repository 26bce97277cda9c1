#!/bin/sh
# rsyslog.sh BINDIR: Debian's rsyslog with filterctl check --pipe behind mmexternal. Each message is written as it may be delivered.
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
module=$(ls /usr/lib/*/rsyslog/mmexternal.so 2>/dev/null | head -1)
command -v rsyslogd >/dev/null && command -v jq >/dev/null && [ -n "$module" ] ||
    { echo 'skip: rsyslog with mmexternal, or jq, is not installed'; exit 0; }
work=$(mktemp -d)
pid=''
trap '[ -z "$pid" ] || kill -9 $pid 2>/dev/null; rm -rf "$work"' EXIT
fail() { echo "FAILED: $1"; cat "$work/rsyslog.log"; exit 1; }
mkdir -m 700 "$work/cache"
: >"$work/taken"
n=${FILTERD_RSYSLOG_LINES:-2000}
cat >"$work/judge" <<SCRIPT
#!/bin/sh
exec '$bin/filterctl' check --pipe --field msg --answer rsyslog --cache '$work/cache' 2>/dev/null
SCRIPT
chmod +x "$work/judge"
cat >"$work/rsyslog.conf" <<CONF
global(workDirectory="$work" maxMessageSize="128k")
module(load="imuxsock" SysSock.Use="off")
module(load="mmexternal")
input(type="imuxsock" Socket="$work/socket" CreatePath="on" RateLimit.Interval="0" ruleset="take")
template(name="verdict" type="string" string="%\$!filterd!action%|%\$!filterd!rule%|%msg%\n")
ruleset(name="take") {
    action(type="mmexternal" binary="$work/judge" interface.input="fulljson")
    action(type="omfile" file="$work/taken" template="verdict" asyncWriting="off" flushOnTXEnd="on")
}
CONF
rsyslogd -n -f "$work/rsyslog.conf" -i "$work/pid" >"$work/rsyslog.log" 2>&1 &
pid=$!
for _ in $(seq 600); do [ -S "$work/socket" ] && break; sleep 0.1; done
python3 - "$work" "$n" <<'SEND'
import json, socket, sys
work, n = sys.argv[1], int(sys.argv[2])
values = ["nothing here", "key AKIAQ3EGRVZ7MXK2PLWT end", "mail ada@mail.example now", "ghp_" + "1234567890abcdefghijABCDEFGHIJ123456"]
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect(work + "/socket")
with open(work + "/sent", "w") as sent:
    for i in range(n):
        text = f"{values[i % len(values)]} number {i}"
        s.send(f"<14>Nov 23 10:00:00 test: {text}".encode())
        sent.write(json.dumps({"msg": " " + text}) + "\n")
SEND
for _ in $(seq 600); do
    [ "$(wc -l <"$work/taken" 2>/dev/null || echo 0)" -ge "$n" ] && break
    sleep 0.1
done
"$bin/filterctl" check --pipe --field msg --cache "$work/cache" <"$work/sent" 2>/dev/null |
    jq -r '"\(.action)|\(.rule // "")|\(.text // .notice)"' >"$work/wanted"
cmp "$work/wanted" "$work/taken" || fail "the messages that rsyslog wrote: those of filterctl check --pipe expected"
! grep -q AKIAQ3EGRVZ7MXK2PLWT "$work/taken" || fail 'a key was written'
grep -q '^redact|' "$work/taken" || fail 'a redacted message expected'
echo "rsyslog: $n messages are those of filterctl"
