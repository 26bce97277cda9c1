#!/bin/sh
# letters.sh BIN: the table of letters that follow one another is what its program makes of the data.
cd "$(dirname "$0")/../../.." || exit 2
data=$(realpath "${FILTERD_DATA:-../shared/data}" 2>/dev/null)
[ -d "$data/benign" ] || { echo 'skip: the data is not there'; exit 0; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/filterd-train.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $1"; exit 1; }

classifiers/train/letters "$data" "$dir" >/dev/null || fail 'the table was made'
cmp "$dir/letter_triples_table.c" filterd/lexical/letter_triples_table.c || fail 'other bytes than those shipped'
