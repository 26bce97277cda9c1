#!/usr/bin/env python3
"""Ways to write a token, as the threat model's table lists them: each row of it is tried with three tokens.

usage: forms.py texts|documents        one JSON line a try: row, rule, and the text or the document
       forms.py compare TABLE RESULTS  whether the table says of each row what the results say

A row is `yes` when each of its forms is caught for each token, `no` when none is, `partly` when some are. Caught means
that the token's own rule finds it and the policy acts, or that the whole text is blocked.
"""
import base64
import binascii
import bz2
import gzip
import json
import quopri
import sys
import zlib

TOKENS = {
    'github-personal-token': 'ghp_kR7mXq2Vt9LwZ4bNc8JdYs3HfPa6Eg0Bn4gU',
    'aws-access-key-id': 'AKIAQ3EGRVZ7MXK2PLWT',
    'stripe-secret-key': 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
}


def with_checksum(body):
    digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    crc, out = zlib.crc32(body.encode()), ''
    for _ in range(6):
        crc, rest = divmod(crc, 62)
        out = digits[rest] + out
    return 'ghp_' + body + out


TOKENS['github-personal-token'] = with_checksum('kR7mXq2Vt9LwZ4bNc8JdYs3HfPa6Eg')

ZERO, JOINER = '\u200b', '\u200d'


def parts(text, size):
    return [text[i:i + size] for i in range(0, len(text), size)]


