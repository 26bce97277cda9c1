"""planted_events.py PROGRAMS: a secret in each string of each event of OpenAI's WebSockets, by the types of openai-python.

As planted.py; the upstream sends a response with one planted event in it, or half of the secret in each of two events, and then
an event by which the client knows that all has come. Exit code 0: no secret was delivered, and each session came to an end.
"""
import json
import os
import socket
import sys
import threading
import typing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
import planted
import websocket
from openai.types.realtime.realtime_server_event import RealtimeServerEvent
from openai.types.responses.responses_server_event import ResponsesServerEvent
from planted import service

END = {'/v1/realtime': {'type': 'rate_limits.updated', 'event_id': 'last', 'rate_limits': []},
       '/v1/responses': {'type': 'response.completed', 'sequence_number': 9, 'response': {'id': 'resp_1', 'status': 'completed', 'output': []}}}
CREATED = {'type': 'response.created', 'sequence_number': 0, 'event_id': 'event_1',
           'response': {'id': 'resp_1', 'object': 'response', 'status': 'in_progress', 'output': []}}
SILENT_S = 8  # less than the time between two pings
DONE = {'type': 'response.done', 'event_id': 'event_2', 'response': {'id': 'resp_1', 'status': 'completed', 'output': []}}


def in_response(event):
    """An event of a response is one of that which was begun."""
    return {**event, 'response_id': 'resp_1'} if 'response_id' in event and isinstance(event['response_id'], str) else event


def cases(path, union):
    for kind in typing.get_args(planted.openai_mock.unwrapped(union)):
        kind_name = getattr(kind, '__name__', str(kind))
        for value, way in planted.drawn(planted.planted(kind, planted.SECRET)):
            yield path, '%s event %s' % (kind_name, way), [in_response(value)]
        halves = zip(planted.planted(kind, planted.HALVES[0]), planted.planted(kind, planted.HALVES[1]))
        for (first, way), (second, _) in planted.drawn(halves):
            if path == '/v1/realtime' and not isinstance(first.get('response_id'), str):
                continue  # each is an exchange of its own, and pieces have no event outside a response (decision 176)
            yield path, '%s halves %s' % (kind_name, way), [in_response(first), in_response(second)]


def upstream(listener, all_cases):
    def serve(sock):
        try:
            connection = websocket.Connection(sock, False)
            head = connection.read_head()
            number = int(head.split()[1].rpartition('planted=')[2])
            key = websocket.header(head, 'Sec-WebSocket-Key')
            accept = websocket.base64.b64encode(websocket.hashlib.sha1((key + websocket.GUID).encode()).digest()).decode()
            sock.sendall(('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
                          'Sec-WebSocket-Accept: %s\r\n\r\n' % accept).encode())
            connection.receive()
            path, _, values = all_cases[number]
            for event in [CREATED, *values, *([DONE] if path == '/v1/realtime' else []), END[path]]:
                connection.send(websocket.TEXT, json.dumps(event).encode())
            connection.receive()
        except (EOFError, OSError):
            pass
        finally:
            sock.close()

    while True:
        sock, _ = listener.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(sock,), daemon=True).start()


def ask(port, number, path):
    """How it ended, and all that the client gets, a line for each message."""
    sock = socket.create_connection(('127.0.0.1', port), timeout=SILENT_S)
    connection = websocket.Connection(sock, True)
    sock.sendall(('GET /capture%s?planted=%d HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
                  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n' % (path, number)).encode())
    got = []
    try:
        connection.read_head()
        connection.send(websocket.TEXT, b'{"type":"response.create","model":"m","input":"a"}')
        while True:
            opcode, payload = connection.receive()
            if opcode == websocket.CLOSE:
                return 'closed', got
            got.append(b'data: ' + payload)
            kind = json.loads(payload).get('type')
            if kind == END[path]['type'] or path == '/v1/responses' and kind in ('response.incomplete', 'response.failed', 'error'):
                return 'whole', got
    except socket.timeout:
        return 'silent', got
    except (EOFError, OSError):
        return 'closed', got
    finally:
        sock.close()


def main(programs):
    all_cases = [case for path, union in (('/v1/realtime', RealtimeServerEvent), ('/v1/responses', ResponsesServerEvent))
                 for case in cases(path, union)]
    listener = socket.create_server(('127.0.0.1', 0), backlog=128)
    threading.Thread(target=upstream, args=(listener, all_cases), daemon=True).start()
    bad, n_closed = [], 0
    with service(programs, None, listener.getsockname()[1]) as port:
        for number, (path, what, _) in enumerate(all_cases):
            ended, got = ask(port, number, path)
            n_closed += ended == 'closed'
            was_delivered = planted.is_delivered('halves', b'\n'.join(got))
            if was_delivered or ended == 'silent':
                bad.append('%s %s %s' % ('delivered' if was_delivered else 'without an end', path, what))
    print('\n'.join(bad[:40]))
    print('planted in events of WebSockets: %d cases, %d bad, %d closed by filterd' % (len(all_cases), len(bad), n_closed))
    return bool(bad) or n_closed > len(all_cases) / 2


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
