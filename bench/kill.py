#!/usr/bin/env python3
"""From the violating byte to no process left: a fork bomb of a thousand, with setsid and double fork.

kill.py BINDIR [RUNS [CASE]]: as root; BINDIR is build/release/bin, RUNS (default 50) of each case, or of CASE alone:
  alive     the agent's text crosses the threshold: from the last byte of the request
  launcher  the launcher is killed first, at the same moment the text is posted: from the SIGKILL
  filterd   filterd is killed first: from its SIGKILL; the lease is 2 s
Prints a line of JSON for each case, with p50, p99 and the worst in ms, and the number of survivors: processes that
carry the run's mark a second after the jail was seen to be empty. The load of the machine is part of the figures.
"""
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

RULES = """rules:
  - {id: bomb, title: t, category: injection, severity: critical, confidence: 0.9, boundary: token,
     pattern: 'E2EBOMB[0-9]{4}', match: ['E2EBOMB0001', 'a E2EBOMB1234', '(E2EBOMB9999)'], no_match: [a, b, c]}
"""
POLICY = """policies:
  default: {rules: [test], actions: [{category: injection, action: block}]}
violations: {weights: {injection: 100}, half_life: 1h, actions: [{at: 100, do: kill}]}
"""
JAIL = """name: bench
inputs: [{from: %s, to: /attack/attack}]
limits: {pids: 1000, memory: 4G, cpu: 2, wall: 2m}
filter: {socket: %s/agents.sock, agent: %s, lease: 2s}
"""

programs = os.path.abspath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 50
CASES = ("alive", "launcher", "filterd")
cases = sys.argv[3:4] or CASES
if not set(cases) <= set(CASES):
    sys.exit(f"kill.py: CASE: one of {', '.join(CASES)} expected")
folder = tempfile.mkdtemp(prefix="filterd-bench-kill-")
attack = os.path.join(os.path.dirname(programs), "tests/jail/attack")


def write(name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
        out.write(text)
    return path


class Filterd:
    def __init__(self):
        self.log = open(os.path.join(folder, "filterd.log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [f"{programs}/filterd", "--listen=127.0.0.1:0", f"--operators=unix:{folder}/operators.sock",
             f"--rules={folder}/rules", f"--state-directory={folder}/state", f"--cache-directory={folder}/cache"],
            stderr=self.log)
        while True:
            ready = [l for l in open(self.log.name, encoding="utf-8") if "filterd: ready" in l]
            if ready:
                break
            time.sleep(0.02)
        host, port = ready[0].split("listen=")[1].split()[0].split(":")
        self.address = (host, int(port))

    def connect(self):
        return socket.create_connection(self.address)

    def end(self):
        self.process.kill()
        self.process.wait()


def request(agent):
    body = json.dumps({"text": "E2EBOMB0001", "agent": agent}).encode()
    head = f"POST /v1/filter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def jail_group(launcher, controller):
    for pattern in (f"/sys/fs/cgroup/{controller}/**/filterd-jail-{launcher}-*", f"/sys/fs/cgroup/**/filterd-jail-{launcher}-*"):
        for path in glob.glob(pattern, recursive=True):
            name = "cgroup.events" if controller == "unified" else "pids.current"
            if os.path.exists(os.path.join(path, name)):
                return os.path.join(path, name)
    return None


def await_bomb(launcher):
    until = time.monotonic() + 30
    counter = None
    while time.monotonic() < until:
        counter = counter or jail_group(launcher, "pids")
        try:
            if counter and int(open(counter, encoding="ascii").read()) >= 900:
                return True
        except OSError:
            pass
        time.sleep(0.02)
    return False


def is_empty(events):
    try:
        return b"populated 0" in os.pread(events, 256, 0)
    except OSError:
        return True  # the group is removed, so it was empty


def survivors(mark):
    found = 0
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        found += words[0] == b"/attack/attack" and mark.encode() in words
    return found


def run(case, number, filterd):
    mark = agent = f"{case}-{number}-{os.getpid()}"
    policy = write("jail.yaml", JAIL % (attack, folder, agent))
    launcher = subprocess.Popen([f"{programs}/filterd-jail", "run", "-p", policy, "--", "/attack/attack", "A30", mark],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not await_bomb(launcher.pid):
        launcher.kill()  # a machine that is busy with something else; not a run
        launcher.wait()
        return None
    events = os.open(jail_group(launcher.pid, "unified"), os.O_RDONLY)
    connection, text = filterd.connect(), request(agent)
    started = time.monotonic()
    if case == "launcher":
        launcher.kill()
    if case == "filterd":
        filterd.process.kill()
    else:
        connection.sendall(text)
    while not is_empty(events) and time.monotonic() - started < 30:
        time.sleep(0.0003)
    elapsed = (time.monotonic() - started) * 1000
    os.close(events)
    connection.close()
    launcher.wait()
    time.sleep(1)
    return elapsed, survivors(mark)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main():
    write("rules/test/test.yaml", RULES)
    write("rules/policy.yaml", POLICY)
    os.nice(-10)
    for case in cases:
        times, left = [], 0
        filterd = Filterd()
        for number in range(runs):
            result = None
            for attempt in range(10):
                result = result or run(case, f"{number}.{attempt}", filterd)
            elapsed, n = result
            times.append(elapsed)
            left += n
            if case == "filterd":
                filterd.process.wait()
                filterd = Filterd()
        filterd.end()
        print(json.dumps({"name": f"kill {case}", "unit": "ms", "runs": runs, "processes": 1000,
                          "p50": round(percentile(times, 0.5), 1), "p99": round(percentile(times, 0.99), 1),
                          "worst": round(max(times), 1), "survivors": left, "load": os.getloadavg()[0]}), flush=True)


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
