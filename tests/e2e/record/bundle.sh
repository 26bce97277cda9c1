#!/bin/sh
# Evidence bundles: exported from a log, verified by filterctl and by verify.py, which agree on what does not hold.
. "$(dirname "$0")/../service.inc"
ctl=$bin/filterctl
start
for i in $(seq 20); do post /v1/filter "{\"text\":\"E2EBOMB000$((i % 10))\",\"agent\":\"a$((i % 3))\"}" >/dev/null; done
post /v1/filter "{\"text\":\"$secret\",\"agent\":\"b\"}" >/dev/null
checkpointed # it follows the lines within a second

export_to() { # export_to FILE OPTION…
    out=$1; shift
    "$ctl" record export --operators "$work/operators.sock" --rules "$rules" --cache "$work/cache" --out "$out" "$@" >"$work/out" 2>"$work/err"
}
# The auditor's policy, which did not come with the bundle.
printf 'log %s\nquorum none\n' "$(head -1 "$work/state/decisions.jsonl" | jq -r .vkey)" >"$work/policy"
both() { # both WHAT EXPECTED BUNDLE: exit codes of the two verifiers
    "$ctl" record verify-bundle "$3" --policy "$work/policy" >"$work/c" 2>&1; c=$?
    /usr/bin/python3 filterd/evidence/verify.py --policy "$work/policy" "$3" >"$work/py" 2>&1; py=$?
    expect "$1" "$2 $2" "$c $py"
    [ "$c $py" = "$2 $2" ] || cat "$work/c" "$work/py"
}

export_to "$work/query.tar" --query 'action:block agent:a1' --why incident; expect 'exported' 0 $?
both 'a selection' 0 "$work/query.tar"
expect 'it is on record' '["operator","export","agent:a1 action:block","incident"]' \
    "$(jq -c 'select(.type == "access") | [.role, .what, .query, .purpose]' "$work/state/decisions.jsonl")"
export_to "$work/none.tar" --range 1..2 --why "$secret"; expect 'what a person types is judged' "0 $secret" "$? $secret"
expect 'and on record as it may be shown' 0 "$(grep -c "$secret" "$work/state/decisions.jsonl")"
rm -f "$work/none.tar"; checkpointed
# Without asking the service nothing is put on record, and the checkpoint stays.
printf 'state-directory: %s\n' "$work/state" >"$work/filterd.yaml"
offline() { "$ctl" record export --config "$work/filterd.yaml" --rules "$rules" --cache "$work/cache" "$@" 2>"$work/err" >/dev/null; }
offline --out "$work/query.tar" --query 'action:block agent:a1' --why incident
expect 'said' 1 "$(grep -c 'not on record' "$work/err")"
offline --out "$work/again.tar" --query 'agent:a1   action:block' --why incident
expect 'the same question is the same bytes' "$(sha256sum <"$work/query.tar")" "$(sha256sum <"$work/again.tar")"
export_to "$work/range.tar" --range 3..11; expect 'a range is exported' 0 $?
both 'a range' 0 "$work/range.tar"
for range in 1..1 1..7 2..2 8..16 "1..$(covered)" "$(covered)..$(covered)"; do
    export_to "$work/r.tar" --range "$range" && both "range $range" 0 "$work/r.tar"
done

mkdir "$work/x" && tar xf "$work/query.tar" -C "$work/x"
expect 'tar reads it' "$(tar tf "$work/query.tar" | sort)" "$(cd "$work/x" && find . -type f | cut -c3- | sort)"
expect 'lines are those of the log' "$(jq -c 'select(.action == "block" and .agent == "a1") | .seq' "$work/state/decisions.jsonl" | tr '\n' ' ')" \
    "$(jq -c .seq "$work/x/records.jsonl" | tr '\n' ' ')"
expect_json 'the manifest' '[.query, .count, .purpose, .texts]' '["agent:a1 action:block",7,"incident",true]' "$(cat "$work/x/manifest.json")"
expect 'the rules in force' 1 "$(cmp -s "$work"/x/rules/*/test/test.yaml "$rules/test/test.yaml" && cmp -s "$work"/x/rules/*/policy.yaml "$rules/policy.yaml" && echo 1)"
expect 'no content' 0 "$(grep -c "$secret" "$work/query.tar")"
"$ctl" record verify-bundle "$work/query.tar" >"$work/c"; expect 'without a policy' 0 $?
expect 'it says how little that is' 1 "$(grep -c 'internal consistency only' "$work/c")"
expect 'so does verify.py, from the bundle' 1 "$(/usr/bin/python3 "$work/x/verify.py" "$work/query.tar" | grep -c 'internal consistency only')"

