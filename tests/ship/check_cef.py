"""check_cef.py LOG TAKEN: the messages that a syslog receiver wrote have every line of the log, parsed as CEF's rules say."""
import json
import re
import sys

def unescape(text, special):
    return re.sub(r'\\(.)', lambda m: {'n': '\n', 'r': '\r'}.get(m[1], m[1]) if special == '=' else m[1], text)


def parse(message):
    """The header's fields and the extension, by ArcSight's implementation standard."""
    fields, at = [], 0
    for _ in range(7):
        begin = at
        while message[at] != '|':
            at += 2 if message[at] == '\\' else 1
        fields.append(unescape(message[begin:at], '|'))
        at += 1
    extension, text = {}, message[at:]
    keys = list(re.finditer(r'(?:^| )([A-Za-z0-9]+)(?<!\\)=', text))
    for key, following in zip(keys, keys[1:] + [None]):
        extension[key[1]] = unescape(text[key.end():following.start() if following else len(text)], '=')
    assert fields[0] == 'CEF:0', message
    return fields, extension


def visible(text):
    return ''.join(' ' if (ord(c) < 32 and c not in '\n\r') or ord(c) == 127 else c for c in text)


taken, twice = {}, 0
for text in open(sys.argv[2], newline='\n'):
    stamp, host, app, msgid, facility, message = text.rstrip('\n').split(' ', 5)
    fields, extension = parse(message.lstrip(' '))
    seq = int(extension['cn1'])
    twice += seq in taken
    taken[seq] = (stamp, host, app, msgid, facility, fields, extension)
n = 0
for text in open(sys.argv[1]):
    line = json.loads(text)
    stamp, host, app, msgid, facility, fields, extension = taken.pop(line['seq'])
    assert (host, app, msgid, facility) == (line['node'], 'filterd', line['type'], '13'), text
    assert stamp[:26] == line['ts'][:26], (stamp, text)
    assert fields[1:3] == ['filterd', 'filterd'], fields
    assert fields[4] == line.get('rule', line.get('event', line['type'])), (fields, text)
    assert 1 <= int(fields[6]) <= 10, fields
    for key, name in (('act', 'action'), ('externalId', 'req_id'), ('cs1', 'tenant'), ('suser', 'agent'), ('reason', 'reason')):
        assert extension.get(key) == (visible(line[name]) if name in line else None), (key, extension, text)
    rules = ','.join(dict.fromkeys(f['rule'] for f in line.get('findings', [])))
    assert extension.get('cs5', '') == rules, (extension, text)
    n += 1
assert not taken, f'{len(taken)} messages of no line'
print('cef:', n, 'lines compared,', twice, 'of them came twice')
