#!/bin/sh
# An exception from a line of the record to the verdict: previewed, proposed, approved by another person, in force at once, withdrawn
# as easily. One person twice, by whatever token, a replay, another tenant and a secret in a pattern are refused.
. "$(dirname "$0")/../service.inc"
state=$work/state
live=$state/exceptions.yaml

token_of() { printf 'token-of-%s-0123456789abcdef' "$1"; }
line_of() { token_of "$1" | "$bin/filterd" --hash-token --role="$2" --name="$3"; }
{
    line_of anna reviewer anna
    line_of anna2 approver Anna # the same person, with another token and in other letters
    line_of ben approver ben
    line_of carl approver carl
    line_of root admin root
    line_of aud auditor aud
    line_of app caller app
    line_of tess reviewer tess | sed 's/$/:tenant=other/'
    line_of tom approver tom | sed 's/$/:tenant=other/'
} >"$work/tokens"
chmod 600 "$work/tokens"
cat >"$rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions:
      - {category: secret, action: redact}
      - {category: injection, action: block}
    review:
      queue: [{action: [redact, block]}]
      exceptions: live
POLICY
as() { # as WHO PATH [CURL-OPTION...]
    who=$1; shift
    operators "$@" -H "Authorization: Bearer $(token_of "$who")"
}
say() { who=$1 path=$2 body=$3; shift 3; as "$who" "$path" -H "$json" --data-binary "$body" "$@"; }
code() { "$@" -o /dev/null -w '%{http_code}'; }
verdict() { # verdict TEXT [TENANT [APP]]
    post /v1/filter "{\"text\":\"$1\",\"tenant\":\"${2-acme}\",\"app\":\"${3-web}\",\"agent\":\"one\"}" -H "Authorization: Bearer $(token_of app)" | jq -r .action
}
last_item() { records | jq 'select(.type == "decision" and .action != "allow") | .seq' | tail -1; }
indexed() { # waits until the index and the queue have line N
    for _ in $(seq 600); do
        [ "$(code as anna "/v1/records/$1") $(code as anna "/v1/items/$1")" = '200 200' ] && return
        sleep 0.1
    done
    echo "never indexed: $1"; failures=$((failures + 1))
}
day=$(date -u -d '+30 days' +%F); late=$(date -u -d '+120 days' +%F)
proposal() { # proposal ITEM SCOPE [MORE]
    printf '{"item":%s,"scope":"%s","until":"%s","why":"known in our tests"%s}' "$1" "$2" "${until-$day}" "${3-}"
}
lines() { records | jq -c 'select(.type == "exception") | [.step, .by]' | tail -"$1" | tr '\n' ' ' | sed 's/ $//'; }
other=E2EKEY-zzzzzzzzzzzzzzzzzzzzzzzz

start --tokens="$work/tokens"
expect 'before' 'redact redact redact' "$(verdict "$secret") $(verdict "$secret") $(verdict "$other")"
item=$(records | jq 'select(.type == "decision") | .seq' | head -1)
indexed "$(last_item)"

# --- one value ----------------------------------------------------------------------
p=$(say anna /v1/exceptions/preview "$(proposal "$item" value)")
expect_json 'what it would let through' '[.rule, .tenant, .preview.findings, .preview.confirmed, .preview.cut, .needs_admin]' \
    '["test-key","acme",2,0,false,false]' "$p"
