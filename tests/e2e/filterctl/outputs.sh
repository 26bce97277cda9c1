#!/bin/sh
# filterctl outputs: files that a jail left, listed, looked at, compared, promoted by digest, rejected.
. "$(dirname "$0")/fixture"

q=$dir/quarantine
mkdir -p "$q/run/sub" "$dir/target"
printf 'one line\n' >"$q/run/plain.txt"
printf '{"a": ["\\u006bey-123456789012"]}' >"$q/run/sub/data.json"
printf 'x tok_abcdefgh12345678' >"$q/run/blocked"
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0' >"$q/run/not-a.txt"
cp /bin/true "$q/run/innocent.md"
printf 'be\033[2Jfore\n' >"$q/run/escape"
mkdir "$q/run/.vscode"; echo '{}' >"$q/run/.vscode/tasks.json"
digest() { sha256sum "$1" | sed 's/ .*//; s/^/sha256:/'; }
plain=$(digest "$q/run/plain.txt")

expect 1 "$ctl" outputs list $rules "$q"
has "allow  $plain          9  text/plain               run/plain.txt"
has "redact $(digest "$q/run/sub/data.json")"; has "run/sub/data.json  test-key"
has "block  $(digest "$q/run/blocked")"; has "run/blocked  test-token"
has "image/png                run/not-a.txt"
grep -Eq 'application/x-(pie-)?(executable|sharedlib) +run/innocent.md' "$dir/out" || fail "a program by its content"
has "run/.vscode/tasks.json  (tools obey this name)"
has_not key-123456789012; has_not tok_abc
expect 1 "$ctl" outputs list $rules --format json "$q/run"
[ "$(jq -r '.[] | select(.path == "sub/data.json") | .action + " " + .type + " " + .rules' "$dir/out")" = "redact application/json test-key" ] || fail json
expect 1 "$ctl" outputs list $rules --format ndjson "$q/run"
[ "$(jq -r .path "$dir/out" | wc -l)" -eq 7 ] || fail ndjson

# What is no plain file is said and left alone.
mkdir "$q/clean"; echo fine >"$q/clean/a"
expect 0 "$ctl" outputs list $rules "$q/clean"
ln -s /etc/passwd "$q/clean/link"; mkfifo "$q/clean/fifo"; ln "$q/clean/a" "$q/clean/b"
expect 1 "$ctl" outputs list $rules "$q/clean"
[ ! -s "$dir/out" ] || fail "something that is no plain file with one name is listed"
says "4 entries"
rm "$q/clean/b"
expect 2 "$ctl" outputs list $rules "$dir/nowhere"

# Files in another encoding are read as check reads them, and as they stand.
e=$dir/encoded
mkdir "$e"
for as in UTF-16LE UTF-16BE UTF-32LE UTF-32BE; do
    { printf '\357\273\277' | iconv -f UTF-8 -t $as; printf 'one tok_abcdefgh12345678\n' | iconv -f UTF-8 -t $as; } >"$e/$as"
    { printf '\357\273\277' | iconv -f UTF-8 -t $as; printf 'one line\n' | iconv -f UTF-8 -t $as; } >"$e/$as.fine"
done
{ printf '\377\376'; printf '{"a": "\\u006bey-123456789012"}' | iconv -f UTF-8 -t UTF-16LE; } >"$e/json"
{ printf '\377\376'; printf 'one tok_abcdefgh12345678\n'; } >"$e/marked"
printf 'one tok_abcdefgh12345678\n' | gzip -c >"$e/packed"
head -c 30 "$e/packed" >"$e/packed.torn"
expect 1 "$ctl" outputs list $rules --format ndjson "$e"
[ "$(jq -r 'select(.action == "block") | .path' "$dir/out" | xargs)" = \
    'UTF-16BE UTF-16LE UTF-32BE UTF-32LE marked packed packed.torn' ] || fail "what is blocked of encoded files"
[ "$(jq -r 'select(.action == "redact") | .path' "$dir/out" | xargs)" = json ] || fail "what is redacted of encoded files"
[ "$(jq -r 'select(.action == "allow") | .path' "$dir/out" | xargs)" = \
    'UTF-16BE.fine UTF-16LE.fine UTF-32BE.fine UTF-32LE.fine' ] || fail "what is allowed of encoded files"
expect 0 "$ctl" outputs show $rules "$e" "$(digest "$e/UTF-16LE.fine")"
has 'one line'
mkdir "$dir/encoded-target"; { printf '\377\376'; printf 'old line\n' | iconv -f UTF-8 -t UTF-16LE; } >"$dir/encoded-target/UTF-16LE.fine"
expect 1 "$ctl" outputs diff $rules "$e" "$dir/encoded-target"
has '-old line'; has '+one line'
expect 1 "$ctl" outputs promote $rules "$e" "$dir/encoded-target" "$(digest "$e/UTF-16LE")"
has 'the rules object'
expect 0 "$ctl" outputs promote $rules --replace "$e" "$dir/encoded-target" "$(digest "$e/UTF-16BE.fine")"
{ printf '\376\377'; printf 'one line\n' | iconv -f UTF-8 -t UTF-16BE; } | cmp -s - "$dir/encoded-target/UTF-16BE.fine" || fail "other bytes were promoted"

