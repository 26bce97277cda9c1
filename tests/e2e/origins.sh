#!/bin/sh
# From where a request may come: which names filterd answers to, and which web pages may call it.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
upstream
: >"$work/seen-by-upstream"
printf 'upstreams:\n  ai: {protocol: openai, url: "http://127.0.0.1:%s"}\n' "$port" >"$upstreams"
start --upstreams="$upstreams" --origins='https://chat.example, http://localhost:3000' --hosts='filterd.internal, [::2]'
at=127.0.0.1:${address##*:}

# Every route, with what it takes: method, path, type, body.
chat='{"model":"echo","messages":[{"role":"user","content":"hi"}]}'
cat >"$work/routes" <<ROUTES
POST /v1/filter text/plain hello
POST /v1/filter application/json {"text":"hello","agent":"victim"}
POST /v1/filter/batch application/x-ndjson {"text":"hello"}
POST /v1/streams application/json {}
POST /v1/streams/none/chunks text/plain hello
POST /v1/streams/none/end application/json {}
POST /beta/litellm_basic_guardrail_api application/json {"texts":["hello"]}
POST /ai/v1/chat/completions application/json $chat
POST /ai/v1/embeddings application/json {"input":"hello"}
GET /ai/v1/models - -
GET /healthz - -
GET /readyz - -
GET /metrics - -
GET /nowhere - -
ROUTES
# each EXPECTED CURL-OPTION…: the status of every route, those that differ.
each() {
    expected=$1; shift
    while read -r method path type body; do
        [ "$type" = - ] && set -- "$@" || set -- -H "Content-Type: $type" --data-binary "$body" "$@"
        got=$(status_of -X "$method" "$@" "$url$path")
        [ "$got" = "$expected" ] || echo "$method $path $type: $got"
        [ "$type" = - ] || shift 4
    done <"$work/routes"
}
for host in evil.example 127.0.0.1.evil.example 128.0.0.1 0.0.0.0 '[::3]' localhost.evil.example '[::1' '['; do
    expect "a foreign Host: $host" '' "$(each 421 -H "Host: $host")"
    expect "a foreign Host with our port: $host" '' "$(each 421 -H "Host: $host:${address##*:}")"
done
expect 'no Host' '' "$(each 400 -H 'Host:')"
for origin in http://evil.example null "http://$at" http://localhost:3001 https://chat.example.evil.example file:// '*'; do
    expect "an Origin that is not listed: $origin" '' "$(each 403 -H "Origin: $origin")"
done
expect 'an empty Origin' '' "$(each 403 -H 'Origin;')"
for site in cross-site same-site unheard-of; do
    expect "a browser's word: $site" '' "$(each 403 -H "Sec-Fetch-Site: $site")"
done
expect 'every route is tried' 14 "$(each none -H 'Host: evil.example' | wc -l)"
expect 'nothing was judged' '' "$(exchanges 2>/dev/null)"
expect 'nothing went up' '' "$(seen_by_upstream)"
expect 'the account of the agent' '{"agents":[]}' "$(operators /v1/agents | jq -c '{agents}')"

# What a page may send without asking is not taken for JSON by any judged route of an upstream.
for type in text/plain application/x-www-form-urlencoded multipart/form-data text/json '' 'application/json; charset=utf-16'; do
    expect "a request of type '$type'" 415 "$(status_of -H "Content-Type:${type:+ }$type" --data-binary "$chat" "$url/ai/v1/chat/completions")"
    expect "chunked, of type '$type'" 415 "$(status_of -H 'Transfer-Encoding: chunked' -H "Content-Type:${type:+ }$type" \
        --data-binary "$chat" "$url/ai/v1/chat/completions")"
done
expect_json 'which it names' .error.message '"the Content-Type application/json, in UTF-8, or multipart/form-data, without Content-Encoding, expected"' \
    "$(curl -sS -H "$plain" --data-binary "$chat" "$url/ai/v1/chat/completions")"
expect 'still nothing went up' '' "$(seen_by_upstream)"

# The same on the operators' socket: a proxy in front of it may hand a browser's requests on.
for path in /v1/policy /v1/rules /v1/agents /metrics; do
    expect "operators: $path" 403 "$(operators "$path" -o /dev/null -w '%{http_code}' -H 'Origin: http://evil.example')"
done
for path in /v1/policy/reload /v1/agents/a/kill /v1/agents/a/revive; do
    expect "operators: $path" 403 "$(operators "$path" -X POST -o /dev/null -w '%{http_code}' -H 'Sec-Fetch-Site: cross-site')"
done
expect 'nothing was reloaded' 0 "$(grep -c 'reload:' "$work/log")"

# Who is welcome.
for host in localhost LOCALHOST:1 127.0.0.1 127.9.9.9:80 '[::1]' '[::1]:8470' filterd.internal Filterd.Internal:8470 '[::2]:1'; do
    expect "Host: $host" 200 "$(status_of -H "Host: $host" "$url/healthz")"
done
for site in none same-origin; do
    expect "a browser's word: $site" 200 "$(status_of -H "Sec-Fetch-Site: $site" "$url/healthz")"
done
for origin in https://chat.example http://localhost:3000 HTTPS://CHAT.example; do
    curl -sS -D "$work/head" -o /dev/null -H "Origin: $origin" -H 'Sec-Fetch-Site: cross-site' -H "$json" -d '{"text":"a"}' "$url/v1/filter"
    expect "a page of $origin" "Access-Control-Allow-Origin: $origin|HTTP/1.1 200 OK|Vary: Origin|" \
        "$(tr -d '\r' <"$work/head" | grep -E '^(HTTP|Access-Control-Allow-Origin|Vary)' | LC_ALL=C sort | tr '\n' '|')"
done
preflight() { # preflight PATH ORIGIN [METHOD]
    curl -sS -D- -o /dev/null -X OPTIONS -H "Origin: $2" -H "Access-Control-Request-Method: ${3-POST}" \
        -H 'Access-Control-Request-Headers: authorization, content-type' "$url$1" | tr -d '\r'
}
for path in /v1/filter /ai/v1/chat/completions /nowhere; do
    expect "a listed page asks before: $path" 'Access-Control-Allow-Headers: *, Authorization|Access-Control-Allow-Methods: GET, HEAD, POST, PUT, PATCH, DELETE|Access-Control-Allow-Origin: https://chat.example|HTTP/1.1 204 No Content|' \
        "$(preflight $path https://chat.example | grep -E '^(HTTP|Access-Control-Allow-(Or|Me|He))' | LC_ALL=C sort | tr '\n' '|')"
    expect "another asks: $path" 'HTTP/1.1 403 Forbidden' "$(preflight $path http://evil.example | grep -E '^(HTTP|Access)')"
done
expect 'OPTIONS alone' 405 "$(status_of -X OPTIONS -H 'Origin: https://chat.example' "$url/v1/filter")"
stop

# With tokens any name will do, as a page that is not listed has none to show; its Origin is refused all the same.
printf '%s\n' token-of-the-caller-0123456789 | "$bin/filterd" --hash-token --role=caller >"$work/tokens"
start --tokens="$work/tokens"
with='Authorization: Bearer token-of-the-caller-0123456789'
expect 'with a token: any Host' 200 "$(status_of -H "$with" -H 'Host: filterd.example' -H "$plain" -d a "$url/v1/filter")"
expect 'with a token: no Origin' 403 "$(status_of -H "$with" -H 'Origin: http://evil.example' -H "$plain" -d a "$url/v1/filter")"
stop

# Operators over TCP need tokens, wherever they are.
for where in 127.0.0.1:0 '[::1]:0' 0.0.0.0:0; do
    "$bin/filterd" --check --operators="$where" --rules="$rules" --state-directory="$work/state" --cache-directory="$work/cache" \
        >/dev/null 2>"$work/err"
    expect "operators at $where without tokens" "2 operators: '$where': without tokens" "$? $(cut -d, -f1 "$work/err" | sed 's/ only.*//')"
done
wrong() { # wrong OPTION WORDS
    "$bin/filterd" --check "$1" --rules="$rules" --state-directory="$work/state" --cache-directory="$work/cache" >/dev/null 2>"$work/err"
    expect "$1" "2 1" "$? $(grep -c "$2" "$work/err")"
}
wrong --origins='*' '^origins: '
wrong --origins=null '^origins: '
wrong --origins=chat.example '^origins: '
wrong --origins='https://a.example,,https://b.example' '^origins: '
wrong --origins=https://a.example/ '^origins: '
wrong --hosts='*' '^hosts: '
wrong --hosts=a.example:80 '^hosts: '
finish
