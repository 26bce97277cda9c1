#!/bin/sh
# address_countries.sh BINDIR: of how many countries the policy `privacy` finds addresses of several lines that stand alone (addresses.tsv).
ctl=${1:?usage: $0 BINDIR}/filterctl
here=$(dirname "$0")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

python3 "$here/address_countries.py" set "$here/addresses.tsv" >"$dir/set.ndjson" || exit 2
"$ctl" check --policy "$here/../../rules/policy-privacy.yaml" --policy-name privacy --field text --format ndjson "$dir/set.ndjson" >"$dir/found.ndjson"
[ $? -le 1 ] || { echo 'check failed'; exit 1; }
python3 "$here/address_countries.py" score "$dir/set.ndjson" "$dir/found.ndjson"
