#!/bin/sh
# quiet.sh BINDIR: how much the shipped policy acts on in text that holds next to nothing. The findings that are
# known stand in judged.tsv, each with what it is. The data is in FILTERD_DATA, by default ../shared/data; without
# it there is nothing to do.
ctl=${1:?usage: $0 BINDIR}/filterctl
data=${FILTERD_DATA:-../shared/data}
here=$(dirname "$0")
[ -d "$data/benign" ] || { echo 'skip: the labelled texts are not there'; exit 0; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
. "$here/score.inc"
status=0

score redact "$data/benign/*.ndjson" --false
split_falses
bytes=$(figure .quiet.bytes)

# expect WHAT FINDINGS MOST: at most so many in ten megabytes.
expect() {
    awk -v what="$1" -v n="$2" -v most="$3" -v bytes="$bytes" 'BEGIN {
        rate = n * 1e7 / bytes
        printf "%s: %d in %.1f MB, %.2f per 10 MB, at most %d expected\n", what, n, bytes / 1e6, rate, most
        exit rate > most }' || status=1
}

# The one token that blocks is a live one that two models echo; it stands on the list.
expect 'blocked, but for what is on the list' "$(count block "$dir/new")" 1
expect 'secrets redacted' "$(figure .quiet.findings.secret.redact)" 6
expect 'redacted' "$(count redact "$dir/falses")" 12
expect 'redacted, but for what is on the list' "$(count redact "$dir/new")" 5
echo "blocked at all: $(count block "$dir/falses")"
sed 's/^/not on the list: /' "$dir/new"
exit $status
