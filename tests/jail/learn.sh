#!/bin/sh
# learn.sh BINDIR: the policy that one run teaches lets the same run pass, and is narrower than the one it began with.
. "$(dirname "$0")/jail.inc"

mkdir -p "$here/in/a/b" "$here/in/other" "$here/unused"
echo one >"$here/in/a/b/one"; echo two >"$here/in/a/two"; echo three >"$here/in/other/three"; echo x >"$here/unused/x"
ln -s ../a/two "$here/in/other/link"
echo outside >"$here/outside"
chmod -R a+rX "$here/in" "$here/unused" "$here/outside"

# learn CALLER COMMAND…: what is learned goes to $here/CALLER/learned.yaml, the command's output to $here/out.
learn() {
    of=$1; shift
    prefix=; [ "$of" != user ] || prefix=$user
    $prefix "$jail" learn -p "$here/$of/wide.yaml" -- "$@" >"$here/out" 2>"$here/learned" </dev/null
    code=$?
    { [ "$of" = root ] || [ "$doctor" -eq 0 ] || printf 'on_missing_mechanism: degrade\n'; cat "$here/learned"; } >"$here/$of/learned.yaml"
    chmod 600 "$here/$of/learned.yaml"; [ "$of" != user ] || [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$here/user/learned.yaml"
    return $code
}
# says PATTERN / says_not PATTERN: of the policy that was learned.
says() { tried=$((tried + 1)); grep -q -- "$1" "$here/learned" || { fail "not learned as $caller: $1"; cat "$here/learned"; }; }
says_not() { tried=$((tried + 1)); grep -q -- "$1" "$here/learned" && { fail "learned as $caller: $1"; cat "$here/learned"; }; }

for caller in $callers; do
    printf 'inputs: [{from: %s, to: /src}, {from: %s, to: /unused}]\n' "$here/in" "$here/unused" | policy "$caller" wide

    learn "$caller" sh -c 'cat /src/a/b/one; cd /src; cat a/two; echo hi >/work/x' || fail "learn as $caller: exit code $?"
    [ "$(tr '\n' ' ' <"$here/out")" = 'one two ' ] || { fail "the command runs as without learning as $caller"; cat "$here/learned"; }
    says 'syscalls: {profile: strict}'; says "from: \"$here/in/a\", to: \"/src/a\""; says '# not used: "/unused"'
    says 'exec: false}'; says_not in/other
    in_jail "$caller" learned sh -c 'cat /src/a/b/one /src/a/two; cat /src/other/three && exit 9; cat /unused/x && exit 9; exit 0'
    [ $? -eq 0 ] && [ "$(tr '\n' ' ' <"$here/out")" = 'one two ' ] || { fail "the learned policy as $caller"; cat "$here/err" "$here/out"; }

    # A link is needed as well as what it leads to.
    learn "$caller" cat /src/other/link || fail "learn as $caller: exit code $?"
    says "from: \"$here/in\", to: \"/src\""
    in_jail "$caller" learned cat /src/other/link || { fail "a link under the learned policy as $caller"; cat "$here/err"; }

    # What strict does not have, what is run from where it was written, what nothing allows, what is not there.
    learn "$caller" sh -c "cp /bin/true /work/mine; /work/mine; head -c 5000000 /dev/zero >/work/big; cat $here/outside; unshare -U true"
    [ $? -eq 1 ] || fail "a command that fails teaches as $caller: exit code $?"
    says 'inputs: \[\]'; says 'exec: true}'; says 'size: [6-8]M'; says '# refused, whatever a policy says: unshare'
    says "#   \"$here/outside\""
    if [ -x /usr/bin/python3 ]; then
        learn "$caller" /usr/bin/python3 -c 'import socket, threading; socket.create_server(("127.0.0.1", 0))
t = threading.Thread(target=print, args=("thread",)); t.start(); t.join()' || { fail "python teaches as $caller"; cat "$here/learned"; }
        says 'syscalls: {profile: agent} # sockets'
        in_jail "$caller" learned /usr/bin/python3 -c 'import socket; socket.create_server(("127.0.0.1", 0))' ||
            { fail "python under what it taught as $caller"; cat "$here/err"; }
    fi

    # A copy stays one, with room for what it took.
    sed 's,to: /src,&\, snapshot: true,' "$here/$caller/wide.yaml" | sed '/^name:/d; /^on_missing/d' >"$here/text"
    policy "$caller" wide_copy <"$here/text"; mv "$here/$caller/wide.yaml" "$here/$caller/kept"; mv "$here/$caller/wide_copy.yaml" "$here/$caller/wide.yaml"
    learn "$caller" cat /src/a/two || { fail "a copy teaches as $caller"; cat "$here/learned"; }
    mv "$here/$caller/kept" "$here/$caller/wide.yaml"
    says "from: \"$here/in/a/two\", to: \"/src/a/two\", snapshot: true}"; says '^snapshots: {size: 1M, files: 11}'
    in_jail "$caller" learned cat /src/a/two && [ "$(cat "$here/out")" = two ] || { fail "a learned copy as $caller"; cat "$here/err"; }

    # The mechanisms stand while it learns.
    tried=$((tried + 1))
    learn "$caller" /usr/bin/python3 -c 'import socket
try: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print("OPEN")
except PermissionError: pass
try: socket.socket(socket.AF_UNIX); print("OPEN")
except PermissionError: pass
try: open("/src/a/two", "w"); print("OPEN")
except OSError: pass'
    [ -s "$here/out" ] && fail "a mechanism is open while learning as $caller: $(cat "$here/out")"
    "$jail" learn -p "$here/nonesuch" -- true 2>/dev/null; [ $? -eq 2 ] || fail "no policy teaches nothing"
done
finish
