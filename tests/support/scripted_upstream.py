"""An upstream that answers whatever the file says, to every request.

scripted_upstream.py FILE: listens on a free port of 127.0.0.1 and prints it. FILE is JSON, read at each request:
{"status": 200, "headers": [[name, value], …], "body": "…"}, with "base64" in place of "body" for bytes. FILE.seen has the body of the last request.
"""
import base64
import http.server
import json
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        seen = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        with open(sys.argv[1] + ".seen", "wb") as out:
            out.write(seen)
        with open(sys.argv[1], encoding="utf-8") as script:
            said = json.load(script)
        body = base64.b64decode(said["base64"]) if "base64" in said else said["body"].encode()
        body = b"" if self.command == "HEAD" else body
        self.send_response_only(said["status"])
        for name, value in said["headers"]:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_DELETE = do_POST = do_HEAD = answer


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass  # a client that has what it wants leaves


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
