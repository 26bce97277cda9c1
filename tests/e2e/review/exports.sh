#!/bin/sh
# Evidence bundles that the service makes: the bytes that filterctl record export makes, for who asked alone, and nothing is left
# of what was not finished.
. "$(dirname "$0")/../service.inc"
state=$work/state
mkdir -m 700 "$work/signer" # out of the service's reach, as the unit has it
me=$(id -un) # the name that filterctl puts into a manifest
token_of() { printf 'token-of-%s-0123456789abcdef' "$1"; }
line_of() { token_of "$1" | "$bin/filterd" --hash-token --role="$2" --name="$3"; }
{
    line_of aud auditor "$me"
    line_of other auditor other
    line_of third auditor third
    line_of rev reviewer rev
    line_of app caller app
    line_of same auditor "$me" | sed 's/$/:tenant=acme/' # the same person, with a token that sees less
    line_of tess auditor tess | sed 's/$/:tenant=acme/'
} >"$work/tokens"
chmod 600 "$work/tokens"
as() { # as WHO PATH [CURL-OPTION...]
    who=$1; shift
    operators "$@" -H "Authorization: Bearer $(token_of "$who")"
}
code() { "$@" -o /dev/null -w '%{http_code}'; }
status_for() { who=$1 query=$2 why=${3-audit}; as "$who" /v1/exports -o "$work/answer" -w '%{http_code}' -H "$json" \
    --data-binary "$(jq -nc --arg q "$query" --arg w "$why" '{query: $q, why: $w}')"; }
# fetch WHO ID FILE: waits until it is made; type of the answer.
fetch() {
    for _ in $(seq 600); do
        type=$(as "$1" "/v1/exports/$2" -o "$3" -w '%{content_type}')
        [ "$type" = application/json ] && grep -q '"running"' "$3" || break
        sleep 0.1
    done
    echo "$type"
}
exports() { records | jq -c 'select(.type == "access" and .what == "export") | [.by, .role, .query, .purpose]'; }

start --tokens="$work/tokens" --signer-directory="$work/signer"
judge() { post /v1/filter "$1" -H "Authorization: Bearer $(token_of app)" >/dev/null; }
for i in $(seq 12); do judge "{\"text\":\"E2EBOMB000$((i % 10))\",\"agent\":\"a$((i % 3))\",\"tenant\":\"acme\"}"; done
for i in $(seq 5); do judge "{\"text\":\"E2EBOMB000$i\",\"agent\":\"a1\",\"tenant\":\"beta\"}"; done
checkpointed

# --- what is refused, and leaves no line -----------------------------------------------------
expect 'a reviewer' 403 "$(status_for rev action:block)"
expect 'a caller' 403 "$(status_for app action:block)"
expect 'without a purpose' 422 "$(status_for aud action:block '')"
expect 'a purpose that is too long' 422 "$(status_for aud action:block "$(head -c 600 /dev/zero | tr '\0' x)")"
expect 'no query' 422 "$(status_for aud nonsense)"
expect 'an empty query' 422 "$(status_for aud '')"
expect 'a secret as a query' 422 "$(status_for aud "agent:$secret")"
expect 'another member' 422 "$(as aud /v1/exports -H "$json" -d '{"query":"action:block","why":"x","range":"1..2"}' -o /dev/null -w '%{http_code}')"
expect 'an id that is none' '404 404' "$(code as aud /v1/exports/x) $(code as aud /v1/exports/00000000-0000-7000-8000-000000000000)"
expect 'nothing is on record' '' "$(exports)"

# --- the same bytes --------------------------------------------------------------------------
printf 'state-directory: %s\n' "$state" >"$work/filterd.yaml"
by_hand() { "$bin/filterctl" record export --config "$work/filterd.yaml" --keys "$work/signer" --rules "$rules" --cache "$work/cache" --why incident --query "$1" \
    --out "$2" >/dev/null 2>"$work/err"; }
size_of() { tar xOf "$1" manifest.json | jq .size; }
# A checkpoint may come between the two: they are compared under the same one.
for _ in $(seq 10); do
    checkpointed
    expect 'asked' 202 "$(status_for aud 'agent:a1  action:block' incident)"
    id=$(jq -r .id "$work/answer")
    expect 'made' application/x-tar "$(fetch aud "$id" "$work/bundle.tar")"
    by_hand 'action:block agent:a1' "$work/by-hand.tar"
    [ "$(size_of "$work/bundle.tar")" = "$(size_of "$work/by-hand.tar")" ] && break
