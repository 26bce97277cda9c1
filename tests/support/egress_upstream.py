"""An HTTP server that shows what reached it; prints its port. Arguments: file to note requests in [certificate key]."""
import base64
import gzip
import http.server
import socket
import ssl
import sys
import time

NOTES = sys.argv[1]


def echoed(form, text):
    """What a server may say it was asked with."""
    escape = {"percent": "%%%02X", "json": "\\u%04x", "html": "&#%d;", "backslash": "\\x%02x"}
    nested = {"base64-hex": lambda t: base64.b64encode(t.hex().encode()), "hex-base64": lambda t: base64.b64encode(t).hex().encode(),
              "base64-base64": lambda t: base64.b64encode(base64.b64encode(b"x" + t)), "lower": bytes.lower,
              "html-json": lambda t: "".join("&amp;#%d;" % c for c in t).encode(), "cut": lambda t: t[:16] + b"...",
              "percent-percent": lambda t: "".join("%%25%02X" % c for c in t).encode(),
              "password": lambda t: base64.b64decode(t.split()[-1] + b"===")}
    if form in escape:
        return "".join(escape[form] % c for c in text).encode()
    if form == "mixed":  # only what a library escapes
        return text.replace(b"-", b"%2D").replace(b"4", b"\\u0034")
    if form in nested:
        return nested[form](text)
    if form.startswith("base64-"):
        return base64.b64encode(b"x" * int(form[7:]) + text)
    return {"hex": text.hex(), "HEX": text.hex().upper(), "base64url": base64.urlsafe_b64encode(text).decode()}[form].encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def read_body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while (size := int(self.rfile.readline(), 16)) > 0:
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def reply(self, body, *headers, status=200):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_any(self):
        body = self.read_body()
        with open(NOTES, "ab") as notes:
            notes.write(f"{self.requestline}\n{self.headers}{len(body)} bytes\n".encode())
        path = self.path.split("?")[0]
        if path == "/chunks":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in (b"one,", b"two,", b"three"):
                self.wfile.write(b"%x;ext=1\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\nTrailer: x\r\n\r\n")
        elif path == "/paced":
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in (b"3\r\none\r\n", b"3\r\ntwo\r\n", b"0\r\n\r\n"):
                time.sleep(0.004)
                self.wfile.write(piece)
        elif path == "/to-end":
            self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\nuntil the end")
            self.close_connection = True
        elif path == "/says":
            self.reply(self.headers.get("X-Say", "").encode()[::-1])
        elif path == "/says-gzip":
            self.reply(gzip.compress(self.headers.get("X-Say", "").encode()[::-1]), ("Content-Encoding", "gzip"))
        elif path == "/echo":
            self.reply(b"asked with " + self.headers.get("Authorization", "").encode() + b".")
        elif path == "/echo-gzip":
            self.reply(gzip.compress(self.headers.get("Authorization", "").encode()), ("Content-Encoding", "gzip"))
        elif path == "/echo-head":
            self.reply(b"asked", ("X-Asked", self.headers.get("Authorization", "")))
        elif path == "/echo-pieces":
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for byte in b"asked with " + self.headers.get("Authorization", "").encode() + b".":
                self.wfile.write(b"1\r\n%c\r\n" % byte)
                time.sleep(0.002)
            self.wfile.write(b"0\r\n\r\n")
        elif path.startswith("/echo-as/"):
            self.reply(b"asked with " + echoed(path[9:], b"Basic " + self.headers.get("Authorization", "").split()[-1].encode()) + b".")
        elif path == "/echo-range":
            body = b"asked with " + self.headers.get("X-Key", "").encode()
            first, last = (int(n) for n in self.headers.get("Range", "bytes=0-999").split("=")[1].split("-"))
            self.reply(body[first:last + 1], status=206 if "Range" in self.headers else 200)
        elif path == "/echo-codings":
            self.reply(gzip.compress(self.headers.get("Authorization", "").encode()), ("Content-Encoding", "identity"),
                       ("Content-Encoding", "gzip"))
        elif path == "/redirect":
            self.reply(b"", ("Location", "http://169.254.169.254/latest/meta-data/"), status=302)
        elif path == "/slow":
            time.sleep(30)
        elif path == "/wait-longer":
            time.sleep(1.5)
            self.reply(b"waited")
        elif path == "/wait":
            time.sleep(1)
            self.reply(b"waited")
        elif path == "/broken":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
            self.close_connection = True
        elif path == "/short":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort")
            self.close_connection = True
        elif path == "/large":
            self.reply(b"x" * 1000000)
        else:
            self.reply(b"%d bytes\n" % len(body))

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = handle_any


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """Connections that are cut are what is tested."""


server = Server(("127.0.0.1", 0), Handler)
server.daemon_threads = True
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
