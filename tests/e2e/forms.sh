#!/bin/sh
# The threat model's table of forms says of each what filterctl does with it: no row claims more, and none less.
bin=${1:?folder of the programs expected}
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-forms.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
forms=$(dirname "$0")/../support/forms.py
table=$(dirname "$0")/../../docs/threat-model.md

try() { # try KIND OPTION…: row, whether the token's own rule acts or the text is blocked
    kind=$1; shift
    python3 "$forms" "$kind" >"$work/$kind" || exit 1
    jq -c 'if has("text") then {text} else .document end' <"$work/$kind" |
        "$bin/filterctl" check --pipe --cache="$work/cache" "$@" >"$work/answers" || exit 1
    [ "$(wc -l <"$work/$kind")" -eq "$(wc -l <"$work/answers")" ] || { echo "$kind: an answer for each expected"; exit 1; }
    paste "$work/$kind" "$work/answers" | jq -r -n '[inputs] | range(0; length; 2) as $i | .[$i] as $form | .[$i + 1] as $answer
        | [$form.row, ($answer.action == "block" or any($answer.findings[]; .rule == $form.rule and .action != "allow"))]
        | @tsv'
}

try texts --field text >"$work/results" || exit 1
try documents >>"$work/results" || exit 1
python3 "$forms" compare "$table" "$work/results"
