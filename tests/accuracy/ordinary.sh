#!/bin/sh
# ordinary.sh BINDIR: lines of manuals, logs and tools that resemble an order or a secret. The shipped policy does nothing
# about any of them, each by itself.
ctl=${1:?usage: $0 BINDIR}/filterctl
lines=$(dirname "$0")/ordinary.txt
found=$(mktemp) || exit 2
trap 'rm -f "$found"' EXIT

grep -v '^#' "$lines" | jq -Rc '{text: .}' | "$ctl" check --input ndjson --field text --format ndjson - >"$found"
[ $? -le 1 ] || { echo 'check failed'; exit 1; }
grep -v '^#' "$lines" >"$found.lines"; trap 'rm -f "$found" "$found.lines"' EXIT
jq -r 'select(.rule != null and .action != "allow") | [.line, .action, .rule] | @tsv' "$found" | sort -un >"$found.acted"
while read -r line action rule; do
    printf '%s %s: %s\n' "$action" "$rule" "$(sed -n "${line}p" "$found.lines")"
done <"$found.acted"
echo "acted on: $(cut -f1 "$found.acted" | sort -u | wc -l) of $(wc -l <"$found.lines"), none expected"
[ "$(wc -l <"$found.lines")" -ge 50 ] && [ ! -s "$found.acted" ]
status=$?
rm -f "$found.acted"
exit $status
