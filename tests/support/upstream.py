"""A language model API for the tests: says what it is told to, as badly as it is told to.

upstream.py LOG [CERTIFICATE KEY]: listens on a free port of 127.0.0.1 and prints it. Each request becomes a line of
JSON in LOG, and so does a client that goes away. The request's model names what happens; the last message's content
is what is said.
"""
import http.server
import json
import os
import select
import socket
import ssl
import sys
import threading
import time

log_lock = threading.Lock()


def note(**what):
    with log_lock, open(sys.argv[1], "a", encoding="utf-8") as log:
        log.write(json.dumps(what) + "\n")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    # --- writing ---

    def head(self, status=200, kind="text/event-stream", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("x-request-id", "req-from-upstream-1")
        self.send_header("x-ratelimit-remaining-requests", "59")
        self.send_header("x-secret-of-upstream", "do not forward")
        self.send_header("Set-Cookie", "upstream=1")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def end(self):
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def whole(self, value, status=200, **headers):
        data = json.dumps(value).encode()
        self.head(status, "application/json", Content_Length=str(len(data)), **headers)
        self.wfile.write(data)

    @staticmethod
    def event(delta, finish=None):
        return b"data: " + json.dumps({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}).encode() + b"\n\n"

    @staticmethod
    def message(kind, **more):
        return b"event: %s\ndata: %s\n\n" % (kind.encode(), json.dumps({"type": kind, **more}).encode())

    def messages(self, text, size=5):
        """The same as Anthropic's API says it."""
        yield self.message("message_start", message={
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
            "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}})
        yield self.message("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for i in range(0, len(text), size):
            yield self.message("content_block_delta", index=0, delta={"type": "text_delta", "text": text[i:i + size]})
        yield self.message("content_block_stop", index=0)
        yield self.message("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None},
                           usage={"output_tokens": 9})
        yield self.message("message_stop")

    def events(self, text, size=5):
        if self.path.endswith("/messages"):
            yield from self.messages(text, size)
            return
        yield self.event({"role": "assistant", "content": ""})
        for i in range(0, len(text), size):
            yield self.event({"content": text[i:i + size]})
        yield self.event({}, "stop")
        yield b"data: [DONE]\n\n"

    def wait_for_close(self, name, seconds=60):
        self.wfile.flush()
        readable, _, _ = select.select([self.connection], [], [], seconds)
        try:
            is_closed = bool(readable) and self.connection.recv(1) == b""
        except OSError:
            is_closed = True
        note(closed=name, is_closed=is_closed)
        self.close_connection = True

    # --- what is asked for ---

    def say(self, text):
        self.head()
        for event in self.events(text):
            self.chunk(event)
        self.end()

    def say_call(self, text):
        self.head()
        self.chunk(self.event({"role": "assistant", "content": "A call. "}))
        time.sleep(0.5)
        call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "send", "arguments": ""}}
        self.chunk(self.event({"tool_calls": [call]}))
        self.chunk(self.event({"tool_calls": [{"index": 0, "function": {"arguments": json.dumps({"text": text})}}]}))
        self.chunk(self.event({}, "tool_calls"))
        self.chunk(b"data: [DONE]\n\n")
        self.end()

    def say_bytes(self, text):
        self.head()
        for event in self.events(text):
            for byte in event:
                self.chunk(bytes([byte]))
        self.end()

    def say_slow(self, text):
        self.head()
        for event in self.events(text):
            self.chunk(event)
            time.sleep(0.1)
        self.end()

    def say_late(self, text):
        time.sleep(3.5)
        self.say(text)

    def say_nothing(self, _):
        self.wait_for_close("nothing")

    def say_late_error(self, _):
        time.sleep(3)
        self.whole({"error": {"message": "late", "type": "server_error", "param": None, "code": None}}, 500)

    def say_half(self, text):
        """Dies in the middle of an event."""
        self.head()
        self.chunk(self.event({"role": "assistant", "content": ""}))
        self.chunk(self.event({"content": text}))
        self.chunk(self.event({"content": "the end of it"})[:40])
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def say_and_stall(self, text):
        self.head()
        self.chunk(self.event({"role": "assistant", "content": ""}))
        self.chunk(self.event({"content": text}))
        self.wait_for_close("stall")

    def say_forever(self, _):
        self.head()
        sent = 0
        try:
            while sent < 1 << 30:
                data = self.event({"content": "word " * 200})
                self.chunk(data)
                sent += len(data)
        except OSError:
            note(closed="forever", sent=sent)
        self.close_connection = True

    def say_much(self, _):
        """As fast as it is taken: 32 MiB of text."""
        self.head()
        note(much="begins")
        for _ in range(1 << 15):
            self.chunk(self.event({"content": "word " * 205}))
        note(much="ends")
        self.chunk(self.event({}, "stop") + b"data: [DONE]\n\n")
        self.end()

    def say_long(self, _):
        """Four megabytes of text."""
        self.head()
        for i in range(1 << 12):
            self.chunk(self.event({"content": "%d " % i + "word " * 200}))
        self.chunk(self.event({}, "stop") + b"data: [DONE]\n\n")
        self.end()

    def say_html(self, text):
        data = b"<html>" + text.encode() + b"</html>"
        self.head(200, "text/html", Content_Length=str(len(data)))
        self.wfile.write(data)

    def say_garbage(self, text):
        self.head()
        self.chunk(b"data: {\"choices\": [" + text.encode() + b"\n\n")
        self.end()

    def redirect(self, _):
        self.whole({}, 302, Location="http://127.0.0.1:1/elsewhere")

    def fail(self, text):
        status = int(self.model[-3:])
        self.whole({"error": {"message": text, "type": "x", "param": None, "code": None}}, status, retry_after="7")

    WAYS = {"call": say_call, "bytes": say_bytes, "slow": say_slow, "late": say_late, "nothing": say_nothing, "half": say_half,
            "stall": say_and_stall, "forever": say_forever, "much": say_much, "long": say_long, "html": say_html,
            "garbage": say_garbage, "redirect": redirect, "late-error": say_late_error}

    def do_GET(self):
        note(method="GET", target=self.path, headers=self.headers.items())
        if self.path.startswith("/v1/models"):
            self.whole({"object": "list", "data": [{"id": "m"}]})
        else:
            self.whole({"error": {"message": "no"}}, 404)

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def do_POST(self):
        body = self.body()
        request = json.loads(body)
        self.model = request.get("model", "")
        note(method="POST", target=self.path, headers=self.headers.items(), body=len(body), model=self.model,
             **({"text": body.decode()} if "FILTERD_UPSTREAM_BODIES" in os.environ else {}))
        text = request["messages"][-1]["content"]
        try:
            if self.model.startswith("error-"):
                self.fail(text)
            elif self.model in self.WAYS:
                self.WAYS[self.model](self, text)
            elif request.get("stream"):
                self.say(text)
            else:
                self.whole({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
                            "choices": [{"index": 0, "finish_reason": "stop",
                                         "message": {"role": "assistant", "content": text}}]})
        except OSError:
            note(closed=self.model, is_closed=True)
            self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