expect 'a preview is no proposal' '[]' "$(as anna /v1/exceptions | jq -c .exceptions)"
e=$(say anna /v1/exceptions "$(proposal "$item" value)")
id=$(printf %s "$e" | jq -r .id)
expect_json 'proposed' '[.state, .by, .scope, .preview.findings]' '["proposed","anna","value",2]' "$e"
expect 'a proposal lets nothing through' redact "$(verdict "$secret")"
expect 'by the proposer' 403 "$(code as anna "/v1/exceptions/$id/approve" -X POST)"
expect 'by the proposer with another token' 403 "$(code as anna2 "/v1/exceptions/$id/approve" -X POST)"
expect 'by a reviewer' 403 "$(code as aud "/v1/exceptions/$id/approve" -X POST)"
expect 'by another tenant' '404 404' "$(code as tom "/v1/exceptions/$id/approve" -X POST) $(code as tess "/v1/exceptions/$id/withdraw" -X POST)"
expect 'shown to another tenant' '[]' "$(as tess /v1/exceptions | jq -c .exceptions)"
expect 'still nothing' redact "$(verdict "$secret")"
digest=$(as aud /v1/policy | jq -r '.policies[0].digest')
expect_json 'by another person' '[.state, .by, .decided_by]' '["active","anna","ben"]' "$(as ben "/v1/exceptions/$id/approve" -X POST)"
expect 'again, as a replay' 409 "$(code as ben "/v1/exceptions/$id/approve" -X POST)"
expect 'refused when it is approved' 409 "$(code as carl "/v1/exceptions/$id/refuse" -X POST)"
expect 'in force' 'allow redact redact' "$(verdict "$secret") $(verdict "$other") $(verdict "$secret" other)"
expect 'the finding names it' "$id" "$(records | jq -r 'select(.type == "decision" and .action == "allow") | .findings[0].exception')"
expect 'the policy is the same' "$digest" "$(as aud /v1/policy | jq -r '.policies[0].digest')"
expect 'on record: who, in order' '["proposed","anna"] ["approved","ben"]' "$(lines 9)"
expect 'the line is before the file that has it' true "$(records |
    jq -s '(map(select(.type == "exception" and .step == "approved")) | last.seq) < (map(select(.type == "admin" and .what == "exceptions")) | last.seq)')"
stop; start --tokens="$work/tokens"
expect 'after a new start' allow "$(verdict "$secret")"
expect_json 'withdrawn by whoever reviews' '[.state, .withdrawn_by]' '["withdrawn","anna"]' "$(as anna "/v1/exceptions/$id/withdraw" -X POST)"
expect 'withdrawn twice' 409 "$(code as anna "/v1/exceptions/$id/withdraw" -X POST)"
expect 'at an end' redact "$(verdict "$secret")"
expect 'and not in the file' 0 "$(grep -c "$id" "$live")"

# --- wider ones ---------------------------------------------------------------------
expect 'confirmed' 200 "$(code say anna "/v1/items/$item/dispose" '{"disposition":"true_positive"}')"
e=$(say anna /v1/exceptions "$(proposal "$item" app)")
id=$(printf %s "$e" | jq -r .id)
expect_json 'over what was confirmed' '[.preview.confirmed, .needs_admin]' '[1,true]' "$e"
expect 'an approver alone' 403 "$(code as ben "/v1/exceptions/$id/approve" -X POST)"
expect 'an admin' 200 "$(code as root "/v1/exceptions/$id/approve" -X POST)"
expect 'the application' 'allow allow redact redact' \
    "$(verdict "$secret") $(verdict "$other") $(verdict "$other" acme batch) $(verdict "$other" other web)"
expect 'that and no other rule' block "$(verdict E2EBOMB0001)"
expect 'what is pasted names it' true "$(as aud '/v1/exceptions?state=active' | jq '.exceptions[0].policy_line | startswith("- {rule: \"test-key\", tenant: \"acme\", app: \"web\"")')"
as anna "/v1/exceptions/$id/withdraw" -X POST >/dev/null
e=$(say anna /v1/exceptions "$(proposal "$item" pattern ',"matches":"^E2EKEY-z+$"')")
id=$(printf %s "$e" | jq -r .id)
expect_json 'of a pattern, at most' '[.matches, .preview.at_most]' '["^E2EKEY-z+$",true]' "$e"
# Two at once: one wins.
for who in root ben carl; do code as $who "/v1/exceptions/$id/approve" -X POST >"$work/code.$who" & eval "job_$who=\$!"; done
wait "$job_root" "$job_ben" "$job_carl"
expect 'an admin among three at once' '200 403 403' "$(for who in root ben carl; do cat "$work/code.$who"; echo; done | sort | sed 's/409/403/' | tr '\n' ' ' | sed 's/ $//')"
expect 'what it matches' 'redact allow' "$(verdict "$secret") $(verdict "$other")"
as ben "/v1/exceptions/$id/withdraw" -X POST >/dev/null

