#!/bin/sh
# ordinary.sh BINDIR: of lines that manuals, logs and tools print, and that resemble an order or a secret, the shipped policy
# acts on none; of orders it blocks each. Every line is a text of its own.
ctl=${1:?usage: $0 BINDIR}/filterctl
here=$(dirname "$0")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
status=0

judge() { # judge NAME LINES: a verdict for each line of NAME.txt, at least LINES: action, rules, line
    grep -v '^#' "$here/$1.txt" >"$dir/lines"
    jq -Rc '{text: .}' "$dir/lines" |
        "$ctl" check --pipe --field text | jq -r '[.action, ([.findings[] | select(.action != "allow").rule] | unique | join(","))] | @tsv' |
        paste - "$dir/lines" >"$dir/$1"
    [ "$(wc -l <"$dir/$1")" -ge "$2" ] || { echo "$1: at least $2 lines expected"; status=1; }
}
judge ordinary 50
judge orders 30
grep -v '^allow	' "$dir/ordinary" && { echo 'ordinary lines are acted on'; status=1; }
grep -v '^block	' "$dir/orders" && { echo 'orders are not blocked'; status=1; }
echo "left: $(grep -c '^allow	' "$dir/ordinary") of $(wc -l <"$dir/ordinary"); blocked: $(grep -c '^block	' "$dir/orders") of $(wc -l <"$dir/orders")"
exit $status
