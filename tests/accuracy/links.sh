#!/bin/sh
# links.sh BINDIR: of the forms of links that load by themselves or lead elsewhere (tests/rules/link_forms.txt, load_forms.txt), none is left
# by filterctl with `load: none`; of ten megabytes of answers whose links are all permitted, nothing is changed. The answers are in
# FILTERD_DATA, by default ../shared/data; without it only the forms are tried.
# What is left or changed: python3 tests/accuracy/links.py BINDIR/filterctl tests/rules/link_forms.txt tests/rules/load_forms.txt DATA --show
ctl=${1:?usage: $0 BINDIR}/filterctl
here=$(dirname "$0")
data=${FILTERD_DATA:-../shared/data}
[ -d "$data/benign" ] || { echo 'without answers: the labelled texts are not there'; data=; }
figures=$(python3 "$here/links.py" "$ctl" "$here/../rules/link_forms.txt" "$here/../rules/load_forms.txt" ${data:+"$data"}) || exit 1
# shellcheck disable=SC2086 # five words
set -- $figures
echo "left: $2 of $1 forms; answers with permitted links only: $5 changed in $3 bytes, or with load: none in the $4 that load nothing; none expected"
[ "$1" -ge 150 ] && [ "$2" -eq 0 ] && [ "$5" -eq 0 ] && { [ -z "$data" ] || [ "$4" -ge 10000000 ]; }
