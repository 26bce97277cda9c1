#!/bin/sh
# found.sh BINDIR: how many of the labelled secrets are found, and how many of the look-alikes are stopped
# (bench/ACCURACY.md says which and why). The data is in FILTERD_DATA, by default ../shared/data; without it there is
# nothing to do.
ctl=${1:?usage: $0 BINDIR}/filterctl
data=${FILTERD_DATA:-../shared/data}
here=$(dirname "$0")
[ -d "$data/secrets" ] || { echo 'skip: the labelled texts are not there'; exit 0; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
. "$here/score.inc"
status=0

# expect WHAT VALUE RELATION BAR, in per cent.
expect() {
    awk -v what="$1" -v value="$2" -v relation="$3" -v bar="$4" 'BEGIN {
        printf "%s: %.1f %%, at %s %d %% expected\n", what, value, relation, bar
        exit relation == "least" ? value < bar : value > bar }' || status=1
}

secrets_only || { echo 'no labelled secrets'; exit 1; }
score report "$dir/secrets.ndjson" --category secret
expect 'found' "$(recall)" least 95
expect 'found, of providers whose tokens can be checked' "$(recall_of_checked)" least 99
score redact "$dir/secrets.ndjson" --category secret
# The rest are stand-ins such as sk_live_AAAA…, which are reported and let pass.
expect 'acted on' "$(recall)" least 75
expect 'acted on, of negatives' "$(flagged)" most 10
score redact "$dir/secrets.ndjson" --category secret --by origin
expect 'acted on, of those with random values' \
    "$(figure "$share"'.groups[] | select(.name == "generated") | share(.found; .positive)')" least 97
exit $status
