#!/bin/sh
# filterctl edm build and idm build, and the rules that use their files.
. "$(dirname "$0")/fixture"
mkdir "$dir/rules/own"
own=$dir/rules/own
cat > "$dir/customers.csv" <<'CSV'
name,email,phone,customer,city
Zoë Brandströmer,zoe.brand@mail.example,+49 170 5550123,KD-4711-9920,Wuppertal
Kwame Mensah-Oduro,k.oduro@mail.example,+233 30 555 0142,KD-4714-1234,Accra
CSV
edm() { "$ctl" edm build "$dir/customers.csv" --columns name:name,email:email,phone:phone+49,customer:id,city:free \
        --key "$own/customers.key" --out "$own/customers.edm" "$@"; }

expect 0 edm
has "customers.key: a new key"
has "10 cells of 2 rows"
[ "$(stat -c %a "$own/customers.edm" "$own/customers.key" | tr '\n' ' ')" = '600 600 ' ] || fail "modes"
[ "$(ls "$own" | wc -l)" = 2 ] || fail "files are left"
! grep -qaiE 'brandstr|mensah|mail\.example|4711' "$own/customers.edm" || fail "a value in the file"
expect 0 edm
has_not "a new key"

cat > "$own/own.yaml" <<'RULES'
rules:
  - id: customer-data
    title: Data of customers
    category: pii
    severity: high
    exact_data: {file: customers.edm, key: customers.key, cells: [email, phone, customer], columns: 2, within: 300}
    confidence: 0.95
RULES
sed -i 's/rules: \[secrets\]/rules: [secrets, own]/; s/    notice:/      - {rules: [customer-data], action: redact}\n    notice:/' \
    "$dir/rules/policy.yaml"
redact() { "$ctl" redact $rules < "$dir/text"; }
redacts() { # redacts TEXT EXPECTED
    printf '%s' "$1" > "$dir/text"
    expect 1 redact
    [ "$(cat "$dir/out")" = "$2" ] || fail "not: $2"
}
redacts 'ZOE BRANDSTROMER in Wuppertal, kd 4711 9920; Accra' '[customer-data] in [customer-data], [customer-data]; Accra'
redacts 'call 0170/555 01-23 now' 'call [customer-data] now'
redacts '{"m": "zoe.brand\u0040mail.example"}' '{"m": "[customer-data]"}'
printf 'Brandströmer of Accra' > "$dir/text"
expect 0 redact

expect 0 "$ctl" rules list $rules customer-data
has "10 cells of 2 rows"
expect 0 "$ctl" rules list $rules customer-data --json
[ "$(jq -c '.[0].data | [.kind, .entries, .rows]' "$dir/out")" = '["exact_data",10,2]' ] || fail "JSON"

# What is wrong says where, and never what.
printf 'name,email\nsecretname,x,y\n' > "$dir/bad.csv"
expect 2 "$ctl" edm build "$dir/bad.csv" --columns name:name --key "$own/customers.key" --out "$dir/bad.edm"
says "bad.csv:2:15: 2 fields expected, as in the first row, not 3"
! grep -q secretname "$dir/err" || fail "content in an error"
[ ! -e "$dir/bad.edm" ] || fail "a file after an error"
expect 2 "$ctl" edm build "$dir/customers.csv" --columns nobody:name --key "$own/customers.key" --out "$dir/bad.edm"
says "one column 'nobody' expected, not 0"
chmod 640 "$own/customers.key"
expect 2 redact
says "customers.key: mode 0600 or less expected"
chmod 600 "$own/customers.key"
cp "$own/customers.edm" "$dir/good"
printf 'x' | dd of="$own/customers.edm" bs=1 seek=3200 conv=notrunc 2>/dev/null
expect 2 redact
says "damaged: it is not what was built with this key"
cp "$dir/good" "$own/customers.edm"

# Documents.
mkdir "$dir/handbook"
cat > "$dir/handbook/turbine.md" <<'TEXT'
The third stage of the turbine is to be inspected after nine hundred hours of operation, or sooner when the vibration exceeds
four millimetres per second. Inspectors record the clearance of each blade in the logbook, together with the serial number of
the gauge that was used. A blade whose clearance is below half a millimetre is replaced.
TEXT
printf '\377\000' > "$dir/handbook/image.png"
expect 0 "$ctl" idm build "$dir/handbook" --key "$own/handbook.key" --out "$own/handbook.idm" --verbose
has "of 1 document"
has "left out: 1 files"
says "image.png: left out: no UTF-8"
cat >> "$own/own.yaml" <<'RULES'
  - id: handbook
    title: Copies of the handbook
    category: content
    severity: high
    documents: {file: handbook.idm, key: handbook.key, run: 200}
    confidence: 0.95
RULES
sed -i 's/rules: \[customer-data\]/rules: [customer-data, handbook]/' "$dir/rules/policy.yaml"
{ echo "Here it is:"; tr 'a-z\n' 'A-Z ' < "$dir/handbook/turbine.md"; } > "$dir/text"
expect 1 redact
has "[handbook]"
has_not "LOGBOOK"
printf 'A blade whose clearance is below half a millimetre is replaced.' > "$dir/text"
expect 0 redact

# A document that is shorter than the run, by a share of it.
mkdir "$dir/notes"
echo 'Night shift: the keys of gate 7 lie under the green bench, behind the pump house.' > "$dir/notes/keys.md"
expect 0 "$ctl" idm build "$dir/notes" --key "$own/handbook.key" --out "$own/notes.idm"
has "fingerprints of 1 document"
cat >> "$own/own.yaml" <<'RULES'
  - id: notes
    title: Copies of notes
    category: content
    severity: high
    documents: {file: notes.idm, key: handbook.key, share: 80}
    confidence: 0.95
RULES
sed -i 's/rules: \[customer-data, handbook\]/rules: [customer-data, handbook, notes]/' "$dir/rules/policy.yaml"
printf 'NIGHT SHIFT: the keys of *gate 7* lie under the green bench, behind the pump' > "$dir/text"
expect 1 redact
has "[notes]"
has_not "green bench"
printf 'night shift: the keys of gate 7 lie under the green bench' > "$dir/text"
expect 0 redact

# Rules of data are read strictly.
cp "$own/own.yaml" "$dir/good.yaml"
refuses() { # refuses SED EXPECTED
    sed "$1" "$dir/good.yaml" > "$own/own.yaml"
    expect 2 redact
    says "$2"
}
refuses 's/customers\.edm/..\/own\/customers.edm/' "the name of a file in the folder of the rule expected, without '/'"
refuses 's/\[email, phone, customer\]/[street]/' "cells: 'street' is no column of the file"
refuses 's/, cells: .*}/}/' "exact_data: 'cells' or 'columns' expected"
refuses 's/columns: 2/columns: 6/' "columns: at most 5 expected, which the file has"
refuses 's/severity: high/severity: critical/' "a severity of at most high expected with data"
refuses 's/confidence: 0.95/confidence: 0.95\n    boundary: word/' "no 'boundary' expected with 'exact_data' or 'documents'"
refuses 's/run: 200/run: 20/' "own.yaml"
refuses 's/share: 80/share: 101/' "own.yaml"
refuses 's/handbook\.idm/customers.edm/' "a file of filterctl idm build expected"
