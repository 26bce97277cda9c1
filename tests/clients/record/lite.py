"""lite.py DATABASE ORIGIN VKEY: tells litewitness of a log, as witnessctl does; lite.py --key FILE NAME prints the vkey of a
witness with the public key of ssh-keygen."""
import base64
import hashlib
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../support"))
import tlog

if sys.argv[1] == "--key":
    with open(sys.argv[2]) as f:
        print(tlog.vkey(sys.argv[3], 4, base64.b64decode(f.read().split()[1])[-32:]))
    sys.exit()
database, origin, vkey = sys.argv[1:]
with sqlite3.connect(database) as db:
    db.execute("INSERT INTO log (origin, tree_size, tree_hash) VALUES (?, 0, ?)",
               (origin, base64.b64encode(hashlib.sha256(b"").digest()).decode()))
    db.execute("INSERT INTO key (origin, key) VALUES (?, ?)", (origin, vkey))
