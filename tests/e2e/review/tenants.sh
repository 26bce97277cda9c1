#!/bin/sh
# A caller who is limited to a tenant gets nothing of others, by whatever number, name or query they ask: not a line, not a count,
# not even whether there is one.
. "$(dirname "$0")/../service.inc"
sed -i 's/^    notice: .*/&\n    review: {queue: [{action: block}]}/' "$rules/policy.yaml"
cat >>"$rules/policy.yaml" <<'POLICY'
violations:
  weights: {block: 10}
  half_life: 400d
  actions:
    - {at: 10000, do: alert}
POLICY

for who in all acme beta; do
    limit=''; [ $who = all ] || limit=:tenant=$who
    for role in reviewer auditor operator; do
        printf 'token-of-%s-%s-0123456789' $who $role | "$bin/filterd" --hash-token --role=$role --name=$who-$role |
            sed "s/\$/$limit/" >>"$work/tokens"
    done
done
printf 'token-of-the-caller-0123456789' | "$bin/filterd" --hash-token --role=caller --name=app >>"$work/tokens"
start --tokens="$work/tokens" --operators=127.0.0.1:0
operators=http://$(sed -n 's/.* operators=\([^ ]*\) .*/\1/p' "$work/log")
get() { # get WHO-ROLE PATH: the status
    curl -sS -o "$work/answer" -w '%{http_code}' -H "Authorization: Bearer token-of-$1-0123456789" "$operators$2"
}
for tenant in acme beta acme beta gamma; do
    post /v1/filter "{\"text\":\"E2EBOMB0001\",\"agent\":\"agent-of-$tenant\",\"tenant\":\"$tenant\"}" \
        -H 'Authorization: Bearer token-of-the-caller-0123456789' >>"$work/verdicts"
done
post /v1/filter '{"text":"E2EBOMB0001","agent":"agent-of-nobody"}' -H 'Authorization: Bearer token-of-the-caller-0123456789' >/dev/null
for _ in $(seq 600); do
    [ "$(get all-reviewer '/v1/records?query=action:block' >/dev/null; jq '.records | length' "$work/answer")" = 6 ] && break
    sleep 0.1
done
expect 'six blocks' 6 "$(jq '.records | length' "$work/answer")"
others=$(records | jq 'select(.tenant != "acme") | .seq'); theirs=$(records | jq 'select(.tenant == "acme") | .seq')
expect 'lines of both kinds' 'yes yes' "$([ "$(echo "$others" | wc -l)" -gt 5 ] && echo yes) $([ "$(echo "$theirs" | wc -l)" = 2 ] && echo yes)"

for role in reviewer auditor operator; do
    for query in '' 'action:block' 'tenant:beta' 'tenant:acme,beta' '-tenant:acme' 'agent:agent-of-*' 'seq:1..' 'since:7d' 'type:access' \
        'tenant:%22acme%22%20tenant:beta' 'tenant:*' '-type:log'; do
        status=$(get "acme-$role" "/v1/records?query=$query")
        expect "$role: '$query'" '200 0' "$status $(jq '[.records[] | select(.tenant != "acme")] | length' "$work/answer")"
    done
    expect "$role: theirs" '200 2' "$(get "acme-$role" '/v1/records?query=action:block') $(jq '.records | length' "$work/answer")"
    for seq in $others 999999; do
        expect "$role: line $seq is none" '404' "$(get "acme-$role" "/v1/records/$seq")"
        cp "$work/answer" "$work/answer.$([ "$seq" = 999999 ] && echo none || echo other)"
    done
    expect "$role: what others have looks like nothing" "$(cat "$work/answer.none")" "$(cat "$work/answer.other")"
    for seq in $theirs; do expect "$role: line $seq" 200 "$(get "acme-$role" "/v1/records/$seq")"; done
    for id in $(records | jq -r 'select(.tenant == "beta") | .req_id'); do
        expect "$role: by request" '200 0' "$(get "acme-$role" "/v1/records/by-request/$id") $(jq '.records | length' "$work/answer")"
    done
    expect "$role: counts" '200 2' "$(get "acme-$role" '/v1/tally?by=tenant,action&action=block') $(jq '[.rows[].n] | add' "$work/answer")"
    expect "$role: no name of another" 0 "$(grep -c 'beta\|gamma' "$work/answer")"
    expect "$role: counts of another" 403 "$(get "acme-$role" '/v1/tally?by=action&tenant=beta')"
    expect "$role: agents" '200 ["agent-of-acme"]' "$(get "acme-$role" /v1/agents) $(jq -c '[.agents[].id] | unique' "$work/answer")"
    expect "$role: agents of another" 403 "$(get "acme-$role" '/v1/agents?tenant=beta')"
    expect "$role: an agent of another" '404 403' "$(get "acme-$role" /v1/agents/agent-of-beta) $(
        get "acme-$role" '/v1/agents/agent-of-beta?tenant=beta')"
    for path in /v1/policy /v1/rules /metrics /v1/record/tile/entries/000.p/1 /v1/record/tile/0/000.p/1 \
        "/v1/records/$(echo "$others" | head -1)/proof" /v1/record /v1/record/consistency?from=1\&to=2; do
        expect "$role: $path is not for one tenant" 403 "$(get "acme-$role" "$path")"
    done
    expect "$role: who is not limited" '200 6' "$(get "all-$role" '/v1/records?query=action:block') $(jq '.records | length' "$work/answer")"
