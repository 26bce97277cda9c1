"""Puts a secret, whole, in other forms and in halves, into every place of requests of every API, and looks at what goes up.

request_matrix.py upstream FOLDER: listens on a free port of 127.0.0.1, prints it, and keeps the request of case N in FOLDER/N.
request_matrix.py run URL FOLDER SECRET N: plays each n-th case against filterd at URL, says of each in which the secret went up the kind, the API and
the place, and at the end how many were played.

A case is one request from the table below with one change at one string, or at two strings behind each other.
"""
import base64
import copy
import http.client
import http.server
import json
import os
import sys
import threading
import urllib.parse

TOOL = {"type": "function", "function": {"name": "send", "description": "Sends.", "parameters": {
    "type": "object", "properties": {"to": {"type": "string", "description": "Whom.", "enum": ["x", "y"], "default": "x"}}}}}
CALL = {"id": "call_1", "type": "function", "function": {"name": "send", "arguments": "{\"to\": \"x\"}"}}
SCHEMA = {"type": "object", "properties": {"a": {"type": "string", "description": "One.", "enum": ["p", "q"]}}, "title": "Answer"}
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256))).decode()
SOUND = base64.b64encode(b"RIFF\x24\0\0\0WAVEfmt " + bytes(range(256))).decode()
PAPER = base64.b64encode(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(range(256))).decode()


def contents(kind):
    return [{"type": kind, "text": "Look."}, {"type": kind, "text": "And here."},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PIXEL, "detail": "low"}},
            {"type": "input_audio", "input_audio": {"data": SOUND, "format": "wav"}},
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64," + PAPER}}]


GEMINI = {
    "systemInstruction": {"parts": [{"text": "Be kind."}, {"text": "Always."}]},
    "contents": [{"role": "user", "parts": [{"text": "Hi."}, {"text": "There."},
                                            {"inlineData": {"mimeType": "image/png", "data": PIXEL}},
                                            {"fileData": {"mimeType": "text/plain", "fileUri": "https://a.example/x"}}]},
                 {"role": "model", "parts": [{"functionCall": {"name": "send", "args": {"to": "x"}}}]},
                 {"role": "user", "parts": [{"functionResponse": {"name": "send", "response": {"out": "done", "by": "me"}}}]},
                 {"role": "user", "parts": [{"text": "Well."}]}, {"role": "user", "parts": [{"text": "Go on."}]}],
    "tools": [{"functionDeclarations": [{"name": "send", "description": "Sends.", "parameters": SCHEMA}]}],
    "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
    "generationConfig": {"stopSequences": ["one", "two"], "responseMimeType": "application/json", "responseSchema": SCHEMA},
    "cachedContent": "cachedContents/a", "labels": {"team": "x"}}
