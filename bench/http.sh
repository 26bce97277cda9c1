#!/bin/sh
# The service against the floor server: requests per second and latency, in rounds that alternate
# between the two on the same machine, the decision log going to a file. Then start and memory.
# Prints one JSON line per figure.
#
# usage: bench/http.sh BUILD [ROUNDS [SECONDS]]
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
rounds=${2:-8} seconds=${3:-2}
connections=64 n_bodies=1000 starts=5
threads=$(getconf _NPROCESSORS_ONLN)
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-bench.XXXXXX") || exit 2
service='' floor=''

stop() {
    [ -z "$1" ] || { kill "$1" && wait "$1"; } 2>/dev/null
}
cleanup() {
    stop "$service"
    stop "$floor"
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

fail() {
    echo "bench/http.sh: $*" >&2
    exit 1
}

report() { # name unit value n
    printf '{"name":"%s","unit":"%s","value":%s,"n":%s}\n' "$@"
}

median() {
    sort -g | awk '{ v[NR] = $1 } END { m = (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2; printf(m < 100 ? "%.3g\n" : "%.0f\n", m) }'
}

# --- the two servers ---------------------------------------------------------

wait_for() { # file pattern process
    tries=0
    while ! grep -q "$2" "$1" 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] && kill -0 "$3" 2>/dev/null || fail "$(cat "$1")"
        sleep 0.01
    done
}

# Sets service, service_port and start_ms.
start_service() { # cache [option…]
    rm -f "$work/service.log" # or the last one's would be read
    cache=$1; shift
    "$build/bin/filterd" --listen=127.0.0.1:0 --operators=none --threads="$threads" \
        --state-directory="$work/state" --cache-directory="$cache" --log="$work/decisions.jsonl" "$@" 2>"$work/service.log" &
    service=$!
    wait_for "$work/service.log" 'filterd: ready' $service
    service_port=$(sed -n 's/.*ready listen=127\.0\.0\.1:\([0-9]*\).*/\1/p' "$work/service.log")
    start_ms=$(sed -n 's/.*start_ms=\([0-9]*\).*/\1/p' "$work/service.log")
}

start_floor() { # cache
    "$build/bench/floor_server" "$threads" "$1" >"$work/floor.log" 2>&1 &
    floor=$!
    wait_for "$work/floor.log" '^ready' $floor
    floor_port=$(sed -n 's/^ready port=//p' "$work/floor.log")
}

measure_starts() {
    for i in $(seq $starts); do
        start_service "$work/cache$i"
        echo "$start_ms" >>"$work/cold"
        stop "$service"
    done
    for i in $(seq $starts); do
        start_service "$work/cache1"
        echo "$start_ms" >>"$work/warm"
        sed -n 's/^VmRSS:[ \t]*\([0-9]*\) kB/\1/p' "/proc/$service/status" >>"$work/rss"
        stop "$service"
    done
    service=''
    report service.start_cold_ms ms "$(median <"$work/cold")" $starts
    report service.start_warm_ms ms "$(median <"$work/warm")" $starts
    report service.rss_idle_kib KiB "$(median <"$work/rss")" $starts
}

# --- load --------------------------------------------------------------------

