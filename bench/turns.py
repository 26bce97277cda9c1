"""What turn 50 of a conversation costs filterd's proxy, and what turn 2 does, in turns: processor time of filterd's process alone, all
its threads, the kernel's work for it included; the client's and the upstream's are not in it. Elapsed times, in which they are, beside it.

turns.py BUILD [ROUNDS] [BYTES] [DELAY]: each request has the whole conversation, BYTES (2048) in each message, and one message that is
new. The upstream answers after DELAY milliseconds (40): a model takes longer, and a process that has slept finds cold caches and pays for
being woken. With 0 a request costs half, and both proxies' figures of turn 50 to turn 2 are higher, as what each turn costs is less.
A bare proxy (pass_proxy) carries the same requests: what it spends is the kernel's and the libraries' part, which no judging
takes. Half of the messages have an e-mail address in a second measurement, which are masked each time.
FILTERD_DATA names the folder of texts. Prints one JSON line per figure.
"""
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

BLOCK = 8
BLOCKS = 5  # of each round; their median is less moved by a write of the disk than that of a few long ones
POLICY = """policies:
  default:
    rules: [secrets, pii, injection, content]
    actions: [{category: secret, confidence: '>=0.5', action: redact}]
    request: {actions: [{category: [secret, pii], confidence: '>=0.5', action: mask}]}
"""
ANSWER = json.dumps({"id": "c-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
    {"index": 0, "message": {"role": "assistant", "content": "Good."}, "finish_reason": "stop"}]}).encode()


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one piece: the second of two waits 40 ms for the acknowledgement of the first

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.server.delay_s)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_):
        pass


def start(pattern, *command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        found = re.search(pattern + r"(\d+)", line)
        if found:
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return process, int(found.group(1))
    sys.exit(f"turns.py: {command[0]} did not start")


def spent(pid):
    """Nanoseconds of all threads."""
    return sum(int(path.read_text().split()[0]) for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"))


def texts(size):
    path = pathlib.Path(os.environ.get("FILTERD_DATA", "../shared/data"), "benign", "llm-fastchat.ndjson")
    with open(path, encoding="utf-8") as file:
        joined = "\n".join(json.loads(line)["text"] for line in file)
    joined = re.sub(r"[\d@]", "x", joined)  # without numbers and addresses: hardly a finding
    return [joined[at:at + size] for at in range(0, len(joined) - size, size)]


class Conversation:
    def __init__(self, port, prefix, size, has_findings):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.path = prefix + "/v1/chat/completions"
        self.texts = texts(size)
        self.has_findings = has_findings
        self.n = 0

    def message(self, i):
        text = self.texts[i % len(self.texts)]
        return text + f" Write to person{i % 7}@my-company.org." if self.has_findings and i % 2 == 0 else text

    def send(self, turns):
        self.n += 1
        messages = [{"role": "assistant" if i % 2 else "user", "content": self.message(i)} for i in range(2 * turns)]
        messages.append({"role": "user", "content": f"{self.n} " + self.message(200 + self.n)})
        body = json.dumps({"model": "m", "messages": messages}, ensure_ascii=False).encode()
        self.connection.request("POST", self.path, body, {"Content-Type": "application/json", "X-Filterd-Session": "s-1"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            sys.exit(f"turns.py: {answer.status} {text[:200]}")


def measure(pid, conversation, rounds):
    """Microseconds of a request of turn 2 and of turn 50, of the processor and elapsed: medians of the blocks."""
    figures, elapsed = {2: [], 50: []}, {2: [], 50: []}
    for turns in figures:
        for _ in range(BLOCKS * BLOCK):
            conversation.send(turns)
    for _ in range(rounds * BLOCKS):
        for turns, kept in figures.items():
            conversation.send(turns)  # after one of the other length
            before, began = spent(pid), time.monotonic_ns()
            for _ in range(BLOCK):
                conversation.send(turns)
            elapsed[turns].append((time.monotonic_ns() - began) / BLOCK / 1000)
            kept.append((spent(pid) - before) / BLOCK / 1000)
    return [{turns: sorted(kept)[len(kept) // 2] for turns, kept in each.items()} for each in (figures, elapsed)]


def say(name, unit, value, n):
    print(json.dumps({"name": name, "unit": unit, "value": round(value, 3), "n": n}), flush=True)


def main(build, rounds=8, size=2048, delay_ms=40):
    upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    upstream.delay_s = delay_ms / 1000
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    port = upstream.server_address[1]
    work = pathlib.Path(tempfile.mkdtemp(prefix="filterd-turns."))
    (work / "upstreams.yaml").write_text(f"upstreams: {{ai: {{protocol: openai, url: 'http://127.0.0.1:{port}'}}}}\n")
    (work / "policy.yaml").write_text(POLICY)
    processes = []
    try:
        bare, bare_port = start("ready port=", f"{build}/bench/pass_proxy", "1", str(port))
        processes.append(bare)
        filterd, filterd_port = start(
            r"ready listen=127\.0\.0\.1:", f"{build}/bin/filterd", "--listen=127.0.0.1:0", "--operators=none", "--threads=1",
            f"--upstreams={work}/upstreams.yaml", f"--policy={work}/policy.yaml",
            f"--state-directory={work}/state", f"--log={work}/decisions.jsonl", f"--cache-directory={work}/cache")
        processes.append(filterd)
        floor, _ = measure(bare.pid, Conversation(bare_port, "", size, False), rounds)
        say("turns.floor.2", "us", floor[2], rounds * BLOCKS * BLOCK)
        say("turns.floor.50", "us", floor[50], rounds * BLOCKS * BLOCK)
        say("turns.floor.ratio", "ratio", floor[50] / floor[2], rounds * BLOCKS * BLOCK)
        for name, has_findings in (("clean", False), ("found", True)):
            cost, elapsed = measure(filterd.pid, Conversation(filterd_port, "/ai", size, has_findings), rounds)
            net = {turns: cost[turns] - floor[turns] for turns in cost}
            say(f"turns.{name}.2", "us", cost[2], rounds * BLOCKS * BLOCK)
            say(f"turns.{name}.50", "us", cost[50], rounds * BLOCKS * BLOCK)
            say(f"turns.{name}.ratio", "ratio", cost[50] / cost[2], rounds * BLOCKS * BLOCK)
            say(f"turns.{name}.2.elapsed", "us", elapsed[2], rounds * BLOCKS * BLOCK)
            say(f"turns.{name}.50.elapsed", "us", elapsed[50], rounds * BLOCKS * BLOCK)
            say(f"turns.{name}.net_ratio", "ratio", net[50] / net[2], rounds * BLOCKS * BLOCK)
    finally:
        for process in processes:
            process.terminate()
            process.wait()
        shutil.rmtree(work)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
