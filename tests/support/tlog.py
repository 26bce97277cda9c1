"""A log in a few lines, independent of filterd's own code: the tree of RFC 6962 by its definitions, notes of C2SP
verified by openssl, and requests to the signer and to witnesses."""
import base64
import hashlib
import os
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request


def leaf(line):
    return hashlib.sha256(b"\0" + line).digest()


def root(hashes):
    if len(hashes) <= 1:
        return hashes[0] if hashes else hashlib.sha256(b"").digest()
    k = 1 << (len(hashes) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + root(hashes[:k]) + root(hashes[k:])).digest()


def inclusion(m, hashes):
    if len(hashes) == 1:
        return []
    k = 1 << (len(hashes) - 1).bit_length() - 1
    return inclusion(m, hashes[:k]) + [root(hashes[k:])] if m < k else inclusion(m - k, hashes[k:]) + [root(hashes[:k])]


def _subproof(m, hashes, known):
    if m == len(hashes):
        return [] if known else [root(hashes)]
    k = 1 << (len(hashes) - 1).bit_length() - 1
    if m <= k:
        return _subproof(m, hashes[:k], known) + [root(hashes[k:])]
    return _subproof(m - k, hashes[k:], False) + [root(hashes[:k])]


def consistency(old, hashes):
    return [] if old in (0, len(hashes)) else _subproof(old, hashes, True)


def checkpoint_text(origin, hashes):
    return f"{origin}\n{len(hashes)}\n{base64.b64encode(root(hashes)).decode()}\n".encode()


def request(old, proof, checkpoint):
    lines = [f"old {old}"] + [base64.b64encode(h).decode() for h in proof]
    return "\n".join(lines).encode() + b"\n\n" + checkpoint


def vkey(name, kind, public):
    material = bytes([kind]) + public
    ident = hashlib.sha256(name.encode() + b"\n" + material).hexdigest()[:8]
    return f"{name}+{ident}+{base64.b64encode(material).decode()}"


def verify(public, message, signature):
    """Ed25519, by openssl."""
    der = bytes.fromhex("302a300506032b6570032100") + public
    with tempfile.TemporaryDirectory() as d:
        for name, data in (("key", der), ("message", message), ("signature", signature)):
            with open(f"{d}/{name}", "wb") as f:
                f.write(data)
        return subprocess.run(["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER", "-inkey", f"{d}/key",
                               "-in", f"{d}/message", "-sigfile", f"{d}/signature"], capture_output=True).returncode == 0


def verify_line(line, key, text):
    """A signature line of a note by the vkey; the time of a cosignature, 0 of a log's signature; None: it does not hold."""
    name, ident, material = key.split("+", 2)
    material = base64.b64decode(material)
    dash, signer, encoded = line.decode().split(" ")
    blob = base64.b64decode(encoded)
    if (dash, signer, blob[:4].hex()) != ("\u2014", name, ident):
        return None
    if material[0] == 1:
        return 0 if verify(material[1:], text, blob[4:]) else None
    time = int.from_bytes(blob[4:12], "big")
    message = f"cosignature/v1\ntime {time}\n".encode() + text
    return time if verify(material[1:], message, blob[12:]) else None


class Signer:
    """filterd-witness --local, as the service starts it."""

    def __init__(self, program, state):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen([program, "--local", f"--state={state}", f"--socket={theirs.fileno()}"],
                                        pass_fds=[theirs.fileno()])
        theirs.close()
        self.socket = ours
        hello = ours.recv(1 << 16).decode()
        assert hello.startswith("key ") and hello.endswith("\n"), hello
        self.public = bytes.fromhex(hello[4:-1])

    def ask(self, old, proof, text):
        self.socket.send(request(old, proof, text))
        status, body = self.socket.recv(1 << 16).split(b"\n", 1)
        return int(status), body

    def close(self):
        self.socket.close()
        return self.process.wait(10)


class Log:
    """Lines and their hashes, and the checkpoints that a signer signed."""

    def __init__(self, signer, origin):
        self.signer, self.origin, self.hashes, self.signed = signer, origin, [], 0
        self.vkey = vkey(origin, 1, signer.public)

    def grow(self, size):
        self.hashes += [leaf(b'{"seq":%d}' % (i + 1)) for i in range(len(self.hashes), size)]

    def sign(self):
        text = checkpoint_text(self.origin, self.hashes)
        status, line = self.signer.ask(self.signed, consistency(self.signed, self.hashes), text)
        assert status == 200, (status, line)
        self.signed = len(self.hashes)
        return text + b"\n" + line


def post(url, body, timeout=10):
    """Status, Content-Type and body."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url + "/add-checkpoint", body), timeout=timeout) as r:
            return r.status, r.headers["Content-Type"], r.read()
    except urllib.error.HTTPError as e:
        return e.code, e.headers["Content-Type"], e.read()
