"""Validates the lines of decision logs against rules/decision-log.schema.json; arguments: files, and folders that are searched
for decision logs. Lines that differ only in numbers, tokens and UUIDs are one line: the first of them is validated."""
import json
import os
import re
import sys

from jsonschema import Draft202012Validator

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
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        Draft202012Validator.check_schema(schema)
        self.whole = Draft202012Validator(schema)
        self.types = {d: Draft202012Validator({"$ref": "#/$defs/" + d, "$defs": schema["$defs"]})
                      for d in (one["$ref"].rsplit("/", 1)[1] for one in schema["oneOf"])}
        self.seen, self.complaints = set(), []

    def complain(self, path, number, what):
        self.complaints.append(f"{path}:{number}: {what}")

    def check_line(self, path, number, line):
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
                alike = ALIKE.sub(b"0", UUID.sub(b"U", line))
                if alike not in self.seen and line.endswith(b"\n"):  # a crash may leave a torn last line
                    self.seen.add(alike)
                    self.check_line(path, number, line)


lines = Lines()
for name in sys.argv[1:]:
    for log in logs(name):
        lines.check(log)
print("\n".join(lines.complaints[:COMPLAINTS_MAX]), end="\n" if lines.complaints else "")
sys.exit(1 if lines.complaints else 0)
