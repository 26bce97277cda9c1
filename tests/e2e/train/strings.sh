#!/bin/sh
# strings.sh BIN: the table of random strings is what its program makes: of made strings alone, the bytes that are
# expected; of the data, what is shipped.
bin=$(realpath "${1:?folder of programs expected}") || exit 2
cd "$(dirname "$0")/../../.." || exit 2
data=$(realpath "${FILTERD_DATA:-../shared/data}" 2>/dev/null)
dir=$(mktemp -d "${TMPDIR:-/tmp}/filterd-train.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $1"; exit 1; }

"$bin/train-strings" 2>/dev/null; [ $? -eq 2 ] || fail 'usage'
"$bin/train-strings" "$dir/none" 5 "$dir/nowhere" -- 2>"$dir/err" && fail 'a file that is not there'
grep -q 'nowhere' "$dir/err" || fail 'the file is named'
echo '{"label": "x"}' >"$dir/rows"
"$bin/train-strings" "$dir/none" 5 "$dir/rows" -- 2>"$dir/err" && fail 'rows without a text'
[ ! -e "$dir/none" ] || fail 'nothing is written then'

"$bin/train-strings" "$dir/small" 100 -- >/dev/null || fail 'a small table was made'
sha256sum <"$dir/small" | cut -d' ' -f1 >"$dir/digest"
cmp -s "$dir/digest" classifiers/train/strings.sha256 ||
    fail "the bytes that are expected: $(cat "$dir/digest"), not $(cat classifiers/train/strings.sha256)"

# What is learned is what is told: with a written form among the strings, it is less of a key.
for i in 0 1 2 3 4 5 6 7 8 9; do echo "{\"text\": \"qq${i}zz7vv${i}kk5jj3xx qq${i}zz9vv${i}kk5jj3xx\"}"; done >"$dir/rows"
"$bin/train-strings" "$dir/other" 100 "$dir/rows" -- "$dir/rows" >"$dir/figures" || fail 'a table of other strings was made'
cmp -s "$dir/small" "$dir/other" && fail 'other strings make another table'
grep -q '^| rows | harmless | 20 |' "$dir/figures" || fail 'the candidates are counted'

[ -d "$data/benign" ] || { echo 'skip: the data is not there'; exit 0; }
mkdir "$dir/made"
classifiers/train/strings "$bin" "$data" "$dir/made" || fail 'the table was made'
cmp "$dir/made/random_string_table.c" filterd/lexical/random_string_table.c || fail 'other bytes than those shipped'
cmp "$dir/made/random-string-figures.md" classifiers/models/random-string-figures.md || fail 'other figures than those told'