done
expect 'the bytes of filterctl' "$(sha256sum <"$work/by-hand.tar")" "$(sha256sum <"$work/bundle.tar")"
expect_json 'with lines and texts' '[.count, .texts, .by, .purpose]' "[9,true,\"$me\",\"incident\"]" "$(tar xOf "$work/bundle.tar" manifest.json)"
printf 'log %s\nquorum none\n' "$(head -1 "$state/decisions.jsonl" | jq -r .vkey)" >"$work/policy"
expect 'which hold' 0 "$("$bin/filterctl" record verify-bundle "$work/bundle.tar" --policy "$work/policy" >"$work/c" 2>&1; echo $?)"
expect 'also for verify.py' 0 "$(/usr/bin/python3 filterd/evidence/verify.py --policy "$work/policy" "$work/bundle.tar" >"$work/c" 2>&1; echo $?)"
expect 'a file of the service alone' 600 "$(stat -c %a "$state/exports/$id.tar")"
expect 'it is saved as a file' 1 "$(as aud "/v1/exports/$id" -o /dev/null -D - | grep -ci '^content-disposition: attachment; filename="evidence.tar"')"
expect 'again within the hour' "$(sha256sum <"$work/bundle.tar")" "$(as aud "/v1/exports/$id" | sha256sum)"
expect 'for nobody else' '404 404 403' "$(code as other "/v1/exports/$id") $(code as tess "/v1/exports/$id") $(code as rev "/v1/exports/$id")"
expect 'nor for their own token of a tenant' 404 "$(code as same "/v1/exports/$id")"
expect 'it is on record' "[\"$me\",\"auditor\",\"agent:a1 action:block\",\"incident\"]" "$(exports | tail -1)"
expect 'what a person types is judged' 202 "$(status_for other action:block "because of $secret")"
fetch other "$(jq -r .id "$work/answer")" "$work/b.tar" >/dev/null
expect 'and in no file as it was' '0 0' "$(grep -c "$secret" "$state/decisions.jsonl") $(grep -c "$secret" "$work/b.tar")"

# --- one that has no line, and one in place of another ----------------------------------------
expect 'asked for nothing' 202 "$(status_for aud agent:nobody)"
none=$(jq -r .id "$work/answer")
fetch aud "$none" "$work/b" >/dev/null
expect_json 'it failed' '[.state, (.detail | test("no line")), .lines]' '["failed",true,0]' "$(cat "$work/b")"
expect 'the one before is gone' 404 "$(code as aud "/v1/exports/$id")"
for _ in $(seq 1200); do [ ! -e "$state/exports/$id.tar" ] && break; sleep 0.05; done
expect 'with its file' '' "$(ls "$state/exports" | grep "$id")"

# --- a tenant sees what is theirs --------------------------------------------------------------
expect 'a tenant asks' 202 "$(status_for tess action:block)"
fetch tess "$(jq -r .id "$work/answer")" "$work/acme.tar" >/dev/null
expect 'and gets theirs' '12 acme' "$(tar xOf "$work/acme.tar" records.jsonl | jq -r .tenant | uniq -c | tr -s ' ' | cut -c2-)"
expect 'which holds' 0 "$("$bin/filterctl" record verify-bundle "$work/acme.tar" --policy "$work/policy" >"$work/c" 2>&1; echo $?)"
expect 'without policies, accesses and others' '0 0 0' "$(tar tf "$work/acme.tar" | grep -c ^rules/) $(
    tar xOf "$work/acme.tar" access.jsonl | wc -l) $(tar xOf "$work/acme.tar" records.jsonl review.jsonl manifest.json | grep -c beta)"
expect 'others by name' 202 "$(status_for tess 'tenant:beta')"
fetch tess "$(jq -r .id "$work/answer")" "$work/b" >/dev/null
expect_json 'are nothing' '[.state, .lines]' '["failed",0]' "$(cat "$work/b")"

# --- killed in the middle ------------------------------------------------------------------------
stop; expect 'a stop' 0 $status
expect 'leaves no file' '' "$(ls "$state/exports")"
# Many lines, so that it lasts.
start --tokens="$work/tokens" --signer-directory="$work/signer"
seq 20000 | sed 's/.*/{"text":"E2EBOMB0001","tenant":"acme","agent":"a2"}/' >"$work/batch"
curl -sS --max-time 120 -H "$ndjson" -H "Authorization: Bearer $(token_of app)" --data-binary "@$work/batch" "$url/v1/filter/batch" >/dev/null
checkpointed
expect 'a long one' 202 "$(status_for aud agent:a2)"
long=$(jq -r .id "$work/answer")
expect 'a second of the same person' 409 "$(status_for aud agent:a1)"
expect 'one of another' 202 "$(status_for other agent:a2)"
expect 'a third' 503 "$(status_for third agent:a1)"
expect_json 'how far it is' '[.state, (.lines | type)]' '["running","number"]' "$(as aud "/v1/exports/$long")"
stop KILL
start --tokens="$work/tokens" --signer-directory="$work/signer"
expect 'nothing is left' '' "$(ls "$state/exports")"
expect 'and it is not known any more' 404 "$(code as aud "/v1/exports/$long")"
expect 'the log goes on' 202 "$(status_for aud agent:a1)"
expect 'and so do exports' application/x-tar "$(fetch aud "$(jq -r .id "$work/answer")" "$work/b.tar")"
expect 'the long one, to its end' 202 "$(status_for aud agent:a2)"
stop; expect 'a stop does not wait for it' 0 $status
expect 'and leaves nothing' '' "$(ls "$state/exports")"
finish
