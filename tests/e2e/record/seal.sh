#!/bin/sh
# Originals: sealed by the service wherever a verdict becomes a record, opened with age and filterctl, and in no other file.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/../proxy.inc"
command -v age >/dev/null || { echo "skip: age is not installed"; exit 0; }
record=$work/state/decisions.jsonl originals=$work/state/seal
keys=$work/keys; mkdir "$keys" "$rules/recipients"
for who in anna ben carl dora; do
    age-keygen -o "$keys/$who" 2>/dev/null
done
for who in anna ben; do age-keygen -y "$keys/$who"; done >"$rules/recipients/compliance"
for who in carl dora; do age-keygen -y "$keys/$who"; done >"$rules/recipients/security"
cp "$rules/policy.yaml" "$work/policy.before"
# seal KEYS: the policy with that key.
seal() {
    awk -v seal="    seal: $1" '{ print } /^  default:/ && !done { print seal; done = 1 }' "$work/policy.before" >"$rules/policy.yaml"
}
reload() {
    reloads=$((${reloads:-0} + 1))
    kill -HUP "$pid"
    for _ in $(seq 1200); do [ "$(grep -c 'reload: done' "$work/log")" -ge $reloads ] && return; sleep 0.05; done
    expect 'reloads' $reloads "$(grep -c 'reload: done' "$work/log")"
}
# The newest original, its line, and what it holds.
line() { grep '"sealed"' "$record" | tail -1; }
blob() { id=$(line | jq -r .sealed.blob); echo "$originals/$(printf %.2s "$id")/$id.age"; }
opened() { age -d -i "$keys/anna" "$(blob)" | "$bin/filterctl" seal open --shred "$work/state/shred/shred.db"; }
# Everything that the service leaves, but for what filterctl and age print here.
searched() {
    encoded=$(printf %s "$secret" | base64)
    grep -rlaF -e "$secret" -e "$encoded" "$work/state" "$work/cache" "$work/log" | head -3
}

seal '{when: [{action: [block, redact]}], to: compliance, context: 8}'
upstream
printf "upstreams:\n  ai: {protocol: openai, url: 'http://127.0.0.1:%s'}\n" "$port" >"$upstreams"
start --upstreams="$upstreams"
expect 'recipients are on record' 1 "$(records | jq -c 'select(.what == "recipients") | .after' | grep -c sha256)"
post /v1/filter "{\"text\":\"before it, a $secret! and behind it\"}" >/dev/null
expect 'filter: sealed' "e it, a $secret! and be" "$(opened | jq -r '.parts[0].text')"
expect 'filter: by filterctl alone' "$(opened)" "$("$bin/filterctl" seal open --identity "$keys/ben" --shred "$work/state/shred/shred.db" "$(blob)")"
expect 'digest' "$(line | jq -r .sealed.sha256)" "$(sha256sum "$(blob)" | cut -d' ' -f1)"
expect 'length' "$(line | jq -r .sealed.bytes)" "$(stat -c %s "$(blob)")"
expect 'mode' 600 "$(stat -c %a "$(blob)")"
expect 'who cannot' 2 "$("$bin/filterctl" seal open --identity "$keys/carl" --shred "$work/state/shred/shred.db" "$(blob)" >/dev/null 2>&1; echo $?)"
n=$(grep -c '"sealed"' "$record")
post /v1/filter '{"text":"nothing to see"}' >/dev/null
curl -sS --max-time 30 -H "$ndjson" --data-binary "{\"text\":\"line $secret\"}" "$url/v1/filter/batch" >/dev/null
expect 'batch: sealed' "line $secret" "$(opened | jq -r '.parts[0].text')"
expect 'and one alone' $((n + 1)) "$(grep -c '"sealed"' "$record")"

