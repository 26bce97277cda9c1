"""tlog_fork.py PROGRAM STATE SIGNER: who has the log's key changes a line in the middle and makes all of the record fit it: tiles,
checkpoints, the signature. What witnesses cosigned stays, as that takes their keys."""
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(__file__))
import tlog

program, state, keys = sys.argv[1:4]
record = f"{state}/record"
with open(f"{record}/checkpoint") as f:
    origin = f.readline().rstrip("\n")
with open(f"{state}/decisions.jsonl", "rb") as f:
    lines = f.read().splitlines()
changed = next(i for i, line in enumerate(lines) if i > 2 and b'"action":"redact"' in line)
lines[changed] = lines[changed].replace(b'"action":"redact"', b'"action":"allow"')
with open(f"{state}/decisions.jsonl", "wb") as f:
    f.write(b"".join(line + b"\n" for line in lines))

shutil.rmtree(f"{record}/tile")
hashes, level = [tlog.leaf(line) for line in lines], 0
row = hashes
while row:
    for i in range(0, len(row), 256):
        tile = row[i : i + 256]
        path = f"{record}/tile/{level}/{i // 256:03}" + ("" if len(tile) == 256 else f".p/{len(tile)}")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(b"".join(tile))
    row = [tlog.root(row[i : i + 256]) for i in range(0, len(row) - 255, 256)]
    level += 1

shutil.rmtree(f"{keys}/signed")  # the signer forgets what it signed
signer = tlog.Signer(program, keys)
log = tlog.Log(signer, origin)
log.hashes = hashes
note = log.sign()
signer.close()
for name, text in (("checkpoint", note), ("checkpoints", note + b"\n")):
    with open(f"{record}/{name}", "wb") as f:
        f.write(text)
