#!/bin/sh
# console.sh BINDIR: a review console over three nodes. Its page shows the queue and the records of all, each line with its node's proof; a
# decision becomes a signed order that reaches the node that has the line, also one that was down, once; of two people who decide at once one
# wins; a line that was changed in the database is shown as broken and cannot be decided; an order that nobody signed changes nothing.
. "$(dirname "$0")/fleet.inc"
sed -i 's/    notice:/    review: {queue: [{action: redact}]}\n    notice:/' "$work/rules/policy.yaml"
sed -i 's/    notice:/    seal: {when: [{action: redact}], what: exchange, to: compliance}\n    notice:/' "$work/rules/policy.yaml"
mkdir "$work/rules/recipients"
for who in one two; do age-keygen -o "$work/$who.key" 2>/dev/null; age-keygen -y "$work/$who.key"; done >"$work/rules/recipients/compliance"
start_database
nodes='web-1 web-2 web-3'
"$bin/filterctl" bundle key desk.example/review "$work/console.key" >"$work/consoles"
for who in anna ben; do printf 'token-of-%s-0123456789' $who | "$bin/filterd" --hash-token --role=reviewer --name=$who >>"$work/tokens"; done
printf 'token-of-otto-0123456789' | "$bin/filterd" --hash-token --role=approver --name=otto >>"$work/tokens"
printf 'token-of-acme-0123456789' | "$bin/filterd" --hash-token --role=reviewer --name=limited | sed 's/$/:tenant=acme/' >>"$work/tokens"
filterd_options="--consoles=$work/consoles"
for node in $nodes desk; do make_node $node; done
sed 's/user=node/user=console/' "$work/store.conf" >"$work/console.conf"
sed -i "s|^connection: .*|connection: $work/console.conf|" "$work/desk.yaml"
echo "copies: $work/desk/copies" >>"$work/desk.yaml"
# One key of tokens, so that a value is the same on all nodes.
start_filterd web-1; start_link web-1
for node in web-2 web-3; do
    mkdir -m 700 "$work/$node/state/keys"; cp "$work"/web-1/state/keys/token*.key "$work/$node/state/keys"
    start_filterd $node; start_link $node
done
start_desk() { start_filterd desk --tokens="$work/tokens" --copies="$work/desk/copies" --console=desk.example/review --console-key="$work/console.key"; }
start_desk; start_link desk
for node in $nodes desk; do wait_until "contact of $node" in_contact $node; done

# --- filterctl fleet, on any node -------------------------------------------------
fleet() { "$bin/filterctl" fleet --operators "$work/web-1/operators.sock" "$@" >"$work/fleet" 2>&1; echo $? >"$work/code"; } # OPTION…
lists() { fleet; [ "$(grep -c "$1" "$work/fleet")" -eq "$2" ]; } # PATTERN LINES
wait_until 'four nodes' lists '^[a-z0-9-]*  alive  *[0-9]* s  0\.1\.0  lines [1-9][0-9]*  lag [0-9]*  signed [0-9]*  lease local  bundle -$' 4
expect 'nothing is wrong' 0 "$(cat "$work/code")"
fleet --format json
expect 'as the OpenAPI document has it' '' "$(/usr/bin/python3 -c 'import json, sys; from jsonschema import Draft202012Validator as V
print(*(e.message for e in V({"$ref": "#/components/schemas/Fleet", "components": json.load(open("packaging/openapi.json"))["components"]}).iter_errors(json.load(open(sys.argv[1])))))' "$work/fleet")"

