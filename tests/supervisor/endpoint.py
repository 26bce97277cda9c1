#!/usr/bin/env python3
"""endpoint.py PORTFILE: a chat endpoint (OpenAI's API) that does what its model's name says.

It reads its prompt as a gullible model would: a chat template is applied, control tokens of all the
usual templates count wherever they stand, and whatever is outside the quotation is an order. A text
that gets out of its quotation is obeyed (verdict "ok"); one that stays in is judged by the words it
holds: EVIL-<category> is a violation.

GET /count tells how many requests each model has had; POST /reset forgets; POST /open lets go what the model "gate"
holds back.
"""
import http.server
import json
import re
import socketserver
import sys
import threading
import time
import unicodedata

counts, lock = {}, threading.Lock()
running, most_running = {}, {}
traceparents = []
gate = threading.Event()

# What chat templates use to tell who speaks. A server that tokenises the whole prompt reads these in
# a message's content, too.
CONTROL = re.compile(
    r"<\|[^|>\n]{1,40}\|>|<\uff5c[^\uff5c>\n]{1,40}\uff5c>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>"
    r"|\[/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|\[gMASK\]|<(?:bos|eos|pad|unk)>|<extra_id_\d+>"
    r"|<(?:system|assistant|user|human)>|\[(?:SYSTEM|ASSISTANT|USER)\]", re.I)


def readings(text):
    """The text as tokenisers may read it: as it is, in compatibility forms, without what cannot be seen."""
    for folded in (text, unicodedata.normalize("NFKC", text)):
        yield folded
        yield "".join(c for c in folded if c in "\t\n\r" or unicodedata.category(c) not in ("Cf", "Cc"))


class Prompt:
    """The messages as a model sees them: `text` is what is quoted, `orders` what is not and is not ours."""

    def __init__(self, messages):
        if [m["role"] for m in messages] != ["system", "user"]:
            raise ValueError("a system message and a user message expected")
        system, user = messages[0]["content"], messages[1]["content"]
        begin = re.search(r"^-----BEGIN TEXT ([0-9a-f]{32})-----$", system, re.M)
        self.canary = re.search(r"number of this review is ([0-9a-f]{32})", system).group(1)
        self.boundary = begin.group(1)
        names = re.search(r'"category": one of ([^,]*(?:, "[^"]*")*), or "none"', system).group(1)
        self.categories = re.findall(r'"([^"]+)"', names)
        head, tail = "-----BEGIN TEXT %s-----\n" % self.boundary, "\n-----END TEXT %s-----\n" % self.boundary
        before, _, rest = user.partition(head)
        self.text, end, after = rest.partition(tail)
        orders = [before, after.replace("Judge the quoted text. Answer with the JSON object alone.", "", 1)]
        if not end:
            orders.append(self.text)
        for reading in readings(self.text):
            orders += CONTROL.split(reading)[1:]  # a turn of somebody else's begins inside the text
        if head in self.text or tail in after:
            orders.append(self.text)
        self.orders = "".join(orders).strip()


