#!/bin/sh
# Exact data match with 10 million rows of 5 columns, 10,000 indexed documents, and 10,000 short ones with a share: how long they take to build, their size, what is
# found of planted values and copies, what is found where nothing is, and what the pipeline costs with them.
#
# usage: bench/data.sh BUILD [ROWS]       FILTERD_DATA names the folder of texts; TMPDIR needs 150 bytes of room for each row
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
rows=${2:-10000000}
planted=${FILTERD_PLANTED:-1000}
cd "$(dirname "$0")/.." || exit 2
FILTERD_DATA=$(realpath "${FILTERD_DATA:-../shared/data}") || exit 2
export FILTERD_DATA
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-bench-data.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
ctl=$build/bin/filterctl
say() { printf '{"name":"%s","unit":"%s","value":%s,"n":%s}\n' "$@"; }

# rules NAME RULE: the shipped rules, and one that uses a file of data.
rules() {
    mkdir "$work/$1" && cp -r rules/. "$work/$1" && mkdir "$work/$1/own" || exit 1
    [ -z "${2:-}" ] || printf 'rules:\n%s\n' "$2" >"$work/$1/own/own.yaml"
    [ -z "${2:-}" ] || sed -i -e 's/rules: \[secrets, pii,/rules: [own, secrets, pii,/' \
        -e 's/^    review:/      - {rules: [own-data], action: redact}\n    review:/' "$work/$1/policy.yaml"
}
rules none
rules exact '  - {id: own-data, title: Own data, category: pii, severity: high, confidence: 0.95,
     exact_data: {file: own.edm, key: own.key, cells: [name, email, phone, customer], columns: 2, within: 300}}'
rules documents '  - {id: own-data, title: Own data, category: content, severity: high, confidence: 0.95,
     documents: {file: own.idm, key: own.key, run: 200}}'
rules notes '  - {id: own-data, title: Own data, category: content, severity: high, confidence: 0.95,
     documents: {file: own.idm, key: own.key, run: 200, share: 80}}'

# seconds COMMAND...: its processor time goes to $work/processor, its elapsed time to $work/elapsed.
seconds() {
    python3 - "$work" "$@" <<'PYTHON' || exit 1
import resource, subprocess, sys, time
start = time.monotonic()
code = subprocess.run(sys.argv[2:], stdout=sys.stderr).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
for name, value in (("elapsed", time.monotonic() - start), ("processor", used.ru_utime + used.ru_stime)):
    with open(f"{sys.argv[1]}/{name}", "w") as file:
        file.write(f"{value:.2f}")
sys.exit(code)
PYTHON
}

# found NAME TEXTS: how many lines of a file of NDJSON have a finding of the rule.
found() {
    "$ctl" check --pipe --field text --rules "$work/$1" --policy "$work/$1/policy.yaml" <"$2" | grep -c '"rule":"own-data"'
}
as_json() { python3 -c 'import json, sys
for line in sys.stdin: print(json.dumps({"text": line.rstrip("\n")}))'; }

# Texts that have none of it: 50 MB.
python3 bench/data_texts.py benign "$FILTERD_DATA" 50000000 >"$work/benign.ndjson" || exit 1

# --- exact data
"$build/bench/exact_rows" rows "$rows" >"$work/rows.csv" || exit 1
seconds "$ctl" edm build "$work/rows.csv" --columns name:name,email:email,phone:phone+49,customer:id,city:free \
    --key "$work/exact/own/own.key" --out "$work/exact/own/own.edm"
rm "$work/rows.csv"
say data.exact.build.elapsed s "$(cat "$work/elapsed")" "$rows"
say data.exact.build.processor s "$(cat "$work/processor")" "$rows"
size=$(stat -c %s "$work/exact/own/own.edm")
say data.exact.size B/cell "$(echo "scale=3; $size / $rows / 5" | bc)" "$rows"
"$build/bench/exact_rows" texts "$rows" "$planted" | as_json >"$work/planted.ndjson"
lines=$(wc -l <"$work/planted.ndjson")
say data.exact.recall % "$(echo "scale=4; 100 * $(found exact "$work/planted.ndjson") / $lines" | bc)" "$lines"
say data.exact.false texts "$(found exact "$work/benign.ndjson")" "$(wc -l <"$work/benign.ndjson")"
"$build/bench/bench_data" exact "$work/none" "$work/exact" || exit 1
rm -r "$work/exact"

# --- documents, and short ones
for kind in documents notes; do
    python3 bench/data_texts.py $kind "$FILTERD_DATA" 10000 "$work/folder" >"$work/copies.ndjson" || exit 1
    seconds "$ctl" idm build "$work/folder" --key "$work/$kind/own/own.key" --out "$work/$kind/own/own.idm"
    rm -r "$work/folder"
    say data.$kind.build.processor s "$(cat "$work/processor")" 10000
    lines=$(wc -l <"$work/copies.ndjson")
    say data.$kind.recall % "$(echo "scale=4; 100 * $(found $kind "$work/copies.ndjson") / $lines" | bc)" "$lines"
    say data.$kind.false texts "$(found $kind "$work/benign.ndjson")" "$(wc -l <"$work/benign.ndjson")"
    "$build/bench/bench_data" $kind "$work/none" "$work/$kind" || exit 1
done
