"""Opens connections that send a byte now and then, and tells how long they are kept.

slow_senders.py HOST:PORT N SECONDS HEAD: N connections send HEAD, escaped as in Python, then an 'a' every half second, for
SECONDS at most. Prints "open N" when they are sent, then how many the server has closed by itself.
"""
import socket
import sys
import time

host, port = sys.argv[1].rsplit(':', 1)
head = sys.argv[4].encode().decode('unicode_escape').encode()
senders = []
for _ in range(int(sys.argv[2])):
    sender = socket.create_connection((host, int(port)))
    sender.setblocking(False)
    sender.send(head)
    senders.append(sender)
print('open', len(senders), flush=True)
end = time.monotonic() + float(sys.argv[3])
closed = 0
while senders and time.monotonic() < end:
    time.sleep(0.5)
    for sender in list(senders):
        try:
            sender.send(b'a')
            is_open = sender.recv(4096) != b''
        except BlockingIOError:
            is_open = True
        except OSError:
            is_open = False
        if not is_open:
            senders.remove(sender)
            sender.close()
            closed += 1
print('closed', closed, flush=True)
