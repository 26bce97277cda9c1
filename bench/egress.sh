#!/bin/sh
# A large download through filterd-egress, as a proxy and out of a jail whose connection is captured, against one through nginx,
# which passes it on and looks at nothing, from the same server, in rounds that alternate. Prints one JSON line per figure.
#
# usage: bench/egress.sh BUILD [ROUNDS]     NGINX names the program (default: nginx of the PATH)
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
rounds=${2:-7}
bytes=100000000
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-bench.XXXXXX") || exit 2
pids=''
trap 'for p in $pids; do kill "$p" 2>/dev/null; done; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
fail() { echo "bench/egress.sh: $*" >&2; exit 1; }
wait_for() { # wait_for FILE PATTERN
    for _ in $(seq 500); do grep -q "$2" "$1" 2>/dev/null && return; sleep 0.02; done
    fail "$(cat "$1")"
}
free_port() { /usr/bin/python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

/usr/bin/python3 - "$work/body" "$bytes" >"$work/server" <<'PYTHON' &
import os, socket, sys, threading
size = int(sys.argv[2])
with open(sys.argv[1], "wb") as body:
    body.truncate(size)
def serve(connection):
    with connection, open(sys.argv[1], "rb") as body:
        is_head = connection.recv(65536).startswith(b"HEAD")
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % size)
        if not is_head:
            connection.sendfile(body)
server = socket.create_server(("127.0.0.1", 0))
print("port", server.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=server.accept()[:1], daemon=True).start()
PYTHON
pids="$pids $!"
wait_for "$work/server" port
port=$(sed -n 's/port //p' "$work/server")

cat >"$work/egress.yaml" <<YAML
rules:
  - {name: a, hosts: 127.0.0.1, ports: $port, scheme: http, methods: GET, paths: /**, judge: none, may_reach: loopback}
YAML
"$build/bin/filterd-egress" --policy "$work/egress.yaml" --log "$work/record" 2>"$work/egress" &
pids="$pids $!"
wait_for "$work/egress" listening
ours=$(sed -n 's/.*listening on //p' "$work/egress")
cat >"$work/jail.yaml" <<YAML
name: bench
on_missing_mechanism: degrade
network: {egress: egress.yaml, record: record, ports: [$port]}
limits: {memory: none, cpu: none}
YAML
chmod 600 "$work"/*.yaml
theirs=127.0.0.1:$(free_port)
cat >"$work/nginx.conf" <<CONF
daemon off;
pid $work/nginx.pid;
error_log stderr;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path $work/a; proxy_temp_path $work/b; fastcgi_temp_path $work/c;
    uwsgi_temp_path $work/d; scgi_temp_path $work/e;
    server { listen $theirs; location / { proxy_pass http://127.0.0.1:$port; proxy_max_temp_file_size 0; } }
}
CONF
"${NGINX:-nginx}" -p "$work" -c "$work/nginx.conf" 2>"$work/nginx" &
pids="$pids $!"
for _ in $(seq 500); do curl -s -o /dev/null -I "http://$theirs/" && break; sleep 0.02; done

speed() { # speed PROXY: bytes a second
    curl -sS --max-time 60 -x "http://$1" -o /dev/null -w '%{size_download} %{speed_download}\n' "http://127.0.0.1:$port/x" |
        awk -v n="$bytes" '$1 != n { exit 1 } { print $2 }' || fail "a download was not whole"
}
# The same from inside: curl knows of no proxy.
jail_speed() {
    "$build/bin/filterd-jail" run -p "$work/jail.yaml" -- curl -sS --max-time 60 -o /dev/null \
        -w '%{size_download} %{speed_download}\n' "http://127.0.0.1:$port/x" 2>"$work/jail" |
        awk -v n="$bytes" '$1 != n { exit 1 } { print $2 }' || fail "a download out of the jail was not whole: $(cat "$work/jail")"
}
median() { sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }'; }
for _ in $(seq "$rounds"); do
    a=$(speed "$ours") && b=$(speed "$theirs") && c=$(jail_speed) || exit 1
    echo "$a $b $c"
done >"$work/rounds" || exit 1
a=$(cut -d' ' -f1 "$work/rounds" | median) b=$(cut -d' ' -f2 "$work/rounds" | median)
printf '{"name":"egress.download","unit":"MB/s","value":%.0f,"n":%d}\n' "$(awk "BEGIN { print $a / 1e6 }")" "$rounds"
printf '{"name":"egress.download.nginx","unit":"MB/s","value":%.0f,"n":%d}\n' "$(awk "BEGIN { print $b / 1e6 }")" "$rounds"
printf '{"name":"egress.download.ratio","unit":"1","value":%.2f,"n":%d}\n' \
    "$(awk '{ print $1 / $2 }' "$work/rounds" | median)" "$rounds"
printf '{"name":"egress.jail","unit":"MB/s","value":%.0f,"n":%d}\n' "$(cut -d' ' -f3 "$work/rounds" | median | awk '{ print $1 / 1e6 }')" "$rounds"
printf '{"name":"egress.jail.ratio","unit":"1","value":%.2f,"n":%d}\n' \
    "$(awk '{ print $3 / $2 }' "$work/rounds" | median)" "$rounds"