# --- the page -------------------------------------------------------------------
person=anna
page() { # PATH CURL-ARGUMENT…: the status
    address=$1; shift
    curl -sS -o "$work/answer" -w '%{http_code}' --unix-socket "$work/desk/operators.sock" -H "Authorization: Bearer token-of-$person-0123456789" "$@" "http://filterd/review$address"
}
decide() { # REF CURL-ARGUMENT…: status and notice
    ref=$1; shift
    curl -sS -o "$work/answer.$person" -w '%{http_code} %{redirect_url}' --unix-socket "$work/desk/operators.sock" -H "Authorization: Bearer token-of-$person-0123456789" \
        -H "Origin: http://filterd" "$@" "http://filterd/review/fleet/lines/$ref" | sed 's|http://filterd/review/fleet/lines/[^?]*?notice=||'
}
version_of() { page "/fleet/lines/$1" >/dev/null; sed -n 's|.*name="version" value="\([0-9]*\)".*|\1|p' "$work/answer" | head -1; }
well_formed() { /usr/bin/python3 tests/support/check_page.py "$work/answer"; }
refs() { grep -o 'href="/review/fleet/lines/[^"]*"' "$work/answer" | sed 's|.*/||; s|"||' | sort -u; }
post_key() { # NODE KEY [TENANT]
    curl -s -o /dev/null "http://$(cat "$work/$1/address")/v1/filter?agent=one&tenant=${3:-}" -H 'Content-Type: text/plain' --data "key E2EKEY-$2"
}
post_key web-1 4kq9Zt7Xw2Lm8Rv5Bn3Jc6Hd; post_key web-1 7Yq2Kt5Xw9Lm3Rv8Bn6Jc1Ha acme; post_key web-2 9Aq4Zt2Xw7Lm5Rv3Bn8Jc6Hs; post_key web-3 3Fq8Zt6Xw1Lm4Rv9Bn2Jc7Hk
shows() { page /fleet >/dev/null; [ "$(grep -c '>proven<' "$work/answer")" -eq "$1" ]; }
wait_until 'four items, each proven' shows 4
expect 'each with its line' 4 "$(refs | wc -l)"
expect 'three nodes and the desk' 4 "$(grep -c 'as the node has signed it' "$work/answer")"
refs >"$work/refs"
first=$(grep '^web-1' "$work/refs" | head -1) second=$(grep '^web-2' "$work/refs") third=$(grep '^web-3' "$work/refs")
for screen in /fleet /fleet/groups '/fleet/groups?show=all' /fleet/exceptions /fleet/reveals '/fleet?show=closed' '/fleet?show=mine' '/fleet?show=overdue' "/fleet/lines/$first" /fleet/records '/fleet/records?query=seq:1..' '/fleet/records?query=nonsense:'; do
    for language in en de; do
        expect "$screen in $language" 200 "$(page "$screen" -H "Accept-Language: $language")"
        expect "$screen in $language is well-formed" '' "$(well_formed)"
    done
done
for address in fleet/lines/web-1.99999 fleet/lines/web-9.1 fleet/lines/web-1 fleet/lines/..%2Fweb-1.1 fleet/lines/web-1.0; do
    expect "$address shows nothing" 404 "$(page "/$address")"
done
expect 'what was looked at is on record' 1 "$(grep -c "\"what\":\"record\",\"item\":${first#*.},\"copy_of\":\"web-1\"" "$work/desk/decisions.jsonl" | sed 's/^[1-9].*/1/')"

# The proof of a line, for who has the node's key alone.
expect 'a proof' 200 "$(page "/fleet/lines/$second/proof")"
sed -n "${second#*.}p" "$work/web-2/decisions.jsonl" >"$work/second.line"
expect 'that holds' '' "$(/usr/bin/python3 tests/fleet/proof_check.py "$work/answer" "$(cat "$work/desk/copies/web-2/key")" "$work/second.line" 2>&1)"

# Who is limited to a tenant sees its lines alone.
person=acme
page /fleet >/dev/null
expect 'of a tenant' 1 "$(refs | wc -l)"
expect 'another line' 404 "$(page "/fleet/lines/$third")"
page '/fleet/records?query=seq:1..' >/dev/null
expect 'records of a tenant' 1 "$(refs | wc -l)"
person=anna

