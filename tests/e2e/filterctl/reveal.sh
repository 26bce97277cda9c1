#!/bin/sh
# filterctl reveal: opens what the encrypt operator closed, and only with its key.
. "$(dirname "$0")/fixture"

cat > "$dir/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [secrets]
    actions: [{category: secret, action: redact, with: encrypt}]
POLICY
for state in state other; do
    mkdir -p "$dir/$state/keys"
    for name in hash encrypt; do
        head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' > "$dir/$state/keys/$name.key"
        chmod 600 "$dir/$state/keys/$name.key"
    done
done
key=$(cat "$dir/state/keys/encrypt.key")
keys="--keys $dir/state"
redact() { # redact INPUT OUTPUT [OPTION…]
    in=$1 closed=$2; shift 2
    expect 1 "$ctl" redact $rules $keys --policy "$dir/policy.yaml" "$@" < "$in"
    cp "$dir/out" "$closed"
}
same() { cmp -s "$1" "$dir/out" || fail "$1: not what came back"; }

# A text comes back as it was, byte for byte.
printf '[x] é key-123456789012 [a:enc:] [[tok_abcdefgh12345678]\n\nweak-123456 and [b:enc:%%' > "$dir/in"
redact "$dir/in" "$dir/closed"
grep -q '123456789012\|tok_' "$dir/closed" && fail "not redacted"
expect 0 "$ctl" reveal $keys < "$dir/closed"
same "$dir/in"
expect 0 "$ctl" reveal $keys - < "$dir/closed"
same "$dir/in"
printf 'nothing here\n' > "$dir/plain"
expect 0 "$ctl" reveal $keys < "$dir/plain"
same "$dir/plain"
expect 0 "$ctl" reveal $keys < /dev/null

# Values as operands, a line each; encrypt.key is all it takes.
rm "$dir/state/keys/hash.key"
token=$(grep -o '\[test-key:enc:[^]]*\]' "$dir/closed") weak=$(grep -o '\[test-weak:enc:[^]]*\]' "$dir/closed")
expect 0 "$ctl" reveal $keys "$token" "$weak"
[ "$(cat "$dir/out")" = "key-123456789012
weak-123456" ] || fail "operands"

# What cannot be opened stays, is named by rule and place, and nothing of the key is said.
bad=$(printf '%s' "$token" | sed 's/enc:./enc:_/; t; s/enc:_/enc:A/')
printf 'a %s\nb %s' "$weak" "$bad" > "$dir/in"
expect 2 "$ctl" reveal $keys < "$dir/in"
printf 'a weak-123456\nb %s' "$bad" > "$dir/wanted"
same "$dir/wanted"
says "<stdin>:2:3: test-key: could not be opened"
expect 2 "$ctl" reveal --keys "$dir/other" "$weak" "$token"
says "operand 1: test-weak: could not be opened"
says "operand 2: test-key: could not be opened"
[ "$(cat "$dir/out")" = "$weak
$token" ] || fail "closed operands"
for secret in "$key" "$(cat "$dir/other/keys/encrypt.key")" "$dir"; do
    grep -qF -- "$secret" "$dir/out" "$dir/err" && fail "said too much"
done
for operand in '' test-key '[test-key]' "$token " "x$token" '[test-key:hash:0011223344556677]' '[:enc:AAAA]'; do
    expect 2 "$ctl" reveal $keys "$operand" "$weak"
    says "operand 1: [rule-id:enc:…] expected"
    has "weak-123456"
done

# Inside JSON a value is escaped as its string needs it.
cat > "$dir/rules/secrets/quoted.yaml" <<'RULES'
rules:
  - id: test-quoted
    title: Value with quotes
    category: secret
    severity: low
    pattern: 'pass="[^"]{4,20}"'
    boundary: none
    confidence: 0.9
    match: ['pass="abcd"', 'a pass="12345"', 'pass="  x  "']
    no_match: ['pass=abcd', 'pass=""', 'pass="a"']
RULES
cp "$dir/other/keys/hash.key" "$dir/state/keys/hash.key"
printf '{"a":"x pass=\\"a\\\\n\\tb\\" y","b":["key-123456789012"]}\n' > "$dir/in"
redact "$dir/in" "$dir/closed" --to-json
expect 0 "$ctl" reveal $keys --to-json < "$dir/closed"
same "$dir/in"
expect 2 "$ctl" reveal $keys --to-json "$token"
says "standard input"

expect 2 "$ctl" reveal "$token"
says "--keys DIR expected"
expect 2 "$ctl" reveal --keys "$dir/nowhere" "$token"
says "--keys: $dir/nowhere/keys/encrypt.key: No such file"
[ ! -e "$dir/nowhere" ] || fail "a key was made"