# A text that a worker of the pool judges, in a body that grew.
{ printf '{"text":"'; head -c 300000 /dev/zero | tr '\0' 'x' | sed 's/x\{60\}/a few words and more /g'; printf '%s"}' " $secret"; } >"$work/long.json"
curl -sS --max-time 30 -H "$json" -H 'Expect:' --data-binary @"$work/long.json" "$url/v1/filter" >/dev/null
expect 'a long text is sealed' "$((n + 2))" "$(grep -c '"sealed"' "$record")"
# Once the answer is out, neither the plaintext that was made to be sealed nor the text that it came from is in any memory of the
# service (root alone may look; a sanitizer maps terabytes). Of streams buffers may be left.
case $bin in
*/asan/* | */tsan/*) may_look=false ;;
*) [ "$(id -u)" = 0 ] && may_look=true || may_look=false ;;
esac
cat >"$work/memory.py" <<'PY'
import sys
pid, wanted = sys.argv[1], sys.argv[2].encode()
found = 0
with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
    for line in maps:
        area, mode = line.split()[:2]
        start, end = (int(x, 16) for x in area.split("-"))
        if mode.startswith("rw"):
            try:
                memory.seek(start)
                found += memory.read(end - start).count(wanted)
            except (OSError, ValueError):
                pass
print(found)
PY
left() { /usr/bin/python3 "$work/memory.py" "$pid" "$1"; }
if $may_look; then
    for _ in $(seq 1200); do [ "$(left "$secret")" = 0 ] && break; sleep 0.05; done # it is wiped behind the answer
    expect 'the search sees what is there' true "$([ "$(left "$work/state")" -gt 0 ] && echo true)"
    expect 'plaintext in memory' 0 "$(left '"what":"span","parts":[{"channel"')"
    expect 'the text that it came from, in memory' 0 "$(left "$secret")"
fi

id=$(post /v1/streams '{}' | jq -r .id)
for part in 'a long way before ' "$(printf %.12s "$secret")" "${secret#????????????} " 'and after'; do
    post "/v1/streams/$id/chunks" "{\"text\":\"$part\"}" >/dev/null
done
post "/v1/streams/$id/end" '{}' >/dev/null
expect 'stream: sealed in part' true "$(line | jq .sealed.partial)"
expect 'stream: the finding is there' true "$(opened | jq --arg s "$secret" '[.parts[].text | contains($s)] | any')"
expect 'secrets found' '' "$(searched)"
# Behind the proxy: a stream, a whole answer, and the arguments of a tool call, which are judged beside the stream.
for model in any call; do
    ask "$model" "proxied $secret" >/dev/null
    expect "proxy, $model: sealed in part" 'openai true' "$(line | jq -r '"\(.protocol) \(.sealed.partial)"')"
    expect "proxy, $model: the finding is there" true "$(opened | jq --arg s "$secret" '[.parts[].text | contains($s)] | any')"
    expect "proxy, $model: its channel" true "$(opened | jq --argjson line "$(line)" '.parts[0].channel == $line.findings[0].channel')"
done
ask_whole any "proxied $secret" >/dev/null
expect 'proxy, whole' "$(records | tail -1)" "$(line)"
expect 'proxy, whole: the finding is there' true "$(opened | jq --arg s "$secret" '[.parts[].text | contains($s)] | any')"

if $may_look; then
    expect 'plaintext in memory, of streams' 0 "$(left '"what":"span","parts":[{"channel"')"
fi
expect 'metrics' 7 "$(operators /metrics | awk '/^filterd_originals_sealed_total/ {print $2}')"
stop

seal '{when: [{action: redact}], to: compliance, also: security, what: channel, keep: 2d}'
start
post /v1/filter "{\"text\":\"for two: $secret\"}" >/dev/null
expect 'one group is not enough' 2 "$(opened >/dev/null 2>&1; echo $?)"
expect 'two are' "for two: $secret" "$(age -d -i "$keys/ben" "$(blob)" | age -d -i "$keys/dora" |
    "$bin/filterctl" seal open --shred "$work/state/shred/shred.db" | jq -r '.parts[0].text')"
cat "$keys/anna" "$keys/carl" >"$keys/both"
expect 'in one file' "for two: $secret" "$("$bin/filterctl" seal open --identity "$keys/both" --shred "$work/state/shred/shred.db" "$(blob)" | jq -r '.parts[0].text')"
expect 'groups' '["compliance"] ["security"]' "$(line | jq -c '.sealed.to, .sealed.also' | paste -sd' ')"
before=$(sha256sum "$(blob)" | cut -d' ' -f1)
changed=$("$bin/filterctl" seal rewrap "$(blob)" --identity "$keys/anna" --recipients "$rules/recipients/security")
expect 'rewrap: before' "$before" "$(echo "$changed" | jq -r .old)"
expect 'rewrap: after' "$(sha256sum "$(blob)" | cut -d' ' -f1)" "$(echo "$changed" | jq -r .new)"
expect 'rewrap: others open it' "for two: $secret" "$(age -d -i "$keys/carl" "$(blob)" | age -d -i "$keys/dora" |
    "$bin/filterctl" seal open --shred "$work/state/shred/shred.db" | jq -r '.parts[0].text')"
expect 'recipients' "$rules/recipients/security: 2 recipients" "$("$bin/filterctl" seal recipients "$rules/recipients/security")"

# From the service: who asks is on record before the key leaves, and a key that was erased is refused.
asked() { "$bin/filterctl" seal open --identity "$keys/both" --keks "$work/operators.sock" "$@" "$(blob)"; }
post /v1/filter "{\"text\":\"from afar: $secret\",\"tenant\":\"far\"}" >/dev/null
kek=$(line | jq -r .sealed.kek)
expect 'from the service' "from afar: $secret" "$(asked --why INC-7 | jq -r '.parts[0].text')"
expect 'on record' "key $kek $(line | jq -r .sealed.blob) INC-7" \
    "$(records | jq -r 'select(.type == "access") | "\(.what) \(.kek) \(.blob) \(.purpose)"' | tail -1)"
n=$(records | grep -c '"what":"key"')
expect 'no plain HTTP' 2 "$("$bin/filterctl" seal open --identity "$keys/both" --keks http://127.0.0.1:1 "$(blob)" >/dev/null 2>&1; echo $?)"
expect 'no such key' 404 "$(operators /v1/keks/0123456789abcdef -X POST -o /dev/null -w '%{http_code}')"
expect 'no id' 422 "$(operators "/v1/keks/$kek?blob=x" -X POST -o /dev/null -w '%{http_code}')"
expect 'not for callers' 404 "$(curl -sS -X POST -o /dev/null -w '%{http_code}' "$url/v1/keks/$kek")"
/usr/bin/python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute("DELETE FROM kek WHERE id=?", sys.argv[2:]); d.commit()' \
    "$work/state/shred/shred.db" "$kek"
expect 'erased' 2 "$(asked >/dev/null 2>"$work/err"; echo $?)"
expect 'and says so' 1 "$(grep -c 'no key with that id: erased' "$work/err")"
expect 'and nothing on record' "$n" "$(records | grep -c '"what":"key"')"

# A sample of what is allowed, whole, with all that judging it again takes.
seal '{when: [{action: allow, sample: 0.5}], what: exchange, to: compliance}'
reload
before=$(grep -c '"sealed"' "$record"); i=0
while [ $i -lt 40 ]; do
    post /v1/filter "{\"document\":{\"answer\":[\"clean $i\",\"and more\"]},\"agent\":\"support-7\",\"tenant\":\"beta\"}" >/dev/null
    i=$((i + 1))
done
n=$(($(grep -c '"sealed"' "$record") - before))
expect 'some of a sample' true "$([ "$n" -gt 2 ] && [ "$n" -lt 38 ] && echo true)"
expect 'sample: its verdict' 'allow beta support-7 /v1/filter' "$(opened | jq -r '"\(.action) \(.tenant) \(.agent) \(.route)"')"
expect 'sample: its policy' "$(line | jq -r .policy.digest)" "$(opened | jq -r .policy.digest)"
expect 'sample: its texts' '["/answer/0","/answer/1"]' "$(opened | jq -c '[.parts[] | select(.name or .joined | not) | .path] | unique')"
expect 'sample: its texts joined' '["/answer"]' "$(opened | jq -c '[.parts[] | select(.joined) | .path] | unique')"
seal '{when: [{action: redact}], to: compliance}'
reload

# A folder that cannot be written: the answer is blocked, or its verdict stands, and the record says that there is no original.
mv "$originals" "$work/away" && : >"$originals"
expect 'not sealed: blocked' 'block filterd.unjudged' "$(post /v1/filter "{\"text\":\"$secret\"}" | jq -r '"\(.action) \(.rule)"')"
expect 'not sealed: said so' '{"failed":true}' "$(line | jq -c .sealed)"
seal '{when: [{action: redact}], to: compliance, on_failure: continue}'
reload
expect 'not sealed: the verdict stands' 'redact test-key' "$(post /v1/filter "{\"text\":\"$secret\"}" | jq -r '"\(.action) \(.rule)"')"
expect 'not sealed: said so, too' '{"failed":true}' "$(line | jq -c .sealed)"
expect 'secrets found at the end' '' "$(searched)"
stop

# From another machine: by TLS, with the token of a reviewer.
rm "$originals"; mv "$work/away" "$originals"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -addext 'subjectAltName=IP:127.0.0.1' \
    -keyout "$work/tls.key" -out "$work/tls.pem" 2>/dev/null
for role in caller reviewer auditor operator admin; do
    echo "token-of-the-$role-0123456789" >"$work/token.$role"
    "$bin/filterd" --hash-token --role=$role --name="test-$role" <"$work/token.$role" >>"$work/tokens"
done
start --tls-certificate="$work/tls.pem" --tls-key="$work/tls.key" --tokens="$work/tokens" --operators=127.0.0.1:0
there=https://$(sed -n 's/.* operators=\([^ ]*\) .*/\1/p' "$work/log")
curl -sS --max-time 30 --cacert "$work/tls.pem" -H "Authorization: Bearer token-of-the-caller-0123456789" -H "$json" \
    -d "{\"text\":\"over TLS: $secret\"}" "https://$address/v1/filter" >/dev/null
