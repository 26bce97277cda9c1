"""compare.py PROGRAMS: filterd's Presidio interface beside Presidio's own engines, on the same requests.

Status and JSON of each answer must be equal as a whole. Where filterd means to answer otherwise, the case gives both answers and the
reason, and both are checked: a difference that is gone fails as well. docs/contracts.md says them to users. Exit code 0: all as described.
"""
import json
import os
import random
import sys
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../benchmarks'))
from cases import ANALYZE, ANONYMIZE, DEANONYMIZE, DOCUMENTED, RULES
from engines import Analyzer, Anonymizer
from service import free_port, service

ROUNDS = 3000
failures = []


def ask(url, path, body):
    request = urllib.request.Request(url + path, json.dumps(body).encode(), {'Content-Type': 'application/json'})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as e:
        return e.code, json.load(e)


def expect(what, wanted, got):
    if wanted != got:
        failures.append(what)
        print('FAILED %s\n  wanted %s\n  got    %s' % (what, json.dumps(wanted), json.dumps(got)))


def compare(url, path, engine, cases):
    """Each case: a name, the body, and for a meant difference its reason and filterd's answer."""
    n_meant = 0
    for name, body, *meant in cases:
        theirs, ours = engine(body), ask(url, path, body)
        if not meant:
            expect('%s: %s' % (path, name), list(theirs), list(ours))
            continue
        reason, wanted = meant
        n_meant += 1
        expect('%s: %s (%s)' % (path, name, reason), list(wanted), list(ours))
        if theirs == ours:
            failures.append(name)
            print('FAILED %s: %s: no difference any more: %s' % (path, name, reason))
    print('%s: %d requests, %d of them with a difference that is meant' % (path, len(cases), n_meant))


def compare_places(url, analyzer):
    """filterd's rules and Presidio's recognizers: the type and place of what both look for. Scores are each one's own."""
    n_meant = 0
    for entity, text, *meant in RULES:
        body = {'text': text, 'language': 'en', 'entities': [entity], 'score_threshold': 0.4}
        answers = analyzer.analyze(body), ask(url, '/analyze', body)
        places = [(status, sorted([r['entity_type'], text[r['start']:r['end']]] for r in results)) for status, results in answers]
        if meant:
            reason, theirs, ours = meant
            n_meant += 1
            expect('%s (%s): Presidio' % (text, reason), [200, [[entity, t] for t in theirs]], list(places[0]))
            expect('%s (%s): filterd' % (text, reason), [200, [[entity, t] for t in ours]], list(places[1]))
        else:
            expect(text, list(places[0]), list(places[1]))
    print('rules: %d texts, %d of them with a difference that is meant' % (len(RULES), n_meant))


def random_body(source):
    """A text with results of three types anywhere in it, touching, equal, contained, overlapping, and operators with one outcome."""
    text = ''.join(source.choice('ab  é\u4e2d\U0001f600\n') for _ in range(source.randrange(1, 30)))
    results = []
    for _ in range(source.randrange(7)):
        start = source.randrange(len(text))
        results.append({'start': start, 'end': source.randrange(start + 1, len(text) + 1), 'score': source.choice((0.2, 0.5, 1.0)),
                        'entity_type': source.choice('ABC')})
    operators = ({'type': 'replace', 'new_value': source.choice(('', '*', '\u4e2d'))}, {'type': 'redact'}, {'type': 'keep'}, {'type': 'replace'},
                 {'type': 'mask', 'masking_char': source.choice('*é'), 'chars_to_mask': source.randrange(9), 'from_end': source.random() < 0.5},
                 {'type': 'hash', 'hash_type': source.choice(('sha256', 'sha512')), 'salt': '0123456789abcdefé'})
    return {'text': text, 'analyzer_results': results,
            'anonymizers': {name: source.choice(operators) for name in ('A', 'B', 'C', 'DEFAULT') if source.random() < 0.7}}


def compare_random(url, anonymizer):
    source = random.Random(23)
    for i in range(ROUNDS):
        body = random_body(source)
        expect('/anonymize: made-up request %d: %s' % (i, json.dumps(body)), list(anonymizer.anonymize(body)), list(ask(url, '/anonymize', body)))
        if len(failures) > 20:
            sys.exit(1)
    print('/anonymize: %d made-up requests' % ROUNDS)


def compare_encryption(url, anonymizer):
    """Ciphertexts differ each time: what one encrypts, the other decrypts."""
    text, n = 'Call Zoë at +46 8 123 456.', 0
    results = [{'start': 5, 'end': 8, 'score': 0.9, 'entity_type': 'PERSON'}, {'start': 12, 'end': 25, 'score': 0.7, 'entity_type': 'PHONE_NUMBER'}]
    sides = {'Presidio': (anonymizer.anonymize, anonymizer.deanonymize),
             'filterd': (lambda b: ask(url, '/anonymize', b), lambda b: ask(url, '/deanonymize', b))}
    for key in ('k' * 16, 'k' * 24, 'é' * 16):
        for name, (encrypt, _) in sides.items():
            status, hidden = encrypt({'text': text, 'analyzer_results': results, 'anonymizers': {'DEFAULT': {'type': 'encrypt', 'key': key}}})
            expect('%s encrypts' % name, [200, False], [status, 'Zoë' in hidden['text']])
            for other, (_, decrypt) in sides.items():
                status, shown = decrypt({'text': hidden['text'], 'anonymizer_results': hidden['items'],
                                         'deanonymizers': {'DEFAULT': {'type': 'decrypt', 'key': key}}})
                expect('%s decrypts what %s encrypted' % (other, name), [200, text, ['+46 8 123 456', 'Zoë']],
                       [status, shown.get('text'), [i['text'] for i in shown.get('items', [])]])
                n += 1
    print('encryption: %d ways' % n)


def main():
    own, anonymizer = Analyzer(True), Anonymizer()
    brought = Analyzer(False)
    with service(sys.argv[1], None, free_port()) as port:
        url = 'http://127.0.0.1:%d' % port
        compare(url, '/analyze', brought.analyze, ANALYZE)
        compare(url, '/analyze', own.analyze, DOCUMENTED)
        compare_places(url, own)
        compare(url, '/anonymize', anonymizer.anonymize, ANONYMIZE)
        compare(url, '/deanonymize', anonymizer.deanonymize, DEANONYMIZE)
        compare_random(url, anonymizer)
        compare_encryption(url, anonymizer)
    print('%d of them FAILED' % len(failures) if failures else 'all as described')
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
