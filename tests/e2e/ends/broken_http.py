"""Answers of an upstream whose HTTP is broken or odd, whole and streamed: what a client gets of each.

  broken_http.py upstream              prints its port; a request's parameter "case" says what it does
  broken_http.py client URL LOG        plays all cases against filterd at URL, several at once; prints what is wrong

Whatever the upstream does: nothing of a planted value comes down, the client's answer ends in time, the decision log has one last
line for it, and an answer that looks whole to the client is one that this line calls whole. Of Gemini's events none is the last: there
a client cannot see how the connection ended.
"""
import concurrent.futures
import gzip
import json
import re
import socket
import sys
import threading
import time
import urllib.parse

VALUE = "E2EKEY-4kq9Zt7Xw2Lm8Rv5Bn3Jc6Hd"
LAST = "finis"
NOTICE = "Withheld by the tests."
TEXT = f"hello {VALUE} {LAST}"
LATE = 9  # seconds; the upstreams of the test have timeouts of 2, and an end that nothing says takes 5
AT_ONCE = 16


# --- answers: a type and a body, each with the same text ---

def chat():
    choice = {"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}
    return json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})


def chunks(choice, end=None):
    words = [word + " " for word in TEXT.split()]
    return [choice(word, None) for word in words] + [choice("", end)]


def events():
    def chunk(word, reason):
        choice = {"index": 0, "delta": {"content": word}, "finish_reason": reason}
        return "data: " + json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}) + "\n\n"
    return "".join(chunks(chunk, "stop")) + "data: [DONE]\n\n"


def lines():
    def line(word, reason):
        end = {"done_reason": reason} if reason else {}
        return json.dumps({"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": word},
                           "done": bool(reason), **end}) + "\n"
    return "".join(chunks(line, "stop"))


def candidates():
    def candidate(word, reason):
        end = {"finishReason": reason} if reason else {}
        return {"candidates": [{"content": {"parts": [{"text": word}], "role": "model"}, "index": 0, **end}]}
    return chunks(candidate, "STOP")


def array():
    return json.dumps(candidates())


def candidate_events():
    return "".join(f"data: {json.dumps(c)}\r\n\r\n" for c in candidates())


def models():
    return json.dumps({"object": "list", "data": [{"id": "m", "owned_by": TEXT}]})


ASK = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
CONTENTS = {"contents": [{"parts": [{"text": "hi"}]}]}
KINDS = {
    "whole": ("/openai/v1/chat/completions", ASK, "application/json", chat),
    "events": ("/openai/v1/chat/completions", {**ASK, "stream": True}, "text/event-stream", events),
    "lines": ("/ollama/api/chat", ASK, "application/x-ndjson", lines),
    "array": ("/gemini/v1beta/models/m:streamGenerateContent", CONTENTS, "application/json", array),
    "candidates": ("/gemini/v1beta/models/m:streamGenerateContent?alt=sse", CONTENTS, "text/event-stream", candidate_events),
    "passed": ("/openai/v1/models", None, "application/json", models),
    "file": ("/openai/v1/files/f/content", None, "text/plain", lambda: TEXT),
}


# --- what the upstream does: bytes, or "hold" (the connection stays open), "reset" ---

def head(kind, *fields, status="200 OK", version="1.1"):
    return "".join(f"{line}\r\n" for line in [f"HTTP/{version} {status}", f"Content-Type: {kind}", *fields, ""]).encode()


def chunked(body, n):
    return b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + n]), body[i:i + n]) for i in range(0, len(body), n))


