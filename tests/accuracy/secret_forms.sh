#!/bin/sh
# secret_forms.sh BINDIR: of the places where secrets stand (secret-forms.txt, secret-places.txt), with random values, nine in ten are redacted whole, and
# with passwords that people make (dragon@893, qwerty8362, marble-otter-canyon-velvet) eight in ten. Rules were written from these lists: a regression
# test, not a figure of unseen texts.
# FILTERD_SEED (1). Which are not: python3 tests/accuracy/secret_forms.py BINDIR/filterctl tests/accuracy/secret-forms.txt 8 1 --missed
ctl=${1:?usage: $0 BINDIR}/filterctl
here=$(dirname "$0")
status=0
# judge LIST KIND SHARE FORMS [OPTION]: at least SHARE per cent of the texts of more than FORMS forms of the list.
judge() {
    list=$1 kind=$2 share=$3 forms=$4; shift 4
    # shellcheck disable=SC2046 # three words
    set -- $(python3 "$here/secret_forms.py" "$ctl" "$here/$list.txt" 8 "${FILTERD_SEED:-1}" "$@")
    echo "$kind redacted whole: $1 % of $3 texts in $2 forms, at least $share % expected"
    awk -v got="${1:-0}" -v n="${2:-0}" -v share="$share" -v forms="$forms" 'BEGIN { exit !(got >= share && n > forms) }' || status=1
}
judge secret-forms 'random values' 90 600
judge secret-forms 'passwords of words' 80 300 --words
judge secret-places 'random values, other places' 90 500
judge secret-places 'walks over the keyboard' 80 190 --walks
judge secret-places 'passphrases' 75 190 --phrases
exit $status
