#!/usr/bin/python3
"""validate.py PROGRAMS SCHEMA: filterctl's reports in SARIF against the schema of SARIF 2.1.0.

Each report has something of its own: results of files and of documents, of commits, suppressed ones, names that a URI must
escape, files that could not be judged, nothing at all. Two of GitHub's rules for alerts, which the schema lacks, are asked, too."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

filterctl = os.path.abspath(sys.argv[1]) + "/filterctl"
schema = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
validator = jsonschema.validators.validator_for(schema)(schema, format_checker=jsonschema.FormatChecker())
failures = 0
KEY, IBAN = "AKIAQ3EGRVZ7MXK2PLWT", "DE38 3704 0044 0532 0136 27"
GIT = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "A \"quoted\" ünüsual author",
       "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "c", "GIT_COMMITTER_EMAIL": "c@example.org"}


def fail(what):
    global failures
    failures += 1
    print("sarif: " + what)


def report(name, folder, code, *arguments):
    """The report of one scan, validated."""
    done = subprocess.run([filterctl, "check", "--format", "sarif", *arguments], cwd=folder, capture_output=True, check=False)
    if done.returncode != code:
        fail(f"{name}: exit code {done.returncode}, expected {code}: {done.stderr.decode()[:500]}")
    document = json.loads(done.stdout)
    for error in list(validator.iter_errors(document))[:5]:
        fail(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    run = document["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    if sorted(set(rules)) != sorted(rules) or set(rules) != {result["ruleId"] for result in run["results"]}:
        fail(f"{name}: the rules are not those of the results, each once")
    if not all(0.0 < float(rule["properties"]["security-severity"]) <= 10.0 for rule in run["tool"]["driver"]["rules"]):
        fail(f"{name}: security-severity is no number of CVSS's scale")
    return document


def git(folder, *arguments):
    subprocess.run(["git", *arguments], cwd=folder, env={**os.environ, **GIT}, check=True, capture_output=True)


def make_files(folder):
    for name, text in {"a.txt": f"fine\nüber: {KEY}\n", "a b%ü#.txt": f"IBAN {IBAN}\n", "doc.json": json.dumps({"a/~b": {"ü": KEY}}),
                       "lines.ndjson": json.dumps({"t": KEY}) + "\n" + json.dumps({"t": IBAN}) + "\n"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "binary").write_bytes(b"a\0b")
    (folder / "broken.gz").write_bytes(b"\x1f\x8b\x08\0")


def expect(name, what, expected, found):
    if expected != found:
        fail(f"{name}: {what}: expected {expected}, found {found}")


def main():
    with tempfile.TemporaryDirectory() as work:
        os.environ["XDG_CACHE_HOME"] = work + "/cache"  # not the user's own
        folder = pathlib.Path(work, "files")
        folder.mkdir()
        expect("nothing", "results", 0, len(report("nothing", folder, 0, ".")["runs"][0]["results"]))
        make_files(folder)
        files = report("files", folder, 2, "--all", ".")
        expect("files", "results", True, len(files["runs"][0]["results"]) >= 5)
        expect("files", "notifications", True, len(files["runs"][0]["invocations"][0]["toolExecutionNotifications"]) >= 1)
        git(folder, "init", "-q")
        git(folder, "add", "a.txt", "a b%ü#.txt", "doc.json")
        staged = report("staged", folder, 1, "--staged")
        expect("staged", "results", True, len(staged["runs"][0]["results"]) >= 3)
        git(folder, "commit", "-qm", "one")
        (folder / "b.txt").write_text(f"{KEY} # filterd:allow\n", encoding="utf-8")
        (folder / ".filterdignore").write_text("path:doc.json\n", encoding="utf-8")
        git(folder, "add", "b.txt")
        git(folder, "commit", "-qm", "two")
        history = report("history", folder, 1, "--git", "--all")
        kinds = sorted(s["kind"] for r in history["runs"][0]["results"] for s in r.get("suppressions", []))
        expect("history", "suppressions", ["external", "inSource"], sorted(set(kinds)))

        # A validator that accepts everything would pass all of this.
        files["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
        expect("a line 0", "is valid", False, validator.is_valid(files))


main()
sys.exit(failures != 0)
