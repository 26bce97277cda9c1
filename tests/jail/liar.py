"""A filterd that lies: welcomes a jail, and then sends what no filterd sends. Arguments: its socket, and which lie."""
import os
import socket
import struct
import sys

WELCOME, LEASE = 2, 4
path, lie = sys.argv[1:]
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.bind(path)
os.chmod(path, 0o666)
server.listen(1)
print("ready", flush=True)
jail, _ = server.accept()
hello, descriptors, _, _ = socket.recv_fds(jail, 65536, 32)
for descriptor in descriptors:
    os.close(descriptor)


def message(kind, version=struct.unpack_from("=I", hello)[0]):
    return struct.pack("=II", version, kind) + hello[8:]


LIES = {"noise": os.urandom(len(hello)), "short": message(LEASE)[:7], "long": message(LEASE) + bytes(5000),
        "another version": message(LEASE, 4711), "nothing": b"\0" * len(hello)}
if lie == "no welcome":
    jail.send(message(LEASE))
else:
    jail.send(message(WELCOME))
    jail.send(LIES[lie])
jail.recv(65536)  # until the jail hangs up
