"""receipt_check.py URL VKEY RECEIPT LINES: verifies the proof that a listener gives for a receipt, with Python's own tree
and openssl, and prints the line that it proves, of the decision log's file LINES."""
import base64
import hashlib
import json
import os
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(__file__))
import tlog

url, vkey, receipt, lines = sys.argv[1:5]


def must(is_so, what):
    if not is_so:
        sys.exit(f"{what} does not hold")


def fetch(until):
    """A checkpoint covers the line soon."""
    while True:
        try:
            with urllib.request.urlopen(f"{url}/v1/receipts/{receipt}") as answer:
                return answer.read()
        except urllib.error.HTTPError as e:
            must(e.code == 404 and e.headers["Retry-After"] == "1" and time.monotonic() < until, f"the answer {e.code}")
            time.sleep(0.1)


def climb(index, size, node, path):
    """The root, by RFC 9162, section 2.1.3.2."""
    last = size - 1
    must(index < size, "the index")
    for other in path:
        must(last > 0, "the length of the path")
        if index & 1 or index == last:
            node = hashlib.sha256(b"\1" + other + node).digest()
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = hashlib.sha256(b"\1" + node + other).digest()
        index, last = index >> 1, last >> 1
    must(last == 0, "the length of the path")
    return node


seq, encoded = receipt.split(".")
leaf = base64.urlsafe_b64decode(encoded + "=")
head, note = fetch(time.monotonic() + 20).split(b"\n\n", 1)
head = head.decode().splitlines()
must(head[:2] == ["c2sp.org/tlog-proof@v1", f"index {int(seq) - 1}"], "the head of the proof")
text, signatures = note.split(b"\n\n", 1)
origin, size, root = text.decode().splitlines()
must(vkey.startswith(origin + "+"), "the origin")
must(any(tlog.verify_line(line, vkey, text + b"\n") == 0 for line in signatures.splitlines()), "the signature")
must(climb(int(seq) - 1, int(size), leaf, [base64.b64decode(h) for h in head[2:]]) == base64.b64decode(root), "the path")
with open(lines, "rb") as f:
    line = next(line for line in f.read().splitlines() if json.loads(line)["seq"] == int(seq))
must(tlog.leaf(line) == leaf, "the line")
print(line.decode())
