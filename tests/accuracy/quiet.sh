#!/bin/sh
# quiet.sh BINDIR: how much the shipped policy acts on in text that holds next to nothing. The findings that are
# known stand in judged.tsv, each with what it is. The data is in FILTERD_DATA, by default ../shared/data; without
# it there is nothing to do.
ctl=${1:?usage: $0 BINDIR}/filterctl
data=${FILTERD_DATA:-../shared/data}/benign
judged=$(dirname "$0")/judged.tsv
[ -d "$data" ] || { echo 'skipped: no data'; exit 0; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
status=0

"$ctl" check --field text --format ndjson "$data" >"$dir/out"
[ $? -le 1 ] || { echo 'check failed'; exit 1; }
jq -r 'select(.action != "allow") | [(.file | sub(".*/"; "")), .line, .rule, .action] | @tsv' "$dir/out" |
    sort >"$dir/findings"
# What is left of the findings when those on the list are taken off, one for one.
awk -F'\t' 'FNR == NR { if ($0 !~ /^#/) known[$1 FS $2 FS $3]++; next } known[$1 FS $2 FS $3]-- > 0 { next } { print }' \
    "$judged" "$dir/findings" >"$dir/new"
bytes=$(cat "$data"/*.ndjson | wc -c)

# expect WHAT FINDINGS MOST: at most so many in ten megabytes.
expect() {
    awk -v what="$1" -v n="$2" -v most="$3" -v bytes="$bytes" 'BEGIN {
        rate = n * 1e7 / bytes
        printf "%s: %d in %.1f MB, %.2f per 10 MB, at most %d expected\n", what, n, bytes / 1e6, rate, most
        exit rate > most }' || status=1
}
count() { awk -F'\t' -v action="$1" '$4 == action { n++ } END { print n + 0 }' "$2"; }

secrets=$(jq -r 'select(.action == "redact" and .category == "secret") | .rule' "$dir/out" | wc -l)
expect 'secrets redacted' "$secrets" 6
expect 'redacted' "$(count redact "$dir/findings")" 10
# The one token that blocks is a live one that two models echo; it stands on the list.
expect 'blocked, but for what is on the list' "$(count block "$dir/new")" 1
expect 'redacted, but for what is on the list' "$(count redact "$dir/new")" 5
echo "blocked at all: $(count block "$dir/findings")"
sed 's/^/not on the list: /' "$dir/new"
exit $status
