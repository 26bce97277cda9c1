"""run.py PROGRAMS: public benchmarks of streams against filterd, with the policy as shipped and with one that lets no placeholder pass.

pii-leak-benchmark (response-split profile v2) puts personal data into 32 answers behind the proxy, whole and cut at every
place; chunk-invariance compares each cutting of a text through /v1/streams with /v1/filter's redaction of the whole.
Exit code 0: cut is never worse than whole, and what the shipped policy lets out is what is listed here, with its reason.
"""
import http.client
import json
import sys

from chunk_invariance import assert_chunk_invariant
from chunk_invariance._check import DEFAULT_SAMPLES
from pii_leak_benchmark import v2_emitter

from service import free_port, service

SEEDS = ('0123456789abcdef', 'a1b2c3d4e5f60001')
# The benchmark's fixtures that nobody has: rules know them, at a confidence that the shipped policy does not act on.
PLACEHOLDERS = {
    'EMAIL': 'addresses at example.com, which RFC 2606 reserves for documentation',
    'SSN': 'area numbers 900 to 999, which are never issued',
    'USPHONE': 'numbers 555-0100 to 555-0199, which are kept for fiction, with no word for a telephone beside them',
}
STRICT = """policies:
  default:
    rules: [secrets, pii, injection, content, own]
    actions:
      - {category: secret, action: redact}
      - {category: pii, action: redact}
    notice: "This answer was withheld by policy."
"""
TEXTS = DEFAULT_SAMPLES + (
    'mail anna.berg@nordwind-software.se or call +46 8 123 456 78, card 5555 5555 5555 4444.',
    'key AKIAQ3EGVK7ZR5XPMW2L and its text aGVsbG8gYW5uYS5iZXJnQG5vcmR3aW5kLXNvZnR3YXJlLnNl behind it',
    'Nothing of this line is anybody\'s, and all of it comes out.',
)


class Filter:
    """/v1/filter and /v1/streams over one connection."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection('127.0.0.1', port, timeout=30)

    def post(self, path, body):
        self.connection.request('POST', path, json.dumps(body), {'Content-Type': 'application/json'})
        answer = self.connection.getresponse()
        read = answer.read()
        if answer.status not in (200, 201):
            raise RuntimeError('%s: %d %s' % (path, answer.status, read.decode()))
        return json.loads(read)

    def whole(self, text):
        return self.post('/v1/filter', {'text': text})['text'] or ''

    def streamed(self, chunks):
        stream = '/v1/streams/' + self.post('/v1/streams', {})['id']
        for chunk in chunks:
            yield self.post(stream + '/chunks', {'text': chunk})['text'] or ''
        yield self.post(stream + '/end', {})['text'] or ''


def leaks(port, upstream_port, seed):
    report, summary = v2_emitter.run_policy('filterd', seed=seed, gateway_url='http://127.0.0.1:%d/capture/v1/chat/completions' % port,
                                            upstream_port=upstream_port, oracle='exhaustive-2-part')
    found = next(check for check in report['checks'].values() if isinstance(check, dict) and check.get('segment') == 'injection')
    return summary, set(found['leaked_entity_types'])


def judge(name, seed, summary, leaked, allowed):
    wrong = []
    if summary['cases_applicable'] == 0 or summary['inconclusive']:
        wrong.append('%d cases, %d inconclusive' % (summary['cases_applicable'], summary['inconclusive']))
    if summary['leak_adversarial'] > summary['leak_single_chunk']:
        wrong.append('cut is worse than whole')
    if leaked - allowed:
        wrong.append('leaked: ' + ', '.join(sorted(leaked - allowed)))
    print('pii-leak-benchmark, %s policy, seed %s: whole %s, cut %s of %d cases; leaked: %s' % (
        name, seed, summary['leak_single_chunk'], summary['leak_adversarial'], summary['cases_applicable'],
        ', '.join(sorted(leaked)) or 'nothing'))
    return wrong


def invariant(name, port):
    judged = Filter(port)
    wrong, tried = [], 0
    for text in TEXTS:
        try:
            tried += assert_chunk_invariant(judged.streamed, judged.whole, text)
        except AssertionError as error:
            wrong.append(str(error))
    print('chunk-invariance, %s policy: %d cuttings of %d texts, %d differ' % (name, tried, len(TEXTS), len(wrong)))
    return wrong


def main(programs):
    wrong = []
    for name, policy, allowed in (('shipped', None, set(PLACEHOLDERS)), ('strict', STRICT, set())):
        upstream_port = free_port()
        with service(programs, policy, upstream_port) as port:
            for seed in SEEDS:
                wrong += judge(name, seed, *leaks(port, upstream_port, seed), allowed)
            wrong += invariant(name, port)
    for line in wrong:
        print('FAILED: ' + line)
    return 1 if wrong else 0


sys.exit(main(sys.argv[1]))
