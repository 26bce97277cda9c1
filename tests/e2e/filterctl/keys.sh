#!/bin/sh
# filterctl --keys: the hash and encrypt operators, with given keys and with keys of the run.
. "$(dirname "$0")/fixture"

cat > "$dir/hash.yaml" <<'POLICY'
policies:
  default:
    rules: [secrets]
    actions: [{category: secret, action: redact, with: hash}]
POLICY
sed 's/with: hash/with: encrypt/' "$dir/hash.yaml" > "$dir/encrypt.yaml"
make_keys() { # make_keys FOLDER DIGIT
    mkdir -p "$1/keys"
    for name in hash encrypt; do
        printf "%064d\n" "$2" > "$1/keys/$name.key"
        chmod 600 "$1/keys/$name.key"
    done
}
make_keys "$dir/state" 1
make_keys "$dir/other" 2
printf 'key-123456789012 and key-123456789012' > "$dir/in"

redacted() { # redacted POLICY [OPTION…]: prints what redact makes of $dir/in
    policy=$1; shift
    expect 1 "$ctl" redact $rules --policy "$dir/$policy.yaml" "$@" < "$dir/in"
    cat "$dir/out"
}
for policy in hash encrypt; do
    one=$(redacted $policy --keys "$dir/state") two=$(redacted $policy --keys "$dir/other")
    [ "$one" = "$(redacted $policy --keys "$dir/state")" ] || fail "$policy: equal keys, other output"
    [ "$one" != "$two" ] || fail "$policy: other keys, equal output"
    random=$(redacted $policy)
    [ "${random% and *}" = "${random#* and }" ] || fail "$policy: one value, two outputs in a run"
    [ "$random" != "$(redacted $policy)" ] || fail "$policy: keys outlived their run"
done
redacted hash > "$dir/label"
grep -qxE '\[test-key:hash:[0-9a-f]{16}\] and \[test-key:hash:[0-9a-f]{16}\]' "$dir/label" || fail "pseudonyms"

# The other commands that judge.
with="--keys $dir/state $rules --policy $dir/hash.yaml"
expect 1 "$ctl" policy explain $with 'key-123456789012'
has "[test-key:hash:"
expect 1 "$ctl" check $with "$dir/in"
printf '{"text":"key-123456789012"}\n' > "$dir/in.ndjson"
expect 0 "$ctl" check --pipe --field text $with < "$dir/in.ndjson"
has '"text":"[test-key:hash:'
expect 0 "$ctl" policy diff $rules --keys "$dir/state" "$dir/hash.yaml" "$dir/hash.yaml" --on "$dir/in.ndjson"
expect 1 "$ctl" rules explain $with test-key 'key-123456789012'
has "action redact"
printf '{"text":"key-123456789012","kind":"positive"}\n' > "$dir/rows.ndjson"
expect 0 "$ctl" rules score $with --format ndjson "$dir/rows.ndjson"
has '"found":1'

# Keys are only read: none is made where there is none, and none is taken that others can read.
expect 2 "$ctl" redact $rules --keys "$dir/nowhere" < "$dir/in"
says "--keys: $dir/nowhere/keys/hash.key: No such file"
[ ! -e "$dir/nowhere" ] || fail "keys were made"
[ ! -s "$dir/out" ] || fail "output without keys"
chmod 640 "$dir/other/keys/encrypt.key"
expect 2 "$ctl" redact $rules --keys "$dir/other" < "$dir/in"
says "encrypt.key: mode 0600 expected"
