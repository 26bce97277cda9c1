#!/bin/sh
# balance.sh BINDIR: HAProxy and nginx with the shipped configurations before three nodes: streams go to the node that has them; nodes are
# restarted one by one under load, and no request fails; one is killed, and no answer is missing in the record or in the database.
. "$(dirname "$0")/fleet.inc"
haproxy=$(command -v haproxy || ls /usr/sbin/haproxy 2>/dev/null) && nginx=$(command -v nginx || ls /usr/sbin/nginx 2>/dev/null) ||
    { echo 'skip: no haproxy or nginx'; exit 0; }
# So that every answer waits for its line; otherwise one that allows does not.
filterd_options=--receipts=always
start_database
nodes='web-1 web-2 web-3'
take_ports
for node in $nodes; do make_node $node; start_node $node; start_link $node; done
for node in $nodes; do wait_until "contact of $node" in_contact $node; done

start_haproxy
{ echo "daemon off; master_process off; pid $work/balancers/nginx.run; error_log $work/balancers/nginx.log; events {} http { access_log off;"
  for place in client_body proxy fastcgi uwsgi scgi; do echo "${place}_temp_path $work/balancers/$place;"; done
  placed "$front2" nginx.conf; echo '}'; } >"$work/balancers/nginx.conf"
"$nginx" -c "$work/balancers/nginx.conf" -e "$work/balancers/nginx.log" 2>/dev/null &
echo $! >"$work/balancers/nginx.pid"
for one in $front $front2; do wait_until "the balancer at $one" ready "$one"; done

# --- streams ------------------------------------------------------------------------------------
post() { curl -s "http://127.0.0.1:$1" -H "Content-Type: $2" -d "$3"; } # PORT/PATH TYPE BODY
for balancer in haproxy:$front nginx:$front2; do
    name=${balancer%:*} port=${balancer#*:}
    : >"$work/ids"
    for _ in $(seq 12); do post "$port/v1/streams" application/json '{}' | jq -r .id >>"$work/ids"; done
    expect "$name: streams on" '01 02 03' "$(cut -d- -f1 "$work/ids" | sort -u | paste -sd ' ')"
    while read -r id; do
        text=$(post "$port/v1/streams/$id/chunks" text/plain 'key E2EKEY-4kq9Zt7Xw2Lm' | jq -r .text)
        text=$text$(post "$port/v1/streams/$id/chunks" text/plain '8Rv5Bn3Jc6Hd, and on' | jq -r .text)
        text=$text$(post "$port/v1/streams/$id/end" application/json '{}' | jq -r .text)
        expect "$name: what stream $id delivered" 'key [test-key], and on' "$text"
    done <"$work/ids"
done
expect 'a stream of another node' '421 01' "$(curl -s -o /dev/null -w '%{http_code} %header{filterd-node}' -X POST \
    "http://127.0.0.1:$(port_of web-2)/v1/streams/01-00000000000000000000000000000000/end")"

# --- one by one restarted under load ---------------------------------------------------------------
python3 tests/fleet/load.py 127.0.0.1:$front 4 "$work/asked" "$work/stop" >"$work/counts" &
load=$!
sleep 2
for node in $nodes; do
    stop $node filterd TERM
    start_node $node
    wait_until "contact of $node" in_contact $node
    sleep 2
done
touch "$work/stop"; wait $load
echo "upgrade: $(cat "$work/counts")"
expect 'answers other than 200 during the upgrade' '' "$(tr ' ' '\n' <"$work/counts" | grep -v '^200=\|^slowest_ms=')"
python3 tests/fleet/on_record.py "$work/asked" "$work"/web-*/decisions.jsonl || failures=$((failures + 1))

# --- one is killed under load: what was answered is on record, and in the database --------------------
rm "$work/stop"
python3 tests/fleet/load.py 127.0.0.1:$front 4 "$work/asked" "$work/stop" >"$work/counts" &
load=$!
sleep 2
stop web-2 filterd KILL
sleep 3
start_node web-2
sleep 2
touch "$work/stop"; wait $load
echo "a node killed: $(cat "$work/counts")"
expect 'leaked' '' "$(grep -o 'leaked=.*' "$work/counts")"
python3 tests/fleet/on_record.py "$work/asked" "$work"/web-*/decisions.jsonl || failures=$((failures + 1))
for node in $nodes; do
    lines=$(wc -l <"$work/$node/decisions.jsonl")
    wait_until "the copies of $node: $lines lines" has_copies "$node" "$lines"
done
[ "$failures" -eq 0 ] || show_logs
[ "$failures" -eq 0 ]
