#!/bin/sh
# A planted secret goes through every route, place and error. It may stand nowhere afterwards: not in an
# error, header, log, record, metric, state file or core, in any of the forms it could take.
. "$(dirname "$0")/service.inc"
canary=$secret
printf '%s\n' token-of-the-admin-0123456789 | "$bin/filterd" --hash-token --role=admin --name=admin >"$work/tokens"
cat >"$work/upstreams.yaml" <<YAML
upstreams:
  away: {protocol: openai, url: 'http://127.0.0.1:1'}
YAML
start --tokens="$work/tokens" --upstreams="$work/upstreams.yaml" --body-max=100K --batch-line-max=64K
auth='Authorization: Bearer token-of-the-admin-0123456789'
mkdir "$work/seen"
n=0
see() { # see CURL-ARGUMENT…: keeps headers and body of the answer
    n=$((n + 1))
    curl -sS --max-time 20 -i -o "$work/seen/$n" "$@" 2>"$work/seen/$n.err"
}

# Redacted and blocked, in every kind of exchange.
see -H "$auth" -H "$json" -d "{\"text\":\"a $canary\"}" "$url/v1/filter"
see -H "$auth" -H "$json" -d "{\"text\":\"a $canary\",\"explain\":true}" "$url/v1/filter"
see -H "$auth" -H "$json" -d "{\"text\":\"E2EBOMB0001 $canary\"}" "$url/v1/filter"
see -H "$auth" -H "$json" -d "{\"messages\":[{\"content\":\"$canary\"}]}" "$url/v1/filter"
see -H "$auth" -H "$json" -d "{\"document\":{\"$canary\":1}}" "$url/v1/filter"
see -H "$auth" -H "$json" -d "{\"document\":{\"a\":[\"$canary\"]}}" "$url/v1/filter"
see -H "$auth" -H "$plain" -d "$canary" "$url/v1/filter"
see -H "$auth" -H "$plain" -H 'Accept: text/plain' -d "$canary" "$url/v1/filter"
see -H "$auth" -H "$ndjson" --data-binary "{\"text\":\"$canary\"}" "$url/v1/filter/batch"
for body in "\"texts\":[\"a $canary\"]" "\"texts\":[\"E2EBOMB0001 $canary\"]" "\"tool_calls\":[{\"$canary\":\"$canary\"}]" \
    "\"texts\":\"$canary\"" "\"texts\":[\"a\",{\"$canary\":1}]" "\"litellm_call_id\":[\"$canary\"]"; do
    see -H "$auth" -H "$json" -d "{\"input_type\":\"response\",$body}" "$url/beta/litellm_basic_guardrail_api"
done
see -H "$auth" -H "$json" -H "Filterd-Policy: $canary" -d '{"input_type":"response"}' "$url/beta/litellm_basic_guardrail_api"
stream() { curl -sS -H "$auth" -H "$json" -d "$1" "$url/v1/streams" | jq -r .id; }
id=$(stream '{"path":"/a"}')
for body in "{\"text\":\"a $canary and words behind it\"}" "{\"text\":\"$canary\",\"channel\":\"/$canary\"}" "{\"text\":\"E2EBOMB0001\"}" \
    "{\"text\":[\"$canary\"]}" "{\"$canary\":1}" "{\"text\":\"a\",\"sequence\":\"$canary\"}" "{\"text\":\"a\",\"channel\":\"$canary\"}"; do
    see -H "$auth" -H "$json" -d "$body" "$url/v1/streams/$id/chunks"
    see -H "$auth" -H "$json" -d "$body" "$url/v1/streams"
    see -H "$auth" -H "$json" -d "$body" "$url/v1/streams/$canary/chunks"
done
see -H "$auth" -H "$plain" -d "$canary" "$url/v1/streams/$id/chunks?$canary=$canary"
see -H "$auth" -H "$json" -d "{\"$canary\":1}" "$url/v1/streams/$id/end"
see -H "$auth" -H "$json" -d '{}' "$url/v1/streams/$id/end"
id=$(stream '{}')
see -H "$auth" -H "$plain" -d "a $canary" "$url/v1/streams/$id/chunks"
# Errors, with the secret wherever a client can put something.
for body in "$canary" "{\"$canary\":1}" "{\"text\":\"a\",\"policy\":\"$canary\"}" "{\"text\":[\"$canary\"]}" \
    "{\"text\":\"$canary\"" "{\"text\":\"$canary\",\"text\":\"$canary\"}" "{\"text\":\"a\",\"explain\":\"$canary\"}" \
    "[\"$canary\"]" "{\"messages\":[\"$canary\"]}" "{\"text\":\"$canary\\ud800\"}"; do
    see -H "$auth" -H "$json" -d "$body" "$url/v1/filter"
    see -H "$auth" -H "$ndjson" -d "$body" "$url/v1/filter/batch"
