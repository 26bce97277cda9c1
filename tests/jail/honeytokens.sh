#!/bin/sh
# honeytokens.sh BINDIR: files that nobody has a reason to open say so when they are, and say nothing when they are not.
. "$(dirname "$0")/jail.inc"

# opened CALLER EXPECTED WHAT COMMAND…: what the launcher reports of honeytokens.
opened() {
    tried=$((tried + 1))
    caller=$1 expected=$2 what=$3
    shift 3
    in_jail "$caller" honeytokens sh -c "$*"
    got=$(sed -n 's/^filterd-jail: path.honeytoken: \([0-9]*\), first: \(.*\)$/\1 \2/p' "$here/err")
    [ "$got" = "$expected" ] || { fail "$what as $caller: expected: $expected: got: $got"; cat "$here/out" "$here/err"; }
}

for caller in $callers; do
    src=$here/$caller/src
    mkdir -p "$src/deep"
    echo data >"$src/file"; echo secret >"$src/.env"; echo secret >"$src/deep/server.pem"
    [ "$caller" = root ] || [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$src"
    chmod -R a+rX "$src"
    printf '%s\n' 'honeytokens: [/work/.env, /home/agent/.ssh/id_rsa, /work/config/credentials]' \
        'inputs: [{from: src, to: /src}]' 'on_denied_name: honeytoken' | policy "$caller" honeytokens

    opened "$caller" '' 'nothing is opened' 'ls -la /work /home/agent/.ssh /src /src/deep; stat /work/.env; cat /src/file; test -r /work/.env'
    opened "$caller" '1 /work/.env was opened' 'one is read' 'cat /work/.env'
    grep -Eq '^API_KEY=[A-Za-z0-9]{24}$' "$here/out" || fail "what it looks like as $caller"
    opened "$caller" '1 /home/agent/.ssh/id_rsa was opened' 'a key is read' 'cat /home/agent/.ssh/id_rsa'
    grep -q 'BEGIN OPENSSH PRIVATE KEY' "$here/out" || fail "what a key looks like as $caller"
    opened "$caller" '1 /work/.env was opened' 'one is written' 'echo >/work/.env'
    opened "$caller" '1 /work/.env was opened' 'by another name' 'ln /work/.env /work/x && cat /work/x'
    opened "$caller" '1 /work/.env was moved or removed' 'one is moved' 'mv /work/.env /work/x; sleep 0.1'
    opened "$caller" '1 /work/.env was moved or removed' 'one is removed' 'rm -f /work/.env; sleep 0.1'
    opened "$caller" '2 /work/config/credentials was opened' 'a search' 'grep -r nothing /work/config/ /home/agent'
    opened "$caller" '1 a file with a denied name was opened' 'a denied name' 'cat /src/.env'
    grep -Eq '^API_KEY=[A-Za-z0-9]{24}$' "$here/out" || fail "a denied name is not what it says as $caller"
    opened "$caller" '2 a file with a denied name was opened' 'denied names' 'cat /src/.env; sleep 0.1; cat /src/deep/server.pem'
    ! grep -q secret "$here/out" || fail "a denied name is open as $caller"
    opened "$caller" '1 /work/.env was opened' 'right before the end' 'exec 3</work/.env; kill -9 $$'
    # The report has them.
    if command -v jq >/dev/null; then
        mkdir -m 755 "$here/$caller/reports"
        [ "$caller" != user ] || [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$here/user/reports"
        printf 'honeytokens: [/work/.env]\nreport: {folder: reports}\n' | policy "$caller" reported
        in_jail "$caller" reported cat /work/.env
        tried=$((tried + 1))
        got=$(jq -c '.report.denied | [.counts, (.events | map([.kind, .detail]))]' "$here/$caller"/reports/*.json)
        [ "$got" = '[{"path.honeytoken":1},[["path.honeytoken","/work/.env was opened"]]]' ] || fail "the report as $caller: $got"
    fi
    # Each jail has a canary of its own.
    in_jail "$caller" honeytokens cat /work/.env; first=$(cat "$here/out")
    in_jail "$caller" honeytokens cat /work/.env
    [ -n "$first" ] && [ "$first" != "$(cat "$here/out")" ] || fail "the same canary twice as $caller"
done
finish
