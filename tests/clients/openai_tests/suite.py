"""suite.py PROGRAMS [SDK]: openai-python's own tests/api_resources, directly and through the proxy with `other_routes: judge`.

The upstream is openai_mock.py; SDK is the unpacked source distribution
(that of this Python's version of openai, beside its environment). Prints what passes both ways and each class of differences.
Exit code 0: every test that passes directly passes through the proxy, or fails for one of the reasons in KNOWN, and no more do
for that reason than are known. FILTERD_OPENAI_FAILURES=FILE writes the failures as JSON.
"""
import collections
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../benchmarks'))
import openai_mock
from service import service

# What the proxy does not pass, and how many tests need it: reason -> (pattern of the failure, number).
KNOWN = {}


def outcomes(sdk, url, work):
    """By name of the test: None when it passed, else the first line of its failure; skipped ones are left out."""
    report = os.path.join(work, 'report.xml')
    environment = dict(os.environ, TEST_API_BASE_URL=url)
    subprocess.run([sys.executable, '-m', 'pytest', 'tests/api_resources', '-q', '-n', os.environ.get('FILTERD_JOBS', '2'),
                    '--tb=line', '--junitxml=' + report, '-W', 'ignore'], cwd=sdk, env=environment, stdout=subprocess.DEVNULL, check=False)
    out = {}
    for case in xml.etree.ElementTree.parse(report).getroot().iter('testcase'):
        failure = next((e for e in case if e.tag in ('failure', 'error')), None)
        if case.find('skipped') is None:
            out[case.get('classname') + '.' + case.get('name')] = None if failure is None else failure.get('message', '').split('\n')[0]
    return out


def class_of(message):
    """The status and its sentence, without what varies."""
    found = re.search(r"Error code: (\d+).*?'(?:message|detail)': ['\"]([^'\"]*)", message or '')
    return '%s %s' % found.groups() if found else re.sub(r'\b0x[0-9a-f]+\b', '', (message or '')[:100])


def unpacked():
    return str(pathlib.Path(sys.prefix).parent / f"openai-{importlib.metadata.version('openai')}")


def main(programs, sdk):
    server = openai_mock.serve()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    with tempfile.TemporaryDirectory(prefix='filterd-openai.') as work:
        directly = outcomes(sdk, 'http://127.0.0.1:%d/v1' % port, work)
        with service(programs, None, port, 'other_routes: judge') as proxy:
            through = outcomes(sdk, 'http://127.0.0.1:%d/capture/v1' % proxy, work)
    return report(directly, through)


def by_class(failures):
    """Names of tests by class of failure, the largest class first."""
    out = collections.defaultdict(list)
    for name, failure in failures.items():
        out[class_of(failure)].append(name)
    return sorted(out.items(), key=lambda item: -len(item[1]))


def is_known(failure, names):
    return any(pattern.match(failure) and len(names) <= most for pattern, most in KNOWN.values())


def report(directly, through):
    passes = [name for name, failure in directly.items() if failure is None]
    failed = {name: failure for name, failure in directly.items() if failure is not None}
    lost = {name: through.get(name, 'did not run') for name in passes if through.get(name, 'did not run') is not None}
    n = len(passes) - len(lost)
    print('openai-python: %d tests, %d pass directly, %d of these through the proxy: %.2f %%' % (
        len(directly), len(passes), n, 100 * n / max(len(passes), 1)))
    for where, failures in (('directly', failed), ('through the proxy', lost)):
        for failure, names in by_class(failures):
            print('  %s %d fail: %s, such as %s' % (where, len(names), failure, names[0]))
    if os.environ.get('FILTERD_OPENAI_FAILURES'):
        with open(os.environ['FILTERD_OPENAI_FAILURES'], 'w') as f:
            json.dump({'directly': failed, 'through': lost}, f, indent=1)
    return not passes or not all(is_known(failure, names) for failure, names in by_class(lost))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else unpacked()))
