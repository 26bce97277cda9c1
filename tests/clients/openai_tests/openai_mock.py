"""openai_mock.py: an HTTP server that answers OpenAI's routes with values of the types that openai-python expects.

The table of routes is read from the SDK's source: each method of its resources names a verb, a path and the type of the answer.
An answer has every member that the type requires, and one item in each list. Imported by suite.py.
"""
import ast
import datetime
import enum
import http.server
import importlib
import inspect
import json
import pathlib
import re
import types
import typing

import openai
import pydantic

VERBS = {'_get': 'GET', '_post': 'POST', '_delete': 'DELETE', '_put': 'PUT', '_patch': 'PATCH', '_get_api_list': 'GET'}
DEPTH_MAX = 12


def unwrapped(kind):
    while typing.get_origin(kind) is typing.Annotated:
        kind = typing.get_args(kind)[0]
    return kind


def example_of_model(model, depth):
    fields = model.model_fields.items()
    return {field.alias or name: example(field.annotation, depth + 1) for name, field in fields if field.is_required()}


def example(kind, depth=0):
    """A value of JSON that the type accepts."""
    kind = unwrapped(kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if depth > DEPTH_MAX or kind in (None, type(None)):
        return None
    if origin is typing.Literal:
        return arguments[0]
    if origin in (typing.Union, types.UnionType):
        return example(next(a for a in arguments if a is not type(None)), depth)
    if origin is list:
        return [example(arguments[0], depth + 1)]
    if origin is dict:
        return {}
    if not inspect.isclass(kind):
        return 'text'
    if issubclass(kind, pydantic.BaseModel):
        return example_of_model(kind, depth)
    if issubclass(kind, enum.Enum):
        return next(iter(kind)).value
    return {bool: True, int: 1, float: 0.5, dict: {}, list: [], object: {}, datetime.datetime: '2026-11-23T07:00:00Z'}.get(kind, 'text')


def as_event(value):
    """The lines of an event; those of the Assistants API have their name in a line of its own, which the SDK puts into the value."""
    if isinstance(value, dict) and {'data', 'event'} <= value.keys():
        return b'event: %s\ndata: %s' % (value['event'].encode(), json.dumps(value['data']).encode())
    return b'data: %s' % json.dumps(value).encode()


# --- the routes ---------------------------------------------------------------------------

def path_of(node):
    """The template of the first argument; None when it is no literal."""
    if isinstance(node, ast.Call) and getattr(node.func, 'id', '') == 'path_template':
        node = node.args[0]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return ''.join(v.value if isinstance(v, ast.Constant) else '{x}' for v in node.values)
    return None


def type_of(node, names):
    while isinstance(node, ast.Call) and getattr(node.func, 'id', '') == 'cast':
        node = node.args[1]
    try:
        return eval(compile(ast.Expression(node), '<sdk>', 'eval'), names)  # noqa: S307 - the SDK's own source
    except Exception:
        return None


class Route:
    def __init__(self, verb, path, keywords, names):
        self.verb, self.path = verb, path
        self.pattern = re.compile('/'.join('[^/]+' if '{' in part else re.escape(part) for part in path.split('/')))
        answer = keywords.get('page', keywords.get('cast_to'))
        self.answer = None if answer is None else type_of(answer, names)
        stream = type_of(keywords['stream_cls'], names) if 'stream_cls' in keywords else None
        self.event = typing.get_args(stream)[0] if stream is not None and typing.get_args(stream) else None

    def is_binary(self):
        return inspect.isclass(self.answer) and 'BinaryResponse' in self.answer.__name__

    def body(self):
        """Without a type: transcriptions, whose type depends on the request; each has a text."""
        return {'text': 'text'} if self.answer is None else example(self.answer) or {}


def routes():
    root = pathlib.Path(openai.__file__).parent
    for file in sorted((root / 'resources').rglob('*.py')):
        module = importlib.import_module('openai.' + '.'.join(file.relative_to(root).with_suffix('').parts))
        for node in ast.walk(ast.parse(file.read_text())):
            verb = VERBS.get(node.func.attr) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
            path = path_of(node.args[0]) if verb and node.args else None
            if path is not None:
                verb = next((k.value.value.upper() for k in node.keywords if k.arg == 'method'), verb)
                yield Route(verb, path, {k.arg: k.value for k in node.keywords}, vars(module))


# --- the server ---------------------------------------------------------------------------

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    table = []

    def log_message(self, *_):
        pass

    def send(self, status, kind, body):
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def read_body(self):
        if self.headers.get('Transfer-Encoding', '').lower() != 'chunked':
            return self.rfile.read(int(self.headers.get('Content-Length') or 0))
        body = b''
        while size := int(self.rfile.readline().split(b';')[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def respond(self):
        body = self.read_body()
        path = self.path.split('?')[0].removeprefix('/v1')
        route = max((r for r in self.table if r.verb == self.command and r.pattern.fullmatch(path)),
                    key=lambda r: (r.answer is not None, -r.path.count('{')), default=None)
        if route is None:
            return self.send(404, 'application/json', b'{"error":{"message":"no such route in the SDK"}}')
        if route.is_binary():
            return self.send(200, 'application/octet-stream', b'bytes')
        if route.event is not None and re.search(rb'"stream":\s*true|name="stream"\r\n\r\ntrue', body):
            return self.send(200, 'text/event-stream', b'%s\n\ndata: [DONE]\n\n' % as_event(example(route.event)))
        return self.send(200, 'application/json', json.dumps(route.body()).encode())

    do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = do_HEAD = respond


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """Clients that close a stream before its end are part of the tests."""


def serve():
    """A server on a free port of loopback, which the caller starts by serve_forever."""
    Handler.table = list(routes())
    return Server(('127.0.0.1', 0), Handler)
