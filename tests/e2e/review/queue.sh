#!/bin/sh
# What is withheld becomes an item; people claim, dispose, undo, snooze; each step is on record before it is shown; a stale version,
# another tenant, another role and a secret in a note are refused; and review.db is the one that reindex makes.
. "$(dirname "$0")/../service.inc"
cd "$(dirname "$0")/../../.." || exit 2
ctl=$bin/filterctl
state=$work/state
log=$state/decisions.jsonl
db=$state/record/review.db

token_of() { printf 'token-of-%s-0123456789abcdef' "$1"; }
for who in reviewer:anna reviewer:ben auditor:aud caller:app admin:root reviewer:tess; do
    token_of "${who#*:}" | "$bin/filterd" --hash-token --role="${who%:*}" --name="${who#*:}"
done | sed '/:tess:/s/$/:tenant=acme/' >"$work/tokens"
chmod 600 "$work/tokens"
cat >"$rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions:
      - {category: secret, action: redact}
      - {category: injection, action: block}
    review:
      queue:
        - {action: block}
        - {action: redact, severity: high}
      due: {critical: 1h}
POLICY

as() { # as WHO PATH [CURL-OPTION...]
    who=$1; shift
    operators "$@" -H "Authorization: Bearer $(token_of "$who")"
}
step() { # step WHO ITEM STEP BODY [CURL-OPTION...]
    who=$1 path=/v1/items/$2/$3 body=$4; shift 4
    as "$who" "$path" -H "$json" --data-binary "$body" "$@"
}
code() { "$@" -o /dev/null -w '%{http_code}'; }
judge() { post /v1/filter "$1" -H "Authorization: Bearer $(token_of app)" >/dev/null; }
queued() { # waits until there are that many open items
    for _ in $(seq 600); do
        [ "$(as anna /v1/items | jq '.items | length')" = "$1" ] && return
        sleep 0.1
    done
    echo "the queue never had $1 items: $(as anna /v1/items)"; failures=$((failures + 1))
}

start --tokens="$work/tokens"
judge '{"text":"nothing","agent":"one","tenant":"acme"}'
judge '{"text":"E2EBOMB0001","agent":"one","tenant":"acme"}'
judge '{"text":"E2EBOMB0001","agent":"two","tenant":"acme"}'
judge "{\"text\":\"$secret\",\"agent\":\"two\",\"tenant\":\"other\"}"
queued 3

items=$(as anna /v1/items)
expect_json 'the most urgent first' '[.items[].priority | .severity, .novelty]' '[400,30,400,0,300,30]' "$items"
expect_json 'why, and what it is' '[.items[2] | .why, .action, .rule, .tenant, .agent, .state, .version]' \
    '["severity","redact","test-key","other","two","new",1]' "$items"
expect_json 'one group for one value' '.items | .[0].group == .[1].group and .[0].group != .[2].group' true "$items"
expect_json 'what is due' '.items[0] | ((.due | sub("[.].*"; "Z") | fromdate) - (.ts | sub("[.].*"; "Z") | fromdate))' 3600 "$items"
first=$(echo "$items" | jq '.items[0].seq') second=$(echo "$items" | jq '.items[1].seq') other=$(echo "$items" | jq '.items[2].seq')
group=$(echo "$items" | jq -r '.items[0].group')

# Claimed by one, not by another; a stale version; disposed of; undone.
answer=$(step anna "$first" claim '{}' -H 'If-Match: "1"')
expect_json 'claimed' '[.changed, .item.state, .item.assignee, .item.version]' '[1,"claimed","anna",2]' "$answer"
expect 'on record' '["claim","new","claimed","anna","reviewer"]' \
    "$(records | jq -c "select(.type == \"review\" and .item == $first) | [.step, .from, .to, .by, .role]")"
expect 'not by another' 409 "$(code step ben "$first" claim '{}')"
expect 'a stale version' 412 "$(code step anna "$first" dispose '{"disposition":"benign"}' -H 'If-Match: "1"')"
expect_json 'who was faster' .detail '"item: version 2 expected; the last step was claim by anna"' \
    "$(step anna "$first" dispose '{"disposition":"benign"}' -H 'If-Match: "1"')"
