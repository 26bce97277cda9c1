#!/bin/sh
# filterctl check: files, folders, standard input; all formats; exit codes; nothing in clear.
. "$(dirname "$0")/fixture"
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
[ ! -s "$dir/err" ] || fail "what is skipped is counted, not listed"
has "3 findings in 5 texts of 5 files: 0 allowed, 2 redacted, 1 blocked; 1 file skipped"
has_not "123456789012"
has_not "abcdefgh"
has_not ".git"

expect 1 "$ctl" check $rules --verbose "$dir/in"
says "binary: skipped: binary file"
expect 2 "$ctl" check $rules --fail-on-skipped "$dir/in"
expect 0 "$ctl" check $rules "$dir/in/clean.txt"
has "0 findings in 1 text of 1 file"
has_not "allowed"

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

# What code hosts ask for: rules with results alone, each with what their pages show; alerts that are known again when lines
# have moved, and told apart; paths as the repository has them.
sarif() { (cd "$dir" && "$ctl_absolute" check $rules --format sarif "$1" > "$dir/out" 2> "$dir/err"); }
ctl_absolute=$(cd "$bin" && pwd)/filterctl
mkdir "$dir/moved"
printf 'key-123456789012 key-123456789012\nkey-999956789012\n' > "$dir/moved/a.txt"
printf '{"t":"key-123456789012"}\n{"t":"key-123456789012"}\n' > "$dir/moved/b.ndjson"
sarif ./moved
[ "$(jq -c '[.runs[0].tool.driver.rules[].id]' "$dir/out")" = '["test-key"]' ] || fail "rules without a result"
[ "$(jq -c '.runs[0].tool.driver.rules[0] | [.fullDescription.text, (.help.text | length > 0), .properties.tags[0],
     (.properties."security-severity" | tonumber)]' "$dir/out")" = '["Test key",true,"security",5.5]' ] || fail "a rule's page"
[ "$(jq -r '.runs[0].results[].locations[0].physicalLocation.artifactLocation.uri' "$dir/out" | sort -u | tr '\n' ' ')" = \
    "moved/a.txt moved/b.ndjson " ] || fail "paths"
prints() { jq -r '.runs[0].results[].partialFingerprints.primaryLocationLineHash' "$dir/out"; }
[ "$(prints | sort -u | wc -l)" = 5 ] || fail "alerts are not told apart"
prints | head -n 3 > "$dir/before"
printf 'new\n\nkey-123456789012 key-123456789012\nmore\nkey-999956789012\n' > "$dir/moved/a.txt"
sarif ./moved
[ "$(prints | head -n 3)" = "$(cat "$dir/before")" ] || fail "an alert that has moved is another one"
sarif moved/
[ "$(prints | head -n 3)" = "$(cat "$dir/before")" ] || fail "a path in another form is another alert"

# Weak findings only when asked for.
printf 'weak-123456' > "$dir/weak.txt"
expect 0 "$ctl" check $rules "$dir/weak.txt"
expect 0 "$ctl" check $rules --min-confidence 0.2 "$dir/weak.txt" # the policy allows it
has "***********"
has "1 finding in 1 text of 1 file: 1 allowed, 0 redacted, 0 blocked"
expect 1 "$ctl" check $rules --min-confidence 0.2 --fail-on allow "$dir/weak.txt"
expect 0 "$ctl" check $rules --all "$dir/weak.txt"
has "test-weak"
expect 0 "$ctl" check $rules --min-confidence 0.9 "$dir/in/dirty.txt"

# What makes the exit code 1 is an action, of a finding or a stricter one; the listing does not depend on it.
for row in '0 block dirty' '1 redact dirty' '1 allow dirty' '1 block sub/doc' '1 redact sub/doc' '0 allow clean'; do
    set -- $row
    file=$(ls "$dir/in/$3".*)
    expect "$1" "$ctl" check $rules --fail-on "$2" "$file"
    [ "$3" = clean ] || has "1 finding in 1 text"
