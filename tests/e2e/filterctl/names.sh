#!/bin/sh
# Names from outside, as a jail's outputs have them: in no command's output do they begin a line, drive the terminal, turn the
# writing around or break the encoding.
. "$(dirname "$0")/fixture"

# A row each: what stands in the name, as printf takes it.
rows='a\nevil.txt:1:1  allow   none
b\033[2Jcleared
c\r\033]0;title\007
d\302\233csi
e\342\200\256txt.exe
f\342\200\213hidden
g\377\376invalid
h\300\257overlong
i\177delete
j\355\240\200surrogate
k\360\237\224
l\363\240\200\201tag
m "quoted" \\ and \303\274'
tree=$dir/tree
mkdir "$tree"
n=0
printf '%s\n' "$rows" | while IFS= read -r row; do
    n=$((n + 1))
    # shellcheck disable=SC2059 # the row is the format
    printf 'the key-123456789012 opens it\n' > "$tree/$(printf "$row")"
    mkdir "$tree/$n" "$tree/$n/$(printf "$row")"
    printf '{"a": "the key-123456789012"}' > "$tree/$n/$(printf "$row")/doc.json"
    printf '{"text": "the key-123456789012"}\n{\n' > "$tree/$n/$(printf "$row")/lines.ndjson"
    printf 'a\0' > "$tree/$n/binary$(printf "$row")"
    printf '\037\213\010' > "$tree/$n/torn$(printf "$row").gz"
    cp "$dir/rules/secrets/test.yaml" "$tree/$n/$(printf "$row").yaml"
    sed 's/weak-000000/weak-x/' "$dir/rules/secrets/test.yaml" > "$dir/$(printf "$row").yaml"
done
count=$(printf '%s\n' "$rows" | wc -l)

# is_clean FILE: valid UTF-8; no control but the end of a line, nothing invisible, nothing that turns the writing.
is_clean() {
    iconv -f UTF-8 -t UTF-8 "$1" > /dev/null 2>&1 || fail "not UTF-8: $1"
    ! LC_ALL=C.UTF-8 grep -qP '[\x{00}-\x{09}\x{0b}-\x{1f}\x{7f}-\x{9f}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}\x{fff0}-\x{fffc}\x{e0000}-\x{e007f}]' "$1" ||
        fail "something in it drives or deceives a terminal: $(od -c "$1" | head -n 40)"
}
clean() { is_clean "$dir/out"; is_clean "$dir/err"; ! grep -q '^evil.txt' "$dir/out" "$dir/err" || fail "a forged line"; }

for format in text json ndjson sarif; do
    expect 2 "$ctl" check $rules --format $format --verbose "$tree"
    clean
done
expect 2 "$ctl" check $rules "$tree"
[ "$(grep -c '  redact  test-key' "$dir/out")" -ge $((3 * count)) ] || fail "a line for each finding"
has 'a\nevil.txt:1:1  allow   none:1:5  redact  test-key'
has 'b\x1b[2Jcleared:1:5'
has 'e\u202etxt.exe:1:5'
has 'g\xff\xfeinvalid:1:5'
has 'm "quoted" \ and ü:1:5'
expect 2 "$ctl" check $rules --format json "$tree"
jq -r '.findings[].file' "$dir/out" | grep -q 'and ü' || fail "names in JSON"

for command in list 'list --format json' 'list --format ndjson'; do
    # shellcheck disable=SC2086 # options
    expect 1 "$ctl" outputs $command $rules "$tree"
    clean
done
expect 1 "$ctl" outputs list $rules --format json "$tree"
for digest in $(jq -r '.[].digest' "$dir/out" | sort -u); do
    "$ctl" outputs show $rules "$tree" "$digest" > "$dir/out" 2> "$dir/err"
    clean
    "$ctl" outputs promote $rules "$tree" "$dir/target" "$digest" > "$dir/out" 2> "$dir/err"
    clean
done
mkdir -p "$dir/target"
expect 1 "$ctl" outputs diff $rules "$tree" "$dir/target"
clean

printf '%s\n' "$rows" | while IFS= read -r row; do
    name=$dir/$(printf "$row").yaml
    expect 1 "$ctl" rules test "$name"; clean
    for command in "log" "rules score $rules" "policy check $rules" "check $rules --rules" "redact --policy" \
                   "rules lint --counted $rules --on" "policy diff $rules $dir/rules/policy.yaml $dir/rules/policy.yaml --on"; do
        # shellcheck disable=SC2086 # a command and its options
        "$ctl" $command "$name" > "$dir/out" 2> "$dir/err" < /dev/null; clean
        # shellcheck disable=SC2086
        "$ctl" $command "$name.none" > "$dir/out" 2> "$dir/err" < /dev/null; clean
    done
    labelled=$dir/$(printf "$row").rows
    printf '{"text": "key-123456789012"}\n{"text": "x", "kind": "positive", "secret": "x"}\n' > "$labelled"
    for format in text json ndjson; do
        expect 0 "$ctl" rules score $rules --format $format --false --misses "$labelled"; clean
    done
    "$ctl" "$(printf "$row")" > "$dir/out" 2> "$dir/err"; clean
    "$ctl" check "--$(printf "$row")" > "$dir/out" 2> "$dir/err"; clean
    "$ctl" rules show $rules "$(printf "$row")" > "$dir/out" 2> "$dir/err"; clean
done || exit 1
