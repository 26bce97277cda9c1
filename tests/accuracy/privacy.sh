#!/bin/sh
# privacy.sh BINDIR: what the policy `privacy` finds of a synthetic set of personal data (privacy_set.py), against its bars. The
# lists are in FILTERD_DATA, by default ../shared/data; without them there is nothing to do.
ctl=${1:?usage: $0 BINDIR}/filterctl
data=${FILTERD_DATA:-../shared/data}
here=$(dirname "$0")
[ -d "$data/lists" ] || { echo 'skip: the word lists are not there'; exit 0; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

python3 "$here/privacy_set.py" "$data/lists" >"$dir/set.ndjson" || exit 1
"$ctl" check --policy "$here/../../rules/policy-privacy.yaml" --policy-name privacy --field text --format ndjson \
    "$dir/set.ndjson" >"$dir/found.ndjson"
[ $? -le 1 ] || { echo 'check failed'; exit 1; }
python3 "$here/privacy_score.py" "$dir/set.ndjson" "$dir/found.ndjson" | tee "$dir/figures"
awk '{ f2 = $NF }
     $1 == "PHONE_NUMBER" && f2 < 0.9 || $1 == "STREET_ADDRESS" && f2 < 0.7 || $1 == "all" && f2 < 0.85 { print "below the bar: " $0; bad = 1 }
     END { exit bad || NR < 17 }' "$dir/figures"
