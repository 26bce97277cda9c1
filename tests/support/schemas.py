"""Validates rules/ against its JSON Schemas; standard input: `filterctl rules explain --checks`; argument: filterd."""
import copy
import glob
import json
import os
import subprocess
import sys
import tempfile

import yaml
from jsonschema import Draft202012Validator


class Loader(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):
    """Plain scalars become numbers and booleans as YAML 1.2's core schema has them."""


def typed(loader, node):
    if not node.style:
        if node.value in ("true", "false"):
            return node.value == "true"
        for kind in (int, float):
            try:
                return kind(node.value) if node.value[:1] in "-+.0123456789" and node.value[:1] else node.value
            except ValueError:
                pass
    return node.value


Loader.add_constructor("tag:yaml.org,2002:str", typed)


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, Loader)


def schema(path):
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    Draft202012Validator.check_schema(content)
    return content


complaints = []
rule_schema, policy_schema = schema("rules/rule.schema.json"), schema("rules/policy.schema.json")
rule_validator, policy_validator = Draft202012Validator(rule_schema), Draft202012Validator(policy_schema)

for path in sorted(glob.glob("rules/*/*.yaml")):
    error = next(rule_validator.iter_errors(load(path)), None)
    if error:
        complaints.append(f"{path}: {list(error.path)}: {error.message[:200]}")
error = next(policy_validator.iter_errors(load("rules/policy.yaml")), None)
if error:
    complaints.append(f"rules/policy.yaml: {list(error.path)}: {error.message[:200]}")

RULE = {"id": "a-b", "title": "t", "category": "pii", "severity": "low", "pattern": "abc", "confidence": 0.5,
        "match": ["1", "2", "3"], "no_match": ["1", "2", "3"]}
POLICY = {"rules": ["secrets"], "actions": [{"category": "pii", "action": "redact"}]}


def refused(name, validator, content):
    if validator.is_valid(content):
        complaints.append(f"the {name} schema accepts what the program refuses: {json.dumps(content)}")


def rule_with(**changes):
    rule = {**copy.deepcopy(RULE), **changes}
    return {"rules": [{k: v for k, v in rule.items() if v is not None}]}


def policy_with(**changes):
    return {"policies": {"default": {**copy.deepcopy(POLICY), **changes}}}


if not rule_validator.is_valid(rule_with()) or not policy_validator.is_valid(policy_with()):
    complaints.append("a schema refuses the least rule or policy")
for changes in ({"colour": "red"}, {"id": "A"}, {"category": "system"}, {"severity": None}, {"confidence": 1.5},
                {"pattern": None}, {"patterns": ["x"]}, {"match": ["1", "2"]}, {"boundary": "line"}, {"views": []},
                {"context": {"within": 9}}, {"context": {"words": ["x"], "within": 2000}}, {"checks": "luhn"},
                {"checks": ["luhm"]}, {"checks": ["date"]}, {"checks": [{"luhn": {"base": 3}}]},
                {"checks": [{"date": {"format": "YMD"}}]}, {"shadow": "yes"}):
    refused("rule", rule_validator, rule_with(**changes))
for action in ({}, {"action": "drop"}, {"action": "block", "confidence": ">0.5"}, {"action": "block", "tags": []},
               {"action": "block", "rule": "a", "rules": ["b"]}, {"action": "redact", "with": {"hash": "x"}},
               {"action": "redact", "with": {"mask": {"keep_last": 9}}}):
    refused("policy", policy_validator, policy_with(actions=[action]))
for exception in ({"rule": "a"}, {"category": "pii", "why": "w"}, {"rule": "a", "why": "w", "until": "soon"}):
    refused("policy", policy_validator, policy_with(exceptions=[exception]))
refused("policy", policy_validator, {"policies": {"other": POLICY}})
VIOLATIONS = {"weights": {"pii": 1, "honeytoken": 2.5}, "half_life": "10m", "actions": [{"at": 5, "do": "alert"}, {"at": 9, "do": ["cut_network", "ask"]}],
              "throttle": "6/m", "ask": {"within": "90s", "otherwise": "resume"},
              "hooks": [{"agents": ["a*"], "command": ["/bin/stop", "it"], "verify": "/bin/gone", "timeout": "5s"},
                        {"agents": "b", "webhook": "https://a.example/kill"}]}
