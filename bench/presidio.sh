#!/bin/sh
# filterd's /analyze against Presidio's analyzer on the same texts, in rounds that alternate between the two. filterd is asked over HTTP by
# wrk; Presidio's engine is called in its own processes, one for each core, without HTTP. Texts are a JSON object with `text` per line: by
# default the synthetic set of tests/accuracy/privacy_set.py, whose lists are in FILTERD_DATA. Prints one JSON line per figure:
# requests per second, their ratio, and the ratio of processor time per text, which other work on the machine changes less.
#
# usage: bench/presidio.sh BUILD [ROUNDS [SECONDS [TEXTS]]]
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
rounds=${2:-3} seconds=${3:-10} texts=${4:-}
connections=16 threads=$(getconf _NPROCESSORS_ONLN)
[ -z "$texts" ] || texts=$(realpath "$texts")
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-bench.XXXXXX") || exit 2
service=''
command -v wrk >/dev/null || { echo "$0: wrk is expected" >&2; exit 2; }
cleanup() {
    [ -z "$service" ] || { kill "$service" && wait "$service"; } 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
fail() { echo "bench/presidio.sh: $*" >&2; exit 1; }
report() { printf '{"name":"%s","unit":"%s","value":%s,"n":%s}\n' "$@"; }
median() { sort -g | awk '{ v[NR] = $1 } END { m = (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2; printf(m < 100 ? "%.3g\n" : "%.0f\n", m) }'; }

python=build/bench-presidio/bin/python
cmp -s bench/presidio/requirements.txt build/bench-presidio.done || {
    { python3 -m venv build/bench-presidio && build/bench-presidio/bin/pip install --quiet --requirement bench/presidio/requirements.txt; } >&2 &&
        cp bench/presidio/requirements.txt build/bench-presidio.done || fail 'PyPI has not given presidio-analyzer'
}
# The package of the model has the model's own name as its module.
PRESIDIO_MODEL=$($python -c 'import spacy.util; print(sorted(spacy.util.get_installed_models())[0])') || fail 'no model of spaCy is installed'
export PRESIDIO_MODEL

if [ -z "$texts" ]; then
    texts=$work/texts.ndjson
    python3 tests/accuracy/privacy_set.py "${FILTERD_DATA:-../shared/data}/lists" >"$texts" || fail 'the texts of tests/accuracy/privacy_set.py cannot be made'
fi
# wrk's bodies: what Presidio's client sends.
jq -c '{text, language: "en"}' "$texts" | sed 's/^/0 /' >"$work/bodies" || exit 1
n=$(wc -l <"$work/bodies")

for policy in default privacy; do
    file=rules/policy.yaml
    [ $policy = default ] || file=rules/policy-privacy.yaml
    mkdir -p "$work/log.$policy"
    "$build/bin/filterd" --listen=127.0.0.1:0 --operators=none --threads="$threads" --policy="$file" --state-directory="$work/state.$policy" \
        --cache-directory="$work/cache" --log="$work/log.$policy/decisions.jsonl" 2>"$work/log" &
    service=$!
    until grep -q 'filterd: ready' "$work/log"; do
        kill -0 $service 2>/dev/null || fail "$(cat "$work/log")"
        sleep 0.1
    done
    port=$(sed -n 's/.*ready listen=127\.0\.0\.1:\([0-9]*\).*/\1/p' "$work/log")
    : >"$work/rounds"
    for _ in $(seq "$rounds"); do
        before=$(awk '{ print $14 + $15 }' "/proc/$service/stat")
        line=$(POLICY=$policy TARGET=/analyze BODIES=$work/bodies wrk -t2 -c$connections -d"${seconds}s" -s bench/http.lua "http://127.0.0.1:$port" | sed -n 's/^wrk //p')
        after=$(awk '{ print $14 + $15 }' "/proc/$service/stat")
        presidio=$($python bench/presidio/engine.py "$texts" "$seconds" "$threads") || fail "Presidio's engine failed"
        # RPS P50 P99 ERRORS REQUESTS TICKS TICKS-A-SECOND TEXTS-A-SECOND CPU-MS
        echo "$line $((after - before)) $(getconf CLK_TCK) $presidio" | awk '$4 > 0 || $5 == 0 { exit 1 }
            { cpu = $6 / $7 * 1e3 / $5; printf("%s %s %.2f %.4f %s %.1f\n", $1, $8, $1 / $8, cpu, $9, $9 / cpu) }' >>"$work/rounds" || fail "errors: $line"
    done
    report "presidio.$policy.filterd_rps" requests/s "$(cut -d' ' -f1 "$work/rounds" | median)" "$rounds"
    report "presidio.$policy.presidio_rps" texts/s "$(cut -d' ' -f2 "$work/rounds" | median)" "$rounds"
    report "presidio.$policy.ratio" x "$(cut -d' ' -f3 "$work/rounds" | median)" "$rounds"
    report "presidio.$policy.filterd_cpu" ms "$(cut -d' ' -f4 "$work/rounds" | median)" "$rounds"
    report "presidio.$policy.presidio_cpu" ms "$(cut -d' ' -f5 "$work/rounds" | median)" "$rounds"
    report "presidio.$policy.cpu_ratio" x "$(cut -d' ' -f6 "$work/rounds" | median)" "$rounds"
    kill "$service"
    wait "$service" 2>/dev/null
    service=''
done
report presidio.texts texts "$n" 1
