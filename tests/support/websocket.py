"""WebSocket for the tests, with the standard library alone: an upstream of the Responses and Realtime APIs that sends what it is told
to, and a client that prints what it gets.

  websocket.py upstream SEEN           prints its port; each message that it receives is a line of SEEN. The text of an event's
                                       "script" is a list of messages that it sends in answer: JSON, or one of the words
                                       "binary", "close:CODE", "drop", "ping", "silent", "garbage", "fragments:JSON"; or "@NAME": that list in SEEN.scripts
  websocket.py client URL [HEADER…]    sends each line of its input; prints each message as a line, a close as "close CODE REASON";
                                       a line "close" closes, "binary" sends a binary message, "wait N" waits for N messages first,
                                       "wait TYPE" for an event of that type, "drop" cuts the connection, "flood N LINE" sends it
                                       N times, "unmasked", "long N"
"""

import base64
import hashlib
import json
import os
import re
import socket
import ssl
import struct
import sys
import threading

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Connection:
    def __init__(self, sock, is_client):
        self.sock, self.is_client, self.early = sock, is_client, b""
        self.lock = threading.Lock()

    def read(self, n):
        while len(self.early) < n:
            more = self.sock.recv(65536)
            if not more:
                raise EOFError
            self.early += more
        taken, self.early = self.early[:n], self.early[n:]
        return taken

    def read_head(self):
        while b"\r\n\r\n" not in self.early:
            more = self.sock.recv(65536)
            if not more:
                raise EOFError
            self.early += more
        head, self.early = self.early.split(b"\r\n\r\n", 1)
        return head.decode("latin-1")

    def send(self, opcode, payload, fin=True, masked=None):
        masked = self.is_client if masked is None else masked
        head = bytes([(0x80 if fin else 0) | opcode])
        mask = 0x80 if masked else 0
        n = len(payload)
        if n < 126:
            head += bytes([mask | n])
        elif n < 65536:
            head += bytes([mask | 126]) + struct.pack("!H", n)
        else:
            head += bytes([mask | 127]) + struct.pack("!Q", n)
        if masked:
            key = os.urandom(4)
            payload = bytes(b ^ key[i % 4] for i, b in enumerate(payload))
            head += key
        with self.lock:
            self.sock.sendall(head + payload)

    def receive(self):
        """The next message: (opcode, payload). Pings are answered."""
        whole, first = b"", 0
        while True:
            a, b = self.read(2)
            opcode, n = a & 15, b & 127
            if n == 126:
                n = struct.unpack("!H", self.read(2))[0]
            elif n == 127:
                n = struct.unpack("!Q", self.read(8))[0]
            key = self.read(4) if b & 128 else None
            payload = self.read(n)
            if key:
                payload = bytes(x ^ key[i % 4] for i, x in enumerate(payload))
            if opcode == PING:
                self.send(PONG, payload)
                continue
            if opcode == PONG:
                continue
            if opcode == CLOSE:
                return CLOSE, payload
            first = first or opcode
            whole += payload
            if a & 128:
                return first, whole


def header(head, name):
    found = re.search(rf"(?im)^{name}: *(.*?) *\r?$", head)
    return found.group(1) if found else ""


def scripts(event):
    """What an event says its answer is, wherever it says it."""
    if isinstance(event, dict):
        for name, value in event.items():
            if name == "script":
                yield value
            else:
                yield from scripts(value)
    elif isinstance(event, list):
        for value in event:
            yield from scripts(value)


def read_script(steps, seen):
    if not steps.startswith("@"):
        return json.loads(steps)
    with open(seen + ".scripts", encoding="utf-8") as f:
        return json.load(f)[steps[1:]]


def play(connection, step):
    word = step if isinstance(step, str) else ""
    if word == "binary":
        connection.send(BINARY, b"\0\1")
    elif word.startswith("close:"):
        connection.send(CLOSE, struct.pack("!H", int(word[6:])) + b"as told")
    elif word == "drop":
        connection.sock.shutdown(socket.SHUT_RDWR)
    elif word == "ping":
        connection.send(PING, b"p")
    elif word == "garbage":
        connection.send(TEXT, b"{no json")
    elif word.startswith("fragments:"):
        payload = word[10:].encode()
        connection.send(TEXT, payload[:3], fin=False)
        connection.send(PING, b"between")
        connection.send(0, payload[3:])
    elif word != "silent":
        connection.send(TEXT, json.dumps(step).encode())