if not policy_validator.is_valid({**policy_with(), "violations": VIOLATIONS}):
    complaints.append("the policy schema refuses violations with every key")
for changes in ({"colour": 1}, {"weights": {}}, {"weights": {"colour": 1}}, {"weights": {"pii": -1}}, {"half_life": "10"}, {"actions": []},
                {"actions": [{"at": 0, "do": "kill"}]}, {"actions": [{"at": 1, "do": "shout"}]}, {"actions": [{"at": 1, "do": []}]},
                {"actions": [{"do": "kill"}]}, {"throttle": "0/m"}, {"hooks": []}, {"hooks": [{"agents": "a"}]}, {"hooks": [{"command": "/a"}]},
                {"hooks": [{"agents": "a", "command": "stop"}]}, {"hooks": [{"agents": "a", "webhook": "http://a.example/"}]},
                {"hooks": [{"agents": "a", "command": "/a", "webhook": "https://a.example/"}]}, {"ask": {"otherwise": "maybe"}}):
    refused("policy", policy_validator, {**policy_with(), "violations": {**VIOLATIONS, **changes}})
refused("policy", policy_validator, {**policy_with(), "violations": {}})

upstreams_validator = Draft202012Validator(schema("rules/upstreams.schema.json"))
UPSTREAM = {"protocol": "openai", "url": "https://api.example.com/base"}
EVERY = {"credential": "/k", "ca": "/c", "block": "hard", "policy": "p", "tenant": "t", "http2": False, "heartbeat": 0,
         "connect_timeout": 1, "first_byte_timeout": 1, "idle_timeout": 1, "request_max": "1M", "answer_max": 65536,
         "event_max": "64K"}
if not upstreams_validator.is_valid({"upstreams": {"ai": {**UPSTREAM, **EVERY}}}):
    complaints.append("the upstreams schema refuses an upstream with every key")
for changes in ({"colour": "red"}, {"protocol": "telnet"}, {"url": "ftp://a"}, {"url": "https://u@a"}, {"block": "never"},
                {"heartbeat": -1}, {"idle_timeout": 0}, {"http2": "yes"}, {"event_max": "1T"}, {"policy": ""}):
    refused("upstreams", upstreams_validator, {"upstreams": {"ai": {**UPSTREAM, **changes}}})
for upstream_name in ("v1", "A", "a/b", ""):
    refused("upstreams", upstreams_validator, {"upstreams": {upstream_name: UPSTREAM}})

# What the schema of supervisors accepts and refuses, the program does, too.
supervisors_validator = Draft202012Validator(schema("rules/supervisors.schema.json"))
SUPERVISOR = {"url": "https://api.example.com/v1", "model": "m"}
EVERY = {"format": "grammar", "max_completion_tokens": True, "concurrency": 1024, "tokens_per_minute": 0, "answer_tokens": 64,
         "answer_max": 4194304, "connect_timeout_ms": 10, "attempt_timeout_ms": 120000}
SETTINGS = {"text_max": 256, "queue": 65536, "retries": 0, "hedge_ms": 60000, "cache_entries": 0, "cache_seconds": 86400,
            "webhook": {"url": "http://127.0.0.1:9/hook"}}
FILES = {"key": "/k", "ca": "/c"}  # the program opens what they name


def supervisor_with(**changes):
    return {"supervisors": {"near": {**SUPERVISOR, **changes}}}


def program_accepts(content):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "supervisors.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)  # JSON is YAML
        return subprocess.run([sys.argv[1], "--check", "--supervisors=" + path, "--state-directory=" + folder,
                               "--cache-directory=" + folder], capture_output=True, check=False).returncode == 0


if not program_accepts({**supervisor_with(**EVERY), **SETTINGS}):
    complaints.append("the program refuses supervisors with every key")
for whole in ({**supervisor_with(**EVERY, **FILES), **SETTINGS, "prompts": "/p", "webhook": {**SETTINGS["webhook"], **FILES}},
              {"supervisors": {"a" * 64: SUPERVISOR, "b.c/d": SUPERVISOR}}):
    error = next(supervisors_validator.iter_errors(whole), None)
    if error:
        complaints.append(f"the supervisors schema: {list(error.path)}: {error.message[:200]}")
