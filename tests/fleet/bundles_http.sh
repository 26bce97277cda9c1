#!/bin/sh
# bundles_http.sh BINDIR: signed policy bundles from a web server: the first by hand, without a database, then by themselves; asked for with
# If-None-Match; keys that follow; an archive that is another, a note without a signature, a server that is away.
. "$(dirname "$0")/fleet.inc"
start_database
make_keys
mkdir "$work/web" "$work/site"
/usr/bin/python3 tests/fleet/bundle_server.py "$work/site" "$work/web/log" >"$work/web/port" & echo $! >"$work/web/server.pid"
has_port() { [ -s "$work/web/port" ]; }
wait_until 'the server' has_port
make_node web-1; take_bundles web-1
printf 'bundle-url: http://127.0.0.1:%s/policy/\nbundle-interval: 10\n' "$(cat "$work/web/port")" >>"$work/web-1.yaml"
serve() { # VERSION
    cp "$work/out/rules-$1.tar.zst" "$work/site/" && cp "$work/out/rules-$1.note" "$work/site/newest.note.new" && mv "$work/site/newest.note.new" "$work/site/newest.note"
}
fetch() { "$bin/filterd-link" --config "$work/web-1.yaml" fetch 2>&1; }
expect 'a server without a bundle' 1 "$(fetch | grep -c 'newest.note: status 200 expected, not 404')"
make_bundle 10; serve 10
mv "$work/store.conf" "$work/away"
expect 'by hand, without a database' 'fetched: version 10' "$(fetch)"
mv "$work/away" "$work/store.conf"
start_filterd web-1; start_link web-1
wait_until 'contact' in_contact web-1
wait_until 'the first' runs web-1 10
make_bundle 11; serve 11
wait_until 'the next, by itself' runs web-1 11
asked() { grep -c "$1" "$work/web/log"; }
sleep 11
expect 'what is known is not sent again' yes "$([ "$(asked 'newest.note 304')" -ge 1 ] && echo yes)"
expect 'nor an archive twice' '1 1' "$(asked 'rules-10.tar.zst 200') $(asked 'rules-11.tar.zst 200')"

# An archive that is not the note's is not kept; once it is right it is taken.
make_bundle 12; serve 12; echo more >>"$work/site/rules-12.tar.zst"
wait_until 'a word in the log' grep -q 'rules-12.tar.zst: the archive of the note expected' "$work/web-1/link.log"
expect 'it is not in the folder' 0 "$(find "$work/web-1/bundles" -name 'rules-12.*' | wc -l)"
expect 'and not in use' 11 "$(version_on web-1)"
serve 12
wait_until 'then it is taken' runs web-1 12

# A note that nobody signed is none; one by an unknown key is refused by filterd; the same version, signed, is taken.
signer=bob make_bundle 13; signer=alice
sed '/^— /d' "$work/out/rules-13.note" >"$work/site/newest.note"
wait_until 'another word' grep -q 'newest.note: note: ' "$work/web-1/link.log"
serve 13
wait_until 'the refusal' grep -q 'rules-13' "$work/web-1/filterd.log"
expect 'not in use' 12 "$(version_on web-1)"
"$bin/filterctl" bundle sign alice "$work/keyring/alice.key" "$work/out/rules-13.note"
serve 13
wait_until 'signed, it is taken' runs web-1 13

# Keys that follow.
keys_of 2 bob >"$work/site/keys-2.note"; echo >>"$work/site/keys-2.note"
for who in alice bob; do "$bin/filterctl" bundle sign "$who" "$work/keyring/$who.key" "$work/site/keys-2.note"; done
keys_of 2 bob >"$work/keys"
signer=bob
make_bundle 14; serve 14
wait_until 'a bundle by the next key' runs web-1 14

# A server that is away.
kill "$(cat "$work/web/server.pid")"; rm "$work/web/server.pid"
failed() { sed -n 's/^filterd_link_bundle_failures_total //p' "$work/web-1/link.prom"; }
before=$(failed)
has_failed() { [ "$(failed)" -gt "$before" ]; }
wait_until 'a failure' has_failed
expect 'it goes on' '14 1' "$(version_on web-1) $(operators web-1 /metrics | grep -c '^filterd_fleet_connected 1')"
stop web-1 link TERM

# Over HTTPS: by the CA that is named, and for the name of the certificate, alone.
certificate() { # NAME SUBJECT: its own CA
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" -addext "subjectAltName=$2" \
        -keyout "$work/$1.key" -out "$work/$1.pem" 2>/dev/null
}
certificate site IP:127.0.0.1; certificate other IP:127.0.0.1; certificate named DNS:bundles.example
serve_tls() { # NAME
    rm -f "$work/web/port"
    /usr/bin/python3 tests/fleet/bundle_server.py "$work/site" "$work/web/log" "$work/$1.pem" "$work/$1.key" >"$work/web/port" 2>/dev/null & echo $! >"$work/web/server.pid"
    wait_until 'the server' has_port
    { sed '/^bundle-url/d' "$work/web-1.yaml"; printf 'bundle-url: https://127.0.0.1:%s/policy/\n' "$(cat "$work/web/port")"; } >"$work/tls.yaml"
}
fetch_tls() { # CA
    { cat "$work/tls.yaml"; [ -z "$1" ] || echo "bundle-ca: $work/$1.pem"; } >"$work/tls-1.yaml"
    "$bin/filterd-link" --config "$work/tls-1.yaml" fetch 2>&1
}
signer=bob make_bundle 15; serve 15
serve_tls site
expect 'not by the CAs of the system' '1 0' "$(fetch_tls '' | grep -c certificate) $(find "$work/web-1/bundles" -name 'rules-15.*' | wc -l)"
expect 'nor by another CA' '1 0' "$(fetch_tls other | grep -c certificate) $(find "$work/web-1/bundles" -name 'rules-15.*' | wc -l)"
expect 'by its own' 'fetched: version 15' "$(fetch_tls site)"
kill "$(cat "$work/web/server.pid")"
signer=bob make_bundle 16; serve 16
serve_tls named
expect 'not for another name' '1 0' "$(fetch_tls named | grep -ciE 'subject|certificate') $(find "$work/web-1/bundles" -name 'rules-16.*' | wc -l)"
kill "$(cat "$work/web/server.pid")"; rm "$work/web/server.pid"
expect 'a CA that is not there' 1 "$(fetch_tls absent | grep -c 'absent.pem')"
expect 'a URL without a folder' 1 "$(sed '/^bundles/d' "$work/web-1.yaml" >"$work/no.yaml"; "$bin/filterd-link" --config "$work/no.yaml" --check 2>&1 | grep -c 'bundles: a folder expected')"
[ "$failures" -eq 0 ] || show_logs
[ "$failures" -eq 0 ]
