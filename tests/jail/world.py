"""A world for jails to escape to: every address is this machine's, and whoever is reached writes it down.

world.py FOLDER COMMAND…: runs COMMAND in network and mount namespaces of its own, where each address of IPv4 and IPv6
is local, a name server answers at each of them, and HTTP and TLS servers listen at PORTS of all of them. What reaches a
server is a line of FOLDER/reached (address, port, name in the hello, bytes), what is asked of the name server a line of
FOLDER/asked. Only bytes for GOOD were meant to come. FOLDER has good.pem, good.key, bad.pem, bad.key: bad is not who it
says. Needs the rights of root."""
import gzip
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

GOOD, EVIL, GOOD6, EVIL6 = "93.184.216.34", "93.184.216.35", "2606:2800:220:1::1", "2606:2800:220:1::2"
PORTS = (22, 80, 443, 3128, 4444, 8001)
# Names and what they resolve to; below evil.test everything does, and flip.test changes its mind with each question.
NAMES = {"api.test": (GOOD, GOOD6), "open.test": (GOOD,), "tls.test": (GOOD,), "free.test": (GOOD,), "small.test": (GOOD,), "answers.test": (GOOD,),
         "forged.test": (EVIL,), "evil.test": (EVIL, EVIL6),
         "loopback.test": ("127.0.0.1",), "metadata.test": ("169.254.169.254",), "private.test": ("10.0.0.1",),
         "private2.test": ("172.16.9.9",), "private3.test": ("192.168.1.1",), "shared.test": ("100.64.0.1",),
         "zero.test": ("0.0.0.0",), "loopback6.test": ("::1",), "mapped.test": ("::ffff:127.0.0.1",),
         "nat64.test": ("64:ff9b::7f00:1",), "sixtofour.test": ("2002:7f00:1::1",), "unique.test": ("fd00::1",),
         "mixed.test": ("127.0.0.1", GOOD)}
folder, lock, flips = sys.argv[1], threading.Lock(), [0]
# What some paths answer: more than anybody wants, or not what it says.
ODD = {b"/huge": (b"x" * 3000000, b""), b"/bomb": (gzip.compress(b"\0" * 50000000, 9), b"Content-Encoding: gzip\r\n"),
       b"/heads": (b"x", b"X-Filler: " + b"x" * 200000 + b"\r\n"), b"/coded": (b"\x0b\x02\x80x\x03", b"Content-Encoding: br\r\n"),
       b"/lies": (b"plain", b"Content-Encoding: gzip\r\n"), b"/both": (b"0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", b"Transfer-Encoding: chunked\r\n")}


def note(where, /, **what):
    with lock, open(os.path.join(folder, where), "a", encoding="latin-1") as file:
        file.write(json.dumps(what) + "\n")


def resolve(name, kind):
    if name == "flip.test":
        flips[0] += 1
        found = ((GOOD,), ("127.0.0.1",))[flips[0] % 2] if kind == 1 else ()
    else:
        found = NAMES.get(name, NAMES["evil.test"] if name.endswith(".evil.test") else ())
    families = {1: socket.AF_INET, 28: socket.AF_INET6}
    return [socket.inet_pton(families[kind], a) for a in found if kind in families and (":" in a) == (kind == 28)]


def name_server(family, address):
    sock = socket.socket(family, socket.SOCK_DGRAM)
    if family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((address, 53))
    while True:
        packet, sender = sock.recvfrom(4096)
        labels, at = [], 12
        while at < len(packet) and packet[at]:
            labels.append(packet[at + 1:at + 1 + packet[at]].decode("latin-1"))
            at += 1 + packet[at]
        kind = struct.unpack(">H", packet[at + 1:at + 3])[0] if at + 5 <= len(packet) else 0
        name = ".".join(labels).lower()
        note("asked", name=name, kind=kind)
        found = resolve(name, kind)
        answer = packet[:2] + struct.pack(">HHHHH", 0x8180, 1, len(found), 0, 0) + packet[12:at + 5]
        for a in found:
            answer += struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(a)) + a
        sock.sendto(answer, sender)