wrong = [supervisor_with(**changes) for changes in (
    {"colour": "red"}, {"url": "ftp://a"}, {"url": "https://u@a"}, {"url": "https://a/?q"}, {"url": "https://a#b"}, {"url": "a"}, {"model": ""},
    {"model": "m" * 129}, {"key": ""}, {"ca": ""}, {"format": "xml"}, {"max_completion_tokens": "maybe"}, {"concurrency": 0}, {"concurrency": 1025},
    {"tokens_per_minute": -1}, {"tokens_per_minute": 1000000001}, {"answer_tokens": 63}, {"answer_tokens": 16385},
    {"answer_max": 1023}, {"answer_max": 4194305}, {"connect_timeout_ms": 9}, {"connect_timeout_ms": 60001},
    {"attempt_timeout_ms": 9}, {"attempt_timeout_ms": 120001}, {"attempt_timeout_ms": "1s"})]
wrong += [{**supervisor_with(), **changes} for changes in (
    {"colour": "red"}, {"text_max": 255}, {"text_max": 1048577}, {"queue": 0}, {"queue": 65537}, {"retries": 9}, {"retries": -1},
    {"hedge_ms": 60001}, {"cache_entries": 1000001}, {"cache_seconds": 0}, {"cache_seconds": 86401}, {"prompts": ""},
    {"webhook": {}}, {"webhook": {"url": "mailto:a"}}, {"webhook": {**SETTINGS["webhook"], "colour": "red"}})]
wrong += [{}, {"supervisors": {}}, {"supervisors": []}, {"supervisors": {"near": {"url": "http://a"}}}, {"supervisors": {"near": {"model": "m"}}},
          {"supervisors": {"": SUPERVISOR}}, {"supervisors": {"a b": SUPERVISOR}}, {"supervisors": {"a" * 65: SUPERVISOR}},
          {"supervisors": {str(i): SUPERVISOR for i in range(17)}}]
for content in wrong:
    refused("supervisors", supervisors_validator, content)
    if program_accepts(content):
        complaints.append(f"the program accepts what the supervisors schema refuses: {json.dumps(content)}")

# Options of filterd: what the schema says of each is what the program says and accepts.
options = schema("rules/filterd.schema.json")
options_validator = Draft202012Validator(options)


