"""witness_scenario.py PROGRAM FOLDER URL VKEY [--lite]: asks a witness for cosignatures as a log does, and as an attacker would.

First with PREPARE in place of URL: makes the keys and prints the vkey of the log that the witness must know.
Prints "what: status [size]" for each request, so that the answers of two witnesses can be compared; ends with 1 where an
answer is not that of C2SP tlog-witness."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import tlog

program, folder, url = sys.argv[1:4]
signer = tlog.Signer(program, f"{folder}/log")
log = tlog.Log(signer, "web-1/filterd/0011223344556677")
if url == "PREPARE":
    print(log.vkey)
    sys.exit(signer.close())
witness = sys.argv[4]  # its vkey

failures = 0
notes = {}
for size in (1, 2, 10, 100, 256, 300):
    log.grow(size)
    notes[size] = log.sign()
# A second signer with the same key but another state signs what the first would not: a stolen key.
os.makedirs(f"{folder}/thief/keys", mode=0o700, exist_ok=True)
with open(f"{folder}/log/keys/log.key", "rb") as f, open(os.open(f"{folder}/thief/keys/log.key", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as t:
    t.write(f.read())
thief = tlog.Signer(program, f"{folder}/thief")
fork = tlog.Log(thief, log.origin)
fork.grow(50)
fork.hashes[40] = tlog.leaf(b"another line")
fork.grow(300)
forked = fork.sign()
stranger_log = tlog.Log(tlog.Signer(program, f"{folder}/stranger"), log.origin)
stranger_log.grow(10)
stranger = stranger_log.sign()
unknown_log = tlog.Log(signer, "web-2/filterd/0011223344556677")
unknown_log.grow(5)
unknown = unknown_log.sign()


def ask(what, body, *expected):
    global failures
    status, kind, answer = tlog.post(url, body)
    size = answer.decode().strip() if status == 409 else ""
    print(f"{what}: {status} {size}".strip())
    if (status, *([int(size)] if status == 409 else [])) != expected:
        print(f"{what}: {expected} expected")
        failures += 1
    if status == 409 and kind != "text/x.tlog.size":
        print(f"{what}: Content-Type {kind}")
        failures += 1
    return answer


def grow(what, old, size, *expected):
    note = notes[size]
    answer = ask(what, tlog.request(old, tlog.consistency(old, log.hashes[:size]), note), *expected)
    if expected == (200,):
        text = note[:note.index(b"\n\n") + 1]
        times = [tlog.verify_line(line, witness, text) for line in answer.splitlines()]
        if not any(times):
            print(f"{what}: no cosignature of {witness}: {answer}")
            globals()["failures"] += 1


ask("no request", b"hello", 400)
ask("an unknown origin", tlog.request(0, [], unknown), 404)
ask("another key", tlog.request(0, [], stranger), 403)
grow("a size that was never signed", 1, 2, 409, 0)
grow("the first checkpoint", 0, 1, 200)
grow("the same again", 1, 1, 200)
grow("one line more", 1, 2, 200)
grow("a stale size", 1, 10, 409, 2)
grow("the size of the answer", 2, 10, 200)
grow("more lines", 10, 100, 200)
grow("a rollback", 10, 10, 409, 100)
ask("a rollback from the size that was signed", tlog.request(100, [], notes[10]), 400)
ask("a fork", tlog.request(100, tlog.consistency(100, fork.hashes), forked), 422)
ask("a proof that is cut", tlog.request(100, tlog.consistency(100, log.hashes[:256])[:-1], notes[256]), 422)
ask("no proof", tlog.request(100, [], notes[256]), 422)
changed = bytearray(notes[256])
changed[-10] = ord("C") if changed[-10] == ord("B") else ord("B")
ask("a signature that does not hold", tlog.request(100, tlog.consistency(100, log.hashes[:256]), bytes(changed)), 403)
grow("a whole tile", 100, 256, 200)
grow("the newest", 256, 300, 200)
# C2SP says 409; litewitness says 422.
ask("a fork of the same size", tlog.request(300, [], forked), *((422,) if "--lite" in sys.argv else (409, 300)))
status = signer.close() | thief.close()
sys.exit(1 if failures or status else 0)
