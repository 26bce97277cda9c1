#!/bin/sh
# Receipts: of streams of every protocol, of allows, what the listener says before a line is signed, and filterctl.
. "$(dirname "$0")/../service.inc"
cd "$(dirname "$0")/../../.." || exit 2
ctl=$bin/filterctl
upstream_pid=''
trap '[ -z "$upstream_pid" ] || kill "$upstream_pid" 2>/dev/null; cleanup' EXIT
run_upstream /usr/bin/python3 tests/support/upstream_streams.py
write_upstreams
receipt_form='[1-9][0-9]*\.[A-Za-z0-9_-]\{43\}'

# stream KIND TEXT [CURL-OPTION…]: head, trailers and body of one stream.
stream() {
    kind=$1
    message="\"messages\":[{\"role\":\"user\",\"content\":\"$2\"}]"
    contents="{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"$2\"}]}]}"
    shift 2
    case $kind in
        openai) set -- /openai/v1/chat/completions "{\"model\":\"m\",\"stream\":true,$message}" "$@" ;;
        anthropic) set -- /anthropic/v1/messages "{\"model\":\"m\",\"max_tokens\":9,\"stream\":true,$message}" "$@" ;;
        cohere) set -- /cohere/v2/chat "{\"model\":\"m\",\"stream\":true,$message}" "$@" ;;
        gemini-events) set -- '/gemini/v1beta/models/m:streamGenerateContent?alt=sse' "$contents" "$@" ;;
        gemini-array) set -- '/gemini/v1beta/models/m:streamGenerateContent' "$contents" "$@" ;;
        ollama) set -- /ollama/api/chat "{\"model\":\"m\",$message}" "$@" ;;
    esac
    post "$@" -D "$work/head" -o "$work/body"
    expect "$kind: curl" 0 $?
    tr -d '\r' <"$work/head" >"$work/fields"
}
comments() { grep '^:' "$work/body"; }
in_comment() { sed -n "s/^: filterd-receipt \($receipt_form\)\$/\1/p" "$work/body"; }
in_fields() { sed -n "s/^Filterd-Receipt: \($receipt_form\)\$/\1/p" "$work/fields"; }
proven() { /usr/bin/python3 tests/support/receipt_check.py "$url" "$vkey" "$1" "$work/state/decisions.jsonl"; }

start --upstreams="$work/upstreams.yaml"
vkey=$(records | head -1 | jq -r .vkey)

for kind in openai anthropic cohere gemini-events gemini-array ollama; do
    for case in 'whole:hello there:final' "redacted:a $secret b:final" 'blocked:before E2EBOMB0001 after:final' \
        'aborted:half of what there is to say:aborted'; do
        what=$kind,${case%%:*}; rest=${case#*:}
        stream "$kind" "${rest%:*}"
        case $kind in
            openai | anthropic | cohere)
                receipt=$(in_comment)
                expect "$what: comments" 1 "$(comments | wc -l)"
                expect "$what: no trailer is announced" 0 "$(grep -ci '^trailer' "$work/fields")"
                expect "$what: between events, or before them" '' "$(sed -n '/^: /{x;p;q};h' "$work/body")"
                expect "$what: and an end of its own" '' "$(grep -A1 '^: ' "$work/body" | sed -n 2p)"
                expect "$what: before the last event" 1 "$(sed '0,/^: /d' "$work/body" | grep -c '^data: ' | sed 's/[1-9].*/1/')"
                ;;
            *)
                receipt=$(in_fields)
                expect "$what: no comment" '' "$(comments)"
                expect "$what: the trailer is announced" 'Trailer: Filterd-Receipt' "$(grep -i '^trailer' "$work/fields")"
                expect "$what: it follows the head" 1 "$(sed '1,/^$/d' "$work/fields" | grep -c '^Filterd-Receipt')"
                ;;
        esac
        echo "$what $receipt ${rest#*:}" >>"$work/receipts"
        cp "$work/body" "$work/body.$kind.${case%%:*}"
    done