done
see -H "$auth" "$url/$canary"
see -H "$auth" "$url/v1/filter?$canary=$canary"
see -H "$auth" -H "$plain" -d a "$url/v1/filter?$canary=1"
see -H "$auth" -H "$plain" -d a "$url/v1/filter?policy=$canary"
see -H "$auth" -X "$canary" "$url/v1/filter"
see -H "$auth" -H "Content-Type: $canary" -d "$canary" "$url/v1/filter"
see -H "$auth" -H "$json" -H "Content-Encoding: $canary" -d "$canary" "$url/v1/filter"
see -H "$auth" -H "$json" -H "Transfer-Encoding: $canary" -d "$canary" "$url/v1/filter"
see -H "$auth" -H "$json" -H "X-$canary: $canary" -d '{' "$url/v1/filter"
see -H "Authorization: Bearer $canary" -H "$json" -d "$canary" "$url/v1/filter"
see -H "Authorization: $canary" -H "$json" -d "$canary" "$url/v1/filter"
see -H "Cookie: $canary" -H "Host: $canary" "$url/healthz"
head -c 200000 /dev/zero | tr '\0' a >"$work/body"; echo "$canary" >>"$work/body"
see -H "$auth" -H "$plain" --data-binary @"$work/body" "$url/v1/filter"
see -H "$auth" -H "$plain" -H 'Expect:' -H 'Transfer-Encoding: chunked' --data-binary @"$work/body" "$url/v1/filter"
see -H "$auth" -H "$ndjson" --data-binary @"$work/body" "$url/v1/filter/batch"
see -H "$auth" -H "X-Long: $canary$(head -c 60000 /dev/zero | tr '\0' a)" "$url/healthz"
for request in "$canary" "$canary / HTTP/1.1\r\n\r\n" "GET $canary HTTP/9.9\r\n\r\n" "GET / HTTP/1.1\r\n$canary\r\n\r\n"; do
    n=$((n + 1))
    printf "$request\r\n\r\n" | curl -sS --max-time 1 "telnet://$address" >"$work/seen/$n" 2>/dev/null
done
# On the way to an upstream, in every place that a client can fill.
see -H "$auth" "$url/away/$canary"
see -H "X-Filterd-Token: $canary" "$url/away/v1/models"
proxied='X-Filterd-Token: token-of-the-admin-0123456789'
see -H "$proxied" "$url/away/$canary?$canary=$canary"
see -H "$proxied" "$url/away/v1/models/$canary?$canary=$canary"
see -H "$proxied" -H "Authorization: Bearer $canary" -H "Cookie: $canary" -H "X-$canary: $canary" "$url/away/v1/models"
see -H "$proxied" -H "$json" -d "{\"$canary\"" "$url/away/v1/chat/completions"
see -H "$proxied" -H "$json" -d "{\"model\":\"$canary\",\"stream\":true,\"messages\":[{\"content\":\"$canary\"}]}" \
    "$url/away/v1/chat/completions"
see -H "$proxied" -H "Content-Encoding: $canary" -d "$canary" "$url/away/v1/chat/completions"
see -H "$proxied" -H "Upgrade: $canary" "$url/away/v1/models"
see -H "$proxied" -X "$canary" "$url/away/v1/models"
# Whatever operators see.
for path in /metrics /v1/policy /v1/rules /readyz "/v1/$canary"; do
    see --unix-socket "$work/operators.sock" "http://filterd$path"
done
see --unix-socket "$work/operators.sock" -X POST -d "$canary" http://filterd/v1/policy/reload
curl -sS "$url/v1/filter" -H "$auth" -H "$plain" -H 'Content-Length: 100' -d "$canary" --max-time 1 >"$work/seen/cut" 2>/dev/null

# A crash leaves no core.
expect 'no core' 0 "$(awk '/Max core file size/ {print $5}' "/proc/$pid/limits")"
cp -r "$work/state" "$work/seen/state"; cp "$work/log" "$work/seen/log"
stop ABRT
find "$work" . -maxdepth 1 -name "core*" >"$work/found"
expect 'no core file' '' "$(cat "$work/found")"

expect 'answers were kept' 1 "$([ "$n" -gt 40 ] && echo 1)"
for form in "$canary" "$(printf '%s' "$canary" | base64)" "$(printf '%s' "$canary" | od -An -tx1 | tr -d ' \n')" \
    "$(printf '%s' "$canary" | sed 's/-/%2D/g')" "$(printf '%s' "$canary" | sed 's/-/\\u002d/g')" 4kq9Zt7Xw2Lm8Rv5; do
    expect "found as $form" '' "$(grep -rlaF -- "$form" "$work/seen" | head -3 | tr '\n' ' ')"
done
printf '%s' "$canary" | iconv -t UTF-16LE >"$work/wide" 2>/dev/null
expect 'found in UTF-16' '' "$(grep -rlaP -- "$(printf '4\\x00k\\x00q\\x009\\x00')" "$work/seen" | head -3)"
finish
