#!/bin/sh
# filterctl check: files, folders, standard input; all formats; exit codes; nothing in clear.
. "$(dirname "$0")/filterctl_fixture"
mkdir -p "$dir/in/sub" "$dir/in/.git"
printf 'fine\n' > "$dir/in/clean.txt"
printf 'one\nzwei ü key-123456789012 end\n' > "$dir/in/dirty.txt"
printf '{"a": {"b": "tok_abcdefgh12345678"}, "n": 1}' > "$dir/in/sub/doc.json"
printf '{"text":"ok"}\n{"text":"key-123456789012"}\n' > "$dir/in/sub/lines.ndjson"
printf 'tok_abcdefgh12345678' > "$dir/in/.git/config"
printf 'a\0tok_abcdefgh12345678' > "$dir/in/sub/binary"

expect 0 "$ctl" check $rules "$dir/in/clean.txt"
expect 1 "$ctl" check $rules "$dir/in"
has "dirty.txt:2:8  redact  test-key"
has "doc.json:1:14  block   test-token"
has "at /a/b"
has "lines.ndjson:2:10  redact  test-key"
has "key-…12"
says "binary: skipped"
has_not "123456789012"
has_not "abcdefgh"
has_not ".git"

# The order of the output is that of the files, however many threads there are.
for i in 1 2 3 4 5 6 7 8 9; do mkdir -p "$dir/many"; printf "key-12345678901$i\n" > "$dir/many/$i.txt"; done
expect 1 "$ctl" check $rules --jobs 4 "$dir/many"
[ "$(grep -o 'many/[0-9]' "$dir/out" | tr -d '\n')" = "$(printf 'many/%s' 1 2 3 4 5 6 7 8 9)" ] || fail "out of order"

# JSON forms parse and count the same.
expect 1 "$ctl" check $rules --format json "$dir/in"
[ "$(jq '.findings | length' "$dir/out")" = 3 ] || fail "three findings expected"
[ "$(jq -r '.problems[0].skipped' "$dir/out")" = "binary file" ] || fail "skipped file expected"
expect 1 "$ctl" check $rules --format ndjson "$dir/in"
[ "$(jq -s 'map(select(.rule)) | length' "$dir/out")" = 3 ] || fail "three lines expected"
expect 1 "$ctl" check $rules --format sarif "$dir/in"
[ "$(jq -r '.version + " " + (.runs[0].results | length | tostring)' "$dir/out")" = "2.1.0 3" ] || fail "SARIF"
[ "$(jq '.runs[0].results[] | select(.ruleId == "test-key") | .locations[0].physicalLocation.region.startColumn' \
     "$dir/out" | head -n 1)" = 8 ] || fail "SARIF column"
has_not "123456789012"

# Weak findings only when asked for.
printf 'weak-123456' > "$dir/weak.txt"
expect 0 "$ctl" check $rules "$dir/weak.txt"
expect 1 "$ctl" check $rules --min-confidence 0.2 "$dir/weak.txt"
has "***********"
expect 0 "$ctl" check $rules --all "$dir/weak.txt"
has "test-weak"
expect 0 "$ctl" check $rules --min-confidence 0.9 "$dir/in/dirty.txt"

# Standard input, quiet, broken input.
printf 'key-123456789012' > "$dir/stdin"
expect 1 "$ctl" check $rules --quiet - < "$dir/stdin"
[ ! -s "$dir/out" ] || fail "quiet is not"
expect 1 "$ctl" check $rules < "$dir/stdin"
has "<stdin>:1:1"
expect 2 "$ctl" check $rules "$dir/missing" "$dir/in/dirty.txt"
has "test-key"
says "missing: could not be judged: No such file"
printf '{"a": key-123456789012' > "$dir/broken.json"
expect 1 "$ctl" check $rules "$dir/broken.json"
expect 2 "$ctl" check $rules --input json "$dir/broken.json"
head -c 67108865 /dev/zero | tr '\0' a > "$dir/large.txt"
expect 2 "$ctl" check $rules "$dir/large.txt"
says "at most 64 MiB"

# A secret in a member's name is masked in the path as well.
printf '{"tok_abcdefgh12345678": {"x": "key-123456789012"}}' > "$dir/name.json"
for format in text json ndjson sarif; do
    expect 1 "$ctl" check $rules --format $format "$dir/name.json"
    has_not "abcdefgh"
done

# Mistakes of the caller.
expect 2 "$ctl" check --format xml
says "text|json|ndjson|sarif expected"
expect 2 "$ctl" check --min-confidence 7
expect 2 "$ctl" check --rules "$dir/none"
expect 2 "$ctl" no-such-command
expect 0 "$ctl" check --help
expect 0 "$ctl" --version

# An option's help says what it does in that command.
expect 0 "$ctl" log --help
has "only records of this agent"
expect 0 "$ctl" check --help
has "judge as for this agent"
has "also findings that are weak"
expect 0 "$ctl" rules lint --help
has "print every rule"
has_not "weak"