# Prints "RPS P50-US P99-US ERRORS REQUESTS CPU-US", the last per request in the server's process:
# steadier than the rest where the machine has other work.
load() { # process port seconds bodies [command…]: the command runs before the time is read
    process=$1 port=$2 duration=$3 bodies=$4; shift 4
    before=$(awk '{ print $14 + $15 }' "/proc/$process/stat")
    line=$(BODIES=$bodies wrk -t2 -c$connections -d"${duration}s" -s bench/http.lua "http://127.0.0.1:$port" | sed -n 's/^wrk //p')
    [ $# -eq 0 ] || "$@"
    after=$(awk '{ print $14 + $15 }' "/proc/$process/stat")
    echo "$line" | awk -v ticks=$((after - before)) -v hz="$(getconf CLK_TCK)" '{ print $0, ticks / hz * 1e6 / $5 }'
}

check_bodies() { # action bodies
    sed -n '1{s/^[0-9]* //;p;q}' "$2" >"$work/body"
    curl -s -H 'Content-Type: application/json' --data-binary "@$work/body" "http://127.0.0.1:$service_port/v1/filter" |
        grep -q "\"action\":\"$1\"" || fail "the first body of the mix \"$1\" is answered otherwise"
}

# Every answer has its line, so none was released without.
check_record() { # name sent
    lines=$(wc -l <"$work/decisions.jsonl")
    [ "$lines" -ge "$2" ] || fail "$1: $2 answers, but $lines lines in the decision log"
}

measure_mix() { # mix prefix rounds
    "$build/bench/bodies" "$1" $n_bodies "$work/cache1" >"$work/$1.bodies" || fail "no bodies"
    check_bodies "$1" "$work/$1.bodies"
    load "$floor" "$floor_port" 1 "$work/$1.bodies" >/dev/null
    load "$service" "$service_port" 1 "$work/$1.bodies" >/dev/null
    : >"$work/rounds"
    for i in $(seq "$3"); do
        echo "$(load "$floor" "$floor_port" "$seconds" "$work/$1.bodies")" \
            "$(load "$service" "$service_port" "$seconds" "$work/$1.bodies")" >>"$work/rounds"
    done
    [ "$(awk '{ n += NF != 12 || $4 + $10 > 0 } END { print n + 0 }' "$work/rounds")" -eq 0 ] ||
        fail "errors: $(cat "$work/rounds")"
    check_record "$1" "$(awk '{ n += $11 } END { print n }' "$work/rounds")"
    while read -r name unit value; do
        report "$2.$name" "$unit" "$(awk "{ print $value }" "$work/rounds" | median)" "$3"
    done <<'FIGURES'
floor_rps 1/s $1
filterd_rps 1/s $7
ratio ratio $7 / $1
floor_p99 us $3
filterd_p99 us $9
p50_ratio ratio $8 / $2
p99_ratio ratio $9 / $3
floor_cpu us $6
filterd_cpu us $12
FIGURES
}

# What the proof of the record costs: with it and without, in turn. The processor's time is that of the service alone; the
# signer's is a signature a second.
measure_proof() { # rounds
    proven=$service proven_port=$service_port
    mkdir -p "$work/without" || fail "no folder"
    start_service "$work/cache1" --proof=off --state-directory="$work/without/state" --log="$work/without/decisions.jsonl"
    load "$service" "$service_port" 1 "$work/allow.bodies" >/dev/null
    : >"$work/rounds"
    for i in $(seq "$1"); do
        echo "$(load "$service" "$service_port" "$seconds" "$work/allow.bodies")" \
            "$(load "$proven" "$proven_port" "$seconds" "$work/allow.bodies")" >>"$work/rounds"
    done
    stop "$service"
    service=$proven service_port=$proven_port
    report service.proof.ratio ratio "$(awk '{ print $7 / $1 }' "$work/rounds" | median)" "$1"
    report service.proof.cpu_ratio ratio "$(awk '{ print $12 / $6 }' "$work/rounds" | median)" "$1"
    report service.proof.p99_more us "$(awk '{ print $9 - $3 }' "$work/rounds" | median)" "$1"
    "$build/bin/filterctl" record verify "$work" >"$work/verified" 2>&1 || fail "$(cat "$work/verified")"
}

# Until the index has the last line of its log.
caught_up() {
    for i in $(seq 600); do
        last=$(tail -n 1 "$work/indexed/decisions.jsonl" | sed -n 's/^{"seq":\([0-9]*\),.*/\1/p')
        seq=$(curl -sS --unix-socket "$work/operators.sock" http://localhost/metrics | sed -n 's/^filterd_index_seq //p')
        [ "${seq:-0}" -ge "${last:-1}" ] && return
        sleep 0.1
    done
    fail "the index does not catch up"
}

# What the index and the review queue cost: with them, for operators who ask, and without, in turn. Their threads are in the service's
# processor time, and have caught up before it is read, so that the work counts that follows the answers.
measure_index() { # rounds
    plain=$service plain_port=$service_port
    mkdir -p "$work/indexed" || fail "no folder"
    operators="unix:$work/operators.sock"
    start_service "$work/cache1" --operators="$operators" --index=on --state-directory="$work/indexed/state" --log="$work/indexed/decisions.jsonl"
    load "$service" "$service_port" 1 "$work/allow.bodies" >/dev/null
    : >"$work/rounds"
    for i in $(seq "$1"); do
        echo "$(load "$plain" "$plain_port" "$seconds" "$work/allow.bodies")" \
            "$(load "$service" "$service_port" "$seconds" "$work/allow.bodies" sleep 2)" >>"$work/rounds"
        caught_up # is not counted itself
    done
    stop "$service"
    service=$plain service_port=$plain_port
    report service.index.ratio ratio "$(awk '{ print $7 / $1 }' "$work/rounds" | median)" "$1"
    report service.index.cpu_ratio ratio "$(awk '{ print $6 / $12 }' "$work/rounds" | median)" "$1"
}

measure_starts
start_service "$work/cache1"
start_floor "$work/cache1"
measure_mix allow service "$rounds"
measure_mix redact service.redact $(((rounds + 1) / 2))
measure_proof "$rounds"
measure_index "$rounds"
report service.rss_busy_kib KiB "$(sed -n 's/^VmRSS:[ \t]*\([0-9]*\) kB/\1/p' "/proc/$service/status")" 1
