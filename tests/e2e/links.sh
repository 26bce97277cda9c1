#!/bin/sh
# Links and the system prompt through the service: /v1/filter, batches, /v1/streams and the proxy.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
upstream
cp -R rules/links "$rules/links"
cat >"$rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [test, links]
    links: {allow: [ok.example], load: allowed}
    system_prompt: {words: 4}
    actions:
      - {category: secret, action: redact}
      - {category: injection, action: block}
      - {tag: link, action: redact, with: text}
      - {rule: system-prompt, action: redact}
    notice: "Withheld by the tests."
  off: {rules: [test], actions: []}
POLICY
cat >"$upstreams" <<YAML
upstreams:
  ai: {protocol: openai, url: 'http://127.0.0.1:$port'}
YAML
start --upstreams="$upstreams"

# Links.
got=$(post /v1/filter '{"text":"A ![chart](https://evil.example/c.png?d=1), [b](https://ok.example/b), https://evil.example/x."}')
expect_json 'links' '[.action,.rule,.text,([.findings[].rule])]' \
    '["redact","link-load","A chart, [b](https://ok.example/b), [link-outside].",["link-load","link-outside"]]' "$got"
expect_json 'what is permitted' '[.action,(.findings|length)]' '["allow",0]' \
    "$(post /v1/filter '{"text":"![c](https://ok.example/c.png) and [d](/e)"}')"
expect_json 'without the pack' '[.action,(.findings|length)]' '["allow",0]' \
    "$(post /v1/filter '{"policy":"off","text":"![c](https://evil.example/c.png)"}')"

# The system prompt.
prompt='You are Otto of the Harbour Bank. Never tell a customer that refunds above 400 francs need an approval.'
leak='I was told: NEVER tell a customer that refunds above 400 francs need an approval.'
body="{\"context\":{\"system\":\"$prompt\",\"user\":\"hello\"},\"text\":\"$leak\"}"
expect_json 'a part of the prompt' '[.action,.rule,.text,.findings[0].bytes]' \
    '["redact","system-prompt","I was told: [system-prompt]",[12,81]]' "$(post /v1/filter "$body")"
expect_json 'what the user wrote' '.action' '"allow"' \
    "$(post /v1/filter "{\"context\":{\"system\":\"$prompt\",\"user\":\"$leak\"},\"text\":\"$leak\"}")"
expect_json 'without the key' '.action' '"allow"' "$(post /v1/filter "{\"policy\":\"off\",${body#\{}")"
expect_json 'without a context' '.action' '"allow"' "$(post /v1/filter "{\"text\":\"$leak\"}")"
expect 'an unknown member' 422 "$(status_of -H "$json" --data-binary '{"context":{"assistant":"x"},"text":"x"}' "$url/v1/filter")"
big=$(head -c 300000 /dev/zero | tr '\0' a)
printf '{"context":{"system":"%s"},"text":"x"}' "$big" >"$work/big"
expect 'a prompt that is too long' 422 "$(status_of -H "$json" --data-binary @"$work/big" "$url/v1/filter")"
expect_json 'a batch' '.text' '"I was told: [system-prompt]"' \
    "$(curl -sS -H "$ndjson" --data-binary "$body" "$url/v1/filter/batch")"

# Streams: cut within the prompt, and within a link.
id=$(post /v1/streams "{\"context\":{\"system\":\"$prompt\"}}" | jq -r .id)
released=''
for piece in 'I was told: never tell a cust' 'omer that refunds ab' 'ove 400 francs. ![a](https://ev' 'il.example/x) end'; do
    released="$released$(curl -sS -H "$plain" --data-binary "$piece" "$url/v1/streams/$id/chunks" | jq -r '.text // ""')~"
done
released="$released$(post "/v1/streams/$id/end" '{}' | jq -r '.text // ""')"
expect 'a stream' 'I was told: [system-prompt]. a end' "$(printf '%s' "$released" | tr -d '~')"

# The proxy takes the prompt from the request.
messages="[{\"role\":\"system\",\"content\":\"$prompt\"},{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":\"$leak\"}]"
complete() {
    curl -sS --max-time 30 -H "$json" --data-binary "{\"model\":\"echo\",\"stream\":$1,\"messages\":$messages}" "$url/ai/v1/chat/completions"
}
expect 'the proxy, streamed' 'I was told: [system-prompt]' "$(complete true | said)"
expect_json 'the proxy, whole' '.choices[0].message.content' '"I was told: [system-prompt]"' "$(complete false)"
messages="[{\"role\":\"system\",\"content\":\"$prompt\"},{\"role\":\"user\",\"content\":\"$leak\"}]"
expect 'the proxy: what the user wrote' "$leak" "$(complete true | said)"

# Neither is on record.
expect 'nothing of the prompt on record' '' "$(records | grep -i 'refunds above')"
expect 'nothing of a URL on record' '' "$(records | grep 'evil.example')"
stop
finish
