#!/bin/sh
# Many streams open at once: none hangs, none leaks, memory is bounded and comes back, and each has its two records.
# FILTERD_STREAMS=10000 for the full load. Over HTTP/1.1 the hard limit of open files must allow twice as many;
# FILTERD_UPSTREAM=http2 leaves that out, as a hundred streams share a connection to the upstream.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
n=${FILTERD_STREAMS:-300}
files=$(ulimit -Hn)
ulimit -n "$files"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$work/tls.key" -out "$work/tls.pem" -days 2 \
    -subj /CN=localhost -addext 'subjectAltName=DNS:localhost' 2>/dev/null
mkfifo "$work/begin"
of() { jq -c "$1" "$work/result"; }
ids() { records | jq -r "select($1) | .req_id" | sort; }

# many NAME KIB KEPT FILES SCHEME://HOST [UPSTREAM…]: each stream takes at most KIB, all together FILES; KEPT KiB may stay.
many() {
    name=$1 per_stream_kib=$2 kept_kib=$3 need=$4 base=$5; shift 5
    if [ "$files" != unlimited ] && [ "$files" -lt "$need" ]; then
        echo "$name: $n streams need $need open files; the hard limit is $files"; failures=$((failures + 1)); return
    fi
    rm -rf "$work/state" "$work/port"
    /usr/bin/python3 tests/support/many_streams.py "$n" "$work/port" "$@" <"$work/begin" >"$work/result" &
    many=$! upstream_pids="$upstream_pids $!"
    exec 3>"$work/begin"
    for _ in $(seq 1200); do [ -s "$work/port" ] && break; sleep 0.05; done
    echo "upstreams: {ai: {protocol: openai, url: '$base:$(cat "$work/port")', ca: $work/tls.pem}}" >"$upstreams"
    start --upstreams="$upstreams"
    echo "$pid ${address%:*} ${address##*:} $secret" >&3
    wait $many; expect "$name: clients and upstream" 0 $?
    exec 3>&-
    third=$((n / 3))
    expect "$name: opened" "$n" "$(of .opened)"
    expect "$name: open at the same time" "$n" "$(of .peak)"
    expect "$name: none is left at the upstream" 0 "$(of .left_at_the_upstream)"
    expect "$name: none has seen the secret" 0 "$(of .leaks)"
    expect "$name: ends" "$((n - n / 3 - (n + 1) / 3)) $(((n + 1) / 3)) $third" "$(of .ends | jq -r '"\(.stop) \(.length) \(.left)"')"
    await "$name: none is open" 0 metric filterd_proxy_open
    expect "$name: nothing is held" '0 0' "$(metric filterd_proxy_held_bytes) $(metric filterd_held_bytes)"
    memory
    recorded
    stop
    expect "$name: exit code" 0 "$status"
}

memory() {
    used=$(of .each_kib)
    kept=$(($(of .after_kib) - $(of .before_kib)))
    echo "$name: $n streams on $(of .connections) connections: $used KiB each while open, $kept KiB in all after;" \
        "$(of .opening_s) s to open, $(of .closing_s) s to end"
    case $bin in
    */asan/* | */tsan/*) ;; # which have an allocator of their own
    *)
        expect "$name: a stream takes at most $per_stream_kib KiB: $used" 1 "$([ "${used%.*}" -lt $per_stream_kib ] && echo 1)"
        expect "$name: memory comes back: $kept KiB are kept" 1 "$([ $kept -le $kept_kib ] && echo 1)"
        ;;
    esac
}

recorded() {
    ids '.phase == "open"' >"$work/opened"
    ids '.phase == "final" or .phase == "aborted"' >"$work/ended"
    expect "$name: each is on record" "$n" "$(sort -u "$work/opened" | wc -l)"
    expect "$name: each has its end" 0 "$(comm -3 "$work/opened" "$work/ended" | wc -l)"
    expect "$name: two records each" $((2 * n)) "$(exchanges | wc -l)"
    expect "$name: how they ended" "$(of '[.ends.stop, .ends.length, .ends.left]')" \
        "$(records | jq -sc '[(map(select(.end == "whole")), map(select(.end == "broken")), map(select(.end == "client"))) | length]')"
    expect "$name: the secret is nowhere" '' "$(grep -laF "$secret" "$work/log" "$work/state/decisions.jsonl")"
}

# 48 KiB with the libraries of Debian 12, some 3 more with those of 13.
stream_kib=49
case $(pkg-config --modversion libmicrohttpd) in 0.*) ;; *) stream_kib=53 ;; esac
for upstream in ${FILTERD_UPSTREAM:-http1 http2}; do
    case $upstream in
    http1) many http1 $stream_kib 16384 $((2 * n + 100)) http://127.0.0.1 ;;
    # With its share of a connection and of what TLS takes for it; some connections are kept.
    http2) many http2 96 32768 $((n + n / 50 + 200)) https://localhost \
        node tests/support/upstream_h2.mjs /dev/null "$work/tls.pem" "$work/tls.key" ;;
    *) echo "FILTERD_UPSTREAM: http1 or http2 expected"; exit 2 ;;
    esac
done
finish
