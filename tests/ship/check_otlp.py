"""check_otlp.py FILE: log records that came through a collector, one a line with its resource, say what their bodies say."""
import datetime
import hashlib
import json
import sys

SEVERITY = {'allow': 9, 'redact': 13, 'block': 17}
n = 0


def plain(value):
    (kind, inner), = value.items()
    return [plain(v) for v in inner.get('values', [])] if kind == 'arrayValue' else int(inner) if kind == 'intValue' else inner


def flat(record, prefix='filterd.'):
    for name, value in record.items():
        if isinstance(value, dict):
            yield from flat(value, f'{prefix}{name}.')
        elif isinstance(value, list) and any(isinstance(v, dict) for v in value):
            yield prefix + name, len(value)
        else:
            yield prefix + name, value


def ns(text):
    moment = datetime.datetime.strptime(text[:19] + '+0000', '%Y-%m-%dT%H:%M:%S%z')
    return int(moment.timestamp()) * 10 ** 9 + int(text[20:29])


for text in open(sys.argv[1]):
    resource, record = json.loads(text)
    body = record['body']['stringValue']
    line = json.loads(body)
    attributes = {a['key']: plain(a['value']) for a in record['attributes']}
    expected = dict(flat(line), **{'filterd.leaf': hashlib.sha256(b'\0' + body.encode()).hexdigest()})
    if 'findings' in line:
        expected['filterd.rules'] = list(dict.fromkeys(f['rule'] for f in line['findings']))
    assert attributes == expected, (attributes, expected)
    assert int(record['timeUnixNano']) == ns(line['ts']), text
    assert record.get('eventName') == 'filterd.' + line['type'], record.get('eventName')
    if 'action' in line:
        assert record['severityNumber'] == SEVERITY[line['action']], text
    assert resource == {'service.name': 'filterd', 'service.instance.id': line['node']}, resource
    n += 1
print('otlp:', n, 'records compared')
sys.exit(n == 0)
