#!/bin/sh
# secret_forms.sh BINDIR: of the places where secrets stand (secret-forms.txt), with random values, nine in ten are redacted whole. Rules were
# written from this list: a regression test, not a figure of unseen texts.
# FILTERD_SEED (1). Which are not: python3 tests/accuracy/secret_forms.py BINDIR/filterctl tests/accuracy/secret-forms.txt 8 1 --missed
ctl=${1:?usage: $0 BINDIR}/filterctl
here=$(dirname "$0")
figures=$(python3 "$here/secret_forms.py" "$ctl" "$here/secret-forms.txt" 8 "${FILTERD_SEED:-1}") || exit 1
# shellcheck disable=SC2086 # three words
set -- $figures
echo "redacted whole: $1 % of $3 texts in $2 forms, at least 90 % expected"
awk -v share="$1" -v forms="$2" 'BEGIN { exit !(share >= 90 && forms > 600) }'
