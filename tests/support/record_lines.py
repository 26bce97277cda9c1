"""Validates the lines of decision logs against rules/decision-log.schema.json; arguments: files, and folders that are searched
for decision logs. Lines that differ only in numbers, tokens and UUIDs are one line: the first of them is validated, and of all tests
of a run the first (FILTERD_TEST_LINES: a file of the digests of lines that are right)."""
import hashlib
import json
import os
import re
import sys

SCHEMA = os.path.join(os.path.dirname(__file__), "../../rules/decision-log.schema.json")
UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
ALIKE = re.compile(rb"[0-9a-f]{8,}|[0-9]+")
BEGIN = re.compile(rb'{"seq":[0-9]+,"node":"')  # as filterd writes it
COMPLAINTS_MAX = 10


def logs(argument):
    if not os.path.isdir(argument):
        yield argument
    for folder, _, names in os.walk(argument):
        for path in (os.path.join(folder, name) for name in names):
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    if BEGIN.match(file.read(64)):
                        yield path


class Lines:
    def __init__(self):
        with open(SCHEMA, "rb") as file:
            self.schema = file.read()
        self.whole = self.types = None
        self.known, self.right, self.complaints = set(), [], []
        self.shared = os.environ.get("FILTERD_TEST_LINES")
        if self.shared and os.path.exists(self.shared):
            with open(self.shared, encoding="ascii") as file:
                self.known.update(file.read().split())

    def make_validators(self):
        """Only when there is a line to validate, as jsonschema takes longer than most tests."""
        from jsonschema import Draft202012Validator

        schema = json.loads(self.schema)
        Draft202012Validator.check_schema(schema)
        self.whole = Draft202012Validator(schema)
        self.types = {d: Draft202012Validator({"$ref": "#/$defs/" + d, "$defs": schema["$defs"]})
                      for d in (one["$ref"].rsplit("/", 1)[1] for one in schema["oneOf"])}

    def complain(self, path, number, what):
        self.complaints.append(f"{path}:{number}: {what}")

    def check_line(self, path, number, line):
        if self.whole is None:
            self.make_validators()
        try:
            record = json.loads(line)
        except ValueError:
            self.complain(path, number, "a JSON object expected")
            return
        kind = record.get("type")
        if kind not in self.types:
            self.complain(path, number, f"a type of the schema expected, not {kind}")
            return
        error = next(self.types[kind].iter_errors(record), None)
        if error is None and not self.whole.is_valid(record):
            self.complain(path, number, f"{kind}: of one type expected")
        if error is not None:
            self.complain(path, number, f"{kind}: {'/'.join(map(str, error.path))}: {error.message[:200]}")

    def check(self, path):
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                alike = hashlib.sha256(ALIKE.sub(b"0", UUID.sub(b"U", line))).hexdigest()
                if alike not in self.known and line.endswith(b"\n"):  # a crash may leave a torn last line
                    self.known.add(alike)
                    before = len(self.complaints)
                    self.check_line(path, number, line)
                    if len(self.complaints) == before:
                        self.right.append(alike)

    def share(self):
        if self.shared and self.right:
            with open(self.shared, "a", encoding="ascii") as file:
                file.write("".join(f"{digest}\n" for digest in self.right))


lines = Lines()
for name in sys.argv[1:]:
    for log in logs(name):
        lines.check(log)
lines.share()
print("\n".join(lines.complaints[:COMPLAINTS_MAX]), end="\n" if lines.complaints else "")
sys.exit(1 if lines.complaints else 0)