# Name, upstream, path, request.
REQUESTS = [
    ("openai chat", "openai", "/v1/chat/completions", {
        "model": "m", "messages": [
            {"role": "system", "content": "Be kind.", "name": "boss"}, {"role": "developer", "content": "Be short."},
            {"role": "user", "content": contents("text")}, {"role": "user", "content": "More."}, {"role": "user", "content": "And more."},
            {"role": "assistant", "content": "Fine.", "refusal": "No.", "tool_calls": [CALL], "audio": {"id": "a1"}},
            {"role": "tool", "tool_call_id": "call_1", "content": "Sent."}, {"role": "user", "content": "Thanks."}],
        "tools": [TOOL], "functions": [{"name": "f", "description": "Does.", "parameters": SCHEMA}],
        "tool_choice": {"type": "function", "function": {"name": "send"}},
        "response_format": {"type": "json_schema", "json_schema": {"name": "n", "description": "What.", "schema": SCHEMA}},
        "stop": ["one", "two"], "user": "u-1", "safety_identifier": "s-1", "prompt_cache_key": "k-1", "metadata": {"a": "b", "c": "d"},
        "logit_bias": {"50256": -100}, "prediction": {"type": "content", "content": [{"type": "text", "text": "This."}, {"type": "text", "text": "That."}]},
        "modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "wav"}, "reasoning_effort": "low", "service_tier": "auto",
        "verbosity": "low", "web_search_options": {"user_location": {"type": "approximate", "approximate": {"city": "Bern", "country": "CH"}}}}),
    ("openai completions", "openai", "/v1/completions", {
        "model": "m", "prompt": ["Hi.", "There."], "suffix": "End.", "stop": "x", "user": "u-1", "logit_bias": {"1": 1}}),
    ("openai completion", "openai", "/v1/completions", {"model": "m", "prompt": "Hi.", "suffix": "End."}),
    ("openai responses", "openai", "/v1/responses", {
        "model": "m", "instructions": "Be kind.", "previous_response_id": "resp_1", "include": ["file_search_call.results"],
        "input": [{"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "Look."}, {"type": "input_text", "text": "Here."},
            {"type": "input_image", "image_url": "data:image/png;base64," + PIXEL, "detail": "low"},
            {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64," + PAPER},
            {"type": "input_file", "file_id": "file-1"}]}, {"role": "user", "content": "More."}, {"role": "user", "content": "And more."},
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "send", "arguments": "{\"to\": \"x\"}", "status": "completed"},
            {"type": "function_call_output", "call_id": "call_1", "output": "Sent."},
            {"type": "function_call_output", "call_id": "call_2", "output": [{"type": "input_text", "text": "A."}, {"type": "input_text", "text": "B."}]},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}, {"type": "summary_text", "text": "So."}],
             "encrypted_content": "gAAAA"},
            {"type": "mcp_call", "id": "mcp_1", "name": "n", "server_label": "s", "arguments": "{}", "output": "It is.", "error": "none"},
            {"type": "computer_call_output", "call_id": "c3", "output": {"type": "computer_screenshot", "image_url": "https://a.example/a.png"}},
            {"type": "local_shell_call", "id": "l1", "call_id": "c4", "action": {"type": "exec", "command": ["ls", "-l"], "env": {"A": "b"}}},
            {"type": "file_search_call", "id": "fs_1", "queries": ["a", "b"], "results": [{"file_id": "f", "filename": "n", "text": "found"}]},
            {"type": "image_generation_call", "id": "ig_1", "result": PIXEL}],
        "tools": [{"type": "function", "name": "send", "description": "Sends.", "parameters": SCHEMA},
                  {"type": "mcp", "server_label": "s", "server_url": "https://a.example/", "headers": {"X-A": "b"}, "allowed_tools": ["a", "b"]}],
        "tool_choice": {"type": "function", "name": "send"}, "prompt": {"id": "pmpt_1", "version": "2", "variables": {"city": "Bern", "day": "Monday"}},
        "text": {"format": {"type": "json_schema", "name": "n", "schema": SCHEMA}}, "metadata": {"a": "b", "c": "d"}, "user": "u-1",
        "reasoning": {"effort": "low", "summary": "auto"}, "truncation": "auto", "service_tier": "auto"}),
    ("openai response", "openai", "/v1/responses", {"model": "m", "instructions": "Be kind.", "input": "Hi."}),
    ("openai embeddings", "openai", "/v1/embeddings", {"model": "m", "input": ["Hi.", "There."], "encoding_format": "float", "user": "u"}),
    ("openai moderations", "openai", "/v1/moderations", {"model": "m", "input": [
        {"type": "text", "text": "Hi."}, {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PIXEL}}]}),
    ("openai speech", "openai", "/v1/audio/speech", {"model": "m", "input": "Hi.", "instructions": "Kindly.", "voice": "alloy", "response_format": "mp3"}),
    ("openai images", "openai", "/v1/images/generations", {"model": "m", "prompt": "A cat.", "size": "1024x1024", "quality": "low", "style": "vivid",
                                                           "user": "u"}),
    ("openai threads", "openai", "/v1/threads/runs", {
        "assistant_id": "asst_1", "model": "m", "instructions": "Be kind.", "additional_instructions": "Be short.",
        "thread": {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi."}, {"type": "text", "text": "There."}]},
                                {"role": "user", "content": "More.", "metadata": {"a": "b"}}], "metadata": {"a": "b"}},
        "tools": [TOOL], "metadata": {"a": "b", "c": "d"}}),
    ("openai message", "openai", "/v1/threads/thread_1/messages", {"role": "user", "content": [{"type": "text", "text": "Hi."}, {"type": "text", "text": "There."}]}),
    ("openai outputs", "openai", "/v1/threads/thread_1/runs/run_1/submit_tool_outputs", {"tool_outputs": [
        {"tool_call_id": "call_1", "output": "A."}, {"tool_call_id": "call_2", "output": "B."}]}),
    ("openai assistants", "openai", "/v1/assistants", {"model": "m", "name": "Bo", "description": "Helps.", "instructions": "Be kind.", "tools": [TOOL]}),
    ("openai batches", "openai", "/v1/batches", {"input_file_id": "file-1", "endpoint": "/v1/chat/completions", "completion_window": "24h", "metadata": {"a": "b"}}),
    ("openai fine-tuning", "openai", "/v1/fine_tuning/jobs", {"model": "m", "training_file": "file-1", "suffix": "mine", "metadata": {"a": "b"},
                                                              "integrations": [{"type": "wandb", "wandb": {"project": "p", "tags": ["a", "b"]}}]}),
    ("openai vector stores", "openai", "/v1/vector_stores/vs_1/search", {"query": ["What", "is"], "filters": {"type": "eq", "key": "a", "value": "b"}}),
    ("openai conversations", "openai", "/v1/conversations", {"items": [{"type": "message", "role": "user", "content": "Hi."},
                                                                       {"type": "message", "role": "user", "content": "There."}], "metadata": {"a": "b"}}),
    ("anthropic", "anthropic", "/v1/messages", {
        "model": "m", "max_tokens": 9, "system": [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}, {"type": "text", "text": "Always."}],
        "messages": [{"role": "user", "content": [
            {"type": "text", "text": "Look."}, {"type": "text", "text": "Here."},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
            {"type": "document", "title": "T", "context": "C", "source": {"type": "text", "media_type": "text/plain", "data": "It says."}},
            {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]}},
            {"type": "search_result", "source": "https://a.example/", "title": "T", "content": [{"type": "text", "text": "A."}, {"type": "text", "text": "B."}]}]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}, {"type": "text", "text": "Yes."},
                                              {"type": "tool_use", "id": "toolu_1", "name": "send", "input": {"to": "x", "of": ["y", "z"]}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "Sent."}, {"type": "text", "text": "Now."}]},
                                         {"type": "text", "text": "Well."}]}, {"role": "user", "content": "More."}, {"role": "user", "content": "And more."}],
        "tools": [{"name": "send", "description": "Sends.", "input_schema": SCHEMA}], "tool_choice": {"type": "tool", "name": "send"},
        "metadata": {"user_id": "u-1"}, "stop_sequences": ["one", "two"], "service_tier": "auto", "thinking": {"type": "enabled", "budget_tokens": 1024},
        "mcp_servers": [{"type": "url", "url": "https://a.example/", "name": "n"}], "container": "c-1"}),
    ("anthropic system", "anthropic", "/v1/messages", {"model": "m", "system": "Be kind.", "messages": [{"role": "user", "content": "Hi."}]}),
    ("anthropic count", "anthropic", "/v1/messages/count_tokens", {"model": "m", "system": "Be kind.", "messages": [{"role": "user", "content": "Hi."}]}),
    ("gemini", "gemini", "/v1beta/models/g:generateContent", GEMINI),
    ("gemini count", "gemini", "/v1beta/models/g:countTokens", {"generateContentRequest": {"model": "models/g", **GEMINI}}),
    ("gemini embed", "gemini", "/v1beta/models/g:embedContent", {"model": "models/g", "content": {"parts": [{"text": "Hi."}, {"text": "There."}]},
                                                                 "taskType": "RETRIEVAL_DOCUMENT", "title": "T"}),
    ("gemini batch", "gemini", "/v1beta/models/g:batchEmbedContents", {"requests": [
        {"model": "models/g", "content": {"parts": [{"text": "Hi."}, {"text": "There."}]}}, {"model": "models/g", "content": {"parts": [{"text": "More."}]}}]}),
    ("ollama chat", "ollama", "/api/chat", {
        "model": "m", "stream": False, "messages": [
            {"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi.", "images": [PIXEL]}, {"role": "user", "content": "There."},
            {"role": "assistant", "content": "Yes.", "thinking": "Hm.", "tool_calls": [{"function": {"name": "send", "arguments": {"to": "x", "by": "y"}}}]},
            {"role": "tool", "content": "Sent.", "tool_name": "send"}, {"role": "user", "content": "More."}],
        "tools": [TOOL], "format": SCHEMA, "options": {"stop": ["one", "two"]}, "keep_alive": "5m"}),
    ("ollama generate", "ollama", "/api/generate", {
        "model": "m", "stream": False, "system": "Be kind.", "template": "{{ .Prompt }}", "prompt": "Hi.", "suffix": "End.", "images": [PIXEL], "format": "json",
        "options": {"stop": ["one"]}}),
    ("ollama embed", "ollama", "/api/embed", {"model": "m", "input": ["Hi.", "There."]}),
    ("ollama show", "ollama", "/api/show", {"model": "m", "system": "s", "template": "t"}),
    ("cohere", "cohere", "/v2/chat", {
        "model": "m", "messages": [
            {"role": "system", "content": "Be kind."}, {"role": "user", "content": [
                {"type": "text", "text": "Hi."}, {"type": "text", "text": "There."},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PIXEL}}]},
            {"role": "assistant", "tool_plan": "Plan.", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "document", "document": {"id": "d", "data": "{\"a\": \"b\"}"}}]},
            {"role": "user", "content": "More."}, {"role": "user", "content": "And more."}],
        "documents": [{"id": "1", "data": {"title": "T", "snippet": "S"}}, "Plain."], "tools": [TOOL], "stop_sequences": ["one", "two"],
        "response_format": {"type": "json_object", "json_schema": SCHEMA}, "safety_mode": "OFF", "citation_options": {"mode": "FAST"}}),
    ("cohere v1", "cohere", "/v1/chat", {
        "model": "m", "preamble": "Be kind.", "chat_history": [{"role": "SYSTEM", "message": "Be short."}, {"role": "USER", "message": "Hi."}, {"role": "CHATBOT", "message": "Yes."},
                                                               {"role": "USER", "message": "There."}], "message": "More.",
        "conversation_id": "c-1", "connectors": [{"id": "web-search", "options": {"site": "a.example"}}],
        "documents": [{"title": "T", "snippet": "S"}], "tool_results": [{"call": {"name": "send", "parameters": {"to": "x"}}, "outputs": [{"a": "b", "c": "d"}]}],
        "tools": [{"name": "send", "description": "Sends.", "parameter_definitions": {"to": {"description": "Whom.", "type": "str"}}}], "stop_sequences": ["one", "two"]}),
    ("cohere generate", "cohere", "/v1/generate", {"model": "m", "prompt": "Hi.", "preset": "p", "end_sequences": ["one", "two"], "stop_sequences": ["x"]}),
    ("cohere embed", "cohere", "/v2/embed", {"model": "m", "texts": ["Hi.", "There."], "input_type": "search_query", "embedding_types": ["float"], "inputs": [
        {"content": [{"type": "text", "text": "A."}, {"type": "text", "text": "B."}]}]}),
    ("cohere rerank", "cohere", "/v2/rerank", {"model": "m", "query": "What?", "documents": ["One.", {"text": "Two."}], "rank_fields": ["a", "b"]}),
]