def halves(text):
    return text[:len(text) // 2], text[len(text) // 2:]


def b64(data, width=0):
    text = base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()
    return ''.join(line + '\n' for line in parts(text, width)) if width else text


def each(form, joint=''):
    return lambda t: joint.join(form.format(ord(c)) for c in t)


def joined(joint, size=1, before='', after=''):
    return lambda t: before + joint.join(parts(t, size)) + after


def two(pattern):
    return lambda t: pattern.format(*halves(t))


def quoted(joint, before='x = ', after='', quote='"', size=8):
    return lambda t: before + joint.join(quote + p + quote for p in parts(t, size)) + after


def full_width(text):
    return ''.join(chr(ord(c) + 0xfee0) for c in text)


def homoglyphs(text):
    twins = dict(zip('aeopcxyABEHKMOPTX', 'аеорсхуАВЕНКМОРТХ'))
    return ''.join(twins.get(c, c) for c in text)


def mathematical(text):
    return ''.join(chr(ord(c) - 65 + 0x1d400) if c.isupper() else chr(ord(c) - 97 + 0x1d41a) if c.islower() else c
                   for c in text)


def selectors(text):
    return 'ok' + ''.join(chr(0xe0100 + ord(c) - 16) for c in text)


def bits_in(zero, one):
    return lambda t: 'ok' + ''.join(zero if b == '0' else one for c in t for b in f'{ord(c):08b}')


def printable_mail(text):
    line = 'The key that you asked for some time ago is this one here: '
    return quopri.encodestring((line + text + ' and that is all there is to say of it.').encode()).decode()


def xxd(text, column=True):
    rows = []
    for i in range(0, len(text), 16):
        row = text[i:i + 16].encode().hex()
        body = ' '.join(parts(row, 4))
        rows.append(f'{i:08x}: {body:<39}' + ('  ' + text[i:i + 16] if column else ''))
    return '\n'.join(rows) + '\n'


def hexdump(text):
    rows = []
    for i in range(0, len(text), 16):
        chunk = text[i:i + 16]
        body = ' '.join(f'{ord(c):02x}' for c in chunk[:8]) + '  ' + ' '.join(f'{ord(c):02x}' for c in chunk[8:])
        rows.append(f'{i:08x}  {body:<48}  |{chunk}|')
    return '\n'.join(rows) + '\n'


def base_n(text, digits):
    number, out = int.from_bytes(text.encode(), 'big'), ''
    while number:
        number, rest = divmod(number, len(digits))
        out = digits[rest] + out
    return out


def z85(text):
    digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#'
    data, out = text.encode().ljust(-len(text) % 4 + len(text), b'\0'), ''
    for i in range(0, len(data), 4):
        value, part = int.from_bytes(data[i:i + 4], 'big'), ''
        for _ in range(5):
            value, rest = divmod(value, 85)
            part = digits[rest] + part
        out += part
    return out


def shifted(n):
    def shift(t):
        return ''.join(chr((ord(c) - 65 + n) % 26 + 65) if c.isupper() else
                       chr((ord(c) - 97 + n) % 26 + 97) if c.islower() else c for c in t)
    return shift


def atbash(text):
    return ''.join(chr(155 - ord(c)) if c.isupper() else chr(219 - ord(c)) if c.islower() else c for c in text)


MORSE = dict(zip('abcdefghijklmnopqrstuvwxyz0123456789_', (
    '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. '
    '----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. ..--.-').split()))
NATO = dict(zip('abcdefghijklmnopqrstuvwxyz', (
    'alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo '
    'sierra tango uniform victor whiskey xray yankee zulu').split()))
NUMBERS = 'zero one two three four five six seven eight nine'.split()
WORDS = ('apple bread chair dance eagle fruit grass house igloo juice knife lemon mouse night ocean piano quiet river '
         'stone table uncle voice water xenon youth zebra').split()


def acrostic(text):
    return '\n'.join((WORDS[ord(c.lower()) - 97].capitalize() if c.isalpha() else c) + ' and so on.' for c in text)


def upside_down(text):
    table = dict(zip('abcdefghijklmnopqrstuvwxyz', 'ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz'))
    return ''.join(table.get(c.lower(), c) for c in reversed(text))


def numbered(text):
    return ''.join(f'{i + 1}. {p}\n' for i, p in enumerate(parts(text, 8)))


def named(text):
    names = [f'p{i + 1}' for i in range(len(parts(text, 10)))]
    return ''.join(f'{n} = "{p}"\n' for n, p in zip(names, parts(text, 10))) + 'key = ' + ' + '.join(names) + '\n'


# Rows of the table: the forms of each, as texts.
TEXTS = {
    'look-alike letters': [homoglyphs],
    'full width, mathematical letters': [full_width, mathematical],
    'zero-width and soft hyphen': [joined(ZERO, 4), joined(JOINER, 2), lambda t: t[:2] + '\u00ad' + t[2:]],
    'control characters that show as nothing': [joined('\0', 4), joined('\x7f', 2), lambda t: t[:7] + '\x01\x1f' + t[7:],
                                                joined('\x0f', 5), lambda t: t[:7] + '\x1b' + t[7:],
                                                joined('\x81', 4), lambda t: t[:7] + '\x9f' + t[7:],
                                                joined('\x0e', 4), lambda t: t[:7] + '\x0e\x0f' + t[7:],
                                                lambda t: '{"note":"' + t[:7] + '\\u0000' + t[7:] + '"}',
                                                lambda t: '{"note":"' + t[:7] + '\\u001b\\u007F' + t[7:12] + '\\u0085' + t[12:] + '"}'],
    'the replacement character U+FFFD': [joined('\ufffd', 4), lambda t: t[:7] + '\ufffd' + t[7:]],
    'bidirectional controls': [lambda t: '\u202d' + t[:6] + '\u200e' + t[6:] + '\u202c'],
    'combining marks': [joined('\u0336', 2)],
    'tag characters': [lambda t: 'ok ' + ''.join(chr(0xe0000 + ord(c)) for c in t)],
    'variation selectors as bytes, bits in two invisible characters': [selectors, bits_in('\u200b', '\u200c'),
                                                                       bits_in('\u2060', '\u2062')],
    'emoji keycaps': [lambda t: ''.join(c + '\ufe0f\u20e3' if c.isdigit() else c for c in t)],
    'base64, common and for links': [b64, lambda t: base64.urlsafe_b64encode(t.encode()).decode().rstrip('='),
                                     lambda t: b64(f'export TOKEN={t}\n')],
    'base64 in lines of 60 to 77': [lambda t: b64(f'the key of the service is {t} and more words\n', 60),
                                    lambda t: b64(f'the key of the service is {t} and more words\n', 76)],
    'base64 of a wrapped base64 file': [lambda t: b64(b64(f'a file\ntoken={t}\n' * 3, 76), 76)],
    'base64 of UTF-16': [lambda t: b64(t.encode('utf-16-le'))],
    'data: and image links': [lambda t: f'data:text/plain;base64,{b64(t)}',
                              lambda t: f'![x](https://x.example/a.png?d={b64(t)})'],
    'hexadecimal, plain and by bytes': [lambda t: t.encode().hex(), each('{:02x}', ' '), each('0x{:02x}', ', '),
                                        each('{:02X}', ':')],
    'lists of decimal codes': [each('{}', ', '), each('{}', ' '), lambda t: f'String.fromCharCode({each("{}", ",")(t)})',
                               lambda t: f"''.join(map(chr, [{each('{}', ', ')(t)}]))", lambda t: str([str(ord(c)) for c in t])],
    'percent': [each('%{:02X}'), lambda t: 'https://x.example/?q=' + each('%{:02x}')(t)],
    'HTML entities': [each('&#{};'), each('&#x{:x};')],
    'backslash escapes': [each('\\x{:02x}'), each('\\u{:04x}'), each('\\{:03o}'), each('\\u{{{:x}}}')],
    'JSON in JSON': [lambda t: json.dumps({'a': json.dumps({'b': json.dumps({'c': t})})})],
    'quoted-printable': [each('={:02X}'), printable_mail],
    'letters with one space or dash between': [joined(' '), joined('-'), joined('.')],
    'literals with + . & between': [two('x = "{}" + "{}"'), two("x = '{}' . '{}'"), two('x = "{}" & "{}"'),
                                    two('x = ("{}"\n     "{}")')],
    'lines of a wrapped token, quoted or in comments': [joined('\n', 16), joined('\n> ', 16), joined('\n# ', 16, '# ')],
    'ROT13 and backwards': [shifted(13), lambda t: t[::-1], lambda t: shifted(13)(t)[::-1]],
    'an encoding backwards or in ROT13': [lambda t: b64(t)[::-1], lambda t: shifted(13)(b64(t)),
                                          lambda t: each('%{:02X}')(t)[::-1], lambda t: t.encode().hex()[::-1]],
    'an encoding in full width or spaced': [lambda t: full_width(each('\\u{:04x}')(t)), lambda t: joined(' ')(each('%{:02X}')(t)),
                                            lambda t: joined(' ')(b64(t))],
    'bold or emphasis around a part': [two('**{}**{}'), two('{}**{}**'), two('*{}*{}')],
    'code spans in a row': [two('`{}``{}`')],
    'HTML tags and comments in the middle': [two('<b>{}</b>{}'), two('<span>{}</span><span>{}</span>'), two('{}<wbr>{}'),
                                             two('{}<!-- -->{}')],
    'a link around a part': [two('[{}](#){}')],
    'ANSI colours in the middle': [two('\x1b[1m{}\x1b[0m{}'), joined('\x1b[32m'), two('\x1b[1m{}\x1b(B\x1b[m{}')],
    'overstrike with backspace': [lambda t: ''.join(c + '\b' + c for c in t)],
    'a lone backspace': [lambda t: t[:9] + '\b' + t[9:], lambda t: t[:9] + '\b' + t[9:13] + '\b' + t[13:]],
    'no-break, thin or two spaces between letters': [joined('\u00a0'), joined('\u2009'), joined('  ')],
    'comma or bullet between letters': [joined(', '), joined('\n- ', 1, '- ')],
    'letters in cells of a table': [joined(' | ', 1, '| ', ' |')],
    'quoted letters in a list': [lambda t: json.dumps(list(t)), lambda t: '{' + ','.join(f"'{c}'" for c in t) + '}'],
    'a numbered list of parts': [numbered],
    'a backslash at the end of a line': [two('{}\\\n{}')],
    'shell and SQL joints': [two("{}''{}"), two("'{}' || '{}'"), two("CONCAT('{}', '{}')")],
    'join, append, +=, concat': [lambda t: f"''.join({parts(t, 8)})", lambda t: ''.join(f's.append("{p}");\n' for p in parts(t, 8)),
                                 lambda t: ''.join(f's += "{p}";\n' for p in parts(t, 8)), two('"{}".concat("{}")')],
    'adjacent literals of which one is short': [quoted(' ', '', '', '"', 6)],
    'chr(1)+chr(2) and the like': [each('chr({})', '+'), each('[char]{}', '+'), each('Chr({})', ' & ')],
    'xxd': [xxd, lambda t: xxd(t, False)],
    'hexdump -C': [hexdump],
    'hexadecimal in groups of four': [lambda t: ' '.join(parts(t.encode().hex(), 4))],
    'hexadecimal with dots': [each('{:02x}', '.')],
    'x41x42': [each('x{:02x}')],
    'base64 in groups of four or lines of eight': [lambda t: ' '.join(parts(b64(t), 4)), lambda t: '-'.join(parts(b64(t), 4)),
                                                   lambda t: '\n'.join(parts(b64(t), 8))],
    'hexadecimal pairs as strings': [lambda t: json.dumps([f'{ord(c):02x}' for c in t])],
    'added lines of a diff': [joined('\n+', 16, '+')],
    'YAML folded at eight': [joined('\n  ', 8, 'key: >-\n  ')],
    'a column of a CSV': [lambda t: ''.join(f'{i},{p},x\n' for i, p in enumerate(parts(t, 8)))],
    'variables and their sum': [named],
    'part 1 and part 2 in sentences': [two('The first part is {} and the second part is {}.')],
    'pieces in the path or query of a link': [lambda t: 'https://x.example/' + '/'.join(parts(t, 8)),
                                              lambda t: 'https://x.example/?' + '&'.join(f'p{i}={p}' for i, p in enumerate(parts(t, 8)))],
    'base32': [lambda t: base64.b32encode(t.encode()).decode()],
    'gzip or zlib in base64 or hexadecimal': [lambda t: b64(gzip.compress(t.encode(), mtime=0)), lambda t: b64(zlib.compress(t.encode())),
                                              lambda t: zlib.compress(t.encode()).hex()],
    'UTF-32': [lambda t: t.encode('utf-32-le').decode('latin-1')],
    'bz2 in base64': [lambda t: b64(bz2.compress(t.encode()))],
    'ascii85, Z85': [lambda t: base64.a85encode(t.encode(), adobe=True).decode(), z85],
    'base58, base36, a large integer': [lambda t: base_n(t, '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'),
                                        lambda t: base_n(t, '0123456789abcdefghijklmnopqrstuvwxyz'),
                                        lambda t: str(int.from_bytes(t.encode(), 'big'))],
    'uuencode': [lambda t: 'begin 644 a\n' + ''.join(binascii.b2a_uu(t[i:i + 45].encode()).decode() for i in range(0, len(t), 45)) + '`\nend\n'],
    'binary digits': [each('{:08b}', ' '), each('{:08b}')],
    'ROT47, Caesar, Atbash': [lambda t: ''.join(chr(33 + (ord(c) - 33 + 47) % 94) for c in t), shifted(3), atbash],
    'XOR with a key, in hexadecimal': [lambda t: bytes(ord(c) ^ 0x5a for c in t).hex()],
    'Morse': [lambda t: ' '.join(MORSE[c.lower()] for c in t)],
    'the NATO alphabet': [lambda t: ' '.join(NATO.get(c.lower(), c) for c in t)],
    'numbers as words': [lambda t: ' '.join(NUMBERS[int(d)] for c in t for d in str(ord(c)))],
    'Braille': [lambda t: ''.join(chr(0x2800 + ord(c)) for c in t)],
    'acrostic': [acrostic],
    'every second letter': [lambda t: ''.join(c + 'qzjxvk'[i % 6] for i, c in enumerate(t))],
    'names of emoji': [lambda t: ' '.join(f':regional_indicator_{c.lower()}:' if c.isalpha() else f':{NUMBERS[int(c)]}:' if c.isdigit() else c for c in t)],
    'upside down': [upside_down],
}

# The same as documents: what stands in several strings of one.
DOCUMENTS = {
    'codes in a JSON array': [lambda t: {'bytes': [ord(c) for c in t]}, lambda t: {'bytes': [str(ord(c)) for c in t]},
                              lambda t: {'bytes': [f'0x{ord(c):02x}' for c in t]}, lambda t: {'bytes': [float(ord(c)) for c in t]},
                              lambda t: {'bytes': [[ord(c) for c in t[i:i + 7]] for i in range(0, len(t), 7)]}],
    'parts in a JSON array': [lambda t: {'parts': [t[i:i + 10] for i in range(0, len(t), 10)]},
                              lambda t: {'parts': [[t[i:i + 6]] for i in range(0, len(t), 6)]}],
    'one-letter strings in a JSON array': [lambda t: {'key': list(t)}],
    'parts in the objects of a JSON array': [lambda t: [{'c': c} for c in t], lambda t: {'rows': [{'n': i, 'text': h} for i, h in enumerate(halves(t))]},
                                             lambda t: [{'role': 'assistant', 'content': h} for h in halves(t)]],
    'halves in two members': [lambda t: dict(zip('ab', halves(t)))],
    'two parts of one message': [lambda t: [{'role': 'assistant', 'content': [{'type': 'text', 'text': h} for h in halves(t)]}]],
}


def write(rows, member):
    for row, forms in rows.items():
        for form in forms:
            for rule, token in TOKENS.items():
                print(json.dumps({'row': row, 'rule': rule, member: form(token)}))


def table(path):
    """The rows between the marks of the table: form, whether caught."""
    inside, found = False, {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            inside = line.startswith('<!-- forms -->') or (inside and not line.startswith('<!-- end -->'))
            cells = [c.strip() for c in line.strip().strip('|').split('|')]
            if inside and line.startswith('|') and len(cells) >= 2 and cells[0] not in ('form', '---') and '---' not in cells[0]:
                found[cells[0].replace('&#124;', '|')] = cells[1].split(',')[0]
    return found


def compare(path, results):
    said, seen, wrong = table(path), {}, 0
    with open(results, encoding='utf-8') as f:
        for line in f:
            row, caught = line.rstrip('\n').split('\t')
            seen.setdefault(row, []).append(caught == 'true')
    for row in sorted(set(said) | set(seen)):
        tries = seen.get(row)
        is_so = None if tries is None else 'yes' if all(tries) else 'no' if not any(tries) else 'partly'
        if said.get(row) != is_so:
            print(f'{row}: the table says {said.get(row)}, {sum(tries or [])} of {len(tries or [])} are caught')
            wrong += 1
    print(f'{len(seen)} rows, {sum(map(len, seen.values()))} tries, {wrong} wrong')
    return wrong > 0


if sys.argv[1] == 'compare':
    sys.exit(compare(sys.argv[2], sys.argv[3]))
write({'texts': TEXTS, 'documents': DOCUMENTS}[sys.argv[1]], 'text' if sys.argv[1] == 'texts' else 'document')
