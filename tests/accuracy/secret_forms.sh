#!/bin/sh
# secret_forms.sh BINDIR: of the places where secrets stand (secret-forms.txt), with random values, nine in ten are redacted whole, and with
# passwords that people make (dragon@893) eight in ten. Rules were written from this list: a regression test, not a figure of unseen texts.
# FILTERD_SEED (1). Which are not: python3 tests/accuracy/secret_forms.py BINDIR/filterctl tests/accuracy/secret-forms.txt 8 1 --missed
ctl=${1:?usage: $0 BINDIR}/filterctl
here=$(dirname "$0")
status=0
# judge KIND SHARE FORMS [OPTION]: at least SHARE per cent of the texts of more than FORMS forms.
judge() {
    kind=$1 share=$2 forms=$3; shift 3
    # shellcheck disable=SC2046 # three words
    set -- $(python3 "$here/secret_forms.py" "$ctl" "$here/secret-forms.txt" 8 "${FILTERD_SEED:-1}" "$@")
    echo "$kind redacted whole: $1 % of $3 texts in $2 forms, at least $share % expected"
    awk -v got="${1:-0}" -v n="${2:-0}" -v share="$share" -v forms="$forms" 'BEGIN { exit !(got >= share && n > forms) }' || status=1
}
judge 'random values' 90 600
judge 'passwords of words' 80 300 --words
exit $status