expect 'no disposition' 422 "$(code step anna "$first" dispose '{}')"
expect 'one that is none' 422 "$(code step anna "$first" dispose '{"disposition":"good"}')"
answer=$(step anna "$first" dispose '{"disposition":"true_positive","note":"seen"}' -H 'If-Match: "2"' -H 'Idempotency-Key: k1')
line=$(echo "$answer" | jq .line)
expect_json 'disposed of' '[.item.state, .item.disposition]' '["closed","true_positive"]' "$answer"
expect_json 'again with its key: the same' .line "$line" \
    "$(step anna "$first" dispose '{"disposition":"true_positive","note":"seen"}' -H 'If-Match: "2"' -H 'Idempotency-Key: k1')"
expect 'the key with another request' 422 \
    "$(code step anna "$first" dispose '{"disposition":"benign"}' -H 'If-Match: "2"' -H 'Idempotency-Key: k1')"
expect 'on record once' 1 "$(records | jq -c 'select(.step == "dispose")' | wc -l)"
expect 'with the note' '"seen"' "$(records | jq -c 'select(.step == "dispose") | .note')"
expect 'not undone by another' 409 "$(code step ben "$first" undo "{\"undo_of\":$line}")"
expect_json 'undone' '[.item.state, .item.assignee]' '["claimed","anna"]' "$(step anna "$first" undo "{\"undo_of\":$line}")"

# What is typed is judged.
expect_json 'a secret is redacted in a note' .changed 0 "$(step anna "$first" note "{\"note\":\"it was $secret\"}")"
expect 'and nowhere on record' 0 "$(cat "$log" "$db" "$db-wal" 2>/dev/null | grep -c "$secret")"

# Roles and tenants.
expect 'an auditor reads' 200 "$(code as aud /v1/items)"
expect 'and disposes of nothing' 403 "$(code step aud "$first" claim '{}')"
expect 'of the tenant alone' '["acme","acme"]' "$(as tess /v1/items | jq -c '[.items[].tenant]')"
expect 'the other one is not there' '404 404 403' \
    "$(code as tess "/v1/items/$other") $(code step tess "$other" claim '{}') $(code as tess '/v1/items?tenant=other')"
expect_json 'nor in a bulk' .status 404 "$(as tess /v1/items/bulk -H "$json" --data "{\"step\":\"claim\",\"items\":[$other]}")"

# A group at once: what another has claimed stays; a later hit opens no item.
answer=$(as ben /v1/items/bulk -H "$json" --data "{\"step\":\"dispose\",\"group\":\"$group\",\"disposition\":\"false_positive\"}")
expect_json 'the group' .changed 1 "$answer"
expect_json 'but not what anna has' '[.item.state, .item.assignee]' '["claimed","anna"]' "$(as ben "/v1/items/$first")"
expect_json 'closed with it' '[.item.state, .item.disposition, (.history | length)]' '["closed","false_positive",1]' "$(as ben "/v1/items/$second")"
judge '{"text":"E2EBOMB0001","agent":"three","tenant":"acme"}'
judge '{"text":"E2EBOMB0002","agent":"three","tenant":"acme"}'
queued 3
expect_json 'its hits go on' '[.group.hits, .group.open, .group.agents, .group.state]' '[3,1,3,"closed"]' "$(as ben "/v1/groups/$group")"
expect_json 'groups' '[.groups[] | .hits]' '[1,3,1]' "$(as ben /v1/groups)"
expect_json 'counts' '[.new, .claimed, .closed, .overdue]' '[2,1,1,0]' "$(as ben /v1/review)"

# Two at once: one is faster, whoever it is; the record has one claim.
third=$(as anna '/v1/items?state=new&tenant=acme' | jq '.items[0].seq')
racers=''
for racer in 1:anna 2:ben 3:anna 4:ben 5:anna 6:ben; do
    code step "${racer#*:}" "$third" claim '{}' -H 'If-Match: "1"' >"$work/race.${racer%:*}" &
    racers="$racers $!"
