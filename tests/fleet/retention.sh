#!/bin/sh
# retention.sh BINDIR: copies of lines that a node has removed from its log are deleted from the database at the end of their own term, not before, with a
# record of it; what is left is proven as before, at a console that had them and at one that begins then; nothing else is deleted.
. "$(dirname "$0")/fleet.inc"
sed -i 's/    notice:/    review: {queue: [{action: redact}]}\n    notice:/' "$work/rules/policy.yaml"
start_database
printf 'token-of-anna-0123456789' | "$bin/filterd" --hash-token --role=reviewer --name=anna >"$work/tokens"
for node in web-1 web-2 desk late; do make_node $node; done
for desk in desk late; do
    sed 's/user=node/user=console/' "$work/store.conf" >"$work/console.conf"
    sed -i "s|^connection: .*|connection: $work/console.conf|" "$work/$desk.yaml"
    echo "copies: $work/$desk/copies" >>"$work/$desk.yaml"
done
keep() { sed -i '/^keep:/d' "$work/$1.yaml"; echo "keep: $2" >>"$work/$1.yaml"; } # NODE TERMS
again() { stop "$1" link TERM; start_link "$1"; }
"$bin/filterd-link" --config "$work/web-1.yaml" --check >/dev/null || failures=$((failures + 1))
keep web-1 forever
expect 'a term that is none' 1 "$("$bin/filterd-link" --config "$work/web-1.yaml" --check 2>&1 | grep -c 'web-1.yaml:[0-9:]* keep: a term')"
keep web-1 1h; keep web-2 1s
start_filterd web-1 --keep=1s; start_filterd web-2 # which removes nothing itself
start_filterd desk --tokens="$work/tokens" --copies="$work/desk/copies"
for node in web-1 web-2 desk; do start_link $node; done
for node in web-1 web-2 desk; do wait_until "contact of $node" in_contact $node; done
post_key() { # NODE KEY
    curl -s -o /dev/null "http://$(cat "$work/$1/address")/v1/filter?agent=one" -H 'Content-Type: text/plain' --data "key E2EKEY-$2"
}
log=$work/web-1/decisions.jsonl
post_key web-1 4kq9Zt7Xw2Lm8Rv5Bn3Jc6Hd; post_key web-1 7Yq2Kt5Xw9Lm3Rv8Bn6Jc1Ha; post_key web-2 9Aq4Zt2Xw7Lm5Rv3Bn8Jc6Hs
mv "$log" "$log.1"; kill -HUP "$(cat "$work/web-1/filterd.pid")"
has_log() { [ -s "$log" ] || { post_key web-1 2Bq4Zt2Xw7Lm5Rv3Bn8Jc6Ht; false; }; }
wait_until 'a new file' has_log
post_key web-1 5Dq4Zt2Xw7Lm5Rv3Bn8Jc6Hs
last=$(($(head -1 "$log" | jq .seq) - 1))
page() { # DESK PATH: the status
    curl -sS -o "$work/answer" -w '%{http_code}' --unix-socket "$work/$1/operators.sock" -H 'Authorization: Bearer token-of-anna-0123456789' "http://filterd/review$2"
}
proves() { page "$1" /fleet >/dev/null; [ "$(grep -c '>proven<' "$work/answer")" -eq "$2" ]; } # DESK ITEMS
items=$(cat "$work"/web-?/decisions.jsonl* | grep -c '"action":"redact"')
wait_until 'the items at the desk' proves desk "$items"

# The node removes its file; the copies stay, as their term is longer.
prune() { "$bin/filterctl" record prune --operators "$work/web-1/operators.sock" --log "$log" >"$work/pruned"; grep -q "^removed 1 file, to line $last\$" "$work/pruned"; }
sleep 1.2
wait_until 'the node removes its file' prune
by=$(jq -r 'select(.type == "prune") | .seq' "$log")
copied() { ask -c "SELECT count(*) FROM filterd.record r JOIN filterd.node n ON n.id = r.node WHERE n.node = '$1' AND seq <= $last"; }
has_line() { [ "$(ask -c "SELECT forwarded >= $2 FROM filterd.node WHERE node = '$1'")" = t ]; } # NODE LINE
looked() { # NODE: its filterd-link was started anew, and has looked for what is due
    again "$1"; sleep 1
    post_key "$1" 3Fq8Zt6Xw1Lm4Rv9Bn2Jc7Hk
    wait_until "the copies of $1" has_line "$1" "$(tail -1 "$work/$1/decisions.jsonl" | jq .seq)"; sleep 1.5
}
wait_until 'its line is copied' has_line web-1 "$by"
looked web-1
expect 'before the term: all' "$last" "$(copied web-1)"
keep web-1 1s,decision=1h; looked web-1
expect 'before the term of a type: all' "$last" "$(copied web-1)"
# A role that may not delete says so, and goes on copying.
keep web-1 1s; looked web-1
expect 'without the right to: all' "$last" "$(copied web-1)"
expect 'it says so' yes "$(grep -q 'copies to be deleted: .*42501' "$work/web-1/link.log" && echo yes)"
ask -c 'GRANT EXECUTE ON FUNCTION filterd.remove_due TO filterd_node'
looked web-1; looked web-2
is_gone() { [ "$(copied web-1)" = 0 ]; }
wait_until 'the copies are deleted' is_gone
expect 'its record' "1|$last|$by|$((last * 32))|node" \
    "$(ask -c "SELECT first, last, line, length(hashes), \"by\" FROM filterd.removal r JOIN filterd.node n ON n.id = r.node WHERE n.node = 'web-1'")"
