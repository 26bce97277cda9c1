#!/usr/bin/env python3
"""crossing.py WORK N NODE…: N agents whose violations come to all nodes; when is the threshold that their sum crosses on record?

Half of the agents go from node to node, one violation after the other; of the others each node gets its share at the same moment.
Every agent reaches 10 exactly, the threshold of an alert. Prints the milliseconds from the answer to the last violation to the
line in a node's log: median, 99th percentile, greatest; and fails when a line is missing, or there twice."""
import http.client, json, pathlib, sys, threading, time

work, n, nodes = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
text = b'key E2EKEY-4kq9Zt7Xw2Lm8Rv5Bn3Jc6Hd'
local = threading.local()
VIOLATIONS = 10


def send(node, agent):
    links = local.__dict__.setdefault('links', {})
    if node not in links:
        links[node] = http.client.HTTPConnection((work / node / 'address').read_text().strip())
    links[node].request('POST', f'/v1/filter?agent={agent}', text, {'Content-Type': 'text/plain'})
    answer = links[node].getresponse()
    body = json.loads(answer.read())
    assert answer.status == 200 and body['action'] == 'redact', body
    return time.time()


class Logs:
    """The alerts of all nodes: agent → times at which the line was seen."""
    def __init__(self):
        self.files = [open(work / node / 'decisions.jsonl') for node in nodes]
        self.rest, self.alerts = [''] * len(nodes), {}
        for file in self.files:
            file.seek(0, 2)

    def look(self):
        now = time.time()
        for i, file in enumerate(self.files):
            *lines, self.rest[i] = (self.rest[i] + file.read()).split('\n')
            for line in lines:
                if '"event":"alert"' in line:
                    line = json.loads(line)
                    assert line['by'] == 'policy', line
                    self.alerts.setdefault(line['agent'], []).append(now)

    def wait(self, agent, until):
        while agent not in self.alerts and time.time() < until:
            self.look()
            time.sleep(0.0005)


def one_by_one(agent):
    return max(send(nodes[i % len(nodes)], agent) for i in range(VIOLATIONS))


def at_once(agent):
    times = []
    def share(node, count):
        for _ in range(count):
            times.append(send(node, agent))
    shares = [VIOLATIONS // len(nodes) + (i < VIOLATIONS % len(nodes)) for i in range(len(nodes))]
    threads = [threading.Thread(target=share, args=one) for one in zip(nodes, shares)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert len(times) == VIOLATIONS, 'a request failed'
    return max(times)


logs, took = Logs(), []
for i in range(n):
    agent = f'crossing-{i}'
    last = one_by_one(agent) if i % 2 == 0 else at_once(agent)
    logs.wait(agent, last + 10)
    if agent not in logs.alerts:
        sys.exit(f'{agent}: no alert')
    took.append((logs.alerts[agent][0] - last) * 1000)
time.sleep(2)
logs.look()
twice = [agent for agent, times in logs.alerts.items() if len(times) != 1]
took.sort()
print(f'crossings={n} median_ms={took[n // 2]:.1f} p99_ms={took[min(n - 1, n * 99 // 100)]:.1f} greatest_ms={took[-1]:.1f} twice={len(twice)}')
sys.exit(f'recorded twice: {twice[:5]}' if twice else 0)