def read_request(sock):
    """A head and what its length or its chunks say, or what there is when nothing more comes."""
    data = b""
    sock.settimeout(2)
    try:
        while len(data) < 4 << 20:
            piece = sock.recv(65536)
            data += piece
            head, end, body = data.partition(b"\r\n\r\n")
            fields = head.lower()
            if not piece or end and b"transfer-encoding" not in fields and b"content-length" not in fields:
                break
            if end and b"content-length:" in fields and len(body) >= int(fields.split(b"content-length:")[1].split(b"\r\n")[0]):
                break
            if end and b"transfer-encoding" in fields and body.endswith(b"0\r\n\r\n"):
                break
    except (OSError, ValueError):
        pass
    return data


def answer(sock, path):
    if path == b"/drip":
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        for _ in range(100):
            sock.sendall(b"x")
            time.sleep(0.2)
        return
    if path == b"/drip-head":
        for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 200:
            sock.sendall(bytes([byte]))
            time.sleep(0.2)
        return
    body, more = ODD.get(path, (b"reached\n", b""))
    sock.sendall(b"HTTP/1.1 200 OK\r\n" + more + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def serve(sock, contexts):
    address, port = sock.getsockname()[:2]
    address = address.removeprefix("::ffff:")
    asked, data = [], None
    try:
        sock.settimeout(2)
        first = sock.recv(1, socket.MSG_PEEK)
        if first == b"\x16":
            context = contexts["good" if address in (GOOD, GOOD6) else "bad"]
            context.sni_callback = lambda _, name, __: asked.append(name)
            sock = context.wrap_socket(sock, server_side=True)
        data = read_request(sock)
        note("reached", address=address, port=port, name=asked[0] if asked else None, data=data.decode("latin-1"))
        answer(sock, data.split(b" ")[1] if data.count(b" ") > 1 else b"")
    except OSError as e:
        if data is None:
            note("reached", address=address, port=port, name=asked[0] if asked else None, data=str(e))
    finally:
        sock.close()


def server(port, contexts):
    listener = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=256)
    while True:
        sock, _ = listener.accept()
        threading.Thread(target=serve, args=(sock, contexts), daemon=True).start()


def main():
    # With a source of its own an address of the world is not one of this machine.
    for words in ("link set lo up", "route add local 0.0.0.0/0 dev lo src 127.0.0.1", "-6 route add local ::/0 dev lo src ::1"):
        subprocess.run(["ip", *words.split()], check=not words.startswith("-6"), stderr=subprocess.DEVNULL)
    contexts = {}
    for who in ("good", "bad"):
        contexts[who] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        contexts[who].load_cert_chain(os.path.join(folder, who + ".pem"), os.path.join(folder, who + ".key"))
    for name in ("reached", "asked"):
        with open(os.path.join(folder, name), "w", encoding="ascii"):
            pass
    for function, arguments in [(name_server, (socket.AF_INET, "0.0.0.0")), (name_server, (socket.AF_INET, "9.9.9.9")), (name_server, (socket.AF_INET6, "::")),
                                *((server, (port, contexts)) for port in PORTS)]:
        threading.Thread(target=function, args=arguments, daemon=True).start()
    time.sleep(0.2)  # they listen; whoever is first asks twice
    sys.exit(subprocess.run(sys.argv[2:], check=False).returncode)


if os.environ.get("FILTERD_WORLD") != "here":
    os.environ["FILTERD_WORLD"] = "here"
    with open(os.path.join(folder, "resolv.conf"), "w", encoding="ascii") as resolver:
        resolver.write("nameserver 9.9.9.9\noptions timeout:2 attempts:2\n")
    os.chmod(os.path.join(folder, "resolv.conf"), 0o644)
    os.execvp("unshare", ["unshare", "-nm", "sh", "-c", 'mount --bind "$0/resolv.conf" /etc/resolv.conf && exec "$@"', folder,
                          sys.executable, *sys.argv])
main()
