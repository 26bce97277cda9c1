"""An upstream for every protocol that keeps the body of each request, byte for byte.

request_upstream.py FOLDER: listens on a free port of 127.0.0.1 and prints it. The body of request n is the file FOLDER/n; the
answer is an empty object.
"""
import http.server
import itertools
import os
import sys

numbers = itertools.count(1)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with open(os.path.join(sys.argv[1], str(next(numbers))), "wb") as out:
            out.write(body)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
