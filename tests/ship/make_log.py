"""make_log.py PATH N [FIRST]: appends N lines to a decision log, of every type of the schema and as long as real ones;
numbers from FIRST on.

Made lines, not filterd's: a million of them take seconds, and kills, losses and names that are markup are among them.
"""
import datetime
import json
import sys

RULES = [('github-personal-token', 'secret', 'critical', 'block'), ('iban', 'pii', 'high', 'redact'),
         ('override-instructions', 'injection', 'medium', 'redact'), ('profanity-en', 'content', 'low', 'allow')]
NAMES = ['support-7', 'coder', 'a|b=c\\d', 'zeile\neins', '<b>bold</b>', '\u202eodd', 'e\u0301\u0302']


def finding(i, rule, category, severity, action):
    return {'source': 'rule', 'rule': rule, 'category': category, 'severity': severity, 'channel': 0, 'path': '/choices/0/message/content',
            'start': i % 900, 'end': i % 900 + 40, 'len': 40, 'view': 'raw', 'score': 0.95, 'action': action, 'checks': ['checksum'],
            'value_tok': f'k1:{i * 2654435761 % 2 ** 128:032x}'}


def decision(i, line):
    line.update(req_id=f'01a1fee2-a580-7761-a879-{i:012x}', tenant='acme' if i % 3 else 'umbrella', app='chat', route='/v1/filter',
                agent=NAMES[i % len(NAMES)], session=f'k1:{i // 20:032x}',
                policy={'name': 'default', 'digest': 'sha256:' + '95' * 32}, engine='0.1.0')
    if i % 33 == 5:
        findings = [finding(i, *RULES[k % 4]) for k in range(i, i + 1 + i % 3)]
        strictest = min(findings, key=lambda f: ['block', 'redact', 'allow'].index(f['action']))
        line.update(action=strictest['action'], rule=strictest['rule'], findings=sorted(findings, key=lambda f: f['action'] != strictest['action']),
                    review={'why': 'action', 'due_s': 86400})
    elif i % 997 == 7:
        line.update(action='block', rule='filterd.unjudged', reason='too many findings', findings=[])
    elif i % 50 == 9:
        line.update(phase='open', protocol='openai', upstream='openai')
        return
    else:
        line.update(action='allow', findings=[])
    line.update(in_bytes=2048, judged_bytes=2048, out_bytes=2048, channels=[{'channel': 0, 'path': '', 'bytes': 2048, 'judged': 2048}],
                input_tok=f'k1:{i:032x}', elapsed_us=i % 3000)


def kill(is_verified):
    return {'kill': {**({'verified': True} if is_verified else {}), 'survivors': 0 if is_verified else 2, 'processes': 3,
                     'steps': ['freeze', 'cgroup_kill'], 'rounds': 1, 'tries': 1}}


def other(i, line):
    agent = {'tenant': 'acme', 'agent': NAMES[i % len(NAMES)], 'jail': 'coder', 'by': 'policy', 'why': 'score 12.0', 'state': 'killed',
             'violations': 12.0, 'counts': {'block': 3}}
    person, sha256, token = {'by': 'anna', 'role': 'reviewer'}, f'{i:064x}', f'k1:{i:032x}'
    origin, until = 'web-1/filterd/5f0c9d1e7ab24f31', '2027-01-01T00:00:00.000000000Z'
    kinds = [('agent', {'event': 'kill', **agent}), ('agent', {'event': 'killed', **agent, **kill(True)}),
             ('agent', {'event': 'not_killed', **agent, **kill(False)}), ('agent', {'event': 'throttle', **agent}),
             ('rotation', {'origin': origin}), ('loss', {'lines_lost': 3}), ('recovery', {'bytes_dropped': 17}),
             ('second-look', {'req_id': f'01a1fee2-a580-7761-a879-{i:012x}', 'engine': '0.1.0', 'action': 'block', 'rule': 'supervisor.harm',
                              'supervisor': {'outcome': 'answered', 'verdict': 'violation', 'category': 'harm', 'confidence': 0.9,
                                             'latency_us': 1500, 'attempts': 1}}),
             ('log', {'origin': origin, 'vkey': 'a+00000000+AA==', 'before': {'sha256': sha256, 'last_seq': i}}),
             ('review', {'item': i, 'step': 'dispose', 'from': 'claimed', 'to': 'closed', 'disposition': 'true_positive', **person}),
             ('access', {'what': 'list', 'query': 'action:block tenant:"a|b=c"', 'ip_tok': token, **person}),
             ('reveal', {'request': f'r{i}', 'step': 'asked', 'tenant': 'acme', 'item': i, 'purpose': 'incident', **person}),
             ('exception', {'id': f'e{i}', 'step': 'proposed', 'tenant': 'acme', 'rule': 'iban', 'scope': 'value', 'value_tok': token,
                            'preview': {'findings': 3, 'confirmed': 0}, 'until': until, **person}),
             ('admin', {'what': 'policy', 'before': 'sha256:' + sha256, 'after': 'sha256:' + sha256, 'by': 'start'}),
             ('hold', {'id': f'h{i}', 'step': 'set', 'filter': 'agent:coder', 'until': until, 'why': 'litigation', 'by': 'anna'}),
             ('erasure', {'subject_tok': token, 'keks': [f'kek-{i}'], 'blobs': 2, 'by': 'anna', 'approver': 'ben', 'step': 'done'}),
             ('rewrap', {'blob': f'{i:016x}', 'old': sha256, 'new': sha256, 'by': 'anna'}),
             ('prune', {'files': ['decisions.jsonl.1'], 'sha256': [sha256], 'first': 1, 'last': i, 'lines': i}),
             ('scan', {'source': 's3://answers', 'snapshot': 'v7', 'digest': 'sha256:' + sha256, 'engine': '0.1.0', 'rows': i, 'nulls': 0,
                       'unjudged': 0, 'bytes': 100 * i, 'actions': {'block': 0, 'redact': i, 'allow': 0},
                       'rules': [{'rule': 'iban', 'findings': i}], **person})]
    line['type'], members = kinds[i // 101 % len(kinds)]
    line.update(members)


path, count = sys.argv[1], int(sys.argv[2])
first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
with open(path, 'a') as out:
    for seq in range(first, first + count):
        now = datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.%f') + f'{seq % 1000:03d}Z'
        record = {'seq': seq, 'node': 'web-1', 'boot_id': '6c1c5dd7-1a0f-4f4b-8d3c-d0c6dbd4f2ab', 'v': 2, 'type': 'decision', 'ts': now}
        (other if seq % 101 == 3 else decision)(seq, record)
        out.write(json.dumps(record, ensure_ascii=False, separators=(',', ':')) + '\n')