# --- the upstream ---------------------------------------------------------------------

class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        head = (self.path + "\r\n" + "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())).encode()
        name = os.path.join(sys.argv[2], self.headers["X-Case"])
        with open(name + ".new", "wb") as out:
            out.write(head + b"\r\n" + body)
        os.rename(name + ".new", name)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")


# --- the cases ------------------------------------------------------------------------

def places(node, at=()):
    """Of every string and every object, in the order of the text."""
    if isinstance(node, dict):
        yield at, node
        for name, value in node.items():
            yield from places(value, at + (name,))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from places(value, at + (i,))
    elif isinstance(node, str):
        yield at, node


def put(body, changes):
    body = copy.deepcopy(body)
    for at, value in changes:
        node = body
        for step in at[:-1]:
            node = node[step]
        node[at[-1]] = value
    return body


def forms(secret):
    encoded = base64.b64encode(secret.encode()).decode()
    note = base64.b64encode(f"The key is {secret} as I said, and this is a text.".encode()).decode()
    media = ["image/png", "image/jpeg", "audio/wav", "video/mp4", "application/pdf", "application/octet-stream", "text/plain"]
    yield "plain", secret
    yield "in words", f"The key is {secret} now."
    yield "base64", encoded
    yield "base64 of a text", note
    yield "url", "https://a.example/?key=" + secret
    yield "percent", "".join(f"%{c:02x}" for c in secret.encode())
    yield "hexadecimal", secret.encode().hex()
    yield "data URL, percent", "data:text/plain," + secret
    yield "data URL of half an escape", "data:text/plain,%45" + secret[1:]
    for m in media:
        yield "data URL of " + m, f"data:{m};base64,{note}"
    yield "data URL with parameters", f"data:image/png;name=a.png;charset=utf-8;base64,{note}"
    yield "data URL in capitals", f"DATA:IMAGE/PNG;BASE64,{note}"
    yield "data URL in lines", "data:image/png;base64," + "\n".join(note[i:i + 20] for i in range(0, len(note), 20))
    yield "data URL in spaces", "data:image/png;base64," + " ".join(note[i:i + 20] for i in range(0, len(note), 20))
    yield "data URL for URLs", "data:image/png;base64," + note.replace("+", "-").replace("/", "_").rstrip("=")
    for name, start in (("PNG", b"\x89PNG\r\n\x1a\n"), ("JPEG", b"\xff\xd8\xff"), ("GIF", b"GIF89a"), ("RIFF", b"RIFF"), ("PDF", b"%PDF-1.7\n"),
                        ("ID3", b"ID3"), ("PK", b"PK\x03\x04"), ("ftyp", b"abcdftyp"), ("OggS", b"OggS"), ("fLaC", b"fLaC"), ("MP3", b"\xff\xfb")):
        yield "text behind " + name, base64.b64encode(start + f"The key is {secret} as I said, and this is a text.".encode()).decode()
        yield "URL of a text behind " + name, "data:image/png;base64," + base64.b64encode(start + f"The key is {secret} as I said, and this is a text.".encode()).decode()
    yield "before \\0", secret + "\0"
    yield "behind \\0", "\0" + secret


def strings_for(secret):
    half = len(secret) // 2
    first, second = secret[:half], secret[half:]
    third = len(secret) // 3
    yield "array of halves", [first, second]
    yield "array of thirds", [secret[:third], secret[third:2 * third], secret[2 * third:]]
    yield "array of characters", list(secret)
    yield "array of codes", [ord(c) for c in secret]
    yield "array of arrays", [[first], [second]]
    yield "array of a text", [secret]
    yield "object with a text", {"text": secret}
    yield "object of a value", {"value": secret, "annotations": []}
    nested = secret
    for _ in range(200):
        nested = [nested]
    yield "nested", nested


def parts_for(secret):
    half = len(secret) // 2
    first, second = secret[:half], secret[half:]
    yield "array of parts", [{"type": "text", "text": first}, {"type": "text", "text": second}]
    yield "array of parts, in words", [{"type": "text", "text": "The key is " + first}, {"type": "text", "text": second + " now."}]
    yield "array of input_text", [{"type": "input_text", "text": first}, {"type": "input_text", "text": second}]
    yield "array of texts", [{"text": first}, {"text": second}]


def members(secret):
    half = len(secret) // 2
    first, second = secret[:half], secret[half:]
    yield "member", {"x_own": secret}
    yield "member of words", {"x_own": f"The key is {secret} now."}
    yield "member's name", {secret: 1}
    yield "member with halves", {"x_own": [first, second]}
    yield "member with codes", {"x_own": [ord(c) for c in secret]}
    yield "member with characters", {"x_own": list(secret)}
    yield "member with a tree", {"x_own": {"a": [{"b": {"c": secret}}]}}
    yield "member with bytes", {"x_own": base64.b64encode(secret.encode()).decode()}


# Members that a model reads, and who says it.
SAID = ("text", "content", "message")
# Members that hold parts.
HOLDERS = ("content", "parts", "system", "output", "summary", "input")


def author(request, at):
    """Whose message the place is in, and which result of a tool it is."""
    node, who = request, "user" if at == ("message",) else ""
    for i, step in enumerate(at):
        node = node[step]
        if isinstance(node, dict) and ("role" in node or node.get("type") in ("reasoning", "function_call_output", "tool_result", "document", "search_result")):
            role = str(node.get("role", "")).lower()
            apart = role == "tool" or "role" not in node
            who = f"{role} {at[:i + 1]}" if apart else role
    return who or str(at[:1])


def in_a_row(request):
    """Pairs of places that a model reads as one text."""
    said = [at for at, node in places(request) if isinstance(node, str) and
            (at[-1] in SAID or (isinstance(at[-1], int) and at[-2] == "content")) and not {"tools", "documents", "tool_results"} & set(at)]
    for a, b in zip(said, said[1:]):
        steps = [i for i in range(min(len(a), len(b))) if a[i] != b[i]][:1]
        are_next = a[0] == "chat_history" and b == ("message",) or (steps and steps[0] > 0 and a[0] != "requests" and isinstance(b[steps[0]], int) and
                                                                  b[steps[0]] == a[steps[0]] + 1)
        if are_next and author(request, a) == author(request, b):
            yield a, b


def cases(secret):
    """kind, name, upstream, path, place, body. Not halves in two members that nobody reads in a row: see the threat model."""
    half = len(secret) // 2
    first, second = secret[:half], secret[half:]
    for name, upstream, path, request in REQUESTS:
        found = list(places(request))
        texts = [at for at, node in found if isinstance(node, str)]
        for at in texts:
            for kind, text in forms(secret):
                yield kind, name, upstream, path, at, put(request, [(at, text)])
            for kind, value in (*strings_for(secret), *(parts_for(secret) if at[-1] in HOLDERS else ())):
                yield kind, name, upstream, path, at, put(request, [(at, value)])
        for at, node in found:
            if isinstance(node, dict):
                for kind, extra in members(secret):
                    yield kind, name, upstream, path, at, put(request, [(at, {**node, **extra})]) if at else {**request, **extra}
        for a, b in in_a_row(request):
            pair = a + ("and",) + b
            yield "halves", name, upstream, path, pair, put(request, [(a, first), (b, second)])
            yield "halves in words", name, upstream, path, pair, put(request, [(a, "The key is " + first), (b, second + " now.")])
            yield "halves in long texts", name, upstream, path, pair, put(request, [(a, "a word " * 10000 + first), (b, second + " now." + " a word" * 10000)])


# --- what went up -----------------------------------------------------------------------

def strings_of(node):
    if isinstance(node, dict):
        for name, value in node.items():
            yield name
            yield from strings_of(value)
    elif isinstance(node, list):
        if node and all(isinstance(n, int) and 0 < n < 256 for n in node):
            yield "".join(map(chr, node))
        else:
            for value in node:
                yield from strings_of(value)
    elif isinstance(node, str):
        yield node


def readings(text):
    """A text, and what a provider may read of it."""
    yield text
    if "%" in text:
        yield urllib.parse.unquote(text)
    encoded = text[text.find(",") + 1:] if text[:5].lower() == "data:" else text
    compact = "".join(encoded.split()).replace("-", "+").replace("_", "/").rstrip("=")
    if len(compact) >= 16 and compact.isascii():
        try:
            yield base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True).decode("latin-1")
        except ValueError:
            pass
    try:
        yield bytes.fromhex(text).decode("latin-1")
    except ValueError:
        pass