done
expect 2 "$ctl" check $rules --fail-on warn "$dir/in/dirty.txt"
says "--fail-on: allow|redact|block expected"
expect 2 "$ctl" check $rules --fail-on block "$dir/in/dirty.txt" "$dir/missing" # still: could not do it
expect 1 "$ctl" check $rules --format json "$dir/in"
[ "$(jq -c '.summary | [.findings, .allowed + .redacted + .blocked, .texts, .verdicts.allow + .verdicts.redact + .verdicts.block]' \
     "$dir/out")" = "[3,3,5,5]" ] || fail "sums of one unit"

# Content that the policy allows is no finding unless it is asked for.
mkdir -p "$dir/mild/content"
sed '/id: test-key/,$d; s/category: secret/category: content/; s/severity: critical/severity: low/; s/test-token/test-curse/' \
    "$dir/rules/secrets/test.yaml" > "$dir/mild/content/mild.yaml"
printf 'policies:\n  default: {rules: [content], actions: []}\n' > "$dir/mild/policy.yaml"
printf 'tok_abcdefgh12345678' > "$dir/curse.txt"
expect 0 "$ctl" check --rules "$dir/mild" --fail-on allow "$dir/curse.txt"
has_not "test-curse"
expect 0 "$ctl" check --rules "$dir/mild" --all "$dir/curse.txt"
has "test-curse"

# Texts as other systems write them: UTF-16, packed, both; the place is that in the text.
mkdir "$dir/wide"
printf 'one\nzwei \303\274 key-123456789012 end\n' > "$dir/wide.txt"
for form in UTF-16 UTF-16LE UTF-16BE UTF-32LE UTF-32BE; do
    case $form in
    UTF-16LE) printf '\377\376' ;; UTF-16BE) printf '\376\377' ;;
    UTF-32LE) printf '\377\376\0\0' ;; UTF-32BE) printf '\0\0\376\377' ;;
    esac > "$dir/wide/$form.txt"
    iconv -f UTF-8 -t $form "$dir/wide.txt" >> "$dir/wide/$form.txt"
    gzip -k "$dir/wide/$form.txt"
    expect 1 "$ctl" check $rules "$dir/wide/$form.txt" "$dir/wide/$form.txt.gz"
    has "$form.txt:2:8  redact  test-key"
    has "$form.txt.gz:2:8  redact  test-key"
done
gzip -c "$dir/in/sub/doc.json" > "$dir/wide/doc.json.gz"
expect 1 "$ctl" check $rules "$dir/wide/doc.json.gz"
has "doc.json.gz:1:14  block   test-token"
has "at /a/b"
{ printf '\377\376'; iconv -f UTF-8 -t UTF-16LE "$dir/in/sub/lines.ndjson"; } > "$dir/wide/lines.ndjson"
gzip -k "$dir/wide/lines.ndjson"
expect 1 "$ctl" check $rules "$dir/wide/lines.ndjson" "$dir/wide/lines.ndjson.gz"
has "lines.ndjson:2:10  redact  test-key"
has "lines.ndjson.gz:2:10  redact  test-key"
{ printf '\357\273\277'; cat "$dir/in/sub/doc.json"; } > "$dir/wide/marked.json"
expect 1 "$ctl" check $rules --input json "$dir/wide/marked.json"
has "marked.json:1:14"
expect 1 "$ctl" check $rules < "$dir/wide/UTF-16.txt.gz"
has "<stdin>:2:8"
# What is not whole, or too much, is not judged; what cannot be read is counted.
head -c 40 "$dir/wide/UTF-16.txt.gz" > "$dir/torn.gz"
expect 2 "$ctl" check $rules "$dir/torn.gz"
says "torn.gz: could not be judged: whole gzip data expected"
head -c 67108865 /dev/zero | tr '\0' a | gzip -1 > "$dir/bomb.gz"
expect 2 "$ctl" check $rules "$dir/bomb.gz"
says "bomb.gz: could not be judged: at most 64 MiB expected, unpacked"
printf 'PK\003\004\0\0' > "$dir/archive.zip"
expect 2 "$ctl" check $rules --fail-on-skipped --verbose "$dir/archive.zip"
says "archive.zip: skipped: a zip archive, which is not read"

