#!/bin/sh
# places.sh BINDIR: how many of the secrets in places that documentation names (places.py) the shipped policy acts on.
ctl=${1:?usage: $0 BINDIR}/filterctl
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

for seed in 1 2 3; do python3 "$(dirname "$0")/places.py" $seed; done >"$dir/texts.ndjson" || exit 2
"$ctl" check --field text --all --format ndjson "$dir/texts.ndjson" >"$dir/out"
[ $? -le 1 ] || { echo 'check failed'; exit 1; }
# rows CONDITION: how many texts have a finding of a secret that fulfils it.
rows() { jq -r "select(.category == \"secret\" and ($1)) | .line" "$dir/out" | sort -u | wc -l; }
n=$(wc -l <"$dir/texts.ndjson")
awk -v n="$n" -v found="$(rows true)" -v acted="$(rows '.action != "allow"')" 'BEGIN {
    printf "found: %.1f %%, at least 95 expected; acted on: %.1f %%, at least 93 expected, of %d\n", 100 * found / n, 100 * acted / n, n
    exit !(found >= 0.95 * n && acted >= 0.93 * n) }'
