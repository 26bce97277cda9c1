#!/bin/sh
# filterctl redact: standard input to standard output.
. "$(dirname "$0")/fixture"

printf 'nothing here\n' > "$dir/in"
expect 0 "$ctl" redact $rules < "$dir/in"
cmp -s "$dir/in" "$dir/out" || fail "changed"
printf 'use key-123456789012 now\n' > "$dir/in"
expect 1 "$ctl" redact $rules < "$dir/in"
[ "$(cat "$dir/out")" = "use [test-key] now" ] || fail "redacted text"
printf 'a key-123456789012 tok_abcdefgh12345678' > "$dir/in"
expect 1 "$ctl" redact $rules < "$dir/in"
[ "$(cat "$dir/out")" = "Withheld." ] || fail "notice alone expected"

printf '{ "a" : "key-123456789012", "b": [1, 2] }' > "$dir/in"
expect 1 "$ctl" redact $rules --to-json < "$dir/in"
[ "$(cat "$dir/out")" = '{ "a" : "[test-key]", "b": [1, 2] }' ] || fail "document"
printf '{"a": "tok_abcdefgh12345678"}' > "$dir/in"
expect 1 "$ctl" redact $rules --to-json < "$dir/in"
[ "$(jq -r . "$dir/out")" = "Withheld." ] || fail "notice as JSON"
printf '{"a": ' > "$dir/in"
expect 2 "$ctl" redact $rules --to-json < "$dir/in"
[ ! -s "$dir/out" ] || fail "output of what is no JSON"
