#!/bin/sh
# refusals.sh BINDIR: calls that are refused and that no ordinary program makes are refused, and said to have been made.
. "$(dirname "$0")/jail.inc"
[ -x /usr/bin/python3 ] || { skip 'refused calls: no python3'; exit 0; }

cat >"$here/calls.py" <<'P'
import ctypes, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
if sys.argv[1] == "ordinary":
    # What the C library and interpreters try although it is refused.
    for family, kind in ((socket.AF_UNIX, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_STREAM)):
        try:
            socket.socket(family, kind)
        except OSError:
            pass
    import subprocess
    subprocess.check_output(["id"])
else:
    for call, arguments in {"ptrace": (0, 0, 0, 0), "unshare": (0x10000000,), "mount": (0, 0, 0, 0, 0)}.items():
        assert getattr(libc, call)(*arguments) == -1 and ctypes.get_errno() == 1, call
    for family, kind, protocol in ((17, 3, 0), (40, 1, 0), (2, 3, 1)):
        try:
            socket.socket(family, kind, protocol)
            sys.exit("open")
        except PermissionError:
            pass
P
chmod 644 "$here/calls.py"
reported() { sed -n 's/^filterd-jail: \([a-z]*[.][a-z]*: [0-9]*, first: .*\)$/\1/p' "$here/err"; }
for caller in $callers; do
    printf 'inputs: [{from: %s, to: /calls.py}]\n' "$here/calls.py" | policy "$caller" calls
    tried=$((tried + 2))
    in_jail "$caller" calls /usr/bin/python3 /calls.py attack || { fail "calls as $caller"; cat "$here/err"; }
    [ "$(reported)" = 'syscall.refused: 3, first: ptrace by python3
net.raw: 3, first: a raw socket of packets, protocol 0 by python3' ] || { fail "what is said as $caller: $(reported)"; }
    in_jail "$caller" calls /usr/bin/python3 /calls.py ordinary || { fail "ordinary calls as $caller"; cat "$here/err"; }
    [ -z "$(reported)" ] || fail "an ordinary program is accused as $caller: $(reported)"
done
finish
