#!/usr/bin/env python3
"""Verifies an evidence bundle of filterd, independently of filterd: verify.py [--policy FILE] BUNDLE.tar

Standard library and `openssl pkeyutl` for Ed25519. Exit code 0: all holds; 1: something does not, and is named; 2: it could not
be verified. Formats: RFC 6962 and 9162 (tree), C2SP signed-note, tlog-checkpoint, tlog-proof, tlog-policy, tlog-cosignature.
"""
import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

LOG, WITNESS = 1, 4  # types of keys
NEEDED = ("README.txt", "access.jsonl", "checkpoint", "manifest.json", "manifest.sig", "policy", "records.jsonl", "review.jsonl", "verify.py")


class Finding(Exception):
    """Something that does not hold."""


def demand(holds, what):
    if not holds:
        raise Finding(what)


def decode(text, length=None):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Finding("base64 expected") from error
    demand(base64.b64encode(data).decode() == text and length in (None, len(data)), "base64 of another length expected")
    return data


def is_signed(public, message, signature):
    der = bytes.fromhex("302a300506032b6570032100") + public
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("key", "message", "signature")]
        for path, data in zip(paths, (der, message, signature)):
            with open(path, "wb") as file:
                file.write(data)
        return subprocess.run(["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER", "-inkey", paths[0], "-in", paths[1],
                               "-sigfile", paths[2]], capture_output=True, check=False).returncode == 0


class Key:
    def __init__(self, vkey, kind):
        self.name, ident, material = vkey.split("+", 2)
        material = decode(material, 33)
        self.id, self.public = bytes.fromhex(ident), material[1:]
        demand(material[0] == kind, f"{self.name}: a key of type {kind} expected")
        demand(hashlib.sha256(self.name.encode() + b"\n" + material).digest()[:4] == self.id, f"{self.name}: the key's id is not its own")
        self.kind = kind

    def has_signed(self, text, signatures):
        """Of lines of this key one that does not hold is a finding."""
        found = False
        for name, blob in signatures:
            if name != self.name or blob[:4] != self.id:
                continue
            time = int.from_bytes(blob[4:12], "big")
            message = f"cosignature/v1\ntime {time}\n".encode() + text if self.kind == WITNESS else text
            demand(is_signed(self.public, message, blob[12 if self.kind == WITNESS else 4:]), f"{self.name}: the signature does not hold")
            found = True
        return found


def parse_note(data):
    demand(b"\n\n" in data and data.endswith(b"\n"), "a signed note expected")
    at = data.rindex(b"\n\n")
    signatures = []
    for line in data[at + 2:].decode().splitlines():
        match = re.fullmatch("\u2014 ([^ ]+) ([^ ]+)", line)
        demand(match, "a signature line expected")
        signatures.append((match[1], decode(match[2])))
    return data[:at + 1], signatures


def parse_policy(text):
    logs, members, quorum = [], {}, None
    for line in text.decode().splitlines():
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if words[0] == "log":
            logs.append(Key(words[1], LOG))
        elif words[0] == "witness":
            members[words[1]] = Key(words[2], WITNESS)
        elif words[0] == "group":
            names = words[3:]
            members[words[1]] = (len(names) if words[2] == "all" else 1 if words[2] == "any" else int(words[2]), names)
        elif words[0] == "quorum":
            quorum = words[1]
    demand(logs and quorum is not None, "policy: a log and a quorum expected")
    return logs, members, quorum


def has_quorum(name, members, text, signatures):
    if name == "none":
        return True
    member = members[name]
    if isinstance(member, Key):
        return member.has_signed(text, signatures)
    return sum(has_quorum(one, members, text, signatures) for one in member[1]) >= member[0]


def leaf(line):
    return hashlib.sha256(b"\0" + line).digest()


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def root_of_path(start, index, size, path):
    """RFC 9162, 2.1.3.2."""
    demand(index < size, "the index is not in the tree")
    fn, sn, r = index, size - 1, start
    for p in path:
        demand(sn > 0, "the path is too long")
        if fn & 1 or fn == sn:
            r = node(p, r)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = node(r, p)
        fn, sn = fn >> 1, sn >> 1
    demand(sn == 0, "the path is too short")
    return r


def root_of_range(leaves, first, last, size, hashes):
    """The tree is walked from the left: what is not in the range comes from the proof."""
    leaves, hashes = iter(leaves), iter(hashes)

    def take(source):
        value = next(source, None)
        demand(value is not None, "range.proof: fewer hashes or lines than the range demands")
        return value

    def walk(start, end):
        if end < first or start >= last:
            return take(hashes)
        if end - start == 1:
            return take(leaves)
        middle = start + (1 << (end - start - 1).bit_length() - 1)
        left = walk(start, middle)
        return node(left, walk(middle, end))

    root = walk(0, size)
    demand(next(hashes, None) is None and next(leaves, None) is None, "range.proof: more hashes or lines than the range demands")
    return root


def lines_of(data):
    demand(data == b"" or data.endswith(b"\n"), "a newline at the end expected")
    return data.split(b"\n")[:-1]


def seq_of(line):
    match = re.match(rb'\{"seq":([1-9][0-9]*),', line)
    demand(match, "a line of the log expected")
    return int(match[1])


