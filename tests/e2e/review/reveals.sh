#!/bin/sh
# A sealed original: asked for with a purpose and a case, granted by another person for an hour, opened by the asker alone, once,
# and again with a reason. Who opens is on disk before the file is answered; every other way is refused.
. "$(dirname "$0")/../service.inc"
command -v age >/dev/null || { echo "skip: age is not installed"; exit 0; }
state=$work/state
token_of() { printf 'token-of-%s-0123456789abcdef' "$1"; }
line_of() { token_of "$1" | "$bin/filterd" --hash-token --role="$2" --name="$3"; }
{
    line_of anna reviewer anna
    line_of anna2 approver ANNA # the same person, with another token and in other letters
    line_of ben approver ben
    line_of bea reviewer ben # the approver, as a reviewer
    line_of carl approver carl
    line_of aud auditor aud
    line_of app caller app
    line_of tess reviewer tess | sed 's/$/:tenant=other/'
    line_of tom approver tom | sed 's/$/:tenant=other/'
} >"$work/tokens"
chmod 600 "$work/tokens"
mkdir "$rules/recipients" "$work/keys"
for who in anna ben; do age-keygen -o "$work/keys/$who" 2>/dev/null; age-keygen -y "$work/keys/$who"; done >"$rules/recipients/compliance"
cat >"$rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test]
    actions: [{category: secret, action: redact}]
    seal: {when: [{action: redact}], to: compliance}
    review: {queue: [{action: redact}]}
POLICY
as() { # as WHO PATH [CURL-OPTION...]
    who=$1; shift
    operators "$@" -H "Authorization: Bearer $(token_of "$who")"
}
say() { who=$1 path=$2 body=$3; shift 3; as "$who" "$path" -H "$json" --data-binary "$body" "$@"; }
code() { "$@" -o /dev/null -w '%{http_code}'; }
question() { printf '{"item":%s,"purpose":"%s","case":"%s","why":"to see what it was"}' "$1" "${2-incident}" "${3-INC-4711}"; }
blob() { who=$1 more=${2-}; as "$who" "/v1/reveals/$id/blob$more" -o "$work/blob" -w '%{http_code} %{content_type}'; }
accesses() { records | jq -c 'select(.type == "access" and .what == "reveal") | [.by, .item, .purpose, .request]'; }
steps() { records | jq -rc 'select(.type == "reveal") | .step + ":" + .by' | tr '\n' ' ' | sed 's/ $//'; }

start --tokens="$work/tokens"
post /v1/filter "{\"text\":\"the key $secret\",\"tenant\":\"acme\",\"agent\":\"one\"}" -H "Authorization: Bearer $(token_of app)" >/dev/null
post /v1/filter '{"text":"nothing","tenant":"acme","agent":"one"}' -H "Authorization: Bearer $(token_of app)" >/dev/null
item=$(records | jq 'select(.type == "decision" and .action == "redact") | .seq')
# An allowed answer does not wait for its line.
for _ in $(seq 600); do clean=$(records | jq 'select(.type == "decision" and .action == "allow") | .seq'); [ -z "$clean" ] || break; sleep 0.1; done
for _ in $(seq 600); do [ "$(code as anna "/v1/records/$clean") $(code as anna "/v1/items/$item")" = '200 200' ] && break; sleep 0.1; done

# --- what is refused at asking --------------------------------------------------------
expect 'another purpose' 422 "$(code say anna /v1/reveals "$(question "$item" curiosity)")"
expect 'without a case' 422 "$(code say anna /v1/reveals "$(question "$item" legal '')")"
expect 'of what was not sealed' 422 "$(code say anna /v1/reveals "$(question "$clean")")"
expect 'of another tenant' 404 "$(code say tess /v1/reveals "$(question "$item")")"
expect 'by an auditor' 403 "$(code say aud /v1/reveals "$(question "$item")")"
expect 'nothing is on record' '' "$(steps)"

