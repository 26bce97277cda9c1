"""ship_receiver.py - a receiver of filterd-ship's batches that may be slow, refuse, answer late or be killed.

ship_receiver.py KIND PORT OUT [TLS-FOLDER]: KIND is http (OTLP or lines; what it took goes to OUT, a line each) or syslog
(RFC 5425; needs TLS-FOLDER with server.pem, server.key, ca.pem). Prints "ready PORT". For http the file OUT.mode, read at each
request, says how it behaves:

  accept                take it
  refuse STATUS [N]     answer with that status, and Retry-After: N
  slow MS               take it after so long
  lose                  take it, and close the connection without an answer: it will come again
  halve N               413 for more than N lines
  reject N              take it; the OTLP answer says that N records were rejected
"""
import http.server
import json
import os
import re
import socket
import socketserver
import ssl
import sys
import threading
import time

kind, port, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
lock = threading.Lock()


def mode():
    try:
        with open(out + '.mode') as f:
            return f.read().split() or ['accept']
    except FileNotFoundError:
        return ['accept']


def write(lines):
    with lock, open(out, 'ab') as f:
        f.write(b''.join(line + b'\n' for line in lines))


def attributes(resource):
    return {a['key']: a['value']['stringValue'] for a in resource['resource']['attributes']}


def lines_of(path, body):
    """OTLP: the body of each log record; below /seqs its number alone; below /all also the record itself, to OUT.records. Else
    the lines. OTLP traces: each span."""
    if path.endswith('/v1/traces'):
        return [json.dumps(span).encode() for resource in json.loads(body)['resourceSpans'] for scope in resource['scopeSpans']
                for span in scope['spans']]
    if not path.endswith('/v1/logs'):
        return body.split(b'\n')[:-1]
    if path.startswith('/seqs/'):
        return re.findall(rb'"filterd\.seq","value":\{"intValue":"(\d+)"', body)
    records = [(attributes(resource), r) for resource in json.loads(body)['resourceLogs'] for scope in resource['scopeLogs']
               for r in scope['logRecords']]
    if path.startswith('/all/'):
        with lock, open(out + '.records', 'a') as f:
            f.writelines(json.dumps(pair) + '\n' for pair in records)
    return [r['body']['stringValue'].encode() for _, r in records]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def answer(self, status, body=b'{}', after=None):
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        if after:
            self.send_header('Retry-After', after)
        self.end_headers()
        self.wfile.write(body)

    def read(self):
        """The body, by its length or in chunks."""
        if self.headers['Content-Length']:
            return self.rfile.read(int(self.headers['Content-Length']))
        body = b''
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def do_POST(self):
        body = self.read()
        lines = lines_of(self.path, body)
        how = mode()
        with lock, open(out + '.requests', 'a') as f:
            f.write(f'{time.time():.3f} {how[0]} {len(lines)} {self.headers.get("Authorization", "-")}\n')
        if how[0] == 'refuse':
            return self.answer(int(how[1]), b'{"error":"no"}', how[2] if len(how) > 2 else None)
        if how[0] == 'halve' and len(lines) > int(how[1]):
            return self.answer(413)
        if how[0] == 'slow':
            time.sleep(int(how[1]) / 1000)
        write(lines)
        if how[0] == 'lose':
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif how[0] == 'reject':
            self.answer(200, b'{"partialSuccess":{"rejectedLogRecords":"%s","errorMessage":"too old"}}' % how[1].encode())
        else:
            self.answer(200)

    def log_message(self, *_):
        pass


class Syslog(socketserver.BaseRequestHandler):
    """RFC 5425: MSG-LEN SP SYSLOG-MSG, until the connection ends."""

    def handle(self):
        try:
            stream = context.wrap_socket(self.request, server_side=True)
        except (ssl.SSLError, OSError):
            return
        data = b''
        while chunk := stream.recv(65536):
            data += chunk
            messages = []
            while b' ' in data[:10]:
                size, rest = data.split(b' ', 1)
                if len(rest) < int(size):
                    break
                messages.append(rest[:int(size)])
                data = rest[int(size):]
            write(messages)
        stream.close()


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


if kind == 'syslog':
    folder = sys.argv[4]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, 'server.pem'), os.path.join(folder, 'server.key'))
    context.load_verify_locations(os.path.join(folder, 'ca.pem'))
    context.verify_mode = ssl.CERT_REQUIRED
    server = Server(('127.0.0.1', port), Syslog)
else:
    http.server.ThreadingHTTPServer.allow_reuse_address = True
    server = http.server.ThreadingHTTPServer(('127.0.0.1', port), Handler)
print('ready', server.server_address[1], flush=True)
server.serve_forever()