expect 1 "$ctl" outputs show $rules "$q" "$(digest "$q/run/sub/data.json")"
has 'path:   run/sub/data.json'; has '[test-key]'; has_not 'ey-123456789012'
expect 1 "$ctl" outputs show $rules "$q" "$(digest "$q/run/blocked")"
has withheld; has_not tok_abc
expect 0 "$ctl" outputs show $rules "$q" "$(digest "$q/run/escape")"
has 'be.[2Jfore'
expect 0 "$ctl" outputs show $rules "$q" "$(digest "$q/run/not-a.txt")"
has '(not shown: image/png'
expect 2 "$ctl" outputs show $rules "$q" "sha256:$(printf '%064d' 0)"

mkdir "$dir/target/run"; printf 'old line\n' >"$dir/target/run/plain.txt"; cp "$q/run/escape" "$dir/target/run/escape"
expect 1 "$ctl" outputs diff $rules "$q" "$dir/target"
has "changed run/plain.txt $plain"; has '-old line'; has '+one line'; has 'same    run/escape'; has 'new     run/blocked'
has_not tok_abc

# Promotion: by whole digest, never over something else, never what the rules object to.
expect 1 "$ctl" outputs promote $rules "$q" "$dir/target" "$plain"
has 'refused run/plain.txt'; has 'another file is at the target'
[ "$(cat "$dir/target/run/plain.txt")" = 'old line' ] || fail "what stood at the target has changed"
expect 0 "$ctl" outputs promote $rules --replace "$q" "$dir/target" "$plain"
has "promoted run/plain.txt $plain"
[ "$(cat "$dir/target/run/plain.txt")" = 'one line' ] || fail "not promoted"
[ ! -e "$q/run/plain.txt" ] || fail "what was promoted is still in the quarantine"
for name in blocked sub/data.json; do
    expect 1 "$ctl" outputs promote $rules --replace "$q" "$dir/target" "$(digest "$q/run/$name")"
    has 'the rules object'; [ ! -e "$dir/target/run/$name" ] || fail "$name was promoted"
done
expect 0 "$ctl" outputs promote $rules "$q" "$dir/target" "$(digest "$q/run/innocent.md")"
[ ! -x "$dir/target/run/innocent.md" ] || fail "what was promoted can be run"
expect 1 "$ctl" outputs promote $rules "$q" "$dir/target" "$(digest "$q/run/.vscode/tasks.json")"
has 'tools obey that name'
expect 0 "$ctl" outputs promote $rules --obeyed "$q" "$dir/target" "$(digest "$q/run/.vscode/tasks.json")"
expect 2 "$ctl" outputs promote $rules "$q" "$dir/target" "${plain%?????}"
says '64 hexadecimal digits'
expect 2 "$ctl" outputs promote $rules "$q" "$dir/target" run/escape
listed=$(digest "$q/run/escape"); echo more >>"$q/run/escape"
expect 2 "$ctl" outputs promote $rules "$q" "$dir/target" "$listed"
says 'no file has the digest'

# B2: links at the target, and in the way there, lead nowhere.
mkdir "$dir/elsewhere"; mv "$dir/target/run" "$dir/target/was"; ln -s "$dir/elsewhere" "$dir/target/run"
expect 2 "$ctl" outputs promote $rules "$q" "$dir/target" "$(digest "$q/run/not-a.txt")"
[ -z "$(ls "$dir/elsewhere")" ] || fail "a link at the target was followed"
rm "$dir/target/run"
echo own >"$dir/own"; mkdir "$dir/target/clean"; ln -s "$dir/own" "$dir/target/clean/a"
expect 2 "$ctl" outputs promote $rules --replace "$q" "$dir/target" "$(digest "$q/clean/a")"
[ "$(cat "$dir/own")" = own ] || fail "a link in a file's place was written through"
[ -z "$(find "$dir/target" -name '.filterctl-*')" ] || fail "something half is left at the target"

expect 0 "$ctl" outputs reject $rules "$q" "$(digest "$q/run/blocked")" "$(digest "$q/run/sub/data.json")"
has 'rejected run/blocked'
[ ! -e "$q/run/blocked" ] && [ ! -e "$q/run/sub" ] || fail "what was rejected is still there"
expect 2 "$ctl" outputs reject $rules "$q" "$plain"
