#!/bin/sh
# filterd-egress: an answer that repeats a credential of the request does not reach the jail, also in pieces.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
upstream
printf 'Sesame-4711\n' >"$work/credential"
printf 'user:another-password' | base64 >"$work/basic"
cat >"$work/egress.yaml" <<YAML
credentials:
  key: {file: $work/credential, hosts: [api.test, judged.test], methods: GET, paths: /**, plain: true, ttl: 1h, uses: 100}
  basic: {file: $work/basic, hosts: api.test, methods: GET, paths: /**, plain: true, ttl: 1h, uses: 100}
rules:
  - {name: api, hosts: api.test, ports: $port, scheme: http, methods: GET, paths: /**, addresses: 127.0.0.1, may_reach: loopback, judge: none}
  - {name: judged, hosts: judged.test, ports: $port, scheme: http, methods: GET, paths: /**, addresses: 127.0.0.1, may_reach: loopback}
YAML
egress
key='Authorization: Bearer filterd-credential-key'
for host in api judged; do
    for path in echo echo-head echo-pieces; do
        get -i -H "$key" "http://$host.test:$port/$path" >"$work/got"
        expect "$path of $host" '["refused","credential"]' "$(last '[.verdict,.reason]')"
        expect "$path of $host: nothing of it" 0 "$(grep -c Sesame "$work/got")"
    done
done
# In the forms in which servers repeat what they were asked with.
for host in api judged; do
    for form in percent json html backslash mixed base64-0 base64-1 base64-2 base64url hex HEX \
        base64-hex hex-base64 base64-base64 html-json percent-percent lower cut; do
        get -H "$key" "http://$host.test:$port/echo-as/$form" >"$work/got"
        expect "as $form, of $host" '["refused","credential"]' "$(last '[.verdict,.reason]')"
    done
    expect "a coding that nobody asked for, of $host" 403 "$(code -H "$key" "http://$host.test:$port/echo-gzip")"
    expect "two codings, of $host" 415 "$(code -H "$key" "http://$host.test:$port/echo-codings")"
    get -H 'X-Say: nothing of it' --compressed "http://$host.test:$port/says-gzip" >"$work/got"
    expect "another text in a coding, of $host" 'ti fo gnihton' "$(cat "$work/got")"
done
# The password of Basic authentication, which the server has in clear.
get -H 'Authorization: Basic filterd-credential-basic' "http://api.test:$port/echo-as/password" >"$work/got"
expect 'its password' '["refused","credential"] 0' "$(last '[.verdict,.reason]') $(grep -c another-pass "$work/got")"
# A range would be a piece of what repeats it.
for bytes in 0-12 13-16 17-20; do
    get -r "$bytes" -H 'X-Key: filterd-credential-key' "http://api.test:$port/echo-range" >"$work/got"
    expect "bytes $bytes" '["refused","credential"]' "$(last '[.verdict,.reason]')"
done
expect 'a coding' 403 "$(code -H "$key" "http://judged.test:$port/echo-gzip")"
expect 'no coding is asked for' 'Accept-Encoding: identity' "$(grep -i ^accept-encoding "$seen" | sort -u | tr -d '\r')"
# What only begins like one comes whole, and so does everything else.
expect 'another' 'asked with Bearer Sesame-.' "$(get -H 'Authorization: Bearer Sesame-' "http://api.test:$port/echo-pieces")"
expect 'its beginning at the end' 'asked with Sesame-' "$(get -H 'Authorization: Sesame-' "http://api.test:$port/echo-pieces" | sed 's/[.]$//')"
expect 'a large one' 1000000 "$(get -H "$key" "http://api.test:$port/large" | wc -c)"
expect 'the record has none of it' 0 "$(cat "$record" "$work/log" | grep -c Sesame)"
stop
finish