# Records of all nodes, newest first, page by page, each once.
for i in $(seq 40); do curl -s -o /dev/null "http://$(cat "$work/web-$((i % 3 + 1))/address")/v1/filter?agent=many" -H 'Content-Type: text/plain' --data "text $i"; done
all_records() { # [BEFORE]
    page "/fleet/records?query=agent:many&before=$1" >/dev/null
    refs
    next=$(sed -n 's|.*rel="next" href="/review/fleet/records?[^"]*before=\([^"]*\)".*|\1|p' "$work/answer" | sed 's/%2C/,/g')
    [ -z "$next" ] || all_records "$next"
}
has_records() { [ "$(all_records '' | sort -u | wc -l)" -eq 40 ]; }
wait_until 'records of all nodes' has_records
expect 'each once' 40 "$(all_records '' | wc -l)"

# --- a decision --------------------------------------------------------------------
lines_of() { # NODE ITEM: type, step, disposition, by, console
    jq -r --argjson item "$2" 'select(.type == "review" and .item == $item) | [.step, .disposition // "-", .by, .console // "-"] | join(" ")' "$work/$1/decisions.jsonl"
}
expect 'a decision' '303 NODE_RECORDED' "$(decide "$first" -d "version=$(version_of "$first")" -d do=false_positive -d 'note=seen at the desk, key E2EKEY-1Xq9Zt7Xw2Lm8Rv5Bn3Jc6Hz')"
expect 'is on record where the line is' 'dispose false_positive anna desk.example/review' "$(lines_of web-1 "${first#*.}")"
expect 'without the secret of the note' 0 "$(grep -l 1Xq9Zt7Xw2Lm8Rv5Bn3Jc6Hz "$work"/*/decisions.jsonl | wc -l)"
expect 'which the database never had' 0 "$(ask -c "SELECT count(*) FROM filterd.review_order WHERE note LIKE '%1Xq9Zt7Xw2Lm8Rv5Bn3Jc6Hz%'")"
is_closed() { page "/fleet?show=closed" >/dev/null; refs | grep -qx "$1"; }
wait_until 'it comes back with the copies' is_closed "$first"
expect 'and is proven' 1 "$(page "/fleet/lines/$first" >/dev/null; grep -c 'reopen' "$work/answer" | sed 's/^[1-9].*/1/')"
expect 'the order is settled' "t|$(jq -r 'select(.type == "review") | .seq' "$work/web-1/decisions.jsonl" | tail -1)" "$(ask -c 'SELECT is_settled, line FROM filterd.review_order')"

# Two people decide at once: one of them is the first, and the other is refused.
version=$(version_of "$second")
person=anna decide "$second" -d "version=$version" -d do=benign >"$work/one" &
one=$!
person=ben; decide "$second" -d "version=$version" -d do=true_positive >"$work/two"
wait $one
expect 'one wins' '303 NODE_RECORDED 303 NODE_REFUSED' "$(printf '%s\n%s\n' "$(cat "$work/one")" "$(cat "$work/two")" | sort | tr '\n' ' ' | sed 's/ $//')"
expect 'one line' 1 "$(lines_of web-2 "${second#*.}" | wc -l)"
page "/fleet/lines/$second" >/dev/null
expect 'and the page says why' 1 "$(grep -c 'the node refused it' "$work/answer" | sed 's/^[1-9].*/1/')"
person=anna

# A node that is down when the decision is made takes it when it is there again, once, though its acknowledgement is lost the first time.
version=$(version_of "$third")
stop web-3 filterd KILL
expect 'it waits' '303 ORDERED' "$(decide "$third" -d "version=$version" -d do=true_positive)"
page "/fleet/lines/$third" >/dev/null
expect 'and the page says so' 1 "$(grep -c 'waits for its node' "$work/answer" | sed 's/^[1-9].*/1/')"
wait_until 'it is known to be lost' lists '^web-3  lost' 1
expect 'and said' 1 "$(cat "$work/code")"
stop desk filterd TERM; stop desk link KILL
start_filterd web-3
is_settled() { [ "$(ask -c "SELECT is_settled AND line > 0 FROM filterd.review_order WHERE node = '$1' ORDER BY id DESC LIMIT 1")" = t ]; }
wait_until 'the node takes it' is_settled web-3
expect 'once' 'dispose true_positive anna desk.example/review' "$(lines_of web-3 "${third#*.}")"
recorded=$(jq -r 'select(.type == "review") | .seq' "$work/web-3/decisions.jsonl")
ask -c "UPDATE filterd.review_order SET is_settled = false, line = 0, changed = clock_timestamp() WHERE node = 'web-3'"
wait_until 'it is asked again and answers the same' is_settled web-3
expect 'still once' 'dispose true_positive anna desk.example/review' "$(lines_of web-3 "${third#*.}")"
start_desk; start_link desk
wait_until 'contact of the desk' in_contact desk
wait_until 'the console sees it' is_closed "$third"

# Several items at once, on two nodes.
open_before=$(page /fleet >/dev/null; grep -c '>proven<' "$work/answer")
post_key web-1 5Dq4Zt2Xw7Lm5Rv3Bn8Jc6Hs; post_key web-3 6Eq4Zt2Xw7Lm5Rv3Bn8Jc6Hs
wait_until 'two more' shows $((open_before + 2))
chosen=$(grep -o 'name="ref" value="[^"]*"' "$work/answer" | sed 's/.*value="//; s/"//' | grep -v "^$(grep '^web-1' "$work/refs" | tail -1)\.")
expect 'the two' 2 "$(echo "$chosen" | wc -l)"
at_once() { # CURL-ARGUMENT…: status and notice
    curl -sS -o "$work/answer" -w '%{http_code} %{redirect_url}' --unix-socket "$work/desk/operators.sock" -H "Authorization: Bearer token-of-$person-0123456789" \
        -H 'Origin: http://filterd' "$@" http://filterd/review/fleet | sed 's|http://filterd/review/fleet?notice=||'
}
expect 'none chosen' '422 ' "$(at_once -d do=benign)"
expect 'no such item' '422 ' "$(at_once -d do=benign -d ref=web-1.99999.1)"
expect 'both' '303 ORDERED_ALL' "$(at_once -d do=benign $(echo "$chosen" | sed 's/^/-d ref=/'))"
is_done_on() { jq -r 'select(.type == "review" and .disposition == "benign" and .by == "anna") | .item' "$work/$1/decisions.jsonl" | grep -qx "$2"; }
for one in $chosen; do
    node=${one%%.*} rest=${one#*.}
    wait_until "recorded on $node" is_done_on "$node" "${rest%.*}"
done

# A value that was found on two nodes with one key of tokens is one group, which is decided on both by an order each.
value=8Hq4Zt2Xw7Lm5Rv3Bn8Jc6Hs
post_key web-1 $value; post_key web-3 $value; post_key web-3 $value
group_row() { page /fleet/groups >/dev/null; tr -d '\n' <"$work/answer" | sed 's/<tr/\n&/g' | grep "$1"; } # PATTERN
has_group() { group_row 'class="rule"' | grep 'data-label="Nodes"[^>]*>2<' | grep 'data-label="Hits"[^>]*>3<' | grep -q 'data-label="Open"[^>]*>3<'; }
wait_until 'a group on two nodes' has_group
group=$(group_row 'data-label="Nodes"[^>]*>2<' | sed -n 's|.*/review/fleet/groups/\([0-9a-f]*\).*|\1|p' | head -1)
expect 'the list is well-formed' '' "$(well_formed)"
expect 'the group' 200 "$(page "/fleet/groups/$group")"
expect 'is well-formed' '' "$(well_formed)"
# Not those of the table of nodes below, which names them, too.
expect 'its nodes' 2 "$(tr -d '\n' <"$work/answer" | sed 's/<tr/\n&/g' | grep 'class="lead"><bdi>web-[13]</bdi>' | grep -c 'data-label="Hits"')"
expect 'its items' 200 "$(page "/fleet?group=$group")"
expect 'they are three' 3 "$(refs | wc -l)"
expect 'no such group' 404 "$(page "/fleet/groups/00112233445566778899aabbccddeeff")"
person=acme; expect 'of another tenant' 404 "$(page "/fleet/groups/$group")"; person=anna
group_at_once() { # CURL-ARGUMENT…: status and notice
    curl -sS -o "$work/answer" -w '%{http_code} %{redirect_url}' --unix-socket "$work/desk/operators.sock" -H "Authorization: Bearer token-of-$person-0123456789" \
        -H 'Origin: http://filterd' "$@" "http://filterd/review/fleet/groups/$group" | sed 's|http://filterd/review/fleet/groups/[^?]*?notice=||'
}
expect 'not a step for a group' '422 ' "$(group_at_once -d do=claim)"
expect 'nothing to reopen' '404 ' "$(group_at_once -d do=reopen)"
expect 'decided on both' '303 ORDERED_ALL' "$(group_at_once -d do=policy_gap)"
has_decided() { [ "$(jq -r 'select(.type == "review" and .disposition == "policy_gap") | .group' "$work/$1/decisions.jsonl")" = "group:$group" ]; }
for node in web-1 web-3; do wait_until "recorded on $node" has_decided $node; done
is_closed() { page "/fleet/groups/$group" >/dev/null; [ "$(grep -c '>Closed<' "$work/answer")" -eq 2 ]; }
wait_until 'it is closed' is_closed
expect 'no open items' 0 "$(page "/fleet?group=$group" >/dev/null; refs | wc -l)"
expect 'nothing to decide' '404 ' "$(group_at_once -d do=benign)"
expect 'but to reopen' '303 ORDERED_ALL' "$(group_at_once -d do=reopen)"
has_reopened() { jq -r 'select(.type == "review" and .step == "reopen") | .group' "$work/$1/decisions.jsonl" | grep -qx "group:$group"; }
for node in web-1 web-3; do wait_until "reopened on $node" has_reopened $node; done

# An exception that was proposed on a node shows here, with the proof of its line.
curl -s -o /dev/null --unix-socket "$work/web-1/operators.sock" http://filterd/v1/exceptions -H 'Content-Type: application/json' \
    -d "{\"item\":${first#*.},\"scope\":\"value\",\"until\":\"$(date -u -d '+30 days' +%F)\",\"why\":\"tests\"}"
shows_exception() { page /fleet/exceptions >/dev/null; grep -q '>proven<' "$work/answer"; }
wait_until 'the exception' shows_exception
expect 'it is on web-1' 1 "$(refs | grep -c '^web-1\.')"
expect 'and well-formed' '' "$(well_formed)"
person=acme; page /fleet/exceptions >/dev/null; expect 'not for another tenant' 0 "$(refs | wc -l)"; person=otto
page /fleet/exceptions >/dev/null
asked=$(grep -o '/review/fleet/exceptions/web-1\.[0-9a-f-]*' "$work/answer" | head -1 | sed 's|.*/||')
# A second person's decision on a request, as an order: STEP KIND REF: status and notice.
decide_request() {
    curl -sS -o "$work/answer" -w '%{http_code} %{redirect_url}' --unix-socket "$work/desk/operators.sock" -H "Authorization: Bearer token-of-$person-0123456789" \
        -H 'Origin: http://filterd' -d "do=$1" "http://filterd/review/fleet/$2/$3" | sed "s|http://filterd/review/fleet/$2?notice=||"
}
expect 'no step' '422 ' "$(decide_request proposed exceptions "$asked")"
expect 'no such exception' '404 ' "$(decide_request approved exceptions web-2."${asked#*.}")"
person=anna; expect 'not by a reviewer' '303 NODE_REFUSED' "$(decide_request approved exceptions "$asked")"; person=otto
expect 'approved' '303 NODE_RECORDED' "$(decide_request approved exceptions "$asked")"
exception_lines() { jq -r 'select(.type == "exception") | [.step, .by, .role, .console // "-"] | join(" ")' "$work/web-1/decisions.jsonl"; }
expect 'its record' "$(printf 'proposed uid 0 admin -\napproved otto approver desk.example/review')" "$(exception_lines)"
is_active() { page /fleet/exceptions >/dev/null; grep -q '>active<' "$work/answer"; }
wait_until 'it is active' is_active
expect 'not twice' '303 NODE_REFUSED' "$(decide_request approved exceptions "$asked")"
# The order comes again, as after a lost acknowledgement: the same answer, and no line more.
ask -c "UPDATE filterd.review_order SET is_settled = false WHERE note LIKE '%\"type\":\"exception\"%' AND line > 0" >/dev/null
is_answered() { [ "$(ask -c "SELECT count(*) FROM filterd.review_order WHERE NOT is_settled")" = 0 ]; }
wait_until 'it is answered again' is_answered
expect 'no line more' 2 "$(exception_lines | wc -l)"
expect 'withdrawn' '303 NODE_RECORDED' "$(decide_request withdrawn exceptions "$asked")"

# The original of an item on web-1: asked for there, granted here.
curl -s -o /dev/null --unix-socket "$work/web-1/operators.sock" http://filterd/v1/reveals -H 'Content-Type: application/json' \
    -d "{\"item\":${first#*.},\"purpose\":\"incident\",\"case\":\"INC-1\",\"why\":\"tests\"}"
shows_reveal() { page /fleet/reveals >/dev/null; grep -q '>proven<' "$work/answer"; }
wait_until 'the request for an original' shows_reveal
expect 'it is well-formed' '' "$(well_formed)"
reveal=$(grep -o '/review/fleet/reveals/web-1\.[0-9a-f-]*' "$work/answer" | head -1 | sed 's|.*/||')
expect 'granted' '303 NODE_RECORDED' "$(decide_request approved reveals "$reveal")"
expect 'its record' 'approved otto desk.example/review' "$(jq -r 'select(.type == "reveal") | [.step, .by, .console // "-"] | join(" ")' "$work/web-1/decisions.jsonl" | tail -1)"
expect 'is granted on its node' granted "$(operators web-1 /v1/reveals | jq -r '.reveals[0].state')"
person=anna

# Whoever writes to the database can neither make a decision nor change one.
limited=$(grep '^web-1' "$work/refs" | tail -1)
note=$(ask -c "SELECT encode(convert_to(note, 'UTF8'), 'base64') FROM filterd.review_order WHERE node = 'web-3' LIMIT 1" | tr -d '\n')
forge() { # SED-EXPRESSION…: the node's answer to a changed order
    changed=$(echo "$note" | base64 -d | sed "$@" | base64 -w0)
    id=$(ask -c "INSERT INTO filterd.review_order (key, node, note) VALUES (md5(random()::text), 'web-3', convert_from(decode('$changed', 'base64'), 'UTF8')) RETURNING id")
    for _ in $(seq 600); do
        [ "$(ask -c "SELECT is_settled FROM filterd.review_order WHERE id = $id")" = t ] && break; sleep 0.05
    done
    ask -c "SELECT line, why FROM filterd.review_order WHERE id = $id"
}
before=$(grep -c '"type":"review"' "$work/web-3/decisions.jsonl")
unsigned='0|review order: the signature of a known console expected'
expect 'another disposition' "$unsigned" "$(forge 's/true_positive/benign/')"
expect 'another person' "$unsigned" "$(forge 's/"by":"anna"/"by":"ben"/')"
expect 'no signature' 1 "$(forge '/^— /d' | grep -c '^0|')"
expect 'no line more' "$before" "$(grep -c '"type":"review"' "$work/web-3/decisions.jsonl")"
expect 'the same order is no second one' "$recorded|" "$(forge 's/^$//')"
# An order for a line that is another on that node: the right signature, and nothing happens.
ask -c "UPDATE filterd.review_order SET node = 'web-2', is_settled = false WHERE node = 'web-3' AND line > 0"
wait_until 'another node answers' eval '[ "$(ask -c "SELECT count(*) FROM filterd.review_order WHERE node = '\''web-2'\'' AND NOT is_settled")" = 0 ]'
expect 'and took no step' 1 "$(grep -c '"type":"review"' "$work/web-2/decisions.jsonl")"
# A node that does not know the console takes nothing.
echo >"$work/none"; "$bin/filterctl" bundle key other.example/review "$work/other.key" >"$work/none"
stop web-1 filterd TERM; filterd_options="--consoles=$work/none" start_filterd web-1
wait_until 'contact of web-1' in_contact web-1
expect 'an unknown console' '303 NODE_REFUSED' "$(decide "$limited" -d "version=$(version_of "$limited")" -d do=benign)"

# --- a broken proof ------------------------------------------------------------------
# A line of web-2 is changed in the database before the console has seen it.
stop desk link TERM
post_key web-2 2Bq4Zt2Xw7Lm5Rv3Bn8Jc6Hs
size() { ask -c "SELECT forwarded FROM filterd.node WHERE node = '$1'"; }
is_signed() { [ "$(ask -c "SELECT split_part(checkpoint, E'\n', 2)::bigint >= $2 FROM filterd.node WHERE node = '$1'")" = t ]; }
has_all() { [ "$(size web-2)" -eq "$(wc -l <"$work/web-2/decisions.jsonl")" ]; }
wait_until 'the copies of web-2' has_all
wait_until 'its checkpoint' is_signed web-2 "$(size web-2)"
bad=$(jq -r 'select(.type == "decision" and .action == "redact") | .seq' "$work/web-2/decisions.jsonl" | tail -1)
ask -c "UPDATE filterd.record r SET line = replace(line, '\"action\":\"redact\"', '\"action\":\"block\"') FROM filterd.node n WHERE n.id = r.node AND n.node = 'web-2' AND seq = $bad"
start_link desk
is_broken() { page /fleet >/dev/null; grep -q 'are not what the node has signed' "$work/answer"; }
wait_until 'it is found' is_broken
expect 'the line is listed as broken' 1 "$(refs | grep -c "^web-2\.$bad\$")"
expect 'and well-formed' '' "$(well_formed)"
expect 'it is shown' 200 "$(page "/fleet/lines/web-2.$bad")"
expect 'as broken' 'yes 0' "$(grep -q 'proof broken' "$work/answer" && echo yes) $(grep -c 'name="version"' "$work/answer")"
expect 'has no proof' 409 "$(page "/fleet/lines/web-2.$bad/proof")"
orders=$(ask -c 'SELECT count(*) FROM filterd.review_order')
expect 'and is not decided' '409 ' "$(decide "web-2.$bad" -d version=1 -d do=benign)"
expect 'nor ordered' "$orders" "$(ask -c 'SELECT count(*) FROM filterd.review_order')"
expect 'other nodes go on' 200 "$(page "/fleet/lines/$third/proof")"
page "/fleet?show=closed" >/dev/null
expect 'what was proven stays' 1 "$(refs | grep -c "^$second\$")"
# The database is right again; the copy is made anew.
ask -c "UPDATE filterd.record r SET line = replace(line, '\"action\":\"block\"', '\"action\":\"redact\"') FROM filterd.node n WHERE n.id = r.node AND n.node = 'web-2' AND seq = $bad"
stop desk link TERM; rm "$work/desk/copies/web-2/decisions.jsonl"; start_link desk
is_mended() { page "/fleet/lines/web-2.$bad" >/dev/null; grep -q '>proven<' "$work/answer"; }
wait_until 'it is proven' is_mended

# What does not go together is said at the start, and by --check.
check() { "$bin/filterd" --check --rules="$work/rules" --cache-directory="$work/cache" --copies="$work/desk/copies" --consoles="$work/consoles" "$@" 2>&1; }
expect 'a console' 1 "$(check --console=desk.example/review --console-key="$work/console.key" | grep -c '^ok: ')"
expect 'without a key' 1 "$(check --console=desk.example/review | grep -c 'console-key, consoles and copies expected')"
expect 'under another name' 1 "$(check --console=other.example/review --console-key="$work/console.key" | grep -c 'the vkey of this console')"

# Without contact nothing is placed, and the page says so.
stop desk link TERM
expect 'no contact' '503 ' "$(decide "web-2.$bad" -d "version=$(version_of "web-2.$bad")" -d do=benign)"
expect 'no order' "$orders" "$(ask -c 'SELECT count(*) FROM filterd.review_order')"
[ "$failures" -eq 0 ] || show_logs
[ "$failures" -eq 0 ]