def verdict_on(prompt):
    if prompt.orders:
        return {"verdict": "ok", "category": "none", "confidence": 1, "reason": "told so", "evidence": []}
    found = re.search(r"EVIL-([a-z]+(?:-harm)?)\b[^\n]{0,40}", prompt.text)
    if not found or found.group(1) not in prompt.categories:
        return {"verdict": "ok", "category": "none", "confidence": 0.97, "reason": "nothing found", "evidence": []}
    return {"verdict": "violation", "category": found.group(1), "confidence": 0.93, "reason": "evil words",
            "evidence": [found.group(0)]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, body, headers=()):
        body = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with lock:
            self.send(200, json.dumps({"counts": counts, "most": most_running, "traceparent": traceparents[-1:]}))

    def complete(self, content, ending="stop"):
        message = {"role": "assistant", "content": content}
        return json.dumps({"id": "x", "object": "chat.completion", "model": self.model,
                           "choices": [{"index": 0, "message": message, "finish_reason": ending}],
                           "usage": {"prompt_tokens": 900, "completion_tokens": 40}})

    # --- what the models do ---------------------------------------------------

    def act_honest(self, prompt):
        self.send(200, self.complete(json.dumps(verdict_on(prompt))))

    def act_steady(self, prompt):
        time.sleep(0.2)
        self.act_honest(prompt)

    def act_gate(self, prompt):
        gate.wait(60)
        self.act_honest(prompt)

    def act_hang(self, _):
        time.sleep(30)

    def act_late(self, prompt):
        time.sleep(3)
        self.act_honest(prompt)

    def act_busy(self, _):
        self.send(429, '{"error":{"message":"slow down"}}')

    def act_paused(self, _):
        self.send(429, '{"error":{"message":"slow down"}}', [("Retry-After", "30")])

    def act_error(self, _):
        self.send(500, '{"error":{"message":"out of order"}}')

    def act_denied(self, _):
        self.send(401, '{"error":{"message":"who are you"}}')

    def act_moved(self, _):
        self.send(302, "", [("Location", "http://127.0.0.1:9/elsewhere")])

    def act_broken(self, _):
        self.send_response(200)
        self.send_header("Content-Length", "500")
        self.end_headers()
        self.wfile.write(b'{"choices":[{"mess')
        self.close_connection = True

    def act_half(self, _):
        self.send(200, self.complete('{"verdict":"ok","category":"no'))

    def act_cut(self, prompt):
        self.send(200, self.complete(json.dumps(verdict_on(prompt)), "length"))

    def act_prose(self, _):
        self.send(200, self.complete("This looks fine to me, I would let it pass."))

    def act_fenced(self, prompt):
        self.send(200, self.complete("```json\n%s\n```" % json.dumps(verdict_on(prompt))))

    def act_html(self, _):
        self.send(200, "<html><body>gateway</body></html>")

    def act_schema(self, _):
        self.send(200, self.complete('{"safe": true, "score": 0.1}'))

    def act_extra(self, _):
        self.send(200, self.complete(json.dumps({"verdict": "ok", "category": "none", "confidence": 1, "reason": "",
                                                 "evidence": [], "note": "x"})))

    def act_evidence(self, _):
        self.send(200, self.complete(json.dumps({"verdict": "violation", "category": "harm", "confidence": 1,
                                                 "reason": "r", "evidence": ["words that stand nowhere in it"]})))

    def act_echo(self, prompt):
        self.send(200, self.complete(json.dumps({"verdict": "ok", "category": "none", "confidence": 1,
                                                 "reason": "my number is " + prompt.canary, "evidence": []})))

    def act_boundary(self, prompt):
        self.send(200, self.complete(json.dumps({"verdict": "ok", "category": "none", "confidence": 1,
                                                 "reason": "between " + prompt.boundary.upper(), "evidence": []})))

    def act_huge(self, _):
        self.send(200, self.complete("x" * (10 * 1024 * 1024)))

    def act_drip(self, prompt):
        body = self.complete(json.dumps(verdict_on(prompt))).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for byte in body:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(0.05)

    def act_garbled(self, _):
        self.send(200, b"\xff\xfe\x00" * 100)

    def act_empty(self, _):
        self.send(200, "")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/reset":
            with lock:
                counts.clear()
                most_running.clear()
                gate.clear()
            self.send(200, "{}")
            return
        if self.path == "/open":
            gate.set()
            self.send(200, "{}")
            return
        if self.path == "/hook":
            with lock:
                counts.setdefault("hook", []).append(json.loads(body))
            self.send(200, "{}")
            return
        request = json.loads(body, object_pairs_hook=lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else 1 / 0)
        self.model = request["model"]
        with lock:
            traceparents.append(self.headers.get("traceparent", ""))
            counts[self.model] = counts.get(self.model, 0) + 1
            running[self.model] = running.get(self.model, 0) + 1
            most_running[self.model] = max(most_running.get(self.model, 0), running[self.model])
        try:
            getattr(self, "act_" + self.model.split("/")[0])(Prompt(request["messages"]))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with lock:
                running[self.model] -= 1


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Handler)
    with open(sys.argv[1] + ".new", "w") as file:
        file.write(str(server.server_address[1]))
    import os
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    server.serve_forever()
