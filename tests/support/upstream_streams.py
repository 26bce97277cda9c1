"""Streams of every protocol, for the tests: the path says which protocol, the request's text what is said.

upstream_streams.py: listens on a free port of 127.0.0.1 and prints it. A text that begins with "half " dies in the
middle of a message.
"""
import http.server
import json
import socket


def texts(value):
    """All strings called text or content."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name in ("text", "content") and isinstance(member, str):
                yield member
            yield from texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from texts(member)


def pieces(text):
    return [text[i:i + 5] for i in range(0, len(text), 5)]


def event(value):
    return f"data: {json.dumps(value)}\n\n"


def named(kind, **more):
    return f"event: {kind}\n" + event({"type": kind, **more})


def openai(text):
    def chunk(delta, finish=None):
        return event({"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                      "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(text):
        yield chunk({"content": piece})
    yield chunk({}, "stop")
    yield "data: [DONE]\n\n"


def anthropic(text):
    yield named("message_start", message={
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}})
    yield named("content_block_start", index=0, content_block={"type": "text", "text": ""})
    for piece in pieces(text):
        yield named("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
    yield named("content_block_stop", index=0)
    yield named("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 9})
    yield named("message_stop")


def cohere(text):
    yield event({"type": "message-start", "id": "1", "delta": {"message": {
        "role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}}})
    yield event({"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}})
    for piece in pieces(text):
        yield event({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": piece}}}})
    yield event({"type": "content-end", "index": 0})
    yield event({"type": "message-end", "delta": {"finish_reason": "COMPLETE"}})


def gemini(text):
    def answer(piece, **more):
        return {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": piece}]}, **more}]}
    return [answer(piece) for piece in pieces(text)] + [answer("", finishReason="STOP")]


def gemini_events(text):
    return map(event, gemini(text))


def gemini_array(text):
    messages = [json.dumps(m) for m in gemini(text)]
    return ["[" + messages[0]] + [",\r\n" + m for m in messages[1:]] + ["]"]


def ollama(text):
    def line(piece, **more):
        return json.dumps({"model": "m", "created_at": "2026-01-01T00:00:00Z",
                           "message": {"role": "assistant", "content": piece}, **more}) + "\n"
    for piece in pieces(text):
        yield line(piece, done=False)
    yield line("", done=True, done_reason="stop")


WAYS = (("/chat/completions", "text/event-stream", openai), ("/messages", "text/event-stream", anthropic),
        ("/v2/chat", "text/event-stream", cohere), ("alt=sse", "text/event-stream", gemini_events),
        (":streamGenerateContent", "application/json", gemini_array), ("/api/chat", "application/x-ndjson", ollama))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = list(texts(request))[-1]
        kind, way = next((kind, way) for end, kind, way in WAYS if self.path.endswith(end))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        messages = list(way(text))
        if text.startswith("half "):
            for message in messages[:-2]:
                self.chunk(message.encode())
            self.chunk(messages[-2][:20].encode())
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        for message in messages:
            self.chunk(message.encode())
        self.wfile.write(b"0\r\n\r\n")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
