#!/bin/sh
# identity_numbers.sh BINDIR: whether each number of identity_numbers.tsv is redacted: behind each of its titles by the shipped policy and by
# `privacy`, and by `privacy` alone where form and check digit are clear. Prints a line for each number, and the texts that got through.
ctl=${1:?usage: $0 BINDIR}/filterctl
here=$(dirname "$0")
rules=$here/../../rules
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

python3 "$here/identity_numbers.py" texts "$here/identity_numbers.tsv" >"$dir/texts.ndjson" || exit 2
judge() { # judge NAME POLICYFILE POLICY
    "$ctl" check --policy "$2" --policy-name "$3" --field text --all --format ndjson "$dir/texts.ndjson" >"$dir/$1.ndjson"
    [ $? -le 1 ] || { echo "check by $3 failed"; exit 1; }
}
judge shipped "$rules/policy.yaml" default
judge privacy "$rules/policy-privacy.yaml" privacy
python3 "$here/identity_numbers.py" score "$dir/texts.ndjson" "$dir/shipped.ndjson" "$dir/privacy.ndjson"