def read_options(content, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return subprocess.run([sys.argv[1], "--print-defaults", "--config", path], capture_output=True, text=True, check=False)


def boundaries(entry):
    """Values at the limits of an option, and beyond them; octal modes have a pattern for that."""
    if "enum" in entry:
        return [*entry["enum"], "maybe", ""]
    if entry.get("pattern", "").endswith("{1,3}$"):
        return ["0", "0777", 644, "1000", "0o600", "8", ""]
    if "minimum" in entry:
        sizes = ["1X", "1.5M", "M"] + (["1M"] if entry["minimum"] <= 1 << 20 <= entry["maximum"] else [])
        return [entry["minimum"], entry["maximum"], entry["maximum"] + 1, entry["minimum"] - 1] + (sizes if "pattern" in entry else ["1s"])
    return ["x", 8470, ""]


with tempfile.TemporaryDirectory() as folder:
    described = {}
    lines = read_options({}, os.path.join(folder, "options")).stdout.splitlines()
    for comment, line in zip(lines[::2], lines[1::2]):
        name, default = line.removeprefix("# ").split(": ", 1) if ": " in line else (line.removeprefix("# ").rstrip(": "), "")
        described[name] = (comment.removeprefix("# "), default)
    stated = {name: (entry["description"], str(entry.get("default", ""))) for name, entry in options["properties"].items()}
    for name in sorted(set(described) | set(stated)):
        if described.get(name) != stated.get(name):
            complaints.append(f"rules/filterd.schema.json: {name}: program {described.get(name)}, schema {stated.get(name)}")
    for name, entry in options["properties"].items():
        for value in boundaries(entry):
            is_taken = read_options({name: value}, os.path.join(folder, "options")).returncode == 0
            if is_taken != options_validator.is_valid({name: value}):
                complaints.append(f"rules/filterd.schema.json: {name}: {json.dumps(value)}: the program {'takes' if is_taken else 'refuses'} it")
refused("options", options_validator, {"colour": "red"})

names_validator = Draft202012Validator(schema("rules/names.schema.json"))
error = next(names_validator.iter_errors(load("rules/names.yaml")), None)
if error:
    complaints.append(f"rules/names.yaml: {list(error.path)}: {error.message[:200]}")
for entry in ({"rule": "a-b"}, {"google": "X"}, {"rule": "A", "google": "X"}, {"rule": "a", "google": []},
              {"rule": "a", "google": "x"}, {"rule": "a", "azure": "A_B"}, {"rule": "a", "github": "A"},
              {"rule": "a", "aws": ["X", "X"]}, {"rule": "a", "presidio": "A B"}, {"rule": "a", "oracle": "X"}):
    refused("names", names_validator, {"names": [entry]})
egress_validator = Draft202012Validator(schema("rules/egress.schema.json"))
for path in ("tests/fuzz/corpus/egress_policy/whole.yaml", "tests/fuzz/corpus/egress_policy/empty.yaml"):
    error = next(egress_validator.iter_errors(load(path)), None)
    if error:
        complaints.append(f"{path}: {list(error.path)}: {error.message[:200]}")
EGRESS = {"name": "a", "hosts": "a.example", "scheme": "http", "methods": "GET", "paths": "/"}
for changes in ({"colour": "red"}, {"hosts": []}, {"hosts": "*.com"}, {"methods": "TRACE"}, {"methods": "get"}, {"paths": "a"},
                {"scheme": "ftp"}, {"scheme": "https"}, {"tls": "open"}, {"scheme": "https", "tls": "passthrough"}, {"ports": 0}, {"judge": "maybe"}, {"rate": "fast"}, {"bytes_in": "1P"},
                {"may_reach": "everything"}, {"name": "A"}):
    refused("egress", egress_validator, {"rules": [{**EGRESS, **changes}]})
for key in ("methods", "paths", "hosts", "name"):
    refused("egress", egress_validator, {"rules": [{k: v for k, v in EGRESS.items() if k != key}]})
refused("egress", egress_validator, {})
refused("egress", egress_validator, {"rules": [], "limits": {"idle": "60"}})
CREDENTIAL = {"file": "/k", "hosts": "a.example", "methods": "GET", "paths": "/", "ttl": "1m", "uses": 1}
for changes in ({"env": "K"}, {"ttl": None}, {"uses": 0}):
    refused("egress", egress_validator, {"rules": [], "credentials": {"k": {**CREDENTIAL, **changes}}})

# Lines of the decision log: the tests' own are validated by record_lines.py; these are none.
line_validator = Draft202012Validator(schema("rules/decision-log.schema.json"))
TOKEN, UUID, DIGEST = "k1:" + "0" * 32, "01a1fee2-a580-7761-a879-d7f612f9f4cb", "sha256:00ff"
FRAME = {"seq": 1, "node": "n", "boot_id": "", "v": 2, "ts": "2026-11-21T16:16:43.000000001Z"}
JUDGED = {"action": "allow", "in_bytes": 1, "judged_bytes": 1, "out_bytes": 1, "channels": [], "findings": [], "elapsed_us": 1}
DECISION = {**FRAME, "type": "decision", "req_id": UUID, "engine": "0"}
FINDING = {"source": "rule", "rule": "a", "channel": 0, "path": "", "start": 0, "end": 1, "len": 1, "view": "raw", "score": 0.5,
           "action": "redact", "value_tok": TOKEN}
PERSON = {"by": "anna", "role": "reviewer"}
good_lines = [{**DECISION, **JUDGED}, {**DECISION, "phase": "open", "elapsed_us": 1}, {**DECISION, "phase": "final", "end": "whole", **JUDGED},
              {**DECISION, **JUDGED, "review": {"why": "severity", "due_s": 60, "reviewers": 2, "agent_share": 0.25}},
              {**DECISION, "phase": "aborted", "end": "crash", "reason": "r"}, {**DECISION, **JUDGED, "findings": [FINDING]}]
new_lines = [{**FRAME, "v": 2, **content} for content in (
    {"type": "log", "origin": "web-1/filterd/5f0c9d1e7ab24f31", "vkey": "a+00000000+AA=="},
    {"type": "review", "step": "dispose", "item": 7, "from": "claimed", "to": "closed", "disposition": "benign", **PERSON},
    {"type": "review", "step": "snooze", "group": "group:" + "0" * 32, "more": 5, "until_policy": True, **PERSON},
    {"type": "access", "what": "list", "query": "action:block", **PERSON},
    {"type": "access", "what": "passkey", "step": "reset", "person": "ben", "purpose": "lost", **PERSON},
    {"type": "reveal", "request": "r", "step": "asked", "item": 7, "by": "anna", "purpose": "incident"},
    {"type": "exception", "id": "e", "step": "proposed", "rule": "a", "by": "anna"},
    {"type": "admin", "what": "policy", "before": DIGEST, "after": DIGEST, "by": "start"},
    {"type": "hold", "id": "h", "step": "set", "filter": "agent:a", "by": "anna"},
    {"type": "erasure", "subject_tok": TOKEN, "by": "anna"}, {"type": "rewrap", "blob": "b", "old": "0" * 64, "new": "1" * 64},
    {"type": "scan", "source": "s3://answers", "digest": DIGEST, "engine": "0", "rows": 1, "unjudged": 0,
     "actions": {"block": 0, "redact": 1, "allow": 0}, "rules": [{"rule": "iban", "findings": 1}], "by": "anna"},
    {"type": "prune", "files": ["f"], "sha256": ["0" * 64], "first": 1, "last": 2, "lines": 2})]
for content in good_lines + new_lines:
    error = next(line_validator.iter_errors(content), None)
    if error:
        complaints.append(f"the schema of lines refuses {json.dumps(content)}: {error.message[:200]}")
    for member in FRAME:
        refused("line", line_validator, {k: v for k, v in content.items() if k != member})
    for changes in ({"colour": "red"}, {"type": "other"}, {"seq": 0}, {"v": 3}, {"ts": "2026-11-21T16:16:43Z"}, {"node": 1}):
        refused("line", line_validator, {**content, **changes})
for changes in ({"action": "block"}, {"action": None}, {"text": "hello"}, {"phase": "final"}, {"phase": "open"}, {"end": "crash"},
                {"review": {"why": "whim", "due_s": 60}}, {"review": {"why": "action"}},
                {"input_tok": "hello"}, {"session": "s-1"}, {"req_id": "1"}, {"findings": [{**FINDING, "value": "hello"}]},
                {"findings": [{**FINDING, "value_tok": "hello"}]}, {"findings": [{**FINDING, "score": 1.5}]}):
    refused("line", line_validator, {**DECISION, **JUDGED, **changes})

for changes in ({"what": "passkey"}, {"step": "added"}, {"person": "ben"}, {"what": "passkey", "step": "lent", "person": "ben"}):
    refused("line", line_validator, {**FRAME, "type": "access", "what": "list", **PERSON, **changes})

# The log that the tests of filterd-ship make has lines of every type, all of the schema.
with tempfile.TemporaryDirectory() as folder:
    made = os.path.join(folder, "decisions.jsonl")
    subprocess.run([sys.executable, "tests/ship/make_log.py", made, "2000"], check=True)
    checked = subprocess.run([sys.executable, "tests/support/record_lines.py", made], capture_output=True, text=True, check=False)
    if checked.returncode != 0:
        complaints.append(f"tests/ship/make_log.py: {checked.stdout}{checked.stderr}")
    with open(made, encoding="utf-8") as file:
        missing = {one["$ref"].rsplit("/", 1)[1] for one in line_validator.schema["oneOf"]} - {json.loads(line)["type"] for line in file}
    if missing:
        complaints.append(f"tests/ship/make_log.py makes no line of {sorted(missing)}")

# The program's checks, their arguments, and which of them are required.
program, name = {}, None
for line in sys.stdin:
    if not line.startswith(" "):
        name = line.split()[0]
        program[name] = {}
    else:
        argument, kind = line.strip().split(": ", 1)
        program[name][argument] = kind.endswith(", required")
_, plain, with_arguments = rule_schema["$defs"]["check"]["oneOf"]
common = {"on_fail", "raise", "lower", "of"}
described = {check: {a: a in content.get("required", []) for a in content["properties"] if a not in common}
             for check, content in with_arguments["properties"].items()}
for check in sorted(set(program) | set(described)):
    if program.get(check) != described.get(check):
        complaints.append(f"check {check}: program {program.get(check)}, schema {described.get(check)}")
if set(plain["enum"]) != {c for c, arguments in program.items() if not any(arguments.values())}:
    complaints.append("the checks that may stand without arguments differ")

print("\n".join(complaints))
sys.exit(1 if complaints else 0)
