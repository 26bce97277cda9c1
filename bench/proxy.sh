#!/bin/sh
# filterd's proxy against one that forwards and does nothing else, before the same upstream, in rounds that alternate
# between the two: time to the first text, and the text of 100 streams at once. Prints one JSON line per figure.
#
# usage: bench/proxy.sh BUILD [ROUNDS]
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
rounds=${2:-6}
clients=100 path=/v1/chat/completions
alone=20/0 paced=200/10000 flood=1000/0 # events of an answer / microseconds between them
threads=$(getconf _NPROCESSORS_ONLN)
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-bench.XXXXXX") || exit 2
pids=''

cleanup() {
    for pid in $pids; do { kill "$pid" && wait "$pid"; } 2>/dev/null; done
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

fail() {
    echo "bench/proxy.sh: $*" >&2
    exit 1
}

report() { # name unit value n
    printf '{"name":"%s","unit":"%s","value":%s,"n":%s}\n' "$@"
}

median() {
    sort -g | awk '{ v[NR] = $1 } END { m = (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2; printf(m < 100 ? "%.3g\n" : "%.0f\n", m) }'
}

# start NAME PATTERN COMMAND…: sets pid, and port from what it says.
start() {
    log=$work/$1.log pattern=$2; shift 2
    "$@" >"$log" 2>&1 &
    pid=$! tries=0
    pids="$pids $pid"
    while ! grep -q "$pattern" "$log"; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] && kill -0 $pid 2>/dev/null || fail "$(cat "$log")"
        sleep 0.01
    done
    port=$(sed -n "s/.*$pattern\([0-9]*\).*/\1/p" "$log")
}

# Prints "STREAMS P50-US EVENTS-PER-SECOND CPU-US-PER-EVENT" of one round.
load() { # process port path model clients answers
    before=$(awk '{ print $14 + $15 }' "/proc/$1/stat")
    line=$("$build/bench/stream_load" "$2" "$3" "$4" "$5" "$6") || fail 'no clients'
    after=$(awk '{ print $14 + $15 }' "/proc/$1/stat")
    echo "$line ${4%/*} $((after - before)) $(getconf CLK_TCK)" | awk '$4 > 0 || $1 == 0 { exit 1 }
        { printf("%d %s %.1f %.2f\n", $1, $2, $1 * $6 / $5, $7 / $8 * 1e6 / ($1 * $6)) }' || fail "errors: $line"
}

# Sets "$work/rounds": for each, the four figures of the bare proxy and those of filterd.
measure() { # model clients answers-of-each
    : >"$work/rounds"
    load $bare "$bare_port" $path "$1" "$2" "$3" >/dev/null
    load $filterd "$filterd_port" /ai$path "$1" "$2" "$3" >"$work/warm"
    for i in $(seq "$rounds"); do
        echo "$(load $bare "$bare_port" $path "$1" "$2" "$3")" \
            "$(load $filterd "$filterd_port" /ai$path "$1" "$2" "$3")" >>"$work/rounds"
    done
    [ "$(awk 'NF != 8' "$work/rounds" | wc -l)" -eq 0 ] || fail 'a round without figures'
}

figures() { # prefix; lines "name unit expression" on stdin
    while read -r name unit value; do
        report "$1.$name" "$unit" "$(awk "{ print $value }" "$work/rounds" | median)" "$rounds"
    done
}

start upstream 'ready port=' "$build/bench/stream_upstream"
echo "upstreams: {ai: {protocol: openai, url: 'http://127.0.0.1:$port'}}" >"$work/upstreams.yaml"
start bare 'ready port=' "$build/bench/pass_proxy" "$threads" "$port"
bare=$pid bare_port=$port
start filterd 'ready listen=127\.0\.0\.1:' "$build/bin/filterd" --listen=127.0.0.1:0 --operators=none --threads="$threads" \
    --upstreams="$work/upstreams.yaml" --state-directory="$work/state" --log="$work/decisions.jsonl" \
    --cache-directory="$work/cache"
filterd=$pid filterd_port=$port

measure $alone 1 400
figures proxy <<'FIGURES'
bare_first us $2
filterd_first us $6
first_added ms ($6-$2)/1000
FIGURES
measure $paced $clients 1
figures proxy.paced <<'FIGURES'
bare_events 1/s $3
filterd_events 1/s $7
ratio ratio $7/$3
bare_first us $2
filterd_first us $6
bare_cpu us $4
filterd_cpu us $8
FIGURES
measure $flood $clients 1
figures proxy.flood <<'FIGURES'
bare_events 1/s $3
filterd_events 1/s $7
ratio ratio $7/$3
bare_cpu us $4
filterd_cpu us $8
FIGURES
report proxy.rss_busy_kib KiB "$(sed -n 's/^VmRSS:[ \t]*\([0-9]*\) kB/\1/p' "/proc/$filterd/status")" 1
# Every answer that was whole has both its records.
opened=$(grep -c '"phase":"open"' "$work/decisions.jsonl")
ended=$(grep -c '"phase":"final"' "$work/decisions.jsonl")
[ "$opened" -ge "$ended" ] && [ "$ended" -gt 0 ] || fail "$opened opened, $ended ended"