class Bundle:
    def __init__(self, path):
        self.files = {}
        with tarfile.open(path, "r:") as tar:
            for member in tar:
                demand(member.isreg() and member.name not in self.files, f"{member.name}: a plain file, once, expected")
                self.files[member.name] = tar.extractfile(member).read()
        for name in NEEDED:
            demand(name in self.files, f"{name} is missing")
        self.manifest = json.loads(self.files["manifest.json"])
        self.checkpoint = self.files["checkpoint"]
        self.text, self.signatures = parse_note(self.checkpoint)
        self.origin, size, root = self.text.decode().splitlines()[:3]
        self.size, self.root = int(size), decode(root, 32)

    def check_manifest(self):
        listed = {file["name"]: file for file in self.manifest["files"]}
        demand(set(listed) | {"manifest.json", "manifest.sig"} == set(self.files), "manifest.json: it lists other files than there are")
        for name, file in listed.items():
            data = self.files[name]
            demand(file["bytes"] == len(data) and file["sha256"] == hashlib.sha256(data).hexdigest(), f"{name}: not what the manifest lists")
        for name, value in (("origin", self.origin), ("size", self.size), ("root", base64.b64encode(self.root).decode())):
            demand(self.manifest[name] == value, f"manifest.json: {name}: not that of the checkpoint")

    def check_signatures(self, policy):
        logs, members, quorum = parse_policy(policy)
        keys = [key for key in logs if key.name == self.origin and key.has_signed(self.text, self.signatures)]
        demand(keys, f"checkpoint: signed by a log of the policy expected; its origin is {self.origin}")
        demand(has_quorum(quorum, members, self.text, self.signatures), "checkpoint: the cosignatures that the policy demands are missing")
        text, signatures = parse_note(self.files["manifest.sig"])
        digest = hashlib.sha256(self.files["manifest.json"]).hexdigest()
        demand(text == f"filterd export v1\n{digest}\n".encode(), "manifest.sig: signed for another manifest")
        demand(any(key.has_signed(text, signatures) for key in keys), "manifest.sig: the log's signature expected")

    def check_proof(self, line):
        name = f"proofs/{seq_of(line):020d}.tlog-proof"
        demand(name in self.files, f"{name} is missing")
        head, _, checkpoint = self.files[name].partition(b"\n\n")
        words = head.decode().splitlines()
        demand(words[:1] == ["c2sp.org/tlog-proof@v1"] and words[1] == f"index {seq_of(line) - 1}", f"{name}: not for this line")
        demand(checkpoint == self.checkpoint, f"{name}: another checkpoint than the bundle's")
        try:
            path = [decode(word, 32) for word in words[2:]]
            demand(root_of_path(leaf(line), seq_of(line) - 1, self.size, path) == self.root, "not in the log under this checkpoint")
        except Finding as finding:
            raise Finding(f"line {seq_of(line)}: {finding}") from finding
        return name

    def check_range(self, lines):
        head, _, checkpoint = self.files["range.proof"].partition(b"\n\n")
        words = head.decode().splitlines()
        first, last = self.manifest["range"]
        demand(words[:3] == ["filterd-range-proof@v1", f"first {first}", f"last {last}"], "range.proof: not for the range of the manifest")
        demand(checkpoint == self.checkpoint, "range.proof: another checkpoint than the bundle's")
        demand([seq_of(line) for line in lines] == list(range(first, last + 1)), "records.jsonl: all lines of the range expected")
        demand(1 <= first <= last <= self.size, "range.proof: not in the tree")
        hashes = [decode(word, 32) for word in words[3:]]
        demand(root_of_range([leaf(line) for line in lines], first, last, self.size, hashes) == self.root,
               "records.jsonl: the lines are not those of the log")

    def check_lines(self):
        records = lines_of(self.files["records.jsonl"])
        numbers = [seq_of(line) for line in records]
        demand(records, "records.jsonl: at least one line expected")
        demand(numbers == sorted(set(numbers)), "records.jsonl: lines in order, each once, expected")
        demand(self.manifest["count"] == len(records), "manifest.json: count: not that of the lines")
        is_range = "range" in self.manifest
        demand(is_range == ("range.proof" in self.files), "range.proof: not as the manifest has it")
        if is_range:
            self.check_range(records)
        others = lines_of(self.files["access.jsonl"]) + lines_of(self.files["review.jsonl"])
        proven = {self.check_proof(line) for line in ([] if is_range else records) + others}
        demand(proven == {name for name in self.files if name.startswith("proofs/")}, "proofs/: one for each line and no other expected")
        return len(records)


def main(arguments):
    policy = None
    if arguments[:1] == ["--policy"] and len(arguments) > 2:
        with open(arguments[1], "rb") as file:
            policy = file.read()
        arguments = arguments[2:]
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with open(arguments[0], "rb"):
            pass
        subprocess.run(["openssl", "version"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"verify.py: {error}", file=sys.stderr)
        return 2
    try:
        bundle = Bundle(arguments[0])
        bundle.check_manifest()
        bundle.check_signatures(policy if policy is not None else bundle.files["policy"])
        n = bundle.check_lines()
    except (Finding, tarfile.TarError, EOFError, ValueError, KeyError, IndexError, TypeError, RecursionError) as finding:
        print(f"{arguments[0]}: {finding if isinstance(finding, Finding) else repr(finding)}")
        return 1
    print(f"{n} lines of {bundle.origin} hold under the checkpoint of size {bundle.size}")
    if policy is None:
        print("internal consistency only: the policy came with the bundle")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