# What does not hold is found by both. The archive is made again, so that only the content is wrong.
pack() { (cd "$work/x" && find . -type f | cut -c3- | LC_ALL=C sort | tar cf "$work/bad.tar" --format=ustar --blocking-factor=1 --owner=0 --group=0 \
    --mode=0644 --mtime=@0 --no-recursion -T -); }
restore() { rm -rf "$work/x"; mkdir "$work/x"; tar xf "$work/query.tar" -C "$work/x"; }
pack; both 'packed by tar' 0 "$work/bad.tar"
# reseal: the manifest lists what there is now; the log's key, which a forger has not, signs nothing.
reseal() { /usr/bin/python3 -c '
import hashlib, json, os, sys
os.chdir(sys.argv[1]); m = json.load(open("manifest.json"))
names = sorted(os.path.join(d, n)[2:] for d, _, f in os.walk(".") for n in f)
m["files"] = [{"name": n, "bytes": os.path.getsize(n), "sha256": hashlib.sha256(open(n, "rb").read()).hexdigest()} for n in names if not n.startswith("manifest.")]
m["count"] = len(open("records.jsonl").readlines())
json.dump(m, open("manifest.json", "w"))' "$work/x"; }
tamper() { # tamper WHAT COMMAND…: in the unpacked bundle
    what=$1; shift
    (cd "$work/x" && "$@"); pack; both "$what" 1 "$work/bad.tar"
    reseal; pack; both "$what, and a new manifest" 1 "$work/bad.tar"
    restore
}
tamper 'a changed line' sed -i '2s/"action":"block"/"action":"allow"/' records.jsonl
tamper 'a removed line' sed -i 2d records.jsonl
tamper 'lines swapped' sed -i '2{h;d};3{G}' records.jsonl
tamper 'no lines' sh -c ': >records.jsonl; rm proofs/*'
tamper 'a file is missing' rm review.jsonl
tamper 'a proof is missing' sh -c 'rm "$(ls proofs/* | head -1)"'
tamper 'another proof' sh -c 'set -- proofs/*; cp "$1" "$2"'
tamper 'a proof too many' cp /dev/null proofs/00000000000000000001.tlog-proof
tamper 'another checkpoint' sed -i '2s/.*/999/' checkpoint
tamper 'a file beside' cp README.txt other.txt
tamper 'a changed README' sed -i 's/proves/promises/' README.txt
tamper 'an access line of no log' sh -c 'sed -n 1p records.jsonl | sed s/redact/allow/ | sed "s/\"seq\":[0-9]*/\"seq\":1/" >access.jsonl'
head -c 3000 "$work/query.tar" >"$work/bad.tar"; both 'cut off' 1 "$work/bad.tar"
: >"$work/bad.tar"; both 'empty' 1 "$work/bad.tar"
both 'not there' 2 "$work/none.tar"
/usr/bin/python3 -c 'import base64, hashlib
name, key = "other/filterd/0000000000000000", b"\1" + bytes(32)
ident = hashlib.sha256(name.encode() + b"\n" + key).hexdigest()[:8]
print(f"log {name}+{ident}+{base64.b64encode(key).decode()}\nquorum none")' >"$work/policy"
both 'the keys of another log' 1 "$work/query.tar"
: >"$work/policy"; "$ctl" record verify-bundle "$work/query.tar" --policy "$work/policy" >/dev/null 2>&1; expect 'no policy' 2 $?

export_to "$work/none.tar" --query agent:nobody; expect 'nothing matches' 1 $?
expect 'and no bundle' 0 "$([ -e "$work/none.tar" ] && echo 1 || echo 0)"
export_to "$work/none.tar" --range 5..100000; expect 'not all lines are there' 2 $?
export_to "$work/none.tar" --query action:stop; expect 'a wrong query' 2 $?
export_to "$work/none.tar" --range 9..7; expect 'a wrong range' 2 $?
export_to "$work/none.tar"; expect 'no question' 2 $?
mv "$work/state/keys/log.key" "$work/log.key"
export_to "$work/none.tar" --range 1..2; expect 'no key' 2 $?
mv "$work/log.key" "$work/state/keys/log.key"
stop
finish
