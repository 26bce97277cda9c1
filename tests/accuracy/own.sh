#!/bin/sh
# own.sh BINDIR: the labelled texts of this folder, which need no data from elsewhere: 34 with a made-up secret or personal
# datum in the forms in which agents write them, 33 look-alikes. They were written once and no rule was tuned on them.
ctl=${1:?usage: $0 BINDIR}/filterctl
here=$(dirname "$0")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
. "$here/score.inc"
status=0

score redact "$here/own.ndjson" --misses --false
figure '"found: \(.total.found) of \(.total.positive), at least 33 expected; look-alikes acted on: \(.total.flagged), none expected"'
[ "$(figure .total.found)" -ge 33 ] && [ "$(figure .total.positive)" -eq 34 ] || status=1
[ "$(figure .total.flagged)" -eq 0 ] && [ "$(figure .total.quiet)" -eq 33 ] || status=1
exit $status
