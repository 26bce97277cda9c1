#!/usr/bin/env python3
"""relay.py FROM TO CUT: a relay between Unix sockets that is cut while the file CUT is there: connections end, new ones are refused."""
import os, pathlib, select, socket, sys, threading, time

source, target, cut = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def pump(a, b):
    while not cut.exists():
        for one in select.select([a, b], [], [], 0.02)[0]:
            try:
                data = one.recv(65536)
                if not data:
                    raise OSError
                (b if one is a else a).sendall(data)
            except OSError:
                a.close(), b.close()
                return
    a.close(), b.close()


def connect(client):
    try:
        server = socket.socket(socket.AF_UNIX)
        server.connect(target)
    except OSError:
        client.close()
        return
    pump(client, server)


listener = socket.socket(socket.AF_UNIX)
listener.bind(source)
os.chmod(source, 0o777)
listener.listen(16)
while True:
    client, _ = listener.accept()
    if cut.exists():
        client.close()
        time.sleep(0.01)
    else:
        threading.Thread(target=connect, args=(client,), daemon=True).start()