def lengths(kind, body):
    whole = f"Content-Length: {len(body)}"
    yield "with a length", [head(kind, whole) + body, "hold"]
    yield "ended by the connection", [head(kind, "Connection: close") + body]
    yield "of HTTP/1.0", [head(kind, version="1.0") + body]
    yield "without a length, held", [head(kind) + body, "hold"]
    for name, length in (("too long", len(body) + 10), ("half", len(body) // 2), ("two less", len(body) - 2), ("zero", 0), ("negative", -5),
                         ("no number", "5abc"), ("beyond all numbers", 10 ** 20)):
        yield f"length {name}", [head(kind, f"Content-Length: {length}") + body]
    yield "length too long, held", [head(kind, f"Content-Length: {len(body) + 10}") + body, "hold"]
    yield "two lengths", [head(kind, whole, "Content-Length: 5") + body]
    yield "two answers", [(head(kind, whole) + body) * 2]
    yield "more than its length", [head(kind, whole) + body + VALUE.encode()]
    yield "half of it", [head(kind, whole) + body[:len(body) // 2]]
    yield "half of it and a reset", [head(kind, whole) + body[:len(body) // 2], "reset"]
    yield "byte by byte", [head(kind, whole), *(body[i:i + 1] for i in range(len(body)))]


def chunkings(kind, body):
    field = "Transfer-Encoding: chunked"
    for n in (1, 7, 1000000):
        yield f"in chunks of {n}", [head(kind, field) + chunked(body, n) + b"0\r\n\r\n"]
    yield "chunks beside a length", [head(kind, f"Content-Length: {len(body)}", field) + chunked(body, 7) + b"0\r\n\r\n"]
    yield "chunks without the last", [head(kind, field) + chunked(body, 7)]
    yield "chunks without the last, held", [head(kind, field) + chunked(body, 7), "hold"]
    yield "half a chunk", [head(kind, field) + chunked(body, 50)[:-20]]
    yield "a chunk without a size", [head(kind, field) + chunked(body[:20], 7) + b"zz\r\n" + body[20:] + b"\r\n0\r\n\r\n"]
    yield "trailers", [head(kind, field) + chunked(body, 7) + b"0\r\nX-Request-Id: " + VALUE.encode() + b"\r\nContent-Type: text/html\r\n\r\n"]
    yield "extensions of chunks", [head(kind, field) + b"%x;a=%s\r\n%s\r\n0\r\n\r\n" % (len(body), VALUE.encode(), body)]
    yield "a coding of the transfer", [head(kind, "Transfer-Encoding: gzip, chunked") + chunked(gzip.compress(body), 50) + b"0\r\n\r\n"]


def codings(kind, body):
    packed = gzip.compress(body)
    length = f"Content-Length: {len(packed)}"
    yield "gzip", [head(kind, "Content-Encoding: gzip", length) + packed]
    yield "gzip cut short", [head(kind, "Content-Encoding: gzip") + packed[:-9]]
    yield "gzip and identity", [head(kind, "Content-Encoding: gzip", "Content-Encoding: identity", length) + packed]
    yield "gzip that is not named", [head(kind, length) + packed]
    yield "gzip of very much", [head(kind, "Content-Encoding: gzip") + gzip.compress(bytes(50_000_000))]
    yield "br that is none", [head(kind, "Content-Encoding: br", f"Content-Length: {len(body)}") + body]
    for coding in ("utf-16", "utf-8-sig"):
        coded = body.decode().encode(coding)
        yield coding, [head(kind, f"Content-Length: {len(coded)}") + coded]


def statuses(kind, body):
    length = f"Content-Length: {len(body)}"
    whole = head(kind, length) + body
    yield "100 before it", [b"HTTP/1.1 100 Continue\r\n\r\n" + whole]
    yield "103 with headers", [b"HTTP/1.1 103 Early Hints\r\nX-Request-Id: %s\r\nContent-Encoding: gzip\r\n\r\n" % VALUE.encode() + whole]
    yield "100 again and again", [b"HTTP/1.1 100 Continue\r\n\r\n" * 20000]
    yield "102 alone", [b"HTTP/1.1 102 Processing\r\n\r\n"]
    yield "101", [b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + body]
    for status in ("204 No Content", "205 Reset Content", "206 Partial Content", "304 Not Modified", "301 Moved", "307 Moved", "400 Bad", "429 Too Many",
                   "500 Error", "600 What", "999 What"):
        yield status, [head(kind, length, f"Location: http://127.0.0.1:1/{VALUE}", status=status) + body]
    yield "an error without an end", [head(kind, status="500 Error") + b'{"error":', "hold"]
    yield "an error of text", [head("text/plain", f"Content-Length: {len(TEXT)}", status="400 Bad") + TEXT.encode()]


def heads(kind, body):
    length = f"Content-Length: {len(body)}"
    yield "nothing", []
    yield "half a head", [head(kind, length)[:-10]]
    yield "no head", [body]
    yield "a head of HTTP/2", [b"\0\0\x06\4\0\0\0\0\0\0\3\0\0\0d" + body]
    yield "a head of HTTP/3.0", [head(kind, length, version="3.0") + body]
    yield "a status of letters", [head(kind, length, status="abc OK") + body]
    yield "a long header", [head(kind, "X-A: " + "a" * 400000, length) + body]
    yield "many headers", [head(kind, *["X-A: a"] * 20000, length) + body]
    yield "a NUL", [head(kind, "X-A: a\0b", length) + body]
    yield "a folded header", [head(kind, f"X-Request-Id: a\r\n {VALUE}", length) + body]
    yield "line feeds alone", [head(kind, length).replace(b"\r", b"") + body]
    yield "values in headers", [head(kind, f"X-Request-Id: {VALUE}", f"Retry-After: {VALUE}", f"X-A: {VALUE}", length) + body]
    yield "no type", [head(kind, length).replace(b"Content-Type", b"X-Type") + body]
    for name in ("text/html", "application/JSON; charset=utf-16", f"{kind}; name={VALUE}", f"{kind}; name=" + "a" * 500):
        yield f"type {name[:40]}", [head(name, length) + body]
    yield "two types", [head("text/html", f"Content-Type: {kind}", length) + body]


def cases():
    """Kind, name and steps of each, in an order that both sides know."""
    for kind, (_, _, media, make) in KINDS.items():
        for family in (lengths, chunkings, codings, statuses, heads):
            for name, steps in family(media, make().encode()):
                yield kind, name, steps


# --- the upstream ---

def serve(sock, scripts):
    early = b""
    while b"\r\n\r\n" not in early:
        more = sock.recv(65536)
        if not more:
            return
        early += more
    script = scripts[int(re.search(rb"case=([0-9]+)", early).group(1))]
    for step in script:
        if step == "hold":
            sock.settimeout(20)
            while sock.recv(65536):
                pass
        elif step == "reset":
            time.sleep(0.05)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            return
        else:
            sock.sendall(step)
    sock.shutdown(socket.SHUT_WR)
    sock.settimeout(2)
    while sock.recv(65536):
        pass


def upstream():
    scripts = [steps for _, _, steps in cases()]
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(listener.getsockname()[1], flush=True)

    def begin(sock):
        try:
            serve(sock, scripts)
        except OSError:
            pass
        finally:
            sock.close()

    while True:
        threading.Thread(target=begin, args=(listener.accept()[0],), daemon=True).start()


# --- the client ---

def dechunked(body):
    """The body, and whether it is whole."""
    out = b""
    while b"\r\n" in body:
        size, rest = body.split(b"\r\n", 1)
        n = int(size.split(b";")[0], 16)
        if n == 0:
            return out, b"\r\n" in rest
        out, body = out + rest[:n], rest[n + 2:]
    return out, False


class Answer:
    def __init__(self, name, address, method, path, body, agent):
        self.name = name
        began, self.bytes, self.is_late = time.monotonic(), b"", False
        data = json.dumps(body).encode() if body is not None else b""
        with socket.create_connection(address, timeout=LATE + 5) as sock:
            sock.sendall(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nX-Filterd-Agent: {agent}\r\n"
                         f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
            try:
                while more := sock.recv(65536):
                    self.bytes += more
            except TimeoutError:
                self.is_late = True
            except OSError:
                pass
        self.is_late |= time.monotonic() - began > LATE
        top, _, rest = self.bytes.partition(b"\r\n\r\n")
        self.status = int(top.split()[1]) if top.startswith(b"HTTP/1.1 ") else 0
        length = re.search(rb"(?im)^content-length: *(\d+)\r?$", top)
        if re.search(rb"(?im)^transfer-encoding: *chunked", top):
            self.body, self.is_whole = dechunked(rest)
        else:
            self.body, self.is_whole = rest, method == "HEAD" or (length is not None and len(rest) == int(length.group(1)))

    def says_all(self):
        """Whether a client takes it for the upstream's whole answer."""
        other_ends = (NOTICE.encode(), b"MAX_TOKENS", b'"length"')
        return self.status == 200 and self.is_whole and LAST.encode() in self.body and not any(end in self.body for end in other_ends)


def last_lines(log, agents):
    """The lines that end exchanges, by agent, once each has one."""
    for _ in range(100):
        with open(log, "rb") as file:
            found = [json.loads(line) for line in file if line.endswith(b"\n")]
        found = [line for line in found if line["type"] == "decision" and line.get("phase") != "open"]
        if {line.get("agent") for line in found} >= agents:
            break
        time.sleep(0.05)
    return {agent: [line for line in found if line.get("agent") == agent] for agent in agents}


def faults(kind, answer, lines_of_it):
    if VALUE.encode() in answer.bytes:
        yield "the value came down"
    if answer.is_late:
        yield "late"
    if len(lines_of_it) != 1:
        yield f"{len(lines_of_it)} last lines"
        return
    line = lines_of_it[0]
    if answer.says_all() and (line["action"] == "block" or (line.get("end", "whole") != "whole" and kind != "candidates")):
        yield f"whole to the client, on record {line['action']} {line.get('end')}"
    if "held" in answer.name and kind in ("array", "candidates") and answer.says_all() and line.get("end") != "whole":
        yield f"held after its end, on record {line.get('end')}"


def client(url, log):
    parts = urllib.parse.urlsplit(url)
    address, asked = (parts.hostname, parts.port), {}
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for n, (kind, name, _) in enumerate(cases()):
            path, body, _, _ = KINDS[kind]
            path += ("&" if "?" in path else "?") + f"case={n}"
            for method in ["POST"] if body is not None else ["GET", "HEAD"]:
                agent = f"{method}-{n}"
                asked[agent] = kind, f"{kind}, {name}, {method}", pool.submit(Answer, name, address, method, path, body, agent)
    lines_of = last_lines(log, set(asked))
    wrong = [f"{what}: {fault}" for agent, (kind, what, answer) in asked.items() for fault in faults(kind, answer.result(), lines_of[agent])]
    print("\n".join(wrong + [f"{len(asked)} answers, {len(wrong)} wrong"]))


if __name__ == "__main__":
    {"upstream": upstream, "client": client}[sys.argv[1]](*sys.argv[2:])