def serve(sock, seen):
    connection = Connection(sock, False)
    try:
        head = connection.read_head()
        with open(seen, "a", encoding="utf-8") as f:
            f.write(f"request {head.splitlines()[0]}\n")
            for name in ("Authorization", "OpenAI-Beta", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions", "Cookie", "Host"):
                f.write(f"{name}: {header(head, name)}\n")
        if "refuse-me" in head:
            sock.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
            return
        if "never-answer" in head:
            sock.recv(1)
        key = header(head, "Sec-WebSocket-Key")
        accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        if "lie-to-me" in head:
            accept = "AAAAAAAAAAAAAAAAAAAAAAAAAAA="
        offered = header(head, "Sec-WebSocket-Protocol").split(",")[0].strip()
        chosen = f"Sec-WebSocket-Protocol: {offered}\r\n" if offered else ""
        answer = f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n{chosen}\r\n"
        sock.sendall(answer.encode())
        if "/realtime" in head.splitlines()[0]:
            play(connection, {"type": "session.created", "event_id": "event_1", "session": {"id": "sess_1", "object": "realtime.session"}})
        while True:
            opcode, payload = connection.receive()
            with open(seen, "a", encoding="utf-8") as f:
                f.write(("close" if opcode == CLOSE else payload.decode("utf-8", "replace")) + "\n")
            if opcode == CLOSE:
                connection.send(CLOSE, payload)
                return
            for steps in scripts(json.loads(payload)):
                for step in read_script(steps, seen):
                    play(connection, step)
    except (EOFError, OSError, ValueError):
        pass
    finally:
        sock.close()


def upstream(seen, certificate=None, key=None):
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listener.getsockname()[1], flush=True)
    context = None
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)

    def begin(sock):
        try:
            serve(context.wrap_socket(sock, server_side=True) if context else sock, seen)
        except OSError:
            sock.close()

    while True:
        sock, _ = listener.accept()
        threading.Thread(target=begin, args=(sock,), daemon=True).start()


def connect(url, headers):
    scheme, host, port, target = re.fullmatch(r"(wss?)://([^:/]+):(\d+)(/.*)", url).groups()
    sock = socket.create_connection((host, int(port)), timeout=30)
    if scheme == "wss":
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        sock = context.wrap_socket(sock, server_hostname=host)
    connection = Connection(sock, True)
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [f"GET {target} HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}",
             "Sec-WebSocket-Version: 13", "Sec-WebSocket-Extensions: permessage-deflate", *headers]
    sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    head = connection.read_head()
    status = head.split()[1]
    if status != "101":
        n = int(header(head, "Content-Length") or 0)
        print(f"status {status} {connection.read(n).decode()}")
        sys.exit(0)
    assert header(head, "Sec-WebSocket-Accept") == base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
    if header(head, "Sec-WebSocket-Protocol"):
        print("subprotocol " + header(head, "Sec-WebSocket-Protocol"))
    assert not header(head, "Sec-WebSocket-Extensions")
    return connection


class Client:
    def __init__(self, connection):
        self.connection, self.types, self.is_over = connection, [], False
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        try:
            while True:
                opcode, payload = self.connection.receive()
                if opcode == CLOSE:
                    code = struct.unpack("!H", payload[:2])[0] if len(payload) > 1 else 1005
                    print(f"close {code} {payload[2:].decode()}".rstrip(), flush=True)
                    try:
                        self.connection.send(CLOSE, payload)
                    except OSError:
                        pass
                    break
                text = payload.decode() if opcode == TEXT else "binary"
                print(text, flush=True)
                with self.changed:
                    self.types.append(json.loads(text).get("type"))
                    self.changed.notify()
        except (EOFError, OSError):
            print("broken", flush=True)
        with self.changed:
            self.is_over = True
            self.changed.notify()

    def wait(self, until):
        def is_there():
            return self.is_over or (len(self.types) >= int(until) if until.isdigit() else until in self.types)
        with self.changed:
            if not self.changed.wait_for(is_there, 20):
                print(f"timeout waiting for {until}", flush=True)
            elif not until.isdigit():
                self.types = self.types[self.types.index(until) + 1:] if until in self.types else []

    def do(self, line):
        word, _, rest = line.partition(" ")
        if word == "wait":
            self.wait(rest)
        elif line == "close":
            self.connection.send(CLOSE, struct.pack("!H", 1000))
        elif line == "drop":
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        elif line == "binary":
            self.connection.send(BINARY, b"\0\1")
        elif word == "unmasked":
            self.connection.send(TEXT, rest.encode(), masked=False)
        elif word == "long":
            self.connection.send(TEXT, b'{"type":"response.create","x":"' + b"a" * int(rest) + b'"}')
        elif word == "flood":
            n, _, text = rest.partition(" ")
            for _ in range(int(n)):
                self.connection.send(TEXT, text.encode())
        elif word == "badutf8":
            self.connection.send(TEXT, b'{"type":"\xff\xfe"}')
        else:
            self.connection.send(TEXT, line.encode())


def client(url, headers):
    c = Client(connect(url, headers))
    try:
        for line in sys.stdin:
            c.do(line.rstrip("\n"))
    except OSError:
        pass
    c.reader.join(20)


if __name__ == "__main__":
    if sys.argv[1] == "upstream":
        upstream(*sys.argv[2:])
    else:
        client(sys.argv[2], sys.argv[3:])
