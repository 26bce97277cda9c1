"""Sends requests byte for byte and tells how each was answered.

Usage: raw_requests.py HOST:PORT < FILE. Each line of the file is a name, a tab and the bytes, written as in Python
('\\r\\n'). Prints per line: the name, the status of the first answer ('-': none), how many answers came, and whether
the server closed the connection ('closed') or waits for more ('open').
"""
import re
import socket
import sys

WAIT = 5  # seconds: longer than any answer takes, shorter than any timeout of the service


def exchange(address, raw):
    received, ending = b'', 'open'
    with socket.create_connection(address, timeout=WAIT) as connection:
        connection.sendall(raw)
        try:
            while True:
                piece = connection.recv(65536)
                if not piece:
                    ending = 'closed'
                    break
                received += piece
        except ConnectionResetError:
            ending = 'closed'
        except TimeoutError:
            pass
    # libmicrohttpd writes the head of its own refusals twice.
    received = re.sub(rb'(HTTP/1\.1 400 (?:(?!\r\n\r\n).)*\r\n\r\n)\1', rb'\1', received, flags=re.DOTALL)
    statuses = re.findall(rb'HTTP/1\.[01] (\d\d\d) ', received)
    return f'{statuses[0].decode() if statuses else "-"} {len(statuses)} {ending}'


def main():
    host, port = sys.argv[1].rsplit(':', 1)
    for line in sys.stdin:
        name, raw = line.rstrip('\n').split('\t', 1)
        print(name, exchange((host, int(port)), raw.encode('latin-1').decode('unicode_escape').encode('latin-1')),
              sep='\t', flush=True)


main()