expect 'no other lines' "$(tail -1 "$log" | jq .seq)" "$((last + $(ask -c "SELECT count(*) FROM filterd.record r JOIN filterd.node n ON n.id = r.node WHERE n.node = 'web-1'")))"
expect 'of no other node' "$(wc -l <"$work/web-2/decisions.jsonl")" "$(ask -c "SELECT count(*) FROM filterd.record r JOIN filterd.node n ON n.id = r.node WHERE n.node = 'web-2'")"

# The desk loses them, too, and proves the others.
first_of() { head -1 "$work/$1/copies/web-1/decisions.jsonl" | jq .seq; }
begins_behind() { [ "$(first_of "$1")" = $((last + 1)) ]; }
wait_until 'the desk loses them' begins_behind desk
left=$(cat "$work"/web-?/decisions.jsonl | grep -c '"action":"redact"')
wait_until 'what is left' proves desk "$left"
expect 'nothing is broken' 0 "$(grep -c 'proof broken' "$work/answer")"
expect 'a removed line is not there' 404 "$(page desk "/fleet/lines/web-1.$last")"
post_key web-1 6Eq4Zt2Xw7Lm5Rv3Bn8Jc6Hs
wait_until 'it goes on' proves desk $((left + 1))

# A desk that begins now has the same.
start_filterd late --tokens="$work/tokens" --copies="$work/late/copies"; start_link late
wait_until 'contact of late' in_contact late
wait_until 'a desk that begins' proves late $((left + 1))
wait_until 'it has no more' begins_behind late
stop late filterd TERM; start_filterd late --tokens="$work/tokens" --copies="$work/late/copies"
wait_until 'after a start' proves late $((left + 1))
# And without a page.
"$bin/filterd-link" --config "$work/desk.yaml" gather "$work/gathered" >"$work/out"
"$bin/filterctl" review fleet "$work/gathered" >"$work/out" 2>"$work/err"
expect 'review fleet' "1 $((left + 1)) " "$? $(grep -c proven "$work/out") $(grep -v 'for the first time' "$work/err")"
expect 'record verify' 1 "$("$bin/filterctl" record verify "$work/gathered/web-1" 2>&1 | grep -c "removed by retention: lines 1 to $last")"

# Who has the database hides no lines by it: where no signed line says so, nothing is proven.
id=$(ask -c "SELECT id FROM filterd.node WHERE node = 'web-2'")
ask -c "UPDATE filterd.node SET removed = 2, vkey = (SELECT line::jsonb ->> 'vkey' FROM filterd.record WHERE node = $id AND seq = 1) WHERE id = $id;
    INSERT INTO filterd.removal (node, first, last, line, hashes) SELECT $id, 1, 2, 3, string_agg(sha256('\\x00'::bytea || convert_to(line, 'UTF8')), ''::bytea ORDER BY seq)
        FROM filterd.record WHERE node = $id AND seq <= 2; DELETE FROM filterd.record WHERE node = $id AND seq <= 2" >/dev/null
stop late link TERM; rm -r "$work/late/copies/web-2"; start_link late
is_found() { page late /fleet >/dev/null; grep -q 'lines 1 to 2 are missing, and no line that the node has signed says' "$work/answer"; }
wait_until 'it is found' is_found
expect 'and the desk has all' 1 "$(head -1 "$work/desk/copies/web-2/decisions.jsonl" | jq .seq)"

# A node that is gone: an operator deletes its copies, not before it is.
stop web-2 link TERM; stop web-2 filterd TERM
expect 'too early' 1 "$(ask -c "SELECT filterd.remove_node('web-2')" 2>&1 | grep -c 'not seen for a day')"
ask -c "UPDATE filterd.node SET seen = seen - interval '25 hours' WHERE node = 'web-2'"
ask -c "SELECT filterd.remove_node('web-2')" >/dev/null
expect 'a node that is gone' "0|0" "$(ask -c "SELECT count(*), (SELECT line FROM filterd.removal WHERE node = $id ORDER BY last DESC LIMIT 1) FROM filterd.record WHERE node = $id")"
[ "$failures" -eq 0 ] || show_logs
[ "$failures" -eq 0 ]
