#!/bin/sh
# filterd-egress: names are answered for allowed hosts alone.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
cat >"$work/egress.yaml" <<YAML
limits: {dns: 9/h}
rules:
  - {name: api, hosts: ['*.api.test'], scheme: https, tls: passthrough, addresses: [93.184.216.34, '2606:2800:220:1::1']}
  - {name: mixed, hosts: mixed.test, scheme: https, tls: passthrough, addresses: [93.184.216.34, 10.0.0.1, 169.254.169.254]}
  - {name: inside, hosts: inside.test, scheme: https, tls: passthrough, addresses: 169.254.169.254}
  - {name: own, hosts: localhost, scheme: https, tls: passthrough, may_reach: loopback}
YAML
egress --dns 127.0.0.1:0
resolver=$(sed -n 's/.*answering names on //p' "$work/log" | head -n 1)

# ask NAME TYPE [CLASS]: the code of the answer and its addresses.
ask() {
    called
    /usr/bin/python3 - "$resolver" "$@" <<'PYTHON'
import socket, struct, sys
host, port = sys.argv[1].rsplit(":", 1)
name, kind = sys.argv[2], int(sys.argv[3])
question = b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0" + struct.pack(">HH", kind, int(sys.argv[4]) if len(sys.argv) > 4 else 1)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(10)
s.connect((host, int(port)))
s.send(struct.pack(">HHHHHH", 77, 0x0100, 1, 0, 0, 0) + question)
answer = s.recv(2000)
number, flags, _, n, _, _ = struct.unpack(">HHHHHH", answer[:12])
assert number == 77 and flags & 0x8000, "an answer to the question"
words, at = [str(flags & 15)], 12 + (len(question) if flags & 15 != 1 else 0)
for _ in range(n):
    length = struct.unpack(">H", answer[at + 10:at + 12])[0]
    words.append(socket.inet_ntop(socket.AF_INET if length == 4 else socket.AF_INET6, answer[at + 12:at + 12 + length]))
    at += 12 + length
print(*words)
PYTHON
}
expect 'A' '0 93.184.216.34' "$(ask www.api.test 1)"
expect 'recorded' '["dns","A","www.api.test","allowed","api"]' "$(last '[.kind,.method,.host,.verdict,.rule]')"
expect 'AAAA' '0 2606:2800:220:1::1' "$(ask WWW.Api.Test 28)"
expect 'addresses that may not be reached are left out' '0 93.184.216.34' "$(ask mixed.test 1)"
expect 'a name that is looked up' '0 127.0.0.1' "$(ask localhost 1)"
last . >/dev/null
expect 'its lines, the first before it is asked for' '["opened",null] ["allowed","own"]' \
    "$(tail -n 2 "$record" | jq -c 'if .verdict == "opened" then [.verdict,.address] else [.verdict,.rule] end' | paste -sd ' ')"
expect 'when none is left' '3' "$(ask inside.test 1)"
expect 'recorded' '["refused","address","169.254.169.254"]' "$(last '[.verdict,.reason,.address]')"
expect 'another host' '5' "$(ask evil.test 1)"
expect 'recorded' '["refused","host"]' "$(last '[.verdict,.reason]')"
expect 'a tunnel of names' '5' "$(ask 4a6f686e3132333435363738.evil.test 1)"
expect 'recorded without what it carries' '"*.evil.test"' "$(last .host)"
expect 'TXT' '5' "$(ask www.api.test 16)"
expect 'recorded' '["refused","method","TYPE16"]' "$(last '[.verdict,.reason,.method]')"
expect 'ANY' '5' "$(ask www.api.test 255)"
expect 'a service name' '5' "$(ask _x._tcp.www.api.test 1)"
expect 'another class' '1' "$(ask www.api.test 16 3)"
for i in 1 2 3 4; do ask "n$i.api.test" 1 >/dev/null; done
expect 'not more than the limit' '5' "$(ask n5.api.test 1)"
expect 'recorded' '"rate"' "$(last .reason)"
stop
expect 'a clean end' 0 "$status"
# What is refused costs nothing and has no rate: questions without an end do not fill the disk, and what is answered has its line.
: >"$record"
egress --dns 127.0.0.1:0
answered=$(/usr/bin/python3 - "$(sed -n 's/.*answering names on //p' "$work/log" | head -n 1)" <<'PYTHON'
import socket, struct, sys, time
host, port = sys.argv[1].rsplit(":", 1)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect((host, int(port)))
s.setblocking(False)
question, end, n = struct.pack(">HHHHHH", 7, 0x0100, 1, 0, 0, 0) + b"\4evil\4test\0" + struct.pack(">HH", 1, 1), time.monotonic() + 2, 0
while time.monotonic() < end:
    try:
        s.send(question)
        n += len(s.recv(512)) > 0
    except BlockingIOError:
        pass
print(n)
PYTHON
)
lines=$(wc -l <"$record")
[ "$lines" -ge "$answered" ] && [ "$lines" -lt 2000 ] || { echo "a flood: $answered answers, $lines lines"; failures=$((failures + 1)); }
kill -9 "$pid"; wait "$pid" 2>/dev/null; pid=''
timeout 10 "$bin/filterd-egress" --policy "$work/egress.yaml" --dns 0.0.0.0:0 --log "$record" 2>"$work/out"
expect 'not for others' 2 $?
finish
