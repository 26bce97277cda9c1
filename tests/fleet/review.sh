#!/bin/sh
# review.sh BINDIR: the review queues of three nodes from PostgreSQL, each line compared with what its node has signed: the same items as on
# the nodes, a disposition made on one is seen, and a line that was changed or taken away in the database is found.
. "$(dirname "$0")/fleet.inc"
sed -i 's/    notice:/    review: {queue: [{action: redact}]}\n    notice:/' "$work/rules/policy.yaml"
start_database
nodes='web-1 web-2 web-3'
for node in $nodes; do make_node $node; start_filterd $node; start_link $node; done
for node in $nodes; do wait_until "contact of $node" in_contact $node; done
post_key() { # NODE KEY
    curl -s -o /dev/null "http://$(cat "$work/$1/address")/v1/filter?agent=one" -H 'Content-Type: text/plain' --data "key E2EKEY-$2"
}
on_node() { node=$1; shift; "$bin/filterctl" review "$@" --operators "$work/$node/operators.sock"; } # NODE COMMAND…
seqs_on() { on_node "$1" list "$2" 2>/dev/null | awk '{ print $1 }' | sort -n | tr '\n' ' '; }            # NODE STATE
# Who reviews reads, and has another role than the nodes.
sed 's/user=node/user=reviewer/' "$work/store.conf" >"$work/reviewer.conf"
printf 'node: desk\nconnection: %s\n' "$work/reviewer.conf" >"$work/reviewer.yaml"
gather() { "$bin/filterd-link" --config "$work/reviewer.yaml" gather "$1"; }                                 # DIR
fleet() { "$bin/filterctl" review fleet "$@"; }                                                           # DIR [STATE]
seqs_of() { fleet "$1" "$3" 2>/dev/null | awk -v node="$2" '$1 == node { print $3 }' | sort -n | tr '\n' ' '; } # DIR NODE STATE
post_key web-1 4kq9Zt7Xw2Lm8Rv5Bn3Jc6Hd; post_key web-1 7Yq2Kt5Xw9Lm3Rv8Bn6Jc1Ha; post_key web-2 9Aq4Zt2Xw7Lm5Rv3Bn8Jc6Hs; post_key web-3 3Fq8Zt6Xw1Lm4Rv9Bn2Jc7Hk
for node in $nodes; do
    has_items() { [ -n "$(seqs_on $node open)" ]; }
    wait_until "the queue of $node" has_items
done

# What was gathered has all items of the nodes, and the heads of their trees cover them.
is_whole() {
    gather "$work/copies" >/dev/null || return 1
    for one in $nodes; do [ "$(seqs_of "$work/copies" $one open)" = "$(seqs_on $one open)" ] || return 1; done
    ! fleet "$work/copies" | grep -q unsigned
}
wait_until 'the items of all nodes' is_whole
expect 'how many' 4 "$(fleet "$work/copies" | wc -l)"
expect 'the exit code' 1 "$(fleet "$work/copies" >/dev/null; echo $?)"
for node in $nodes; do
    cmp -s "$work/copies/$node/decisions.jsonl" "$work/$node/decisions.jsonl" ||
        cmp "$work/copies/$node/decisions.jsonl" "$work/$node/decisions.jsonl" 2>&1 | grep -q 'EOF on .*copies' || { echo "not the log of $node"; failures=$((failures + 1)); }
    "$bin/filterctl" record verify "$work/copies/$node" >"$work/verified" 2>&1
    expect "record verify of the copies of $node" 0 $?
done

# A log with another key is not that node's, however well it is signed.
expect 'the keys that were seen' 3 "$(cat "$work"/copies/*/key | wc -l)"
mkdir "$work/swapped" && cp -r "$work/copies/web-1" "$work/swapped/web-2" && cp "$work/copies/web-2/key" "$work/swapped/web-2/key"
fleet "$work/swapped" >"$work/out" 2>"$work/err"
expect 'another key' '2 0 1' "$? $(wc -l <"$work/out") $(grep -c 'web-2/key: another key' "$work/err")"

# A name that is no node's is left out and named; the others are gathered.
ask -c "INSERT INTO filterd.node (node) VALUES ('../up'), ('a node')"
gather "$work/named" >/dev/null 2>"$work/err"
expect 'names that are none' '0 3 2 no' "$? $(ls "$work/named" | wc -l) $(grep -c "is left out: its name '\.\./up'\|its name 'a node'" "$work/err") $([ -e "$work/up" ] && echo yes || echo no)"
ask -c "DELETE FROM filterd.node WHERE node IN ('../up', 'a node')"

# A person's step on one node.
item=$(on_node web-2 list | awk '{ print $1; exit }')
on_node web-2 dispose "$item" false_positive >/dev/null || failures=$((failures + 1))
is_closed() { gather "$work/copies" >/dev/null && [ "$(seqs_of "$work/copies" web-2 closed)" = "$item " ]; }
wait_until 'the disposition' is_closed
expect 'what is open' 3 "$(fleet "$work/copies" | wc -l)"

# A gathering that was killed within a line.
printf '{"seq":' >>"$work/copies/web-1/decisions.jsonl"
gather "$work/copies" >/dev/null
expect 'it goes on behind the last whole line' 3 "$(fleet "$work/copies" | wc -l)"

# A line that a power failure took back, beside the one that has its number since.
ask -c "INSERT INTO filterd.record (node, seq, ts, line) SELECT r.node, seq, ts - interval '1 second', 'taken back' FROM filterd.record r JOIN filterd.node n ON n.id = r.node
    WHERE n.node = 'web-1' AND seq = 3"
gather "$work/twice" >/dev/null
expect 'the later one is the line' '0 3' "$(grep -c '^taken back$' "$work/twice/web-1/decisions.jsonl") $(fleet "$work/twice" 2>/dev/null | wc -l)"

# Lines that were changed, or taken away, in the database.
change() { ask -c "UPDATE filterd.record r SET line = $1 FROM filterd.node n WHERE n.id = r.node AND n.node = 'web-3' AND type = 'decision'"; }
change "replace(line, '\"action\":\"redact\"', '\"action\":\"block\"')"
gather "$work/changed" >/dev/null
fleet "$work/changed" >"$work/out" 2>"$work/err"
expect 'a changed line: exit code, other nodes, what is said' '2 2 1' "$? $(wc -l <"$work/out") $(grep -c 'web-3: .*is not what was signed' "$work/err")"
change "replace(line, '\"action\":\"block\"', '\"action\":\"redact\"')"
ask -c "DELETE FROM filterd.record r USING filterd.node n WHERE n.id = r.node AND n.node = 'web-3' AND type = 'decision'"
expect 'a line taken away' 1 "$(gather "$work/less" | grep -c 'web-3: the database does not have line')"
fleet "$work/less" >"$work/out" 2>"$work/err"
expect 'is no whole log' '2 2 1' "$? $(wc -l <"$work/out") $(grep -c '^filterctl: web-3: ' "$work/err")"
[ "$failures" -eq 0 ] || show_logs
[ "$failures" -eq 0 ]