done
while read -r what receipt phase; do
    line=$(proven "$receipt") || { echo "$what: $line"; failures=$((failures + 1)); }
    expect_json "$what: on record" .phase "\"$phase\"" "$line"
done <"$work/receipts"
expect 'a receipt of each' 24 "$(cut -d' ' -f2 "$work/receipts" | sort -u | grep -c "^$receipt_form\$")"
stream gemini-array 'hello there' --http1.0
expect 'HTTP/1.0 has no trailers' '' "$(in_fields)"
expect 'and its answer' 'hello there' "$(jq -j '.[].candidates[].content.parts[].text' "$work/body")"
stop

# Clients that skip comments see what they see without receipts; the others get the same bytes.
start --upstreams="$work/upstreams.yaml" --receipts=off
for kind in openai anthropic cohere gemini-events gemini-array ollama; do
    for case in whole:hello\ there "redacted:a $secret b"; do
        stream "$kind" "${case#*:}"
        expect "$kind: off" '' "$(comments)$(in_fields)$(grep -i '^trailer' "$work/fields")"
        expect "$kind: the same events" "$(sed '/^: filterd-receipt/,+1d' "$work/body.$kind.${case%%:*}")" "$(cat "$work/body")"
    done
done
expect_json 'off: a block' '[.action, .receipt]' '["block",null]' "$(post /v1/filter '{"text":"E2EBOMB0001"}' -D "$work/fields")"
expect_json 'off: a line of a batch' .receipt null "$(printf '{"text":"E2EBOMB0001"}' |
    curl -sS -H "$ndjson" --data-binary @- "$url/v1/filter/batch")"
expect 'off: nor in its head' 0 "$(grep -ci filterd-receipt "$work/fields")"
stop

# Always: allows wait, and have one.
start --receipts=always
answer=$(post /v1/filter '{"text":"hello"}' -D "$work/head")
tr -d '\r' <"$work/head" >"$work/fields"
expect_json 'always: an allow' '[.action, .receipt]' "[\"allow\",\"$(in_fields)\"]" "$answer"
line=$(proven "$(in_fields)") || { echo "an allow: $line"; failures=$((failures + 1)); }
expect_json 'always: on record' .action '"allow"' "$line"
curl -sS -D "$work/head" -o "$work/body" -H "$plain" -H 'Accept: text/plain' -d 'hello' "$url/v1/filter"
tr -d '\r' <"$work/head" >"$work/fields"
expect 'always: in plain text' hello "$(cat "$work/body")"
expect 'always: in its head' 1 "$(in_fields | wc -l)"
printf '{"text":"one"}\n{"text":"%s"}\n{\n' "$secret" | curl -sS -H "$ndjson" --data-binary @- "$url/v1/filter/batch" >"$work/body"
expect 'always: lines of a batch' 'allow true 1, fault false 1, redact true 1' "$(/usr/bin/python3 tests/support/batch_receipts.py \
    "$work/state/decisions.jsonl" <"$work/body")"
stop
expect 'always without a proof' 2 "$("$bin/filterd" --listen=127.0.0.1:0 --operators=none --rules="$rules" \
    --state-directory="$work/none" --cache-directory="$work/cache" --proof=off --receipts=always 2>"$work/refused"; echo $?)"
expect 'says so' 1 "$(grep -c 'receipts: always' "$work/refused")"

# Until a checkpoint covers a line, and for what is no line: one answer.
start
absent() { # absent WHAT RECEIPT
    expect "$1" 404 "$(curl -sS -D "$work/head" -o "$work/absent" -w '%{http_code}' "$url/v1/receipts/$2")"
    tr -d '\r' <"$work/head" | grep -iv '^date:' >"$work/fields"
    expect "$1: again" 1 "$(grep -c '^Retry-After: 1$' "$work/fields")"
    expect "$1: type" 1 "$(grep -c '^Content-Type: application/problem+json$' "$work/fields")"
    cat "$work/fields" "$work/absent" >"$work/shape"
}
nothing=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
absent 'the hash of another line' 1.$nothing
cp "$work/shape" "$work/first-shape"
absent 'a number that is none yet' 99999999.$nothing
expect 'the same' '' "$(diff "$work/shape" "$work/first-shape")"
signer=$(pgrep -P "$pid" -f -- --local)
kill -STOP "$signer"
receipt=$(post /v1/filter '{"text":"E2EBOMB0001"}' | jq -r .receipt)
absent 'a line that is not signed yet' "$receipt"
expect 'the same for it' '' "$(diff "$work/shape" "$work/first-shape")"
kill -CONT "$signer"
line=$(proven "$receipt") || { echo "signed later: $line"; failures=$((failures + 1)); }
expect_json 'signed later' .action '"block"' "$line"
expect 'what is no receipt' '404 0' "$(status_of "$url/v1/receipts/x") $(curl -sSI -X GET "$url/v1/receipts/x" | grep -ci '^retry-after')"

