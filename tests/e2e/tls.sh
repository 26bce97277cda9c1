#!/bin/sh
# TLS: a certificate, another one after a reload, client certificates.
. "$(dirname "$0")/service.inc"

certificate() { # certificate NAME: a self-made one for localhost
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" \
        -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' -keyout "$work/$1.key" -out "$work/$1.pem" 2>/dev/null
}
certificate one; certificate two; certificate ca
for client in good; do
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$client" -keyout "$work/$client.key" \
        -out "$work/$client.csr" 2>/dev/null
    openssl x509 -req -in "$work/$client.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial -days 2 \
        -out "$work/$client.pem" 2>/dev/null
done
mkdir "$work/tls"; cp "$work/one.pem" "$work/tls/cert.pem"; cp "$work/one.key" "$work/tls/key.pem"
tls() { # tls NAME CURL-ARGUMENT…: trusts the certificate of that name
    name=$1; shift
    curl -sS --max-time 10 --cacert "$work/$name.pem" "$@" 2>&1
}

start --tls-certificate="$work/tls/cert.pem" --tls-key="$work/tls/key.pem"
url=https://$address
expect_json 'verdict over TLS' .action '"redact"' \
    "$(tls one -H "$json" -d "{\"text\":\"$secret\"}" "$url/v1/filter")"
head -c 1000000 /dev/zero | tr '\0' 'a' >"$work/long"
expect_json 'long text over TLS' .coverage.judged 1000000 "$(tls one -H "$plain" --data-binary @"$work/long" "$url/v1/filter")"
expect 'no plain HTTP there' 000 "$(curl -s -o /dev/null -w '%{http_code}' --max-time 3 "http://$address/healthz")"
expect 'not TLS 1.1' 000 "$(curl -sk -o /dev/null -w '%{http_code}' --tls-max 1.1 "$url/healthz")"
expect 'the operators socket stays plain' 200 "$(status_of --unix-socket "$work/operators.sock" http://filterd/healthz)"

# A connection that is open keeps its certificate; new ones get the new one.
cp "$work/two.pem" "$work/tls/cert.pem"; cp "$work/two.key" "$work/tls/key.pem"
expect 'before the reload' '"alive"' "$(tls one "$url/healthz" | jq .status)"
kill -HUP "$pid"; wait_for_log 'reload: done'
expect 'after the reload' '"alive"' "$(tls two "$url/healthz" | jq .status)"
expect 'the old one is gone' 1 "$(tls one "$url/healthz" | grep -c 'SSL certificate problem')"
# Neither a broken file nor another certificate's key is taken.
cp "$work/one.key" "$work/tls/key.pem"
kill -HUP "$pid"; wait_for_log 'the key of the certificate expected'
echo nonsense >"$work/tls/cert.pem"
kill -HUP "$pid"; wait_for_log 'a certificate chain in PEM expected'
expect 'still the last good one' '"alive"' "$(tls two "$url/healthz" | jq .status)"
stop
expect 'exit code' 0 "$status"

# Client certificates.
start --tls-certificate="$work/one.pem" --tls-key="$work/one.key" --tls-client-ca="$work/ca.pem"
url=https://$address
client() { tls one -o /dev/null -w '%{http_code}' -H "$json" -d '{"text":"a"}' "$@" "$url/v1/filter"; }
expect 'a client of the CA' 200 "$(client --cert "$work/good.pem" --key "$work/good.key")"
expect 'no certificate' 403 "$(client)"
expect 'a stranger' 1 "$(client --cert "$work/two.pem" --key "$work/two.key" | grep -c '403\|alert\|000')"
expect 'health needs none' '"alive"' "$(tls one "$url/healthz" | jq .status)"
stop

"$bin/filterd" --tls-certificate="$work/one.pem" --check --rules="$rules" 2>"$work/err"
expect 'a certificate without key' 2 $?
finish