def went_up(seen, secret):
    body = seen[seen.find(b"\r\n\r\n") + 4:]
    texts = list(strings_of(json.loads(body))) if body[:1] == b"{" else [seen.decode("latin-1")]
    half = len(secret) // 2
    whole = any(secret in reading for text in texts for reading in readings(text))
    # Halves at two places: both are there as they were.
    return whole or (any(secret[:half] in t for t in texts) and any(secret[half:] in t for t in texts)) or \
        secret in "".join(t for t in texts if len(t) <= 12)


def play(address, folder, secret, chosen):
    """Says of each case in which the secret went up."""
    connection = http.client.HTTPConnection(*address, timeout=60)
    for number, (kind, name, upstream, path, place, body) in chosen:
        kept = os.path.join(folder, str(number))
        connection.request("POST", f"/{upstream}{path}", json.dumps(body), {"Content-Type": "application/json", "X-Case": str(number)})
        answer = connection.getresponse()
        answer.read()
        said = f"{kind}\t{name}\t/{'/'.join(map(str, place))}"
        if answer.status >= 500:
            print(f"{answer.status}: {said}", flush=True)
        if os.path.exists(kept):
            with open(kept, "rb") as seen:
                if went_up(seen.read(), secret):
                    print(said, flush=True)
            os.unlink(kept)


def run(url, folder, secret, every):
    """Each of `every` cases, and all with halves, in four connections."""
    parsed = urllib.parse.urlparse(url)
    chosen = [(i, case) for i, case in enumerate(cases(secret)) if i % int(every) == 0 or case[0].startswith("halves")]
    threads = [threading.Thread(target=play, args=((parsed.hostname, parsed.port), folder, secret, chosen[i::4])) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(len(chosen))


if sys.argv[1] == "upstream":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()
else:
    run(*sys.argv[2:6])
