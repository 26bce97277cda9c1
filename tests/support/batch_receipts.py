"""batch_receipts.py LINES: answers of a batch on standard input; each receipt in them must be that of the answer's own line in the
decision log's file LINES. Prints how many answers of each action have one, and how many have none."""
import base64
import collections
import json
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import tlog

with open(sys.argv[1], "rb") as f:
    lines = {json.loads(line)["seq"]: line.rstrip(b"\n") for line in f}
counts = collections.Counter()
for text in sys.stdin:
    answer = json.loads(text)
    if "receipt" in answer:
        seq, encoded = answer["receipt"].split(".")
        line = lines[int(seq)]
        if json.loads(line)["req_id"] != answer["id"] or base64.urlsafe_b64encode(tlog.leaf(line)).decode().rstrip("=") != encoded:
            sys.exit(f"not the receipt of line {seq}")
    counts[f"{answer.get('action', 'fault')} {'receipt' in answer}".lower()] += 1
print(*(f"{name} {n}" for name, n in sorted(counts.items())), sep=", ")
