"""make_spans.py FILE N: a decision log of N lines with a span of two parts each."""
import json
import sys

with open(sys.argv[1], 'w') as f:
    for i in range(int(sys.argv[2])):
        f.write(json.dumps({
            'seq': i + 1, 'node': 'web-%d' % (i % 2), 'boot_id': 'b', 'v': 2, 'type': 'decision', 'ts': '2026-11-23T07:00:00.000000000Z',
            'req_id': '01a1fee2-a580-7761-a879-%012x' % i, 'trace_id': '%032x' % (i // 3 + 1), 'span_id': '%016x' % (i + 1),
            'parent_span_id': 'b7ad6b7169203331', 'policy': {'name': 'default', 'digest': 'sha256:00'}, 'engine': '0.1.0',
            'action': 'allow', 'protocol': 'openai', 'upstream': 'ai', 'in_bytes': 1, 'judged_bytes': 1, 'out_bytes': 1, 'channels': [],
            'findings': [], 'elapsed_us': 70,
            'span': {'start': '2026-11-23T07:00:00.000%06dZ' % i, 'us': 90 + i,
                     'parts': [{'name': 'receive', 'at_us': 0, 'us': 40}, {'name': 'upstream', 'at_us': 40, 'us': 50 + i}]}},
            separators=(',', ':')) + '\n')
