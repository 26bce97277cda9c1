#!/bin/sh
# What a supervisor that fails costs: how late answers are then, and what texts that nobody is asked
# about notice. The supervisor is the scripted endpoint of the tests. Prints one JSON line per figure.
#
# usage: bench/supervisor.sh BUILD [ROUNDS [SECONDS]]
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
rounds=${2:-8} seconds=${3:-1}
deadline_ms=600 hanging=64
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-bench.XXXXXX") || exit 2
service='' other='' endpoint='' load=''

stop() {
    [ -z "$1" ] || { kill "$1" && wait "$1"; } 2>/dev/null
}
cleanup() {
    stop "$load"
    stop "$service"
    stop "$other"
    stop "$endpoint"
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

fail() {
    echo "bench/supervisor.sh: $*" >&2
    exit 1
}
report() { # name unit value n
    printf '{"name":"%s","unit":"%s","value":%s,"n":%s}\n' "$@"
}
wait_until() { # seconds/100, command…
    left=$1; shift
    until "$@"; do
        left=$((left - 1))
        [ $left -gt 0 ] || fail "waited in vain for: $*"
        sleep 0.01
    done
}

python3 tests/supervisor/endpoint.py "$work/port" &
endpoint=$!
wait_until 2000 test -s "$work/port"

# Grey is what says so: a text with the word "borderline".
mkdir -p "$work/rules/bench"
cat >"$work/rules/bench/bench.yaml" <<'RULES'
rules:
  - {id: borderline, title: Perhaps, category: content, severity: low, confidence: 0.5, pattern: borderline, boundary: word,
     match: [a borderline text, borderline, 'borderline.'], no_match: [a text, border, line]}
RULES
cat >"$work/rules/policy.yaml" <<POLICY
policies:
  default:
    rules: [bench]
    actions: []
    supervisor: {when: {rule: borderline}, deadline: ${deadline_ms}ms, categories: [harm]}
POLICY

start_service() { # model [another, beside the first]
    printf 'retries: 0\nsupervisors:\n  bench: {url: "http://127.0.0.1:%s/v1", model: %s, concurrency: 256}\n' \
        "$(cat "$work/port")" "$1" >"$work/supervisors.yaml"
    rm -f "$work/log"
    "$build/bin/filterd" --listen=127.0.0.1:0 --operators=none --rules="$work/rules" --state-directory="$work/state.$#" \
        --cache-directory="$work/cache" --supervisors="$work/supervisors.yaml" 2>"$work/log" &
    service=$!
    wait_until 3000 grep -qs 'filterd: ready' "$work/log"
    url=http://127.0.0.1:$(sed -n 's/.*ready listen=127\.0\.0\.1:\([0-9]*\).*/\1/p' "$work/log")
}

# --- how late -------------------------------------------------------------------

worst=-100000 n=0
for model in hang late drip busy error denied broken half schema evidence echo huge garbled; do
    start_service "$model"
    for i in 1 2 3 4; do
        late=$(curl -sS -o "$work/answer" -w '%{time_total}\n' -H 'Content-Type: application/json' \
            -d "{\"text\":\"a borderline text, $i\"}" "$url/v1/filter" | awk -v d=$deadline_ms '{ printf "%d", $1 * 1000 - d }')
        [ "$(jq -r .rule "$work/answer")" = filterd.unjudged ] || fail "$model: $(cat "$work/answer")"
        worst=$(( late > worst ? late : worst )) n=$((n + 1))
    done
    stop "$service"; service=''
done
report supervisor.lateness ms $worst $n

# --- what the others notice -----------------------------------------------------

# Two services, of which one's supervisor hangs; at half time they change places.
cat >"$work/clean.lua" <<'LUA'
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"text":"' .. string.rep("Clear words about the weather, of no interest to anybody else. ", 12) .. '"}'
LUA
# Requests a second of the service, and its processor time for each of them.
requests() { # pid url
    before=$(awk '{ print $14 + $15 }' "/proc/$1/stat")
    wrk -t2 -c32 -d"${seconds}s" -s "$work/clean.lua" "$2/v1/filter" |
        awk -v b="$before" -v pid="$1" -v hz="$(getconf CLK_TCK)" '
            /requests in/ { n = $1 } /^Requests\/sec:/ { rate = $2 }
            END { getline stat < ("/proc/" pid "/stat"); split(stat, f, " "); printf "%s %.3f\n", rate, (f[14] + f[15] - b) * 1e6 / hz / n }'
}
# Questions that nobody answers as long as is measured: the deadline is far, so no time-out opens the breaker.
hang_on() { # url
    for i in $(seq $hanging); do
        printf 'url = "%s/v1/filter"\nheader = "Content-Type: application/json"\ndata = "{\\"text\\":\\"borderline %s\\"}"\noutput = "/dev/null"\nnext\n' \
            "$1" "$i"
    done | sed '$d' >"$work/curl"
    exec curl -sS --no-progress-meter --parallel --parallel-immediate --parallel-max $hanging -K "$work/curl"
}
are_waiting() { # url n
    [ "$(curl -sS "$1/metrics" | awk '$1 == "filterd_supervisor_waiting" { print $2 }')" = "$2" ]
}
compare() { # pid and url of the one that hangs, of the other
    hang_on "$2" & load=$!
    wait_until 500 are_waiting "$2" $hanging
    for i in $(seq "$rounds"); do # in turns, so that neither is always first
        [ $((i % 2)) -eq 0 ] || busy=$(requests "$1" "$2")
        free=$(requests "$3" "$4")
        [ $((i % 2)) -ne 0 ] || busy=$(requests "$1" "$2")
        echo "$busy $free" >>"$work/ratios"
    done
    are_waiting "$2" $hanging || fail "not all that was asked hung all the time"
    stop "$load"; load=''
}
sed -i "s/deadline: ${deadline_ms}ms/deadline: 120s/" "$work/rules/policy.yaml"
start_service hang
other=$service other_url=$url
start_service hang another
for pair in "$service $url" "$other $other_url"; do
    # shellcheck disable=SC2086 # two words
    requests $pair >/dev/null # warm
done
: >"$work/ratios"
compare "$service" "$url" "$other" "$other_url"
compare "$other" "$other_url" "$service" "$url"
median_ratio() { # column of what is above, of what is below
    awk -v a="$1" -v b="$2" '{ printf "%.3f\n", $a / $b }' "$work/ratios" | sort -g |
        awk '{ v[NR] = $1 } END { printf "%.3f", (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }'
}
pairs=$(wc -l <"$work/ratios")
report supervisor.throughput_while_it_hangs ratio "$(median_ratio 1 3)" "$pairs"
report supervisor.time_a_request_while_it_hangs ratio "$(median_ratio 2 4)" "$pairs"