# Compiled rules are kept for the next run, in a folder that only the user can write.
caches() { find "$1" -name '*.hsdb' 2>/dev/null | wc -l; }
rm -rf "$XDG_CACHE_HOME"
expect 0 "$ctl" check $rules "$dir/in/clean.txt"
[ "$(caches "$XDG_CACHE_HOME")" = 1 ] || fail "no database was kept"
[ -z "$(find "$XDG_CACHE_HOME/filterd" -perm /077)" ] || fail "others may read the cache"
before=$(find "$XDG_CACHE_HOME" -name '*.hsdb' -printf '%T@ %i')
expect 0 "$ctl" check $rules "$dir/in/clean.txt"
[ "$(find "$XDG_CACHE_HOME" -name '*.hsdb' -printf '%T@ %i')" = "$before" ] || fail "it was made again"
chmod o+w "$XDG_CACHE_HOME"/filterd/*.hsdb
expect 1 "$ctl" check $rules "$dir/in/dirty.txt" # another may have written it: it is made anew
[ -z "$(find "$XDG_CACHE_HOME" -name '*.hsdb' -perm /022)" ] || fail "a file of anybody's was trusted"
rm -rf "$XDG_CACHE_HOME"
for off in --no-cache --cache=none '--cache none'; do
    # shellcheck disable=SC2086 # an option and its value
    expect 0 "$ctl" check $rules $off "$dir/in/clean.txt"
done
mkdir -p "$XDG_CACHE_HOME/filterd" && chmod 0777 "$XDG_CACHE_HOME/filterd"
expect 0 "$ctl" check $rules "$dir/in/clean.txt"
: > "$dir/file"
XDG_CACHE_HOME="$dir/file" expect 0 "$ctl" check $rules "$dir/in/clean.txt" # not a folder: no error
[ "$(caches "$dir")" = 0 ] || fail "kept where it was not to be"
expect 0 "$ctl" check $rules --cache "$dir/mine" "$dir/in/clean.txt"
[ "$(caches "$dir/mine")" = 1 ] || fail "--cache"
# Old ones go.
for i in 1 2 3 4 5 6 7 8 9 10; do
    sed "s/weak-/weak$i-/g" "$dir/rules/secrets/test.yaml" > "$dir/changed.yaml"
    expect 0 "$ctl" rules test --cache "$dir/mine" "$dir/changed.yaml"
done
[ "$(caches "$dir/mine")" = 8 ] || fail "the cache grows"

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
for row in 'chekc|check' 'rules lst|rules list' 'rule list|rules list' 'agents kil|agents kill'; do
    # shellcheck disable=SC2086 # words
    expect 2 "$ctl" ${row%|*} x
    says "unknown command '${row%|*}' (did you mean ${row#*|}"
done
expect 2 "$ctl" rules
says "rules explain"
expect 2 "$ctl" check --jbos 3
says "unknown option '--jbos' (did you mean --jobs?)"
expect 2 "$ctl" check --jbos=3
says "unknown option '--jbos' (did you mean --jobs?)"
expect 2 "$ctl" check -r
says "unknown option '-r'"
expect 2 "$ctl" check --quiet=yes
says "--quiet: no value expected"
expect 2 "$ctl" check --jobs
says "--jobs: a value expected"
expect 0 "$ctl" check --help
expect 0 "$ctl" --version

# An option's help says what it does in that command.
expect 0 "$ctl" log --help
has "only records of this agent"
expect 0 "$ctl" check --help
has "judge for this agent"
has "also list findings that are weak"
expect 0 "$ctl" rules lint --help
has "print every rule"
has_not "weak"
