"""tlog_check.py SOCKET WITNESS-VKEY: verifies all that the service shows of its record, with Python's own tree and openssl.

Prints the size of the newest checkpoint; ends with 1 where something does not hold."""
import base64
import http.client
import os
import re
import socket
import sys

sys.path.insert(0, os.path.dirname(__file__))
import tlog

path, witness = sys.argv[1:3]


class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(path)


def get(url, status=200, method="GET"):
    c = Unix("localhost")
    c.request(method, url)
    r = c.getresponse()
    body = r.read()
    if r.status != status:
        sys.exit(f"{url}: {status} expected, got {r.status}: {body[:200]}")
    return body, r.headers


def parse(note):
    text, lines = note[: note.rindex(b"\n\n") + 1], note[note.rindex(b"\n\n") + 2 :].splitlines()
    origin, size, root = text.decode().splitlines()
    return text, lines, origin, int(size), base64.b64decode(root)


def must(is_so, what):
    if not is_so:
        sys.exit(f"{what} does not hold")


def tile(index):
    name = f"{index % 1000:03}"
    while index >= 1000:
        index //= 1000
        name = f"x{index % 1000:03}/{name}"
    return name


newest, headers = get("/v1/record/checkpoint", method="POST")
must(headers["Content-Type"] == "text/plain; charset=utf-8" and headers["Cache-Control"] == "no-cache", "Content-Type")
text, lines, origin, size, root = parse(newest)
policy = get("/v1/record/policy")[0].decode()
log = re.search(r"^log (\S+)$", policy, re.M).group(1)
must(log.startswith(origin + "+"), "the key's name")
must(any(tlog.verify_line(line, log, text) == 0 for line in lines), "the log's signature")
must(f" {witness} " in policy and "\nquorum " in policy, "the policy")

# Every line, and every hash.
entries, hashes = [], []
for index in range(-(-size // 256)):
    width = min(256, size - index * 256)
    suffix = "" if width == 256 else f".p/{width}"
    body, headers = get(f"/v1/record/tile/entries/{tile(index)}{suffix}")
    must(headers["Content-Type"] == "application/octet-stream" and "immutable" in headers["Cache-Control"], "headers of a tile")
    while body:
        n = int.from_bytes(body[:2], "big")
        entries.append(body[2 : 2 + n])
        body = body[2 + n :]
    body = get(f"/v1/record/tile/0/{tile(index)}{suffix}")[0]
    hashes += [body[i : i + 32] for i in range(0, len(body), 32)]
must(len(entries) == size and [tlog.leaf(e) for e in entries] == hashes, "a leaf hash")
must(tlog.root(hashes) == root, "the root")
if size >= 256:
    level1 = get(f"/v1/record/tile/1/000.p/{size // 256}")[0]
    must(level1 == b"".join(tlog.root(hashes[i * 256 : i * 256 + 256]) for i in range(size // 256)), "level 1")

for seq in sorted({1, 2, size // 2, size - 1, size} - {0}):
    proof = get(f"/v1/records/{seq}/proof?size={size}")[0]
    head, checkpoint = proof.split(b"\n\n", 1)
    head = head.decode().splitlines()
    must(head[0] == "c2sp.org/tlog-proof@v1" and base64.b64decode(head[1].removeprefix("extra ")) == entries[seq - 1], "a proof's line")
    must(head[2] == f"index {seq - 1}" and checkpoint == newest, "a proof's index or checkpoint")
    must([base64.b64decode(h) for h in head[3:]] == tlog.inclusion(seq - 1, hashes), "a proof's path")
    receipt = base64.urlsafe_b64encode(hashes[seq - 1]).decode().rstrip("=")
    must(f"\nindex {seq - 1}\n".encode() in get(f"/v1/receipts/{seq}.{receipt}")[0], "a receipt")
    get(f"/v1/receipts/{seq + 1}.{receipt}", 404)
for old in {0, 1, size // 2, size}:
    shown = get(f"/v1/record/consistency?from={old}&to={size}")[0].decode().split()
    must([base64.b64decode(h) for h in shown] == tlog.consistency(old, hashes), f"consistency from {old}")

text, lines, _, cosigned, root = parse(get("/v1/record/cosigned")[0])
must(any(tlog.verify_line(line, log, text) == 0 for line in lines), "the log's signature of the cosigned one")
must(any(tlog.verify_line(line, witness, text) for line in lines), "the cosignature")
must(tlog.root(hashes[:cosigned]) == root, "the root of the cosigned one")

for url in (f"/v1/records/{size + 1}/proof?size={size}", "/v1/records/0/proof", "/v1/records/x/proof", "/v1/record/tile/0/0",
            "/v1/record/tile/0/999", "/v1/record/tile/../checkpoint", "/v1/record/tile/entries/000.p/256", "/v1/receipts/1.x",
            f"/v1/record/consistency?from=2&to=1"):
    get(url, 404)
get("/v1/record/consistency?from=-1&to=1", 422)
print(size)
