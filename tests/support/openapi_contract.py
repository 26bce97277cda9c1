"""Drives filterd from packaging/openapi.json: every operation, each of its statuses, every body against its schema.

What the document has and no request tried is a failure: an operation, a status, a schema of an answer or of a request.

Arguments: the document, the delivery listener's address, the operators' socket, the command of the witness that filterd asks, whose
configuration WITNESS.yaml ends in the list of logs; --samples prints what was answered."""
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from urllib.parse import quote, urlencode

from jsonschema import Draft202012Validator
from jsonschema.validators import extend

SECRET = "E2EKEY-4kq9Zt7Xw2Lm8Rv5Bn3Jc6Hd"
OTHER = "E2EKEY-7kq9Zt7Xw2Lm8Rv5Bn3Jc6Hd"
ROLES = {"caller": "app", "reviewer": "anna", "approver": "ben", "auditor": "aud", "operator": "olga", "reporter": "rep",
         "admin": "root"}


# Requests in the formats of other products, docs/contracts.md; tests/e2e/contracts.sh has what they answer.
ENTITY = {"start": 3, "end": 6, "score": 0.8, "entity_type": "NAME"}
DETECTOR = {"detector-id": "filterd"}
EVENT = {"kind": "step/response", "step_id": "s", "agent_id": "a1", "agent_type": "", "agent_workspace": "", "agent_user": "",
         "llm_protocol": "openai.chat", "payload": {"m": "fine"}}