done
receipt=$(jq -rs '.[0].receipt' "$work/verdicts")
expect 'a receipt proves a line to who has it' 1 "$(for _ in 1 2 3 4 5 6 7 8 9 10; do get acme-auditor "/v1/receipts/$receipt"; echo; sleep 0.3; done |
    sort -u | grep -c 200)"
expect 'and has no line in it' 0 "$(grep -c '^extra' "$work/answer")"

# --- the page --------------------------------------------------------------------
expect 'a page for one tenant' 200 "$(get acme-reviewer /review/agents)"
expect 'has its agents alone' '1 0' "$(grep -c 'agent-of-acme' "$work/answer") $(grep -c 'beta\|gamma\|nobody' "$work/answer")"
get all-auditor /review/record >/dev/null
curl -sS -o /dev/null -X POST -H 'Authorization: Bearer token-of-all-auditor-0123456789' "$operators/v1/record/checkpoint"
one=$(echo "$theirs" | head -1); other=$(records | jq 'select(.tenant == "beta") | .seq' | head -1)
expect 'a proof of their line' '200 1' "$(get acme-reviewer "/review/records/$one/proof") $(grep -c '^extra ' "$work/answer")"
expect 'which is a file' 1 "$(curl -sS -D- -o /dev/null -H 'Authorization: Bearer token-of-acme-reviewer-0123456789' \
    "$operators/review/records/$one/proof" | grep -ci '^content-disposition: attachment')"
expect 'no proof of another, as of none' '404 404' "$(get acme-reviewer "/review/records/$other/proof") $(
    get acme-reviewer /review/records/999999/proof)"
expect 'with a number in another form' '404 404 404' "$(get acme-reviewer "/review/records/0$other/proof") $(
    get acme-reviewer "/review/records/%2B$other/proof") $(get acme-reviewer "/review/records/$other%20/proof")"
for _ in $(seq 600); do [ "$(get all-reviewer /v1/items >/dev/null; jq '.items | length' "$work/answer")" = 6 ] && break; sleep 0.1; done
expect 'items of all' 6 "$(jq '.items | length' "$work/answer")"
get all-reviewer /v1/groups >/dev/null
groups=$(jq -r '.groups[] | select(.tenant != "acme") | .id // .group' "$work/answer")
expect 'groups of others' yes "$([ -n "$groups" ] && echo yes)"
for role in reviewer auditor operator; do
    for screen in queue records groups rules exceptions reveals sampling agents record policies exports access; do
        status=$(get "acme-$role" "/review/$screen")
        expect "$role: /review/$screen shows nothing of others ($status)" 0 "$(grep -c 'beta\|gamma\|agent-of-nobody' "$work/answer")"
    done
done
shows() { echo "$(get "$1" "$2") $(grep -q "[>:]$3\|agent-of-$3" "$work/answer" && echo yes)"; }
for screen in queue records groups; do
    expect "/review/$screen of theirs, and of all" '200 yes 200 yes' "$(shows acme-reviewer "/review/$screen" acme) $(
        shows all-reviewer "/review/$screen" beta)"
done
for seq in $others 999999; do
    expect "pages of line $seq" '404 404' "$(get acme-reviewer "/review/records/$seq") $(get acme-reviewer "/review/items/$seq")"
done
for id in $groups; do expect "a page of group $id" '404 404' "$(get acme-reviewer "/review/groups/$id") $(get acme-reviewer "/v1/groups/$id")"; done
expect 'a query of others on a page' 0 "$(get acme-reviewer '/review/records?query=tenant:beta' >/dev/null
    grep -c 'agent-of-beta' "$work/answer")"
dispose() { curl -sS -o "$work/answer" -w '%{http_code}' -H 'Authorization: Bearer token-of-acme-reviewer-0123456789' -H "Origin: $operators" \
    -d "version=1&do=$2&disposition=benign" "$operators/review/items/$1"; }
for step in claim dispose benign true_positive; do
    status=$(dispose "$other" "$step")
    expect "$step by a form changes nothing of others ($status)" yes "$([ "$status" -ge 400 ] && echo yes)"
done
expect 'nor is it on record' 0 "$(records | jq -c "select(.type == \"review\" and .item == $other)" | wc -l)"
expect 'those of all are not for it' '403 403 403' "$(get acme-auditor /review/access) $(get acme-auditor /review/policies) $(
    get acme-auditor /review/exports)"
kill_by_form() { curl -sS -o "$work/answer" -w '%{http_code}' -H "Authorization: Bearer token-of-acme-operator-0123456789" \
    -H "Origin: $operators" -d "do=kill&why=x&$1" "$operators/review/agents/change"; }
expect 'a kill in another tenant' '404 404 404' "$(kill_by_form 'agent=beta/agent-of-beta') $(
    kill_by_form 'name=agent-of-beta&tenant=beta') $(kill_by_form 'name=agent-of-nobody&tenant=')"
expect 'kills nobody' 0 "$(get all-operator /v1/agents >/dev/null; jq '[.agents[] | select(.state != "active")] | length' "$work/answer")"
expect 'one in theirs' 303 "$(kill_by_form 'agent=acme/agent-of-acme')"
finish
