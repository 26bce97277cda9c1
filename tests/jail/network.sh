#!/bin/sh
# network.sh BINDIR: ways past the egress proxy, each tried from inside a jail with the real filterd-egress, in a world where every
# address is somebody: whoever is reached writes it down (world.py, attack_egress.py). What was tried stands in the record.
ids='C1 C2 C3 C4 C7 C8 C9 C10 C11 C12 C13 C14 C15 C16 C17 C18 C19 C20 C21 C22 C24 C25'
if [ "${FILTERD_WORLD:-}" != here ]; then
    for need in ip jq openssl python3 unshare; do
        command -v $need >/dev/null || { echo "skip: $ids : no $need"; exit 0; }
    done
    # A network of its own can be had by root alone, and an ordinary user's egress proxy is tried from there, too.
    [ "$(id -u)" -eq 0 ] && unshare -nm true 2>/dev/null || { echo "skip: $ids : no network namespace can be made here"; exit 0; }
    # One world for each caller, both at once: most of the time somebody waits for somebody.
    worlds=$(mktemp -d /tmp/filterd-worlds-XXXXXX) || exit 2
    trap 'rm -rf "$worlds"' EXIT
    root='' user=''
    trap 'kill $root $user 2>/dev/null; exit 2' INT TERM HUP
    chmod 755 "$worlds"
    names() { openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test \
        -addext "subjectAltName=DNS:$2" -keyout "$worlds/$1.key" -out "$worlds/$1.pem" 2>/dev/null; }
    names good tls.test,DNS:open.test && names bad other.test || exit 2
    cat "$worlds/good.pem" "$worlds/bad.pem" >"$worlds/trusted.pem"
    chmod 644 "$worlds"/*.pem
    status=0
    for caller in root user; do
        mkdir -m 755 "$worlds/$caller" && cp -p "$worlds"/*.pem "$worlds"/*.key "$worlds/$caller/" || exit 2
        WORLD=$worlds/$caller ONLY=$caller /usr/bin/python3 "$(dirname "$0")/world.py" "$worlds/$caller" sh "$0" "$@" >"$worlds/$caller/said" 2>&1 &
        eval "$caller=$!"
    done
    wait "$root" || status=1
    wait "$user" || status=1
    cat "$worlds/root/said" "$worlds/user/said"
    exit $status
fi
. "$(dirname "$0")/jail.inc"
callers=$(for caller in $callers; do [ "$caller" != "$ONLY" ] || echo "$caller"; done)
. "$(dirname "$0")/rules.inc"
cp "$bin/filterd-egress" "$here/" && chmod 755 "$here/filterd-egress"
cp "$(dirname "$0")/attack_egress.py" "$here/attack.py" && chmod 644 "$here/attack.py"
printf 'policies:\n  default:\n    rules: [test]\n    actions: [{category: secret, action: redact}, {category: injection, action: block}]\n' >"$here/rules/policy.yaml"
chmod 644 "$here/rules/policy.yaml"
secret=E2EKEY-4kq9Zt7Xw2Lm8Rv5Bn3Jc6Hd

# ways CALLER NAME: standard input is a policy of the egress proxy; the jail's, with it, is NAME.
ways() {
    cat >"$here/$1/$2-egress.yaml"
    chmod 600 "$here/$1/$2-egress.yaml"
    [ "$1" = root ] || chown 65534:65534 "$here/$1/$2-egress.yaml"
    policy "$1" "$2" <<POLICY
inputs: [{from: $here/attack.py, to: /attack.py}, {from: src, to: /src}]
deny_names: []
honeytokens: [/work/.env]
network: {egress: $2-egress.yaml, record: record.jsonl, rules: $here/rules, cache: cache, proxy: 3128}
POLICY
}
# tried_in CALLER NAME ID: the attack is tried; nobody is reached who may not be, and each attempt is in the record.
# $allowed: what may have reached somebody, by jq.
tried_in() {
    record=$here/$1/record.jsonl
    rm -f "$record"; : >"$WORLD/reached"; : >"$WORLD/asked"
    tried=$((tried + 1))
    # shellcheck disable=SC2016
    in_jail "$1" "$2" sh -c 'exec /usr/bin/python3 /attack.py "$0" "$1" "$(sed "s/.*=//" /work/.env)"' "$3" "$secret" ||
        { fail "$3 as $1"; grep -v ': held' "$here/out" | head -n 20; tail -n 5 "$here/err"; return 1; }
    jq -c "select($allowed | not)" "$WORLD/reached" >"$here/found" || { fail "$3 as $1: who was reached cannot be told"; return 1; }
    found=$(cut -c1-300 "$here/found" | head -n 5)
    [ -z "$found" ] || { fail "$3 as $1: somebody was reached: $found"; return 1; }
    found=$(jq -r '.name' "$WORLD/asked" | grep -vxE "$names" | sort | uniq -c | head -n 5)
    [ -z "$found" ] || { fail "$3 as $1: names went out: $found"; return 1; }
    attempts=$(grep -c ': held (' "$here/out") lines=$(jq -c 'select(.kind != "credential")' "$record" | wc -l)
    [ "$attempts" -gt 0 ] && [ "$lines" -ge "$attempts" ] || { fail "$3 as $1: $attempts attempts, $lines lines of the record"; return 1; }
    jq -e . "$record" >/dev/null 2>&1 || { fail "$3 as $1: the record is not JSON"; return 1; }
}
names='(api|open|forged|tls|free|small|answers|mixed|flip|loopback6?|metadata|private[23]?|shared|zero|mapped|nat64|sixtofour|unique)\.test'
good='((.address == "93.184.216.34" or .address == "2606:2800:220:1::1") and (.port == 80 or .port == 443) and (.data | test("ATTACK") | not))'

# An allowed host's connection stands before the first byte in it is judged.
quiet="$good and .data == \"\""
for caller in $callers; do
    echo Sesame-4711 >"$here/$caller/credential"; chmod 600 "$here/$caller/credential"
    mkdir -m 700 "$here/$caller/cache"
    [ "$caller" = root ] || chown 65534:65534 "$here/$caller/credential" "$here/$caller/cache"
    inner='loopback.test, metadata.test, private.test, private2.test, private3.test, shared.test, zero.test, loopback6.test, mapped.test, nat64.test, sixtofour.test, unique.test, mixed.test, flip.test'
    ways "$caller" wide <<WAYS
limits: {idle: 2s, total: 4s, connect: 2s, dns: 1000/s}
credentials:
  key: {file: $here/$caller/credential, hosts: api.test, methods: GET, paths: /own/says, plain: true, ttl: 1h, uses: 9}
rules:
  - {name: api, hosts: api.test, scheme: http, methods: [GET, POST], paths: [/own/**, /fine], request_max: 64K, response_max: 64K}
  - {name: open, hosts: open.test, scheme: https, tls: open, ca: $WORLD/trusted.pem, methods: [GET, POST], paths: [/own/**, /fine]}
  - {name: forged, hosts: forged.test, scheme: https, tls: open, ca: $WORLD/trusted.pem, methods: GET, paths: /**}
  - {name: tls, hosts: tls.test, scheme: https, tls: passthrough}
  - {name: free, hosts: free.test, scheme: http, methods: [GET, POST], paths: /**, judge: none}
  - {name: small, hosts: small.test, scheme: http, methods: GET, paths: /**, bytes_out: 3K, judge: none}
  - {name: answers, hosts: answers.test, scheme: http, methods: GET, paths: /**, judge: responses, response_max: 64K}
  - {name: inner, hosts: [$inner], scheme: http, methods: GET, paths: /**, judge: none}
  - {name: inner-tls, hosts: [$inner], scheme: https, tls: passthrough}
WAYS
    # What is allowed works, or nothing else would say anything.
    in_jail "$caller" wide sh -c 'exec /usr/bin/python3 /attack.py fine' || { fail "fine as $caller"; cat "$here/out" "$here/err"; continue; }
    while read -r id allowed; do
        case $allowed in good) allowed=$good ;; quiet) allowed=$quiet ;; esac
        tried_in "$caller" wide "$id" && held_is "$id" "$caller"
    done <<'IDS'
C1 false
C2 false
C3 false
C4 false
C7 false
C8 false
C9 good
C10 ((.address == "93.184.216.34" or .name == "forged.test") and (.data | test("HTTP/|ATTACK") | not))
C11 good
C12 good
C13 quiet
C14 quiet
C15 false
C16 false
C17 false
C18 good
C19 good
C20 good
C21 good
C22 false
IDS

    # B9: the record stays one, whatever the attempts are called and however many they are.
    allowed=false
    if tried_in "$caller" wide B9; then
        grep -qP '[\x00-\x1f\x7f]' "$record" && fail "B9 as $caller: a control character is in the record"
        [ "$(wc -L <"$record")" -lt 2000 ] && [ "$(wc -l <"$record")" -lt 400 ] || fail "B9 as $caller: $(wc -lL <"$record")"
        [ "$(jq -r .detail "$record" | grep -c 'more packets')" -ge 1 ] || fail "B9 as $caller: what was left out is not said"
        held_is B9 "$caller"
    fi

    # C24: the egress proxy hangs: nothing goes round it. (filterd that hangs: agents.sh)
    : >"$WORLD/reached"; : >"$here/out"; rm -f "$here/$caller/src/go"
    tried=$((tried + 1))
    prefix=; [ "$caller" != user ] || prefix=$user
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/wide.yaml" -- sh -c 'echo there; until [ -e /src/go ]; do sleep 0.05; done
        exec /usr/bin/python3 /attack.py C24' </dev/null >"$here/out" 2>"$here/err" &
    runner=$!
    for _ in $(seq 1200); do grep -q there "$here/out" && break; sleep 0.05; done
    stopped=$(pgrep -P $runner filterd-egress)
    kill -STOP "$stopped" || fail "C24 as $caller: no egress proxy"
    : >"$here/$caller/src/go"
    wait $runner; [ $? -eq 0 ] && [ ! -s "$WORLD/reached" ] && grep -q ': held' "$here/out" && held_is C24 "$caller" ||
        { fail "C24 as $caller"; cat "$here/out" "$here/err" "$WORLD/reached"; }
    kill -0 "$stopped" 2>/dev/null && fail "C24 as $caller: an egress proxy that hangs outlives its jail"

    # C25: what is empty or left out allows nothing: it is refused before anything runs, or nothing leaves.
    allowed=false
    while read -r text; do
        printf '%s\n' "$text" | ways "$caller" empty
        in_jail "$caller" empty echo ran
        case $? in
        125) [ ! -s "$here/out" ] || fail "C25 as $caller: $text: something ran" ;;
        0) tried_in "$caller" empty C25 || fail "C25 as $caller: $text" ;;
        *) fail "C25 as $caller: $text" ;;
        esac
    done <<'EMPTY'
rules: []
rules:
{}

rules: [{name: a, scheme: http, methods: GET, paths: /**}]
rules: [{name: a, hosts: [], scheme: http, methods: GET, paths: /**}]
rules: [{name: a, hosts: '', scheme: http, methods: GET, paths: /**}]
rules: [{name: a, hosts: ['*'], scheme: http, methods: GET, paths: /**}]
rules: [{name: a, hosts: '*.test', scheme: http, methods: GET, paths: /**}]
rules: [{name: a, hosts: api.test, methods: GET, paths: /**}]
rules: [{name: a, hosts: api.test, scheme: http, paths: /**}]
rules: [{name: a, hosts: api.test, scheme: http, methods: [], paths: /**}]
rules: [{name: a, hosts: api.test, scheme: http, methods: GET}]
rules: [{name: a, hosts: api.test, scheme: http, methods: GET, paths: []}]
rules: [{name: a, hosts: api.test, ports: [], scheme: http, methods: GET, paths: /**}]
rules: [{name: a, hosts: api.test, scheme: https}]
rules: [{name: a, hosts: loopback.test, scheme: http, methods: GET, paths: /**, may_reach: []}]
rules: [{name: a, hosts: loopback.test, scheme: http, methods: GET, paths: /**, addresses: []}]
EMPTY
    printf 'rules: []\n' | ways "$caller" empty
    sed 's/, proxy: 3128/, ports: []/' "$here/$caller/empty.yaml" | sed 1d | policy "$caller" ports
    in_jail "$caller" ports /usr/bin/python3 /attack.py C25
    case $? in 0 | 125) ;; *) fail "C25 as $caller: no ports"; cat "$here/out" ;; esac
    [ ! -s "$WORLD/reached" ] && [ "$failures" -eq 0 ] && held_is C25 "$caller"
done
finish
