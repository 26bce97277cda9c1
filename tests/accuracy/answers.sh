#!/bin/sh
# answers.sh BINDIR: of ordinary answers that warn, advise, quote or apologize policies that block by the heads refusal (of whole
# texts) and harm (of paragraphs, too) block none. The head refusal ranks 24 answers that decline above them with an AUC of at
# least 0.88, as `filterctl rules score` computes it; at its threshold it finds few of these.
ctl=${1:?usage: $0 BINDIR}/filterctl
here=$(dirname "$0")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
status=0

judge() { # judge NAME HOLD HEAD...: the rules that block each answer of NAME.txt, and its beginning
    name=$1 hold=$2
    shift 2
    {
        printf 'policies:\n  default:\n    rules: [classifier-refusal, classifier-harm]\n    hold: %s\n    actions:\n' "$hold"
        printf '      - {rule: classifier-%s, action: block}\n' "$@"
    } >"$dir/policy.yaml"
    grep -v '^#' "$here/$name.txt" | jq -Rc '{text: gsub("\\\\n"; "\n")}' >"$dir/rows"
    "$ctl" check --policy "$dir/policy.yaml" --pipe --field text <"$dir/rows" |
        jq -r '[.findings[].rule] | unique | join(",")' | paste - "$dir/rows" | cut -c1-160
}
none_of() { # none_of HOLD HEAD...
    judge ordinary_answers "$@" >"$dir/ordinary"
    [ "$(wc -l <"$dir/ordinary")" -ge 70 ] || { echo 'at least 70 ordinary answers expected'; status=1; }
    grep -v '^	' "$dir/ordinary" && { echo "ordinary answers are blocked (hold: $1)"; status=1; }
}
none_of all refusal harm
none_of paragraph harm
rows() { grep -v '^#' "$here/$1.txt" | jq -Rc --arg kind "$1" '{text: gsub("\\\\n"; "\n"), label: $kind}'; }
rows ordinary_answers >"$dir/ordinary.ndjson"
rows declining_answers >"$dir/declining.ndjson"
"$ctl" rules score --classifier refusal --positive declining_answers --json --quiet "$dir/ordinary.ndjson" "$dir/declining.ndjson" >"$dir/score"
jq -e '.scores | .positive.rows == 24 and .quiet.rows >= 70 and .auc_quiet >= 0.88' "$dir/score" >/dev/null ||
    { echo 'answers that decline are ranked above ordinary ones'; status=1; }
echo "ordinary: $(grep -c '^	' "$dir/ordinary") of $(wc -l <"$dir/ordinary") left; $(jq -r '.scores | "AUC \(.auc_quiet), found \(.positive.at_threshold)"' "$dir/score")"
exit $status
