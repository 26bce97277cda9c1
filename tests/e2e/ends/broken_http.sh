#!/bin/sh
# An upstream whose HTTP is broken or odd: broken_http.py has the cases, and what must hold for each.
. "$(dirname "$0")/../service.inc"
here=$(dirname "$0")
run_upstream /usr/bin/python3 "$here/broken_http.py" upstream
trap 'kill -9 "$upstream_pid" 2>/dev/null; cleanup' EXIT
echo 'upstreams:' >"$work/upstreams.yaml"
for protocol in openai:2 ollama:2 gemini:7; do # its events end after 5 s of silence
    echo "  ${protocol%:*}: {protocol: ${protocol%:*}, url: 'http://127.0.0.1:$port', idle_timeout: ${protocol#*:}, first_byte_timeout: 2}"
done >>"$work/upstreams.yaml"
start --upstreams="$work/upstreams.yaml"

/usr/bin/python3 "$here/broken_http.py" client "$url" "$work/state/decisions.jsonl" >"$work/found"
expect 'all answers' '0 wrong' "$(tail -n 1 "$work/found" | sed 's/^[0-9]* answers, //')"
sed '$d' "$work/found"
expect 'on record or in the log' 0 "$(cat "$work/state/decisions.jsonl" "$work/log" | grep -c "$secret")"
stop
expect 'exit code' 0 "$status"
finish
