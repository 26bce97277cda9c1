"""forward.py SOCKET: passes connections to a port of loopback on to a Unix socket; prints the port."""
import socket
import sys
import threading


def copy(a, b):
    try:
        while data := a.recv(65536):
            b.sendall(data)
    except OSError:
        pass
    try:
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass


server = socket.create_server(("127.0.0.1", 0), backlog=64)
print(server.getsockname()[1], flush=True)
while True:
    ours, _ = server.accept()
    theirs = socket.socket(socket.AF_UNIX)
    theirs.connect(sys.argv[1])
    for a, b in ((ours, theirs), (theirs, ours)):
        threading.Thread(target=copy, args=(a, b), daemon=True).start()
