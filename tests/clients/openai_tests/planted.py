"""planted.py PROGRAMS: a secret in each string of each answer of OpenAI's API, by the types of openai-python, through the proxy.

Of each route the types of its whole answer and of its events are walked: a case has the secret at one string, be it a text, a
word of a list or the name of a member, or half of it in each of two events. FILTERD_PLANTED (20) is how many cases of a route are
tried, drawn with FILTERD_SEED (7); all are 145,000. Exit code 0: none was delivered, and every route of the SDK was tried.
"""
import collections
import enum
import http.client
import inspect
import json
import os
import random
import sys
import threading
import types
import typing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../benchmarks'))
import openai_mock
import pydantic
from service import service

SECRET = 'AKIAQ3EGRVZ7MXK2PLWT'
HALVES = ('is ' + SECRET[:9], SECRET[9:] + ' now')
DEPTH_MAX = 10
CLIENTS = 4
EACH = int(os.environ.get('FILTERD_PLANTED', '20'))


def in_model(model, what, depth, seen):
    required = {field.alias or name: openai_mock.example(field.annotation, depth + 1)
                for name, field in model.model_fields.items() if field.is_required()}
    for name, field in model.model_fields.items():
        for value, path in planted(field.annotation, what, depth + 1, seen + (model,)):
            yield {**required, (field.alias or name): value}, '/' + (field.alias or name) + path
    yield {**required, 'new_member': what}, '/new_member'


def planted(kind, what, depth=0, seen=()):
    """Values of the type that have `what` at one string, and the way to it."""
    kind = openai_mock.unwrapped(kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if depth > DEPTH_MAX or kind in (None, type(None), bool, int, float) or kind in seen:
        return
    if origin in (typing.Union, types.UnionType):
        for one in arguments:
            yield from planted(one, what, depth, seen)
    elif origin is list:
        for value, path in planted(arguments[0], what, depth + 1, seen):
            yield [value], '/*' + path
    elif origin is dict:
        for value, path in planted(arguments[1], what, depth + 1, seen):
            yield {'k': value}, '/k' + path
        yield {what: 'text'}, '/(name)'
    elif inspect.isclass(kind) and issubclass(kind, pydantic.BaseModel):
        yield from in_model(kind, what, depth, seen)
    elif kind in (dict, object, typing.Any):
        yield {'a': [what]}, '/a/*'
    elif kind is list:
        yield [what], '/*'
    elif kind is str or origin is typing.Literal or inspect.isclass(kind) and issubclass(kind, enum.Enum):
        yield what, ''


def drawn(cases):
    cases = list(cases)
    random.Random(int(os.environ.get('FILTERD_SEED', '7'))).shuffle(cases)
    return cases[:EACH]


def events(values):
    return b''.join(openai_mock.as_event(value) + b'\n\n' for value in values) + b'data: [DONE]\n\n'


def distinct_routes():
    """Each once: the SDK has several methods of some, and not each of them streams."""
    found = {}
    for route in openai_mock.routes():
        known = found.setdefault((route.verb, route.path), route)
        known.event = known.event or route.event
    return [route for route in found.values() if not route.is_binary()]


def cases():
    """(route, form, way, type, body) of each."""
    for route in distinct_routes():
        whole = [({'text': SECRET}, '/text')] if route.answer is None else drawn(planted(route.answer, SECRET))
        for value, path in whole:
            yield route, 'whole', path, 'application/json', json.dumps(value).encode()
        if route.event is not None:
            for value, path in drawn(planted(route.event, SECRET)):
                yield route, 'event', path, 'text/event-stream', events([value])
            for (first, path), (second, _) in drawn(zip(planted(route.event, HALVES[0]), planted(route.event, HALVES[1]))):
                yield route, 'halves', path, 'text/event-stream', events([first, second])


class Handler(openai_mock.Handler):
    bodies = []

    def respond(self):
        self.read_body()
        self.send(200, *self.bodies[int(self.path.rpartition('planted=')[2])])

    do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = respond


def strings(value, path=''):
    if isinstance(value, str):
        yield path, value
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield from strings(inner, path + '/' + name)
    for inner in value if isinstance(value, list) else ():
        yield from strings(inner, path + '/*')


def is_delivered(form, body):
    """The secret, or its halves one after the other at one place."""
    joined = collections.defaultdict(str)
    if form == 'halves':
        for line in body.split(b'\n'):
            for path, text in strings(json.loads(line[6:])) if line.startswith(b'data: {') else ():
                joined[path] += text
    return SECRET.encode() in body or any(SECRET in text for text in joined.values())


class Client(threading.Thread):
    def __init__(self, port, cases_left, report):
        super().__init__()
        self.port, self.cases_left, self.report = port, cases_left, report

    def ask(self, number, route, form):
        path = '/capture/v1' + '/'.join('x' if '{' in step else step for step in route.path.split('/'))
        path += ('&' if '?' in path else '?') + ('' if form == 'whole' else 'stream=true&') + 'planted=%d' % number
        body = {'model': 'm', 'input': 'a', 'prompt': 'a', 'messages': [{'role': 'user', 'content': 'a'}], 'stream': form != 'whole'}
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        if route.verb in ('POST', 'PUT', 'PATCH'):
            connection.request(route.verb, path, json.dumps(body), {'Content-Type': 'application/json'})
        else:
            connection.request(route.verb, path)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content

    def run(self):
        while True:
            try:
                number, (route, form, path, _, _) = self.cases_left.pop()
            except IndexError:
                return
            status, content = self.ask(number, route, form)
            self.report(status, is_delivered(form, content), '%s %s %s %s' % (route.verb, route.path, form, path))


def main(programs):
    cases_left = list(enumerate(cases()))
    Handler.bodies = [case[3:] for _, case in cases_left]
    server = openai_mock.Server(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    statuses, bad, n = collections.Counter(), [], len(cases_left)

    def report(status, was_delivered, what):
        statuses[status] += 1
        if was_delivered or status not in (200, 400):
            bad.append('%d %s %s' % (status, 'delivered' if was_delivered else 'not tried', what))

    with service(programs, None, server.server_address[1], 'other_routes: judge') as port:
        clients = [Client(port, cases_left, report) for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    print('\n'.join(sorted(bad)[:40]))
    print('planted in answers of the API: %d cases, statuses %s, %d bad' % (n, dict(statuses), len(bad)))
    return bool(bad) or sum(statuses.values()) != n


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