HOOK = {"session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
CONTRACTS = {
    "/v1/moderations": {"input": "a"}, "/analyze": {"text": SECRET, "language": "en"},
    "/anonymize": {"text": "é, Ann x", "analyzer_results": [ENTITY], "anonymizers": {}},
    "/deanonymize": {"text": "a", "anonymizer_results": [], "deanonymizers": {}},
    "/supportedentities": None, "/recognizers": None, "/anonymizers": None, "/deanonymizers": None,
    "/api/v1/text/contents": {"contents": ["a", SECRET]}, "/api/v1/text/generation": {"prompt": "p", "generated_text": SECRET},
    "/api/v1/text/chat": {"messages": [{"role": "user", "content": SECRET}]},
    "/api/v1/text/context/doc": {"content": SECRET, "context_type": "url", "context": []},
    "/request": {"body": {"messages": [{"role": "user", "content": SECRET}]}},
    "/response": {"body": {"choices": [{"message": {"role": "assistant", "content": "fine"}}]}},
    "/portkey": {"eventType": "afterRequestHook", "request": {"json": {}}, "response": {"json": {"m": SECRET}}},
    "/v1/evaluate": EVENT, "/analyze/output": {"prompt": "p", "output": SECRET}, "/scan/output": {"prompt": "p", "output": SECRET},
    "/analyze/prompt": {"prompt": SECRET}, "/scan/prompt": {"prompt": "a"},
    "/guardrail/{version}/apply": {"source": "OUTPUT", "content": [{"text": {"text": SECRET}}]},
    "/v1/guardrail/checks": {"model": "m", "messages": []}, "/guards/{name}/validate": {"llmOutput": SECRET}, "/guards": None,
    "/guards/{call}": None, "/v1/heartbeat": {},
    "/v1/hooks/claude-code": HOOK, "/v1/hooks/codex": HOOK,
    "/llm/v1/sanitize": {"text": SECRET, "anonymize": ["all"]}, "/llm/v1/sanitize_credentials": {"text": SECRET},
    "/health": None, "/v1/health": None, "/llm/v1/status": None,
}


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("filterd", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(self.path)


def close(part):
    """Clients get members that they do not know with later versions; here, one that the document has not is a mistake."""
    if isinstance(part, dict):
        if "properties" in part and part.get("type") == "object":
            part.setdefault("additionalProperties", False)
        for value in part.values():
            close(value)
    elif isinstance(part, list):
        for value in part:
            close(value)


def following(seen):
    """A validator that adds the schemas to `seen` that a value met."""
    def reference(validator, name, instance, schema):
        errors = list(Draft202012Validator.VALIDATORS["$ref"](validator, name, instance, schema))
        if not errors:
            seen.add(name)
        yield from errors

    return extend(Draft202012Validator, {"$ref": reference})


class Contract:
    def __init__(self, document, address, operators, witness, configuration):
        with open(document, encoding="utf-8") as file:
            self.document = json.load(file)
        close(self.document["components"]["schemas"])
        close(self.document["paths"])
        self.address, self.operators, self.witness, self.configuration = address, operators, witness, configuration
        self.done, self.complaints, self.samples, self.schemas = set(), [], {}, set()
        self.validator = following(self.schemas)
        self.operations = {(method.upper(), path): operation for path, item in self.document["paths"].items()
                           for method, operation in item.items()}

    def complain(self, what):
        self.complaints.append(what)

    def resolve(self, part):
        while "$ref" in part:
            name = part["$ref"]
            part = self.document
            for step in name.split("/")[1:]:
                part = part[step]
        return part

    def send(self, method, path, who, body, headers, listener):
        connection = UnixConnection(self.operators) if listener == "operators" else http.client.HTTPConnection(self.address, timeout=30)
        headers = dict(headers)
        if who is not None:
            headers["Authorization"] = f"Bearer token-of-{who}-0123456789abcdef"
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def call(self, method, template, status, who="root", body=None, query=None, headers=None, kind="application/json", **parts):
        """One request of an operation; its answer, read as JSON where it is that."""
        operation = self.operations.get((method, template))
        name = f"{method} {template}"
        if operation is None:
            self.complain(f"{name}: not in the document")
            return None
        path = re.sub(r"{(\w+)}", lambda m: quote(str(parts[m[1]]), safe="/"), template) + ("?" + urlencode(query) if query else "")
        headers = dict(headers or {})
        if body is not None:
            body = body if isinstance(body, (bytes, str)) else json.dumps(body)
            body = body.encode() if isinstance(body, str) else body
            headers.setdefault("Content-Type", kind)
        listener = "callers" if "callers" in operation["x-listeners"] else "operators"
        got, heads, content = self.send(method, path, who, body, headers, listener)
        if got != status:
            self.complain(f"{name}: {status} expected, got {got}: {content[:200]!r}")
            return None
        self.done.add((method, template, str(status)))
        if got < 300 and body is not None:
            self.check_request(name, operation, headers["Content-Type"], body)
        return self.check(name, operation, got, heads, content)

    def validate(self, name, schema, value):
        schema = {"$ref": "#/x", "x": schema, "components": self.document["components"]}
        for error in self.validator(schema).iter_errors(value):
            self.complain(f"{name}: {'/'.join(map(str, error.path))}: {error.message[:300]}")

    def check_request(self, name, operation, kind, body):
        """What was accepted is what the document says."""
        kinds = operation["requestBody"]["content"]
        if kind not in kinds:
            self.complain(f"{name}: takes {kind}, the document has {list(kinds)}")
        elif kind == "application/json":
            self.validate(f"{name}: request", kinds[kind].get("schema", {}), json.loads(body))

    def check(self, name, operation, status, heads, content):
        response = operation["responses"].get(str(status))
        if response is None:
            self.complain(f"{name}: {status} is not in the document")
            return None
        kinds = self.resolve(response).get("content", {})
        kind = (heads.get("Content-Type") or "").split(";")[0]
        if kind not in kinds and (kinds or content):
            self.complain(f"{name}: {status} has {kind}, the document {list(kinds)}")
            return content
        if kind not in ("application/json", "application/problem+json", "application/x-ndjson"):
            return content
        values = [json.loads(line) for line in (content.splitlines() if kind.endswith("ndjson") else [content])]
        self.samples.setdefault(name + f" {status}", []).extend(values)
        if status < 300 and kinds[kind].get("schema") is None:
            self.complain(f"{name}: {status} has no schema")
        for value in values:
            self.validate(f"{name}: {status}", kinds[kind].get("schema", {}), value)
        return values[0] if len(values) == 1 else values

    # --- what goes for all operations ---------------------------------------------------

    def try_refusals(self):
        """No token, and a token of each role: what the document says who may call; a body of another type."""
        for (method, template), operation in self.operations.items():
            parts = {p: "1" for p in re.findall(r"{(\w+)}", template)}
            roles = operation.get("x-roles")
            if roles is None or template.startswith("/review") or template in CONTRACTS:
                continue
            self.call(method, template, 401, who="stranger", **parts)
            outside = [role for role in ROLES if role not in roles and role != "admin"]
            for role in outside:
                self.call(method, template, 403, who=ROLES[role], **parts)
            if "415" in operation["responses"]:
                self.call(method, template, 415, who=ROLES[roles[0]], body="<x/>", kind="application/xml", **parts)

    def wait_for(self, method, template, **more):
        for _ in range(100):
            got, _, _ = self.send(method, template, "root", None, {}, "operators")
            if got == 200:
                return
            time.sleep(0.05)

    # --- the operations in an order that works --------------------------------------------

    def callers(self):
        text = self.call("POST", "/v1/filter", 200, "app", {"text": f"the key {SECRET}", "tenant": "acme", "app": "web", "agent": "one", "explain": True})
        self.call("POST", "/v1/filter", 200, "app", {"messages": [{"role": "user", "content": "E2EBOMB0001"}], "tenant": "acme", "agent": "one"})
        self.call("POST", "/v1/filter", 200, "app", {"document": {"a": [1, OTHER]}, "tenant": "acme", "app": "web", "agent": "one"})
        self.call("POST", "/v1/filter", 200, "app", {"text": "nothing"})
        self.call("POST", "/v1/filter", 200, "app", {"text": OTHER, "policy": "metered", "user": "u"})
        self.call("POST", "/v1/filter", 200, "app", "plain text", kind="text/plain", headers={"Accept": "text/plain"})
        self.call("POST", "/v1/filter", 400, "app", "{")
        self.call("POST", "/v1/filter", 422, "app", {"text": 1})
        self.call("POST", "/v1/filter", 413, "app", b"a" * (2 << 20), kind="text/plain")
        lines = f'{{"text":"{SECRET}"}}\n{{"text":1}}\n{{"text":"nothing"}}\n'
        self.call("POST", "/v1/filter/batch", 200, "app", lines, kind="application/x-ndjson")
        self.streams()
        request = {"texts": [f"the key {SECRET}"], "request_data": {}, "input_type": "response"}
        self.call("POST", "/beta/litellm_basic_guardrail_api", 200, "app", request)
        self.call("POST", "/beta/litellm_basic_guardrail_api", 400, "app", "{")
        self.call("POST", "/beta/litellm_basic_guardrail_api", 422, "app", {"texts": 1})
        for path in ("/healthz", "/readyz"):
            self.call("GET", path, 200, None)
        self.call("GET", "/metrics", 200, "olga")
        for _ in range(100):
            got, _, _ = self.send("GET", f"/v1/receipts/{text['receipt']}", "app", None, {}, "callers")
            if got == 200:
                break
            time.sleep(0.1)
        self.call("GET", "/v1/receipts/{receipt}", 200, "app", receipt=text["receipt"])
        self.call("GET", "/v1/receipts/{receipt}", 404, "app", receipt="9999.AAAA")

    def contracts(self):
        for template, body in CONTRACTS.items():
            self.call("GET" if body is None else "POST", template, 200, "app", body, headers=DETECTOR, version="g1/version/DRAFT", name="default",
                      call="default/history/1")

    def streams(self):
        opened = self.call("POST", "/v1/streams", 200, "app", {"tenant": "acme", "path": "/x"})
        self.call("POST", "/v1/streams", 400, "app", "{")
        self.call("POST", "/v1/streams", 422, "app", {"tenant": 1})
        chunk = "/v1/streams/{id}/chunks"
        self.call("POST", chunk, 200, "app", {"text": "the key ", "sequence": 1}, id=opened["id"])
        self.call("POST", chunk, 200, "app", SECRET, kind="text/plain", query={"sequence": 2}, id=opened["id"])
        self.call("POST", chunk, 409, "app", {"text": "x", "sequence": 9}, id=opened["id"])
        self.call("POST", chunk, 400, "app", "{", id=opened["id"])
        self.call("POST", chunk, 422, "app", {"text": 1}, id=opened["id"])
        self.call("POST", chunk, 404, "app", {"text": "x"}, id="none")
        end = "/v1/streams/{id}/end"
        self.call("POST", end, 400, "app", "{", id=opened["id"])
        self.call("POST", end, 422, "app", {"truncated": 1}, id=opened["id"])
        self.call("POST", end, 200, "app", {"truncated": False}, id=opened["id"])
        self.call("POST", end, 404, "app", id="none")

    def fleet(self):
        self.call("GET", "/v1/fleet", 200, "olga")

    def agents(self):
        self.call("GET", "/v1/agents", 200, "olga")
        agent = "/v1/agents/{name}"
        self.call("POST", agent + "/violations", 200, "rep", {"kind": "network", "why": "a test"}, query={"tenant": "acme"}, name="one")
        self.call("POST", agent + "/violations", 422, "rep", {"kind": "other"}, query={"tenant": "acme"}, name="one")
        self.call("POST", agent + "/violations", 400, "rep", "{", query={"tenant": "acme"}, name="one")
        self.call("GET", agent, 200, "olga", query={"tenant": "acme"}, name="one")
        self.call("GET", agent, 404, "olga", name="nobody")
        for step in ("/kill", "/revive"):
            self.call("POST", agent + step, 200, "olga", query={"tenant": "acme", "why": "a test"}, name="one")
            self.call("POST", agent + step, 422, "olga", query={"tenant": "acme", "why": "x" * 200}, name="one")

    def records(self):
        for path in ("/v1/policy", "/v1/rules", "/v1/record"):
            self.call("GET", path, 200, "olga")
        self.call("POST", "/v1/policy/reload", 200, "olga")
        self.call("POST", "/v1/record/checkpoint", 200, "aud")
        self.call("GET", "/v1/record/checkpoint", 200, "aud")
        self.call("GET", "/v1/record/cosigned", 404, "aud")
        self.cosign(self.call("GET", "/v1/record/policy", 200, "aud"))
        self.call("GET", "/v1/record/tile/{path}", 404, "aud", path="5/000")
        size = int(self.send("GET", "/v1/record/checkpoint", "aud", None, {}, "operators")[2].split(b"\n")[1])
        self.call("GET", "/v1/record/tile/{path}", 200, "aud", path=f"entries/000.p/{size}")
        self.call("GET", "/v1/record/consistency", 200, "aud", query={"from": 1, "to": size})
        self.call("GET", "/v1/record/consistency", 422, "aud", query={"from": "x"})
        self.call("GET", "/v1/records/{seq}/proof", 200, "aud", seq=1)
        self.call("GET", "/v1/records/{seq}/proof", 404, "aud", seq=99999)
        self.wait_for("GET", f"/v1/records/{size}")
        page = self.call("GET", "/v1/records", 200, "aud", query={"limit": 500})
        self.call("GET", "/v1/records", 422, "aud", query={"limit": 0})
        line = self.call("GET", "/v1/records/{seq}", 200, "aud", seq=1)
        self.call("GET", "/v1/records/{seq}", 404, "aud", seq=99999)
        decisions = [r for r in page["records"] if r["type"] == "decision"] if page else []
        self.call("GET", "/v1/records/by-request/{req_id}", 200, "aud", req_id=decisions[0]["req_id"])
        self.call("GET", "/v1/records/by-request/{req_id}", 404, "aud", req_id="none")
        self.call("GET", "/v1/tally", 200, "aud", query={"by": "hour,action"})
        self.call("GET", "/v1/tally", 422, "aud", query={"by": "other"})
        return line, decisions

    def cosign(self, policy):
        log = re.search(r"^log (.*)$", policy.decode(), re.MULTILINE)[1]
        with open(self.configuration, "a", encoding="utf-8") as file:
            file.write(f"  - {log}\n")
        with subprocess.Popen([self.witness, "--config", self.configuration], stderr=subprocess.DEVNULL) as witness:
            self.wait_for("GET", "/v1/record/cosigned")
            self.call("GET", "/v1/record/cosigned", 200, "aud")
            witness.terminate()

    def keeping(self, decisions):
        self.call("POST", "/v1/accesses", 200, "aud", query={"what": "export", "query": "action:block", "purpose": "audit"})
        self.call("POST", "/v1/accesses", 422, "aud")
        self.call("POST", "/v1/holds", 200, "root", query={"id": "hold-1", "step": "set", "filter": "action:block", "until": "2099-01-01T00:00:00Z", "why": "a case"})
        self.call("POST", "/v1/holds", 422, "root")
        for path, query in (("/v1/erasures", {"subject_tok": "e1-0f071b91:" + "a" * 32, "step": "asked", "approver": "ben", "why": "a request"}),
                            ("/v1/rewraps", {"blob": "a" * 32, "old": "b" * 64, "new": "c" * 64}),
                            ("/v1/prunes", {"originals": 1, "expired": "2026-01-01T00:00:00Z"}),
                            ("/v1/prunes/files", {"files": "decisions-1.jsonl", "sha256": "d" * 64, "first": 1, "last": 2, "lines": 2})):
            self.call("POST", path, 200, "root", query=query)
            self.call("POST", path, 422, "root")
        scan = {"source": "archive/2026-11", "snapshot": "v7", "digest": "sha256:" + "e" * 64, "engine": "0.1.0", "rows": 3, "nulls": 1, "unjudged": 0,
                "bytes": 120, "actions": {"block": 0, "redact": 1, "allow": 1}, "rules": {"iban": 1}}
        self.call("POST", "/v1/scans", 200, "olga", scan)
        self.call("POST", "/v1/scans", 400, "olga", "{")
        for wrong in ({"rows": 4}, {"digest": "e"}, {"rules": {"See DE38": 1}}, {"actions": {"block": 2}}, {"texts": []}, {"source": ""}):
            self.call("POST", "/v1/scans", 422, "olga", {**scan, **wrong})
        sealed = [d["sealed"] for d in decisions if "sealed" in d]
        self.call("POST", "/v1/keks/{id}", 200, "anna", query={"blob": sealed[0]["blob"], "purpose": "INC-1"}, id=sealed[0]["kek"])
        self.call("POST", "/v1/keks/{id}", 404, "anna", query={"blob": sealed[0]["blob"], "purpose": "x"}, id="0123456789abcdef")
        self.call("POST", "/v1/keks/{id}", 422, "anna", query={"blob": "x"}, id=sealed[0]["kek"])

    def review(self, decisions):
        items = [d["seq"] for d in decisions if d.get("action") == "redact" and d.get("tenant") == "acme" and d.get("app") == "web"]
        self.wait_for("GET", f"/v1/items/{items[0]}")
        self.call("GET", "/v1/items", 200, "anna")
        self.call("GET", "/v1/items", 422, "anna", query={"limit": 0})
        self.call("GET", "/v1/items/{seq}", 200, "anna", seq=items[0])
        self.call("GET", "/v1/items/{seq}", 404, "anna", seq=99999)
        step, first = "/v1/items/{seq}/{step}", {"seq": items[0]}
        before = self.send("GET", f"/v1/items/{items[0]}", "anna", None, {}, "operators")[1]["ETag"]
        self.call("POST", step, 200, "anna", step="claim", **first)
        self.call("POST", step, 200, "anna", {"disposition": "true_positive", "note": "yes"}, headers={"Idempotency-Key": "k1"}, step="dispose", **first)
        self.call("POST", step, 409, "anna", step="release", **first)
        self.call("POST", step, 412, "anna", headers={"If-Match": before}, step="reopen", **first)
        self.call("POST", step, 404, "anna", step="claim", seq=99999)
        self.call("POST", step, 400, "anna", "{", step="claim", **first)
        self.call("POST", step, 422, "anna", {"disposition": "x"}, step="dispose", **first)
        self.call("POST", "/v1/items/bulk", 200, "anna", {"step": "note", "note": "seen", "items": items})
        self.call("POST", "/v1/items/bulk", 400, "anna", "{")
        self.call("POST", "/v1/items/bulk", 422, "anna", {"step": "note"})
        groups = self.call("GET", "/v1/groups", 200, "anna")
        self.call("GET", "/v1/groups", 422, "anna", query={"limit": 0})
        self.call("GET", "/v1/groups/{id}", 200, "anna", id=groups["groups"][0]["group"])
        self.call("GET", "/v1/groups/{id}", 404, "anna", id="none")
        self.call("GET", "/v1/review", 200, "anna")
        self.call("GET", "/v1/rules/{id}/quality", 200, "anna", id="test-key")
        self.exceptions(items[0])
        self.reveals(items[0])
        self.exports()

    def exceptions(self, item):
        proposal = {"item": item, "scope": "value", "rule": "test-key", "until": time.strftime("%Y-%m-%d", time.gmtime(time.time() + 86400 * 9)), "why": "a test key"}
        self.call("POST", "/v1/exceptions/preview", 200, "anna", proposal)
        for path in ("/v1/exceptions/preview", "/v1/exceptions"):
            self.call("POST", path, 400, "anna", "{")
            self.call("POST", path, 422, "anna", {"item": item})
            self.call("POST", path, 404, "anna", {**proposal, "item": 99999})
        for last in ("approve", "refuse"):
            made = self.call("POST", "/v1/exceptions", 200, "anna", proposal)
            path = "/v1/exceptions/{id}/" + last
            self.call("POST", path, 200, "ben", id=made["id"])
            self.call("POST", path, 409, "ben", id=made["id"])
            self.call("POST", path, 404, "ben", id="none")
            if last == "approve":
                self.call("POST", "/v1/exceptions/{id}/withdraw", 200, "anna", id=made["id"])
                self.call("POST", "/v1/exceptions/{id}/withdraw", 409, "anna", id=made["id"])
        self.call("POST", "/v1/exceptions/{id}/withdraw", 404, "anna", id="none")
        self.call("GET", "/v1/exceptions", 200, "anna")
        self.call("GET", "/v1/exceptions", 422, "anna", query={"limit": 0})

    def reveals(self, item):
        question = {"item": item, "purpose": "incident", "case": "INC-1", "why": "to see"}
        self.call("POST", "/v1/reveals", 400, "anna", "{")
        self.call("POST", "/v1/reveals", 422, "anna", {**question, "purpose": "x"})
        self.call("POST", "/v1/reveals", 404, "anna", {**question, "item": 99999})
        asked = [self.call("POST", "/v1/reveals", 200, "anna", {**question, "case": f"INC-{i}"})["id"] for i in range(2)]
        self.call("GET", "/v1/reveals/{id}/blob", 409, "anna", id=asked[0])
        for last, id in zip(("approve", "refuse"), asked):
            self.call("POST", "/v1/reveals/{id}/" + last, 200, "ben", id=id)
            self.call("POST", "/v1/reveals/{id}/" + last, 409, "ben", id=id)
            self.call("POST", "/v1/reveals/{id}/" + last, 404, "ben", id="none")
        self.call("GET", "/v1/reveals/{id}/blob", 200, "anna", id=asked[0])
        self.call("GET", "/v1/reveals/{id}/blob", 422, "anna", id=asked[0])
        self.call("GET", "/v1/reveals/{id}/blob", 404, "anna", id="none")
        self.call("POST", "/v1/reveals/{id}/close", 200, "anna", id=asked[0])
        self.call("POST", "/v1/reveals/{id}/close", 409, "anna", id=asked[0])
        self.call("POST", "/v1/reveals/{id}/close", 404, "anna", id="none")
        self.call("GET", "/v1/reveals", 200, "anna")
        self.call("GET", "/v1/reveals", 422, "anna", query={"limit": 0})

    def exports(self):
        self.call("POST", "/v1/exports", 400, "aud", "{")
        self.call("POST", "/v1/exports", 422, "aud", {"query": "action:block"})
        begun = self.call("POST", "/v1/exports", 202, "aud", {"query": "action:block", "why": "audit"})
        for _ in range(200):
            got, heads, _ = self.send("GET", f"/v1/exports/{begun['id']}", "aud", None, {}, "operators")
            if heads.get("Content-Type") != "application/json":
                break
            time.sleep(0.05)
        self.call("GET", "/v1/exports/{id}", 200, "aud", id=begun["id"])
        self.call("GET", "/v1/exports/{id}", 404, "aud", id="none")

    def run(self):
        self.callers()
        self.contracts()
        self.fleet()
        self.agents()
        _, decisions = self.records()
        self.review(decisions)
        self.keeping(decisions)
        self.try_refusals()
        self.call("GET", "/review", 303, None)
        self.call("GET", "/review/{path}", 200, None, path="queue")
        self.call("POST", "/review/{path}", 403, None, body="x=1", kind="application/x-www-form-urlencoded", path="queue")
        for (method, template), operation in self.operations.items():
            for status in operation["responses"]:
                if status != "default" and (method, template, status) not in self.done:
                    self.complain(f"{method} {template}: {status} was not tried")
        for name in self.document["components"]["schemas"]:
            if f"#/components/schemas/{name}" not in self.schemas:
                self.complain(f"schema {name}: no answer and no request has it")


contract = Contract(*sys.argv[1:6])
try:
    contract.run()
except (TypeError, KeyError, IndexError) as error:  # an answer that a later request needs is missing
    if not contract.complaints:
        raise
    contract.complain(f"it ended early: {error!r}")
if "--samples" in sys.argv:
    print(json.dumps(contract.samples))
    print("\n".join(contract.complaints), file=sys.stderr)
    sys.exit(0)
print("\n".join(contract.complaints), end="\n" if contract.complaints else "")
schemas = contract.document["components"]["schemas"]
print(f"{len(contract.done)} statuses of {len(contract.operations)} operations, {len(schemas)} schemas")
sys.exit(1 if contract.complaints else 0)
