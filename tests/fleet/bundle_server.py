"""bundle_server.py FOLDER LOG [CERTIFICATE KEY]: serves the files of a folder over HTTP, or HTTPS, with ETags; prints the port.

LOG gets a line for each request.
"""
import hashlib
import http.server
import pathlib
import ssl
import sys

folder, log = pathlib.Path(sys.argv[1]), open(sys.argv[2], "a", buffering=1)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        file = folder / self.path.rsplit("/", 1)[1]
        body = file.read_bytes() if file.is_file() else b"nothing here"
        etag = '"%s"' % hashlib.sha256(body).hexdigest()
        status = 404 if not file.is_file() else 304 if self.headers.get("If-None-Match") == etag else 200
        self.send_response(status)
        if status != 404:
            self.send_header("ETag", etag)
        self.send_header("Content-Length", str(0 if status == 304 else len(body)))
        self.end_headers()
        if status != 304:
            self.wfile.write(body)
        log.write("%s %d\n" % (self.path, status))

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
server.serve_forever()