afar() { # afar ROLE: the exit code
    CURL_CA_BUNDLE=$work/tls.pem "$bin/filterctl" seal open --identity "$keys/both" --keks "$there" --token "$work/token.$1" "$(blob)" \
        >"$work/out" 2>/dev/null
    echo $?
}
expect 'keys, by role' '2 0 2 2 0' "$(afar caller) $(afar reviewer) $(afar auditor) $(afar operator) $(afar admin)"
afar reviewer >/dev/null
expect 'over TLS' "over TLS: $secret" "$(jq -r '.parts[0].text' "$work/out" | sed 's/.*over/over/')"
expect 'who, on record' 'test-reviewer reviewer' "$(jq -r 'select(.what == "key") | "\(.by) \(.role)"' "$record" | tail -1)"
expect 'an authority that nobody named' 2 "$("$bin/filterctl" seal open --identity "$keys/both" --keks "$there" \
    --token "$work/token.reviewer" "$(blob)" >/dev/null 2>&1; echo $?)"
stop

# Over a network that can be listened to, no key.
start --tokens="$work/tokens" --operators=0.0.0.0:0
there=http://127.0.0.1:$(sed -n 's/.* operators=[^ ]*:\([0-9]*\) .*/\1/p' "$work/log")
expect 'no TLS, no key' 403 "$(status_of -X POST -H 'Authorization: Bearer token-of-the-reviewer-0123456789' "$there/v1/keks/$kek")"
expect 'it goes on' 200 "$(status_of "$url/healthz")"
stop
finish
