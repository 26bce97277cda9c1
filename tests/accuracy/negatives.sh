#!/bin/sh
# negatives.sh BINDIR: how many of the labelled texts without a secret the shipped policy acts on all the same. A label
# says only that one rule of its project does not fire: each row that is acted on is judged in judged-negatives.tsv,
# right when the text holds another secret. The data is in FILTERD_DATA, by default ../shared/data; without it there is
# nothing to do.
ctl=${1:?usage: $0 BINDIR}/filterctl
data=${FILTERD_DATA:-../shared/data}/secrets
judged=$(dirname "$0")/judged-negatives.tsv
[ -d "$data" ] || { echo 'skip: the labelled texts are not there'; exit 0; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
status=0

for file in "$data"/*.gz; do
    name=$(basename "$file" .ndjson.gz)
    gzip -dc "$file" | jq -r --arg file "$name" 'select(.kind == "negative") | [$file, input_line_number] | @tsv'
done >"$dir/rows"
"$ctl" check --field text --format ndjson "$data" >"$dir/out"
[ $? -le 1 ] || { echo 'check failed'; exit 1; }
jq -r 'select(.action != "allow" and .category == "secret")
       | [(.file | sub(".*/"; "") | sub("[.]ndjson.*"; "")), .line, .rule, .action] | @tsv' "$dir/out" | sort -u |
    awk -F'\t' 'FNR == NR { is_row[$1 FS $2] = 1; next } is_row[$1 FS $2]' "$dir/rows" - >"$dir/findings"
# Each finding with its verdict: right, wrong, or none yet.
awk -F'\t' 'FNR == NR { if ($0 !~ /^#/) verdict[$1 FS $2 FS $3] = $4; next }
            { print $0 FS ((($1 FS $2 FS $3) in verdict) ? verdict[$1 FS $2 FS $3] : "new") }' \
    "$judged" "$dir/findings" >"$dir/verdicts"

# rows WANTED…: how many rows have a finding with one of these verdicts.
rows() { grep -E "	($1)\$" "$dir/verdicts" | cut -f1,2 | sort -u | wc -l; }
# expect WHAT ROWS MOST: at most so many in a hundred.
expect() {
    awk -v what="$1" -v n="$2" -v most="$3" -v all="$(wc -l <"$dir/rows")" 'BEGIN {
        rate = all > 0 ? 100 * n / all : 0
        printf "%s: %d of %d, %.1f %%, at most %s %% expected\n", what, n, all, rate, most
        exit rate > most }' || status=1
}
echo "negatives acted on: $(rows 'right|wrong|new') of $(wc -l <"$dir/rows"), of them blocked: $(grep '	block	' "$dir/verdicts" | cut -f1,2 | sort -u | wc -l)"
expect 'wrongly acted on' "$(rows 'wrong|new')" 2
grep '	new$' "$dir/verdicts" | sed 's/^/not judged: /'
exit $status