# One of two values of a decision.
expect 'two values' redact "$(verdict "$secret $other")"
item=$(last_item); indexed "$item"
token=$(records | jq -r "select(.seq == $item) | .findings[1].value_tok")
e=$(say anna /v1/exceptions "$(proposal "$item" value ",\"value_tok\":\"$token\"")")
expect_json 'the one that is meant' .value_tok "\"$token\"" "$e"
expect 'one that the decision has not' 422 "$(code say anna /v1/exceptions "$(proposal "$item" value ',"value_tok":"e1:00"')")"

# --- what is refused ------------------------------------------------------------------
n=$(records | jq -c 'select(.type == "exception")' | wc -l)
expect 'without an end' 422 "$(until='' code say anna /v1/exceptions "$(until='' proposal "$item" value)")"
expect 'for too long' 422 "$(until=$late code say anna /v1/exceptions "$(until=$late proposal "$item" value)")"
expect 'that has been' 422 "$(code say anna /v1/exceptions "$(until=2020-01-01 proposal "$item" value)")"
expect 'a width of its own' 422 "$(code say anna /v1/exceptions "$(proposal "$item" everything)")"
expect 'a secret as a pattern' 422 "$(code say anna /v1/exceptions "$(proposal "$item" pattern ",\"matches\":\"$secret\"")")"
expect 'a pattern that is none' 422 "$(code say anna /v1/exceptions "$(proposal "$item" pattern ',"matches":"("')")"
expect 'a rule of no finding' 422 "$(code say anna /v1/exceptions "$(proposal "$item" value ',"rule":"test-bomb"')")"
expect 'a member of its own' 422 "$(code say anna /v1/exceptions "$(proposal "$item" value ',"tenant":"acme"')")"
expect 'a line that is no decision' 404 "$(code say anna /v1/exceptions "$(proposal 1 value)")"
expect 'of another tenant' 404 "$(code say tess /v1/exceptions "$(proposal "$item" value)")"
expect 'by an auditor' 403 "$(code say aud /v1/exceptions "$(proposal "$item" value)")"
expect 'not there' 404 "$(code as ben /v1/exceptions/none/approve -X POST)"
expect 'without a token' 200 "$(code operators /v1/exceptions)" # the owner of the socket
expect 'nothing of it is on record' "$n" "$(records | jq -c 'select(.type == "exception")' | wc -l)"
e=$(say anna /v1/exceptions "{\"item\":$item,\"scope\":\"value\",\"until\":\"$day\",\"why\":\"it is $secret\"}")
expect_json 'a secret in the reason is a token' '.why | startswith("~tok:")' true "$e"
expect 'refused by another person' refused "$(as ben "/v1/exceptions/$(printf %s "$e" | jq -r .id)/refuse" -X POST | jq -r .state)"

# --- the rule -----------------------------------------------------------------------
q=$(as aud /v1/rules/test-key/quality)
expect_json 'what reviewers said' '[.rule, .all.true_positive, .all.precision.value, .policies[0].true_positive, .suggestion, .misses.sampled]' \
    '["test-key",1,1,1,null,0]' "$q"
expect 'without samples no estimate' false "$(printf %s "$q" | jq '.misses | has("per_week")')"
expect 'of its tenant' 0 "$(as tess /v1/rules/test-key/quality | jq .all.true_positive)"
expect 'since when' 422 "$(code as aud '/v1/rules/test-key/quality?since=tomorrow')"
stop
expect 'the file is strict' 2 "$(printf 'exceptions: [{id: x}]\n' >"$live"; "$bin/filterd" --check --rules="$rules" --state-directory="$state" >/dev/null 2>&1; echo $?)"
rm "$live"
finish
