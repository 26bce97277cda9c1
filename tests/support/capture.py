"""A network namespace in which every address is local, with its listeners passed out to filterd-egress.

capture.py SCRIPT PORTS COMMAND…: runs COMMAND with --capture fd:N for each of the ports (comma between them) and
--dns fd:N added, and `sh SCRIPT` in the namespace. The script's output is ours."""
import os
import signal
import socket
import subprocess
import sys

HAS_V6 = os.path.exists("/proc/net/if_inet6")
ROUTES = "ip route add local 0.0.0.0/0 dev lo" + (" && ip -6 route add local ::/0 dev lo" if HAS_V6 else "")
SET_UP = f"ip link set lo up && {ROUTES} && exec \"$@\""


def inside(channel, script, ports):
    sockets = []
    for port in ports.split(","):
        sockets.append(socket.create_server(("0.0.0.0", int(port))))
        if HAS_V6:
            sockets.append(socket.create_server(("::", int(port)), family=socket.AF_INET6))
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    names.bind(("0.0.0.0", 53))
    sockets.append(names)
    with socket.socket(fileno=channel) as egress:
        socket.send_fds(egress, [b"x"], [s.fileno() for s in sockets])
        for s in sockets:
            s.close()
        egress.recv(1)
    os.execvp("sh", ["sh", script])


def outside(script, ports, command):
    ours, theirs = socket.socketpair()
    jail = subprocess.Popen(["unshare", "-rn", "sh", "-c", SET_UP, "sh", sys.executable, __file__, "--inside",
                             str(theirs.fileno()), script, ports], pass_fds=[theirs.fileno()])
    theirs.close()
    _, fds, _, _ = socket.recv_fds(ours, 1, 16)
    listeners = [word for fd in fds[:-1] for word in ("--capture", f"fd:{fd}")]
    egress = subprocess.Popen([*command, *listeners, "--dns", f"fd:{fds[-1]}"], pass_fds=fds)
    ours.send(b"x")
    status = jail.wait()
    egress.send_signal(signal.SIGTERM)
    return status or egress.wait()


if sys.argv[1] == "--inside":
    inside(int(sys.argv[2]), sys.argv[3], sys.argv[4])
else:
    sys.exit(outside(sys.argv[1], sys.argv[2], sys.argv[3:]))