# filterctl: from the listeners, a file, the folder.
checked() { "$ctl" record receipt "$@" >"$work/checked" 2>&1; echo $?; }
said() { sed 's/ of .*, signed at size [0-9]*/ of LOG, signed/' "$work/checked"; }
printf 'log %s\nquorum none\n' "$vkey" >"$work/policy"
is_there="line ${receipt%%.*} is in the log of LOG, signed"
expect 'from the operators' 0 "$(checked "$receipt" --operators "$work/operators.sock")"
expect 'is by the keys of the log' "$is_there
keys: as the log itself says; --policy names keys that you trust" "$(said)"
expect 'from the callers' 0 "$(checked "$receipt" --operators "$address" --policy "$work/policy")"
expect 'by a policy' "$is_there" "$(said)"
expect 'callers are not shown keys' 2 "$(checked "$receipt" --operators "$address")"
curl -sS "$url/v1/receipts/$receipt" >"$work/proof"
expect 'from a file' 0 "$(checked "$receipt" --from "$work/proof" --policy "$work/policy")"
expect 'a file of another line' 1 "$(checked "$((${receipt%%.*} - 1)).${receipt#*.}" --from "$work/proof" --policy "$work/policy")"
expect 'another hash' 1 "$(checked "${receipt%%.*}.$nothing" --from "$work/proof" --policy "$work/policy")"
expect 'a hash that the service does not know' 1 "$(checked "${receipt%%.*}.$nothing" --operators "$work/operators.sock")"
expect 'says so' 1 "$(grep -c "^line ${receipt%%.*} is not proven: " "$work/checked")"
sed 's/^\(index .*\)/\1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=/' "$work/proof" >"$work/longer"
expect 'a longer path' 1 "$(checked "$receipt" --from "$work/longer" --policy "$work/policy")"
printf 'log %s\nquorum none\n' "$(/usr/bin/python3 -c '
import sys; sys.path.insert(0, "tests/support"); import tlog; print(tlog.vkey(sys.argv[1].split("+")[0], 1, bytes(range(32))))' "$vkey")" >"$work/other"
expect 'another key' 1 "$(checked "$receipt" --from "$work/proof" --policy "$work/other")"
printf 'log %s\nwitness w %s\nquorum w\n' "$vkey" "$(/usr/bin/python3 -c '
import sys; sys.path.insert(0, "tests/support"); import tlog; print(tlog.vkey("w.example/w", 4, bytes(range(32))))')" >"$work/witnessed"
expect 'no quorum' 1 "$(checked "$receipt" --from "$work/proof" --policy "$work/witnessed")"
expect 'no receipt' 2 "$(checked "1.$nothing"A --operators "$work/operators.sock")"
expect 'no service' 2 "$(checked "$receipt" --operators "$work/nowhere.sock")"
expect 'no file' 2 "$(checked "$receipt" --from "$work/nowhere" --policy "$work/policy")"
stop
expect 'from the folder' 0 "$(checked "$receipt" "$work/state")"
expect 'by a policy, too' 0 "$(checked "$receipt" "$work/state" --policy "$work/policy")"
expect 'a line that the folder lacks' 1 "$(checked "99999.${receipt#*.}" "$work/state" --policy "$work/policy")"
expect 'no folder' 2 "$(checked "$receipt" "$work/nowhere")"
finish
