#!/bin/sh
# filterctl completions: what bash offers for a line; zsh and fish read their scripts, and fish offers the same.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
. "$(dirname "$0")/fixture"
PATH=$(cd "$bin" && pwd):$PATH
ctl=$(cd "$bin" && pwd)/filterctl

# offers LINE…: the words that bash offers for the last one, sorted, a blank between.
offers() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _filterctl
    printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
}
same() {
    wanted=$1; shift
    got=$(offers "$@")
    [ "${got% }" = "$wanted" ] || { : > "$dir/out"; fail "for '$*': '$got', '$wanted' expected"; }
}
expect 0 "$ctl" completions bash
. "$dir/out"
same 'check completions' filterctl c
same 'lint list' filterctl rules li
same 'explain' filterctl policy ex
same '' filterctl policy xx
same 'verify verify-bundle' filterctl record ver
same '--git' filterctl check --gi
same '--format' filterctl rules list --form
same 'json ndjson sarif text' filterctl check --format ''
same 'ndjson' filterctl check --format = nd
same 'json ndjson text' filterctl rules list --format =
same 'allow block redact' filterctl check --fail-on ''
same '' filterctl check --tenant ''
mkdir -p "$dir/place/folder one"; touch "$dir/place/file.txt"; cd "$dir/place" || exit 1
same 'file.txt folder one' filterctl check f
same 'folder one' filterctl check --rules f
same 'file.txt folder one' filterctl check --policy f
same 'file.txt folder one' filterctl rules test --quiet f

# Every command and each of its options, as --help has them.
"$ctl" --help | sed -n 's/^  \([a-z]\+\( [a-z-]\+\)\?\)  .*/\1/p' > "$dir/commands"
[ "$(wc -l < "$dir/commands")" -gt 40 ] || fail "a list of commands expected"
while read -r first second; do
    # shellcheck disable=SC2086 # one word or two
    "$ctl" $first $second --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | sort | tr '\n' ' ' > "$dir/wanted"
    # shellcheck disable=SC2086
    offers filterctl $first $second -- > "$dir/out"
    cmp -s "$dir/wanted" "$dir/out" || fail "$first $second: $(cat "$dir/wanted")"
done < "$dir/commands"
expect 2 "$ctl" completions csh
says "bash, zsh or fish expected"

expect 0 "$ctl" completions zsh
if command -v zsh > /dev/null; then
    zsh -n "$dir/out" || fail "zsh cannot read its script"
else
    echo "skip: zsh is not installed"
fi
expect 0 "$ctl" completions fish
if command -v fish > /dev/null; then
    cp "$dir/out" "$dir/filterctl.fish"
    fish_offers() { HOME=$dir fish --no-config -c "source $dir/filterctl.fish; complete -C '$1'" | cut -f1 | sort | tr '\n' ' '; }
    for row in 'filterctl c|check completions' 'filterctl rules li|lint list' 'filterctl check --gi|--git' \
        'filterctl check --fail-on |allow block redact' 'filterctl policy check --gi|' 'filterctl rules list --format=|--format=json --format=ndjson --format=text'; do
        got=$(fish_offers "${row%|*}")
        [ "${got% }" = "${row#*|}" ] || fail "fish: ${row%|*}: $got"
    done
else
    echo "skip: fish is not installed"
fi
exit 0
