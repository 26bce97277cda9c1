#!/bin/sh
# Training gives the same bytes each time, on every machine: a small model, made from the templates alone.
bin=$(realpath "${1:?folder of programs expected}") || exit 2
cd "$(dirname "$0")/../../.." || exit 2
dir=$(mktemp -d "${TMPDIR:-/tmp}/filterd-train.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $1"; exit 1; }

"$bin/train-heads" - classifiers/train/templates "$dir/one" 10 >/dev/null || fail 'a small model was made'
sha256sum <"$dir/one" | cut -d' ' -f1 >"$dir/digest"
cmp -s "$dir/digest" classifiers/train/small.sha256 ||
    fail "the bytes that are expected: $(cat "$dir/digest"), not $(cat classifiers/train/small.sha256)"

# What was learned is in it: other templates, other bytes.
mkdir "$dir/templates"
for file in classifiers/train/templates/*.txt; do
    sed 's/instruction/construction/g' "$file" >"$dir/templates/${file##*/}"
done
"$bin/train-heads" - "$dir/templates" "$dir/three" 10 >/dev/null || fail 'a model of other templates was made'
cmp -s "$dir/one" "$dir/three" && fail 'other templates make another model'

# What is wrong is said with its place.
cp classifiers/train/templates/*.txt "$dir/templates"
printf '== xx martian\n> a b\none\ntwo\nthree\nfour\nfive\n' >"$dir/templates/languages.txt"
"$bin/train-heads" - "$dir/templates" "$dir/four" 10 2>"$dir/err" && fail 'an unknown family of languages is refused'
grep -q 'languages.txt.*xx' "$dir/err" || fail 'its language is named'
printf '== xx celtic\n> a b\none\n' >"$dir/templates/languages.txt"
"$bin/train-heads" - "$dir/templates" "$dir/four" 10 2>"$dir/err" && fail 'a language of one sentence is refused'
cp classifiers/train/templates/languages.txt "$dir/templates"
printf '== +nothing 5\ntext\n' >"$dir/templates/toxicity.txt"
"$bin/train-heads" - "$dir/templates" "$dir/four" 10 2>"$dir/err" && fail 'an unknown head is refused'
grep -q 'toxicity.txt.*+nothing' "$dir/err" || fail 'an unknown head is named'
[ ! -e "$dir/four" ] || fail 'nothing is written then'
"$bin/train-heads" 2>/dev/null; [ $? -eq 2 ] || fail 'usage'
echo passed
