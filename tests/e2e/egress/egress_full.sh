#!/bin/sh
# filterd-egress on a full disk: what has no room for its line does not leave; what has left has its line.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
[ "${2:-}" = inside ] || {
    unshare -m true 2>/dev/null || { echo 'skip: no file system can be mounted'; exit 0; }
    unshare -m sh "$0" "$bin" inside
    exit
}
mkdir "$work/disk"
mount -t tmpfs -o size=1m,mode=700 none "$work/disk"
record=$work/disk/record.jsonl
fill() { dd if=/dev/zero of="$work/disk/fill" bs=4096 2>/dev/null; }
upstream
cat >"$work/egress.yaml" <<YAML
limits: {connections: 8}
rules:
  - {name: api, hosts: api.test, scheme: http, ports: $port, methods: GET, paths: /**, may_reach: loopback, addresses: 127.0.0.1}
  - {name: names, hosts: names.test, scheme: https, tls: passthrough, addresses: 93.184.216.34}
YAML
egress
expect 'there is room' 200 "$(code "http://api.test:$port/one")"
expect 'its line' '["allowed","/one"]' "$(last '[.verdict,.path]')"

# The disk is full while a request is under way: its line has been reserved.
get "http://api.test:$port/wait" >"$work/waited" &
waiter=$!
for _ in $(seq 3000); do grep -q /wait "$seen" && break; sleep 0.02; done
fill
wait $waiter
expect 'under way' waited "$(cat "$work/waited")"
expect 'its line, too' '["allowed","/wait"]' "$(last '[.verdict,.path]')"

# What was reserved is used up, then nothing leaves.
for i in $(seq 40); do
    answer=$(code "http://api.test:$port/$i")
    [ "$answer" = 200 ] || break
done
expect 'no room' 503 "$answer"
expect 'again' 503 "$(code "http://api.test:$port/again")"
rm "$work/disk/fill"
stop
egress
expect 'room again' 200 "$(code "http://api.test:$port/last")"
stop
sed -n 's/^GET \([^ ]*\) .*/\1/p' "$seen" | sort >"$work/left"
jq -r 'select(.verdict == "allowed") | .path' "$record" | sort >"$work/lines"
expect 'what has left is what has a line' '' "$(diff "$work/left" "$work/lines")"

# Removed: nobody would read the line.
egress
: >"$seen"
rm "$record"
expect 'a record that was removed' 503 "$(curl -s --max-time 20 -x "http://$proxy" -o /dev/null -w '%{http_code}' "http://api.test:$port/removed")"
expect 'nothing has left' 0 "$(wc -l <"$seen")"
stop
umount "$work/disk"
finish
