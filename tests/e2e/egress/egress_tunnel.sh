#!/bin/sh
# filterd-egress: tunnels for TLS that is not opened, listeners, limits, the record's failure.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=tls.test" \
    -addext 'subjectAltName=DNS:tls.test,DNS:other.test' -keyout "$work/key" -out "$work/pem" 2>/dev/null
upstream "$work/pem" "$work/key"
cat >"$work/egress.yaml" <<YAML
limits: {connections: 2, idle: 2s, drain: 100ms}
rules:
  - {name: tls, hosts: tls.test, ports: $port, scheme: https, tls: passthrough, addresses: 127.0.0.1, may_reach: loopback}
  - {name: small, hosts: other.test, ports: $port, scheme: https, tls: passthrough, addresses: 127.0.0.1, may_reach: loopback, bytes_in: 100K}
  - {name: guarded, hosts: guarded.test, ports: $port, scheme: https, tls: passthrough, addresses: [127.0.0.1, '::1', '::ffff:127.0.0.1']}
  - {name: nowhere, hosts: nowhere.test, ports: 1, scheme: https, tls: passthrough, addresses: 127.0.0.1, may_reach: loopback}
  - {name: plain, hosts: plain.test, ports: $port, scheme: http, methods: GET, paths: /**, judge: none}
YAML
egress
tls() { called; curl -sS --max-time 20 --cacert "$work/pem" -x "http://$proxy" "$@" 2>&1; }
expect 'a tunnel' '11 bytes' "$(tls -d 'hello world' "https://tls.test:$port/secret-path?a=b")"
expect 'recorded' '["connect","tls.test","CONNECT","allowed","tls",200,"127.0.0.1",null]' \
    "$(last '[.kind,.host,.method,.verdict,.rule,.status,.address,.path]')"
expect 'its begin, before anything passes' '["opened","tls.test",0,0,null]' \
    "$(head -n 1 "$record" | jq -c '[.verdict,.host,.bytes_out,.bytes_in,.address]')"
expect 'counted' true "$(last '.bytes_out > 300 and .bytes_in > 500')"
expect 'a large answer' 1000000 "$(tls "https://tls.test:$port/large" | wc -c)"
expect 'an answer in pieces' onetwo "$(tls "https://tls.test:$port/paced")"
expect 'without Host, as many clients do' 'HTTP/1.1 200 Connection established' \
    "$(raw "CONNECT tls.test:$port HTTP/1.0\r\n\r\n" | head -n 1 | tr -d '\r')"

refused() { # refused WHAT REASON STATUS CURL-ARGUMENT…
    what=$1 reason=$2 want=$3; shift 3
    expect "$what: status" "$want" "$(connect_code "$@")"
    expect "$what: recorded" "\"$reason\"" "$(last .reason)"
}
refused 'other host' host 403 "https://evil.test:$port/"
refused 'other port' port 403 "https://tls.test:22/"
refused 'a tunnel to where only plain requests may go' scheme 403 "https://plain.test:$port/"
refused 'loopback that no rule names' address 403 "https://guarded.test:$port/"
refused 'nobody listens' connect 502 "https://nowhere.test:1/"
refused 'the proxy itself' host 403 "https://$proxy/"

# The name that the hello asks for is the one of CONNECT, or nothing passes.
hello() { # hello WHAT DETAIL BYTES-COMMAND…
    what=$1 detail=$2; shift 2
    before=$(wc -l <"$seen")
    "$@" >/dev/null 2>&1 </dev/null
    expect "$what: recorded" "[\"refused\",\"hello\",\"$detail\",0]" "$(last '[.verdict,.reason,.detail,.bytes_out]')"
    expect "$what: nothing arrived" "$before" "$(wc -l <"$seen")"
}
s_client() { called; timeout 10 openssl s_client -proxy "$proxy" -connect "tls.test:$port" "$@"; }
expect 'the same name passes' 1 "$(s_client -servername tls.test </dev/null 2>&1 | grep -cE 'subject=CN ?= ?tls.test')"
hello 'another name' 'the host of CONNECT as server name expected' s_client -servername evil.test
hello 'no name' 'a server name expected' s_client -noservername
hello 'not TLS' 'a TLS client hello expected' raw "CONNECT tls.test:$port HTTP/1.1\r\nHost: tls.test:$port\r\n\r\nSSH-2.0-OpenSSH\r\n"
hello 'HTTP in a tunnel' 'a TLS client hello expected' raw "CONNECT tls.test:$port HTTP/1.1\r\nHost: tls.test:$port\r\n\r\nGET / HTTP/1.1\r\n\r\n"
expect 'a silent tunnel' '' "$(raw_open "CONNECT tls.test:$port HTTP/1.1\r\n\r\n" | tail -n +3)"
expect 'recorded' '["failed","time"]' "$(last '[.verdict,.reason]')"
expect 'CONNECT without a port' 'HTTP/1.1 400 Refused' "$(raw "CONNECT tls.test HTTP/1.1\r\n\r\n" | head -n 1 | tr -d '\r')"

# A budget cuts a tunnel in the middle.
tls "https://other.test:$port/large" >"$work/part"
expect 'budget' true "$([ "$(wc -c <"$work/part")" -lt 102400 ] && echo true)"
expect 'recorded' '"budget"' "$(last .reason)"

# No more connections at once than the policy says.
tls "https://tls.test:$port/slow" >/dev/null & one=$!
tls "https://tls.test:$port/slow" >/dev/null & two=$!
for _ in $(seq 3000); do [ "$(grep -c /slow "$seen")" -ge 2 ] && break; sleep 0.02; done
expect 'one too many' 503 "$(connect_code "https://tls.test:$port/")"
expect 'recorded before the answer' '["refused","busy"]' "$(tail -n 1 "$record" | jq -c '[.verdict,.reason]')"
# What is under way when the time is up is cut.
stop
expect 'a clean end' 0 "$status"
wait "$one" "$two"
expect 'cut and recorded' 2 "$(tail -n 2 "$record" | grep -c '"reason":"time"')"

# A tunnel that is under way when the process is killed has left its line.
egress
: >"$seen"
tls "https://tls.test:$port/slow" >/dev/null & one=$!
for _ in $(seq 3000); do grep -q /slow "$seen" && break; sleep 0.02; done
kill -9 "$pid"; wait "$pid" 2>/dev/null; pid=''
wait "$one"
expect 'killed' '["connect","tls.test","opened","tls"]' "$(tail -n 1 "$record" | jq -c '[.kind,.host,.verdict,.rule]')"

# Other listeners.
egress --listen unix:"$work/egress.sock"
expect 'a Unix socket' 403 "$(called; curl -s --unix-socket "$work/egress.sock" --request-target http://evil.test/ -H 'Host: evil.test' \
    -o /dev/null -w '%{http_code}' http://evil.test/)"
expect 'its mode' 600 "$(stat -c %a "$work/egress.sock")"
stop
expect 'the socket is taken away' '' "$(ls "$work" | grep 'egress.sock')"
/usr/bin/python3 - "$bin/filterd-egress" "$work" >"$work/passed" 2>"$work/log" <<'PYTHON'
import os, signal, socket, subprocess, sys
listener = socket.create_server(("127.0.0.1", 0))
program = subprocess.Popen([sys.argv[1], "--policy", sys.argv[2] + "/egress.yaml", "--listen", f"fd:{listener.fileno()}"],
                           pass_fds=[listener.fileno()], stdout=subprocess.DEVNULL)
client = socket.create_connection(listener.getsockname())
client.sendall(b"GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n")
print(client.recv(100).split(b"\r\n")[0].decode())
program.send_signal(signal.SIGTERM)
print(program.wait())
PYTHON
expect 'a listener that is passed on' 'HTTP/1.1 403 Refused 0' "$(echo $(cat "$work/passed"))"
cannot() { # cannot WHAT ARGUMENT…
    what=$1; shift
    timeout 10 "$bin/filterd-egress" "$@" >"$work/out" 2>&1
    expect "$what" 2 $?
}
cannot 'no policy'
cannot 'a policy that is not there' --policy "$work/none.yaml"
cannot 'a public listener' --policy "$work/egress.yaml" --listen 0.0.0.0:0
cannot 'a descriptor that is no listener' --policy "$work/egress.yaml" --listen fd:9
cannot 'a record that cannot be' --policy "$work/egress.yaml" --log "$work/none/record"
printf 'rules: []\ncredentials: {a: {env: NOT_SET_HERE, hosts: a.test, methods: GET, paths: /, ttl: 1m, uses: 1}}\n' >"$work/bad.yaml"
cannot 'a credential that is not there' --policy "$work/bad.yaml"
printf 'rules: [{name: a, hosts: a.test, scheme: http, methods: GET, paths: /, policy: none}]\n' >"$work/bad.yaml"
cannot 'a policy of filterd that is not there' --policy "$work/bad.yaml" --rules "$rules" --check

# No record, no release.
egress --log /dev/full
expect 'the first attempt finds out' 503 "$(connect_code "https://tls.test:$port/")"
wait_for_log 'the record cannot be written'
expect 'nothing leaves then' 503 "$(connect_code "https://tls.test:$port/")"
stop
finish