# --- the way ---------------------------------------------------------------------------
r=$(say anna /v1/reveals "$(question "$item")")
id=$(printf %s "$r" | jq -r .id)
expect_json 'asked' '[.state, .by, .item, .purpose, .case, .tenant, .opened]' "[\"asked\",\"anna\",$item,\"incident\",\"INC-4711\",\"acme\",0]" "$r"
expect 'before it is granted' '409 409' "$(blob anna | cut -d' ' -f1) $(blob anna '?why=now' | cut -d' ' -f1)"
expect 'by the asker' 403 "$(code as anna "/v1/reveals/$id/approve" -X POST)"
expect 'by the asker with another token' 403 "$(code as anna2 "/v1/reveals/$id/approve" -X POST)"
expect 'by another tenant' '404 []' "$(code as tom "/v1/reveals/$id/approve" -X POST) $(as tess /v1/reveals | jq -c .reveals)"
for who in ben carl; do code as $who "/v1/reveals/$id/approve" -X POST >"$work/code.$who" & eval "job_$who=\$!"; done
wait "$job_ben" "$job_carl"
expect 'two at once: one wins' '200 409' "$(for who in ben carl; do cat "$work/code.$who"; echo; done | sort | tr '\n' ' ' | sed 's/ $//')"
r=$(as aud /v1/reveals | jq -c '.reveals[0]')
expect_json 'granted for an hour' '[.state, ((.until | fromdate) - (.changed | fromdate))]' '["granted",3600]' "$r"
expect 'nobody has looked' '' "$(accesses)"
for who in bea carl anna2; do expect "opened by $who" 403 "$(blob $who | cut -d' ' -f1)"; done
expect 'opened by another tenant' 404 "$(blob tess | cut -d' ' -f1)"
expect 'opened by an auditor' 403 "$(blob aud | cut -d' ' -f1)"
expect 'still nobody' '' "$(accesses)"
expect 'by the asker' '200 application/age' "$(blob anna)"
expect 'who looked at what is on record' "[\"anna\",$item,\"incident\",\"$id\"]" "$(accesses)"
expect 'it is the file' "$(records | jq -r 'select(.sealed) | .sealed.sha256')" "$(sha256sum "$work/blob" | cut -d' ' -f1)"
expect 'and opens with the key' "the key $secret" "$("$bin/filterctl" seal open --identity "$work/keys/anna" --shred "$state/shred/shred.db" "$work/blob" | jq -r '.parts[0].text')"
expect 'a second time' 422 "$(blob anna | cut -d' ' -f1)"
expect 'a second time, with a reason' '200 application/age' "$(blob anna '?why=the+browser+was+closed')"
expect_json 'counted' '.reveals[0] | [.state, .opened]' '["opened",2]' "$(as aud /v1/reveals)"
expect 'closed' closed "$(as anna "/v1/reveals/$id/close" -X POST | jq -r .state)"
expect 'when it is closed' 409 "$(blob anna '?why=again' | cut -d' ' -f1)"
winner=$(records | jq -r 'select(.type == "reveal" and .step == "approved") | .by')
expect 'every step is on record' "asked:anna approved:$winner opened:anna opened:anna closed:anna" "$(steps)"
expect 'each look before its step' true "$(records | jq -s '[.[] | select((.type == "access" and .what == "reveal") or (.type == "reveal" and .step == "opened")) | .type] == ["access", "reveal", "access", "reveal"]')"

# --- refused, and gone ------------------------------------------------------------------
id=$(say anna /v1/reveals "$(question "$item" legal)" | jq -r .id)
expect 'refused' refused "$(as ben "/v1/reveals/$id/refuse" -X POST | jq -r .state)"
expect 'what was refused' '409 409' "$(code as carl "/v1/reveals/$id/approve" -X POST) $(blob anna | cut -d' ' -f1)"
id=$(say anna /v1/reveals "$(question "$item" legal)" | jq -r .id)
as ben "/v1/reveals/$id/approve" -X POST >/dev/null
rm -r "$state/seal"
n=$(accesses | wc -l)
expect 'what is gone' "404 $n" "$(blob anna | cut -d' ' -f1) $(accesses | wc -l)"
stop
grep -rlaF "$secret" "$state" "$work/log" && { echo 'the secret is on disk'; failures=$((failures + 1)); }
finish
