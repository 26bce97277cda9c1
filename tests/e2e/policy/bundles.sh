#!/bin/sh
# Rules and policy from signed bundles alone: taken, refused, never an older one; keys that follow.
. "$(dirname "$0")/../service.inc"
ctl=$bin/filterctl
folder=$rules bundles=$work/bundles
rules= # they come in bundles
mkdir "$bundles"
name=example.com/policy

# --- keys ---
for who in alice bob carol mallory; do "$ctl" bundle key "$who" "$work/$who.key" >"$work/$who.vkey"; done
expect 'mode of a key' 600 "$(stat -c %a "$work/alice.key")"
"$ctl" bundle key alice "$work/alice.key" >/dev/null 2>&1
expect 'a key is never overwritten' 2 $?
keys() { # keys GENERATION THRESHOLD WHO…
    printf '%s\ngeneration %s\nthreshold %s\n' "$name" "$1" "$2"; shift 2
    for who in "$@"; do printf 'key %s\n' "$(cat "$work/$who.vkey")"; done
}
keys 1 2 alice bob carol >"$work/keys"
cp "$work/keys" "$work/first-keys" # that the service was given

# --- making ---
make_bundle() { # make_bundle VERSION [OPTION…]
    version=$1; shift
    "$ctl" bundle make --keys "$work/keys" --out "$bundles" --cache "$work/cache" "$@" "$version" "$folder" >/dev/null
}
sign() { for who in "$@"; do "$ctl" bundle sign "$who" "$work/$who.key" "$note" || echo "sign: $who"; done; }
signed() { # signed VERSION WHO…
    make_bundle "$1" || echo "make: $1"
    note=$bundles/rules-$1.note; shift
    sign "$@"
}
verify() { "$ctl" bundle verify --keys "$work/keys" "$bundles/rules-$1.note" "$bundles/rules-$1.tar.zst" >"$work/verified" 2>&1; echo $?; }

cp "$folder/policy.yaml" "$work/policy.yaml"
echo '  broken: [' >>"$folder/policy.yaml"
make_bundle 1 2>/dev/null
expect 'what does not load is no bundle' 2 $?
expect 'and leaves no file' '' "$(ls "$bundles")"
cp "$work/policy.yaml" "$folder/policy.yaml"
bundles=$work/new/out folder=$folder/ make_bundle 1
expect 'a folder that is made, of one with a slash' 'rules-1.note rules-1.tar.zst' "$(ls "$work/new/out" | paste -sd ' ')"
signed 10
expect 'without a signature' 1 "$(verify 10)"
sign alice
expect 'one of two' 1 "$(verify 10)"
expect 'which it says' 1 "$(grep -c 'signatures of 2 keys of generation 1 expected; there are 1' "$work/verified")"
"$ctl" bundle sign alice "$work/alice.key" "$note" 2>/dev/null
expect 'a key signs once' 2 $?
sign bob
expect 'two of three' 0 "$(verify 10)"
tar --zstd -tf "$bundles/rules-10.tar.zst" >"$work/names" 2>&1
expect 'an archive as any other' 'policy.yaml test/test.yaml' "$(tr '\n' ' ' <"$work/names" | sed 's/ $//')"

# --- taking ---
"$bin/filterd" --bundles="$bundles" --bundle-keys="$work/first-keys" --rules="$folder" --state-directory="$work/state" 2>"$work/refused"
expect 'rules beside bundles' 1 "$(grep -c 'bundles: neither rules nor policy expected' "$work/refused")"
"$bin/filterd" --bundles="$bundles" --state-directory="$work/state" 2>"$work/refused"
expect 'bundles without keys' 1 "$(grep -c 'both or neither expected' "$work/refused")"
start --bundles="$bundles" --bundle-keys="$work/first-keys"
action() { post /v1/filter '{"text":"E2EBOMB0001"}' | jq -r .action; }
metric() { operators /metrics | sed -n "s/^filterd_policy_bundle_$1 //p"; }
expect 'the rules of the bundle' block "$(action)"
expect 'its version' 10 "$(metric version)"

edit() { sed -i "s/category: injection, action: [a-z]*/category: injection, action: $1/" "$folder/policy.yaml"; }
edit redact
signed 11 carol alice
expect 'a file alone changes nothing' block "$(action)"
operators /v1/policy/reload -X POST >/dev/null
expect 'a newer one' redact "$(action)"
expect 'its version' 11 "$(metric version)"

