"""service.py: one filterd of a test's own, on a free port."""
import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

READY_S = 120
RULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../rules')
STRICT_RULES = """rules:
  - id: us-number
    title: Anything that is written as US numbers of persons are
    category: pii
    severity: medium
    pattern: '[0-9]{3}-(?:[0-9]{2}|[0-9]{3})-[0-9]{4}'
    boundary: token
    confidence: 0.5
    match: ['916-35-2555', '977-555-0118']
    no_match: ['977-5555-0118']
"""


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def silence():
    """The URL of a service that takes requests and never answers."""
    with socket.create_server(('127.0.0.1', 0)) as s:
        yield 'http://127.0.0.1:%d' % s.getsockname()[1]


@contextlib.contextmanager
def service(programs, policy, upstream_port, more=''):
    with tempfile.TemporaryDirectory(prefix='filterd-benchmarks.') as work:
        with open(work + '/upstreams.yaml', 'w') as f:
            f.write('upstreams: {capture: {protocol: openai, url: "http://127.0.0.1:%d"%s}}\n' % (upstream_port, more and ', ' + more))
        options = ['--listen=127.0.0.1:0', '--operators=unix:%s/o.sock' % work, '--state-directory=%s/state' % work,
                   '--cache-directory=%s/cache' % work, '--upstreams=%s/upstreams.yaml' % work]
        if policy:
            with open(work + '/policy.yaml', 'w') as f:
                f.write(policy)
            shutil.copytree(RULES, work + '/rules')
            os.mkdir(work + '/rules/own')
            with open(work + '/rules/own/us-number.yaml', 'w') as f:
                f.write(STRICT_RULES)
            options += ['--policy=%s/policy.yaml' % work, '--rules=%s/rules' % work]
        with open(work + '/log', 'w+') as log:
            child = subprocess.Popen([os.path.join(programs, 'filterd')] + options, stderr=log)
            try:
                yield ready(child, work + '/log')
            finally:
                child.terminate()
                child.wait()


def ready(child, log):
    until = time.monotonic() + READY_S
    while time.monotonic() < until and child.poll() is None:
        with open(log) as f:
            found = re.search(r'ready listen=127\.0\.0\.1:(\d+) ', f.read())
        if found:
            return int(found.group(1))
        time.sleep(0.05)
    sys.exit('filterd was not ready:\n' + open(log).read()[-2000:])
