"""A hostile client of external processing, in HTTP/2 frames by hand.

ext_proc_flood.py SOCKET resets N: opens and resets N calls on one connection.
ext_proc_flood.py SOCKET open N: opens N calls, a thousand on each connection, sends the head of a request in each, and leaves.
ext_proc_flood.py SOCKET garbage N: N connections that send frames with random content.
Prints how many connections the server has closed by itself.
"""
import random
import select
import socket
import sys

sys.path.insert(0, sys.path[0])
import ext_proc


def frame(kind, flags, stream, payload=b''):
    return len(payload).to_bytes(3, 'big') + bytes([kind, flags]) + stream.to_bytes(4, 'big') + payload


def literal(name, value):
    return b'\0' + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


PREFACE = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + frame(4, 0, 0)
HEAD = b''.join(literal(*h) for h in [
    (':method', 'POST'), (':scheme', 'http'), (':path', '/envoy.service.ext_proc.v3.ExternalProcessor/Process'),
    (':authority', 'x'), ('content-type', 'application/grpc'), ('filterd-upstream', 'ai')])
REQUEST = ext_proc.data(2, ext_proc.headers([(':method', 'POST'), (':path', '/v1/chat/completions')]))
MESSAGE = b'\0' + len(REQUEST).to_bytes(4, 'big') + REQUEST


def connect(path):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(20)
    s.connect(path)
    s.sendall(PREFACE)
    return s


def drain(s):
    """Reads what is there; True: the server has closed the connection."""
    while select.select([s], [], [], 0)[0]:
        try:
            if not s.recv(65536):
                return True
        except OSError:
            return True
    return False


def send(s, data):
    try:
        s.sendall(data)
    except OSError:
        return True
    return drain(s)


def resets(path, n):
    s = connect(path)
    for i in range(n):
        if send(s, frame(1, 4, 2 * i + 1, HEAD) + frame(0, 0, 2 * i + 1, MESSAGE) + frame(3, 0, 2 * i + 1, (8).to_bytes(4, 'big'))):
            return 1
    return 0


def opened(path, n):
    links, closed = [], 0
    for i in range(n):
        if i % 1000 == 0:
            links.append(connect(path))
        stream = 2 * (i % 1000) + 1
        closed += send(links[-1], frame(1, 4, stream, HEAD) + frame(0, 0, stream, MESSAGE))
    return closed


def garbage(path, n):
    noise = random.Random(1)
    closed = 0
    for _ in range(n):
        s = connect(path)
        is_closed = False
        for _ in range(50):
            payload = bytes(noise.randrange(256) for _ in range(noise.randrange(40)))
            is_closed = is_closed or send(s, frame(noise.randrange(12), noise.randrange(256), noise.randrange(8), payload))
        closed += is_closed
    return closed


print({'resets': resets, 'open': opened, 'garbage': garbage}[sys.argv[2]](sys.argv[1], int(sys.argv[3])))