done
wait $racers
expect 'one claim' '1 of 6' "$(cat "$work"/race.* | grep -o 200 | wc -l) of $(ls "$work"/race.* | wc -l)"
expect 'the others were late' 5 "$(cat "$work"/race.* | grep -o 412 | wc -l)"
expect 'on record once' 1 "$(records | jq -c "select(.step == \"claim\" and .item == $third)" | wc -l)"
holder=$(as anna "/v1/items/$third" | jq -r .item.assignee)
expect 'released' 200 "$(code step "$holder" "$third" release '{}')"

# Snoozed: closed without a disposition, and silent until so many more.
fourth=$(as anna '/v1/items?state=new&tenant=acme' | jq '.items[0].seq')
expect 'an end is needed' 422 "$(code step anna "$fourth" snooze '{}')"
expect_json 'snoozed' '[.item.state, .item.disposition]' '["closed",null]' "$(step anna "$fourth" snooze '{"more":1}')"
judge '{"text":"E2EBOMB0002","agent":"three","tenant":"acme"}'
judge '{"text":"E2EBOMB0002","agent":"three","tenant":"acme"}'
queued 3

# Who looked is on record.
expect 'who looked at what' true "$(records | jq -sc "[.[] | select(.type == \"access\" and .item == $second) | .by] | index(\"ben\") != null")"
for _ in $(seq 600); do as anna /metrics >"$work/metrics"; grep -q '^filterd_review_open_items 3' "$work/metrics" && break; sleep 0.1; done
expect 'metrics' '3 0' "$(sed -n 's/^filterd_review_\(open\|overdue\)_items //p' "$work/metrics" | xargs)"

# The command line.
token_of ben >"$work/ben.token"
review() { verb=$1; shift; "$ctl" review "$verb" --operators "$work/operators.sock" --token "$work/ben.token" "$@" 2>&1; }
expect 'a list' '1 3' "$(review list >"$work/out"; echo "$? $(wc -l <"$work/out")")"
expect 'of a rule' "$other" "$(review list --rule test-key | awk '{ print $1 }')"
expect 'as JSON' "[$second]" "$(review list closed --format json | jq -c "[.[] | select(.disposition == \"false_positive\") | .seq]")"
expect 'an item' benign "$(review dispose "$other" benign --why 'as agreed' >/dev/null; review show "$other" | jq -r .item.disposition)"
expect 'with its note' '["as agreed"]' "$(records | jq -sc "[.[] | select(.item == $other and .step == \"dispose\") | .note]")"
expect 'not twice' 2 "$(review dispose "$other" benign >/dev/null; echo $?)"
expect 'counts' 3 "$(review stats | jq .closed)"
queued 2

# What it is made of: the lines alone.
expect 'the errors' '404 404 404 422 422 400' "$(code as anna /v1/items/999999) $(code as anna /v1/items/x) $(code step anna "$first" shout '{}') $(
    code as anna '/v1/items?state=odd') $(code as anna '/v1/items?limit=501') $(code step anna "$first" release '{}' -H 'If-Match: 2')"
before=$(as anna '/v1/items?limit=500' | jq -c '[.items[] | del(.lease)]')
stop
cp "$db" "$work/live.db"
"$ctl" record reindex --quiet "$log" >"$work/out" || { echo "reindex: $(cat "$work/out")"; failures=$((failures + 1)); }
expect 'made anew: the same' '' "$(/usr/bin/python3 - "$work/live.db" "$db" <<'PYTHON'
import sqlite3, sys
live, fresh = (sqlite3.connect(path) for path in sys.argv[1:])
for table in "item opinion step standing verdict grp grp_agent grp_step hit".split():
    rows = [sorted(db.execute(f"SELECT * FROM {table}"), key=repr) for db in (live, fresh)]
    if not rows[0] or rows[0] != rows[1]:
        print(table, rows)
PYTHON
)"
start --tokens="$work/tokens"
expect_json 'the same queue' . "$before" "$(as anna '/v1/items?limit=500' | jq -c '[.items[] | del(.lease)]')"
finish
