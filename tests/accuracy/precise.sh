#!/bin/sh
# precise.sh BINDIR: how many of the redactions of personal data in ordinary text are right. Every finding was read
# and judged (judged_pii.tsv: where it stands and whether it is somebody's, not what it says); one that is
# not on the list counts as wrong and is printed. The data is in FILTERD_DATA, by default ../shared/data; without it
# there is nothing to do.
ctl=${1:?usage: $0 BINDIR}/filterctl
data=${FILTERD_DATA:-../shared/data}
judged=$(dirname "$0")/judged_pii.tsv
[ -d "$data/benign" ] || { echo 'skip: the labelled texts are not there'; exit 0; }
found=$(mktemp) || exit 2
trap 'rm -f "$found"' EXIT

for set in benign toxicity harm injection ner; do
    "$ctl" check --field text --format ndjson "$data/$set" >"$found.out"
    [ $? -le 1 ] || { echo "check of $set failed"; rm -f "$found.out"; exit 1; }
    jq -r --arg set "$set" 'select(.category == "pii" and .action != "allow") |
        [$set + "/" + (.file | sub(".*/"; "")), .line, .bytes[0], .rule] | @tsv' "$found.out" >>"$found"
done
rm -f "$found.out"
awk -F'\t' '
    FNR == NR { if ($0 !~ /^#/) verdict[$1 FS $2 FS $3 FS $4] = $5; next }
    { n++; v = verdict[$0]; right += v == "true"; if (v == "") print "not judged: " $0 }
    END {
        printf "right: %d of %d, %.3f, at least 0.9 expected\n", right, n, (n > 0 ? right / n : 1)
        exit n > 0 && right < 0.9 * n
    }' "$judged" "$found"
