#!/bin/sh
# taggers.sh BIN: the shipped model of postal addresses is what its program makes of the data. (That of names takes
# minutes; it is made by the same trainer.)
cd "$(dirname "$0")/../../.." || exit 2
bin=$1 dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "train_taggers: $*"; exit 1; }

"$bin/train-taggers" 2>/dev/null; [ $? -eq 2 ] || fail 'usage'
FILTERD_DATA=/nonexistent "$bin/train-taggers" addresses "$dir/none" 2>"$dir/err" && fail 'data that is not there'
grep -q '/nonexistent/' "$dir/err" || fail 'the folder is named'
[ ! -e "$dir/none" ] || fail 'no model without data'

export FILTERD_DATA="${FILTERD_DATA:-../shared/data}"
if [ ! -e "$FILTERD_DATA/ner/us_addresses.ndjson" ]; then
    echo 'skip: the data is not there'; exit 0
fi
"$bin/train-taggers" addresses "$dir/model" >"$dir/figures" 2>"$dir/err" || fail 'the model was made'
cmp "$dir/model" classifiers/models/postal-address.bin || fail 'other bytes than those shipped'
sed -n '/^```$/,/^```$/p' classifiers/models/postal-address-figures.md | sed '/^```$/d' | cmp - "$dir/figures" ||
    fail 'other figures than those told'