# --- refusing: the one before stays ---
edit allow
refused() { # refused WHAT VERSION WHY
    a=$(operators /v1/policy/reload -X POST)
    expect_json "$1" .status 422 "$a"
    expect "$1: why" 1 "$(printf '%s' "$a" | jq -r .detail | grep -c -- "$3")"
    expect "$1: the one before" 'redact 11' "$(action) $(metric version)"
    rm -f "$bundles/rules-$2".*
}
signed 12; refused 'unsigned' 12 'a note\|signature'
signed 12 alice; refused 'too few' 12 'signatures of 2 keys'
signed 12 alice mallory; refused 'an unknown key' 12 'there are 1'
signed 12 alice; sed -n '/^— alice/p' "$note" >>"$note"; refused 'one key twice' 12 'there are 1'
signed 12 alice bob; sed -i 's/^— bob .*/— bob /' "$note"; refused 'an empty signature' 12 'note'
signed 12 alice bob; sed -i '/^— /d' "$note"; refused 'signatures taken away' 12 'note'
signed 12 alice bob; sed -i 's/^expires 20/expires 21/' "$note"; refused 'a changed text' 12 'is not of this text'
signed 12 alice bob; printf x >>"$bundles/rules-12.tar.zst"; refused 'a changed archive' 12 'not the one that was signed'
signed 12 alice bob; cp "$bundles/rules-11.tar.zst" "$bundles/rules-12.tar.zst"; refused 'mixed and matched' 12 'not the one that was signed'
signed 12 alice bob; mv "$bundles/rules-12.note" "$bundles/rules-13.note"; mv "$bundles/rules-12.tar.zst" "$bundles/rules-13.tar.zst"
refused 'another name' 13 'the name of version 12 expected'
make_bundle 12 --until "$(date -u -d '+2 seconds' +%Y-%m-%dT%H:%M:%SZ)"; note=$bundles/rules-12.note; sign alice bob; sleep 3
refused 'expired' 12 'expired at'
make_bundle 12; note=$bundles/rules-12.note; sed -i 's/^engine .*/engine >=99.0/' "$note"; sign alice bob; refused 'for a newer filterd' 12 'needs filterd 99.0'
make_bundle 12; note=$bundles/rules-12.note; sed -i '1s/.*/example.com\/other/' "$note"; sign alice bob; refused 'of another series' 12 'a bundle of example.com/policy'
mv "$bundles/rules-11.note" "$bundles/rules-11.tar.zst" "$work/"
refused 'older ones alone' 99 'a version above 11'
edit redact; echo '# other' >>"$folder/policy.yaml"
signed 11 alice bob; refused 'the same version, other rules' 11 'a version above 11'
mv "$work/rules-11.note" "$work/rules-11.tar.zst" "$bundles/"
tar -C "$folder" --sort=name --mtime=@0 --owner=0 --group=0 --mode=0644 --format=ustar -cf - test/test.yaml policy.yaml >"$work/other.tar"
zstd -q "$work/other.tar" -o "$bundles/rules-12.tar.zst"
resign() { # resign VERSION: the note of an archive that filterctl would not make
    sed "s/^version .*/version $1/; s/^digest .*/digest sha256:$(sha256sum <"$bundles/rules-$1.tar.zst" | cut -d' ' -f1)/; /^— /d" \
        "$bundles/rules-11.note" >"$bundles/rules-$1.note"
    note=$bundles/rules-$1.note; sign alice bob
}
resign 12; refused 'names out of order' 12 'plain names in order'
cp -r "$folder" "$work/bad" && sed -i 's/key=E2EKEY-abc/key=/' "$work/bad/test/test.yaml"
tar -C "$work/bad" --mtime=@0 --owner=0 --group=0 --mode=0644 --format=ustar -b 1 -cf "$work/bad.tar" policy.yaml test/test.yaml
zstd -qf "$work/bad.tar" -o "$bundles/rules-12.tar.zst"; resign 12; refused 'rules whose examples fail' 12 'test.yaml'
printf 'no archive' >"$bundles/rules-12.tar.zst"; resign 12; refused 'no archive' 12 'zstd archive'
expect 'each is counted' yes "$([ "$(metric refused_total)" -ge 16 ] && echo yes)"
expect 'nothing is left' 'previous rules' "$(ls "$work/state/policy-bundles" | tr '\n' ' ' | sed 's, $,,')"
expect 'the first is never taken again' 'redact 11' "$(action) $(metric version)"

# --- a restart with a bad bundle, and with none ---
signed 12
stop
start --bundles="$bundles" --bundle-keys="$work/first-keys"
expect 'a restart' 'redact 11' "$(action) $(metric version)"
expect 'says what was refused' 1 "$(grep -c 'policy bundle: refused, version 11 stays' "$work/log")"
stop
rm "$bundles"/*
start --bundles="$bundles" --bundle-keys="$work/first-keys"
expect 'with nothing there' 'redact 11' "$(action) $(metric version)"

# --- keys that follow ---
keys 2 1 carol mallory >"$bundles/keys-2.note"; echo >>"$bundles/keys-2.note"
note=$bundles/keys-2.note
sign mallory carol
edit block
keys 2 1 carol mallory >"$work/keys"
signed 20 mallory
a=$(operators /v1/policy/reload -X POST)
expect 'the keys before did not sign' 1 "$(printf '%s' "$a" | jq -r .detail | grep -c 'keys-2.note: signatures of 2 keys of generation 1')"
note=$bundles/keys-2.note; sign alice
operators /v1/policy/reload -X POST >/dev/null
expect 'they have' 'block 20' "$(action) $(metric version)"
rm "$bundles"/*
stop

# --- killed while it takes one: the old one or the new one, whole ---
for delay in 0 0.02 0.05 0.1 0.2 0.3; do
    edit redact; signed $((21 + ${n:=0})) carol; n=$((n + 1))
    start --bundles="$bundles" --bundle-keys="$work/first-keys"
    edit block; signed $((21 + n)) carol; n=$((n + 1))
    operators /v1/policy/reload -X POST >/dev/null 2>&1 & request=$!
    sleep "$delay"; stop KILL 2>/dev/null; wait $request
    start --bundles="$bundles" --bundle-keys="$work/first-keys"
    expect "killed after $delay s" "block $((20 + n))" "$(action) $(metric version)"
    stop
done

# --- rules without their note have no version: nothing older may take their place ---
rm "$work/state/policy-bundles/rules/bundle.note"
timeout 60 "$bin/filterd" --bundles="$bundles" --bundle-keys="$work/first-keys" --listen=127.0.0.1:0 --state-directory="$work/state" 2>"$work/refused"
expect 'rules without their note' '2 1' "$? $(grep -c 'bundle.note' "$work/refused")"
finish
