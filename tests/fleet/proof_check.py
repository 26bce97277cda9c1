"""proof_check.py PROOF VKEY LINE: verifies a tlog-proof of a line with that key alone, with Python's own tree and openssl.

LINE is a file with the line as it has to be. Ends with 1 where something does not hold."""
import base64
import hashlib
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import tlog


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def climb(leaf, index, size, path):
    """The root that the path leads to (RFC 9162, 2.1.3.2)."""
    at, last, found = index, size - 1, leaf
    for one in path:
        if last == 0:
            sys.exit("a path that is too long")
        if at & 1 or at == last:
            found = node(one, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node(found, one)
        at, last = at >> 1, last >> 1
    if last != 0:
        sys.exit("a path that is too short")
    return found


proof, line = (open(name, "rb").read() for name in (sys.argv[1], sys.argv[3]))
head, note = proof.split(b"\n\n", 1)
head = head.decode().splitlines()
extra = base64.b64decode(head[1].removeprefix("extra "))
text, signatures = note[: note.rindex(b"\n\n") + 1], note[note.rindex(b"\n\n") + 2 :].splitlines()
origin, size, root = text.decode().splitlines()
index = int(head[2].removeprefix("index "))
if head[0] != "c2sp.org/tlog-proof@v1" or extra != line.rstrip(b"\n"):
    sys.exit("another line")
if climb(tlog.leaf(extra), index, int(size), [base64.b64decode(h) for h in head[3:]]) != base64.b64decode(root):
    sys.exit("the path does not lead to the root")
if not any(tlog.verify_line(one, sys.argv[2], text) == 0 for one in signatures):
    sys.exit("no signature of the key")
