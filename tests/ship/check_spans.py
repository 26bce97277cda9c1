"""check_spans.py LOG FILE: spans that came through a collector, one a line, say what the lines of the log say."""
import datetime
import json
import sys

spans = {s['spanId']: s for s in map(json.loads, open(sys.argv[2]))}
n = 0


def ns(text):
    moment = datetime.datetime.strptime(text[:19] + '+0000', '%Y-%m-%dT%H:%M:%S%z')
    return int(moment.timestamp()) * 10 ** 9 + int(text[20:29])


def check(span, line, name, at, us):
    start = ns(line['span']['start']) + 1000 * at
    assert (span['traceId'], span['name']) == (line['trace_id'], 'filterd.' + name), span
    assert (int(span['startTimeUnixNano']), int(span['endTimeUnixNano'])) == (start, start + 1000 * us), span


for line in map(json.loads, open(sys.argv[1])):
    own = spans[line['span_id']]
    check(own, line, 'exchange', 0, line['span']['us'])
    assert own['parentSpanId'] == line['parent_span_id'] and own['kind'] == 2, own
    attributes = {a['key']: a['value']['stringValue'] for a in own['attributes']}
    assert attributes == {'filterd.action': 'allow', 'filterd.policy': 'default', 'filterd.protocol': 'openai', 'filterd.upstream': 'ai',
                          'filterd.req_id': line['req_id']}, attributes
    children = {s['name']: s for s in spans.values() if s.get('parentSpanId') == line['span_id']}
    assert len(children) == len(line['span']['parts']), children
    for part in line['span']['parts']:
        check(children['filterd.' + part['name']], line, part['name'], part['at_us'], part['us'])
    n += 1 + len(children)
print('spans:', n, 'compared')
sys.exit(n == 0)
