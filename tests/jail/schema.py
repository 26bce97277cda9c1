"""The JSON Schema of the jail's policies and the program agree. Arguments: the program, a folder to write into."""
import copy
import json
import os
import subprocess
import sys

import yaml
from jsonschema import Draft202012Validator

program, folder = sys.argv[1:]
with open("jail/policy/schema.json", encoding="utf-8") as file:
    content = json.load(file)
Draft202012Validator.check_schema(content)
validator = Draft202012Validator(content)
complaints = []
FULL = {"name": "a", "profile": "python", "hostname": "b", "network": "none", "on_missing_mechanism": "degrade", "on_denied_name": "honeytoken",
        "environment": {"pass": ["LANG"], "set": {"A": "x y"}}, "inputs": [{"from": "./x", "to": "/in/x"}, {"from": "./y", "to": "/in/y", "snapshot": True}],
        "snapshots": {"size": "1M", "files": 5},
        "deny_names": ["*.env"], "syscalls": {"profile": "strict"},
        "work": {"path": "/w", "size": "8M", "inodes": 99, "exec": False}, "tmp": {"size": "1M", "inodes": 20, "exec": True},
        "outputs": {"path": "/out", "quarantine": "q", "size": 70000, "files": 5},
        "filter": {"socket": "agents.sock", "agent": "support-7", "tenant": "acme", "lease": "900ms"},
        "report": {"folder": "reports"},
        "limits": {"memory": "1G", "swap": "none", "cpu": 1.5, "pids": 9, "wall": "5s", "cpu_time": "3m", "idle": "none",
                   "open_files": 20, "file_size": "1K", "output": 0}}


def accepted_by_program(policy):
    path = os.path.join(folder, "p.yaml")
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
        yaml.safe_dump(policy, out, sort_keys=False)
    return subprocess.run([program, "check", "-p", path], capture_output=True, check=False).returncode == 0


def both(expected, policy):
    for name, answer in (("schema", validator.is_valid(policy)), ("program", accepted_by_program(policy))):
        if answer != expected:
            complaints.append(f"the {name} {'accepts' if answer else 'refuses'}: {json.dumps(policy)}")


both(True, FULL)
both(True, {"name": "a"})
NETWORK = {"egress": "e", "record": "r", "rules": "x", "filter_policy": "p", "cache": "c", "ports": [80, 8443], "proxy": 3128}
both(True, {"name": "a", "network": NETWORK, "honeytokens": ["/work/.env", "/home/agent/.ssh/id_rsa"]})
for key in NETWORK:
    both(key not in ("egress", "record"), {"name": "a", "network": {k: v for k, v in NETWORK.items() if k != key}})
for section, value in FULL.items():
    both(section != "name", {"name": "a", section: value} if section != "name" else {})
    if isinstance(value, dict):
        for key in value:
            changed = copy.deepcopy(FULL)
            changed[section]["x" + key] = changed[section].pop(key)
            both(False, changed)
for changes in ({"colour": 1}, {"name": "a b"}, {"name": ""}, {"profile": "none"}, {"profile": ["python"]}, {"hostname": ".a"}, {"network": "host"}, {"on_missing_mechanism": "go"},
                {"inputs": [{"from": "x"}]}, {"inputs": [{"from": "x", "to": "y"}]}, {"inputs": [{"from": "x", "to": "/a/../b"}]},
                {"inputs": [{"from": "x", "to": "/proc/x"}]}, {"inputs": [{"from": "x", "to": "/a/"}]}, {"deny_names": ["a/b"]},
                {"syscalls": {"profile": "none"}}, {"work": {"exec": "maybe"}}, {"limits": {"wall": 5}},
                {"limits": {"wall": "5 s"}}, {"limits": {"pids": "none"}}, {"limits": {"pids": 1}}, {"limits": {"cpu": 0}},
                {"limits": {"memory": "1GB"}}, {"environment": {"pass": ["A=B"]}}, {"environment": {"set": {"1A": "x"}}},
                {"filter": {"agent": "a"}}, {"filter": {"socket": "s", "lease": "none"}}, {"filter": {"socket": "s", "agent": "a b"}},
                {"outputs": {"path": "/out"}}, {"report": {}}, {"network": {**NETWORK, "x": 1}}, {"network": {**NETWORK, "ports": [0]}},
                {"network": {**NETWORK, "ports": [53]}}, {"network": {**NETWORK, "ports": [80, 80]}},
                {"honeytokens": ["/etc/x"]}, {"honeytokens": ["x"]}, {"inputs": [{"from": "x", "to": "/x", "snapshot": "copy"}]},
                {"snapshots": {"size": "none"}}, {"snapshots": {"files": 0}}, {"snapshots": {"files": 1000001}}, {"snapshots": {"size": 1}}):
    both(False, {"name": "a", **changes})

# Every default of the schema is the program's: written out it changes nothing.


def effective(policy):
    assert accepted_by_program(policy), policy
    return subprocess.run([program, "check", "-p", os.path.join(folder, "p.yaml")], capture_output=True, check=True,
                          text=True).stdout


defaults = {"name": "a"}
for key, value in content["properties"].items():
    if "default" in value:
        defaults[key] = value["default"]
    elif key not in ("outputs", "filter", "report"):
        inner = {k: v["default"] for k, v in value.get("properties", {}).items() if "default" in v}
        if inner:
            defaults[key] = inner
if effective(defaults) != effective({"name": "a"}):
    complaints.append("a default of the schema is not the program's")
if len(defaults) < 6 or not validator.is_valid(yaml.safe_load(effective(FULL))):
    complaints.append("the schema refuses an effective policy, or has no defaults")
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
