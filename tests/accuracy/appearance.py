#!/usr/bin/env python3
"""appearance.py: says of each labelled secret whether its value looks real, is a stand-in, or is an identifier.

usage: appearance.py FILE.ndjson[.gz]... >ROWS

Writes the rows as they are with two members more: "value", what is judged ("secret" where the row has one, else
the likeliest value of its text), and "appearance":

  identifier  the name in front of the value ends in id, user, host, url and the like, and the value is no key
  standin     the value was written and not drawn: a sequence (abcdef, 123456), one block over and over, two
              interleaved alphabets (a1B2c3D4), a keyboard walk, words, few different characters, a template
  real        everything else

The rules of the product are not asked: a check that lets a value pass for a placeholder must not decide what the
product is measured by. The thresholds were set once, by reading a hundred rows of each source.
"""
import gzip
import json
import re
import sys

IDENTIFIER = re.compile(
    r'(?i)(?:^|[^a-z])[a-z0-9_. -]{0,40}?(?:id|user|username|host|hostname|url|uri|endpoint|region|domain|name|email|'
    r'account|server|port|version|tenant|project|org|organization|workspace|bucket|database|site|issuer|audience)'
    r'["\'`\])]{0,3}\s{0,3}(?::=|=>|->|[:=])\s{0,3}["\'`]{0,2}$')
# A host, or a URL without user information, query or a long random part.
ADDRESS = re.compile(r'(?i)(?:[a-z][a-z0-9+.-]{1,10}://)?[a-z0-9-]{1,40}(?:\.[a-z][a-z0-9-]{0,30}){1,5}(?::[0-9]{2,5})?(?:/[a-z0-9._-]{0,19}){0,9}')
KEYLIKE = re.compile(r'(?i)(?:key|secret|token|pass|pwd|auth|cred|sig)[a-z]{0,4}[_ .-]?id["\'`\])]{0,3}\s{0,3}[:=]')
WORDS = (
    'example|sample|dummy|fake|test|your|here|changeme|change|placeholder|insert|redacted|secret|password|passwd|passw0rd|'
    'p@ssw0rd|token|apikey|access|key|value|super|secure|hello|world|admin|user|demo|invalid|default|private|public|'
    'some|real|random|string|long|enough|client|prod|production|live|staging|database|letmein|qwerty|hunter|'
    'foobar|foo|bar|baz|lorem|ipsum|mysql|postgres|redis|mongo|server|code|auth|bearer|basic|none|null|true|false|'
    'required|optional|master|root|correct|horse|battery|staple|welcome|this|that|the|not|valid|is|my|an?').split('|')
WORD = re.compile('|'.join(sorted(set(WORDS), key=len, reverse=True)), re.I)
WALKS = 'qwertyuiop asdfghjkl zxcvbnm 1qaz2wsx3edc4rfv qazwsxedc'.split()
TOKEN = re.compile(r'[^\s"\'`<>(){}\[\],;|]{6,}')


def steps_share(text, steps=(1, -1)):
    """Share of neighbours that follow one another, as in abc, 321."""
    if len(text) < 2:
        return 0.0
    n = sum(1 for a, b in zip(text, text[1:]) if ord(b) - ord(a) in steps)
    return n / (len(text) - 1)


def runs_share(text, least=4):
    """Share of the characters that lie in an ascending, descending or constant run."""
    covered = i = 0
    low = text.lower()
    while i < len(low):
        best = 1
        for step in (1, -1, 0):
            k = i
            while k + 1 < len(low) and low[k].isalnum() and (
                    ord(low[k + 1]) - ord(low[k]) == step or (step == 1 and low[k:k + 2] in ('90', 'za', '9a', '0a'))):
                k += 1
            best = max(best, k - i + 1)
        if best >= least:
            covered += best
        i += best if best >= least else 1
    return covered / max(1, len(text))


def is_periodic(text):
    for period in range(1, min(17, len(text) // 2 + 1)):
        same = sum(1 for a, b in zip(text, text[period:]) if a == b)
        if same >= 0.85 * (len(text) - period):
            return True
    return False


def is_interleaved(text):
    """Letters and digits that each go up by themselves: a1B2c3D4, 0a1b2c."""
    letters = ''.join(c for c in text.lower() if c.isalpha() and c.isascii())
    digits = ''.join(c for c in text if c.isdigit())
    up = (1, 2, 3)
    wrapped = digits.replace('90', '9:').replace('10', '1')
    letters_go = len(letters) >= 4 and steps_share(letters, up) >= 0.6
    digits_go = len(digits) >= 4 and (steps_share(digits, (1,)) >= 0.6 or steps_share(wrapped, (1,)) >= 0.7)
    return letters_go and (digits_go or len(digits) < 4) or digits_go and letters_go or (
        digits_go and len(digits) >= 6 and steps_share(letters, up) >= 0.4)


def words_share(text):
    return sum(len(m) for m in WORD.findall(text) if len(m) > 2) / max(1, len(text))


def is_standin(value):
    body = re.sub(r'^(?:[A-Za-z]{1,12}[_\-.:]){1,4}', '', value) if re.search(r'[_\-.:].{10}', value) else value
    body = body if len(body) >= 6 else value
    if re.search(r'\$\{|\{\{|<[a-z]|%s|\.\.\.|…|\*\*\*|x{4,}|X{4,}|(?i:example|placeholder|your[_-]|changeme|redacted)', value):
        return True
    alnum = ''.join(c for c in body if c.isalnum())
    if not alnum or len(set(alnum.lower())) <= max(3, min(6, len(alnum) // 5)):
        return True
    return (runs_share(alnum) >= 0.34 or is_periodic(alnum) or is_interleaved(alnum) or words_share(alnum) >= 0.5 or
            any(walk[:6] in alnum.lower() for walk in WALKS))


def likeliest_value(text):
    """The longest run that is no name: rows without a "secret" are mostly NAME SEPARATOR VALUE."""
    best = ''
    for m in TOKEN.finditer(text):
        token = m.group()
        parts = re.split(r'(?<=[A-Za-z0-9_\-\]])(?::=|=>|[=:])(?=[^=/])', token)
        for part in parts[1:] if len(parts) > 1 and len(parts[-1]) > 3 else parts:
            score = len(part) + 20 * bool(re.search(r'\d', part)) + 10 * bool(re.search(r'[A-Z].*[a-z]|[a-z].*[A-Z]', part))
            if score > len(best) + 20 * bool(re.search(r'\d', best)) + 10 * bool(
                    re.search(r'[A-Z].*[a-z]|[a-z].*[A-Z]', best)):
                best = part
    return best


def appearance(row):
    text = row['text']
    value = row.get('secret') or likeliest_value(text)
    at = text.find(value)
    before = text[max(0, at - 80):at] if at > 0 else ''
    row['value'] = value
    if (IDENTIFIER.search(before) and not KEYLIKE.search(before)) or ADDRESS.fullmatch(value.strip(' "\'<>;,')):
        return 'identifier'
    return 'standin' if len(value.strip()) < 6 or is_standin(value.strip()) else 'real'


def main():
    for path in sys.argv[1:]:
        opener = gzip.open if path.endswith('.gz') else open
        with opener(path, 'rt', encoding='utf-8') as lines:
            for line in lines:
                row = json.loads(line)
                row['appearance'] = appearance(row)
                print(json.dumps(row, ensure_ascii=False))


if __name__ == '__main__':
    main()
