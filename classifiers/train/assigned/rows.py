#!/usr/bin/env python3
"""rows.py: the rows that train-assigned learns from and is measured by (pairs.h).

usage: rows.py DATA FOLDER

Writes to FOLDER one file for each source of labelled secrets (gitleaks.rows, ...), one for each file of texts that hold next to
nothing (gpteacher.rows, ...), and made.rows. Made rows come from a fixed seed: names of services that do not exist beside
words for credentials, digests, identifiers and places; values drawn at random, words, code. No format of a provider is
among them.
"""
import gzip
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', '..', '..', 'tests', 'accuracy'))
import appearance  # noqa: E402

SOURCES = ['secrets/gitleaks', 'secrets/secretlint', 'secrets/detect-secrets', 'secrets-more/kingfisher', 'secrets-more/credsweeper']
QUIET = {'gpteacher': 'gpteacher_answers', 'fastchat': 'llm-fastchat', 'hh': 'hh_preferred_answers', 'arena': 'llm-arena-hard',
         'lockfiles': 'stress-lockfiles'}


def judged_right(data, path, name):
    """Lines of a file whose findings a person judged to be right: no examples of what is harmless."""
    lines = set()
    with open(path, encoding='utf-8') as rows:
        for row in rows:
            parts = row.rstrip('\n').split('\t')
            if not row.startswith('#') and parts[0].startswith(name):
                lines.add(int(parts[1]))
    return lines


def secrets(data, source, out):
    name = source.split('/')[1]
    right = judged_right(data, 'tests/accuracy/judged-negatives.tsv', name)
    rows = []
    seen = {}
    with gzip.open(f'{data}/{source}.ndjson.gz', 'rt', encoding='utf-8') as lines:
        for number, line in enumerate(lines, 1):
            row = json.loads(line)
            look = appearance.appearance(row)
            if row['kind'] == 'positive' and look == 'real' and len(row['value']) >= 6:
                # A value that a project sets into many templates counts less each time.
                seen[row['value']] = seen.get(row['value'], 0) + 1
                rows.append({'text': row['text'], 'set': name, 'secret': row['value'], 'weight': 1 / seen[row['value']] ** 0.5})
            elif row['kind'] != 'positive' and number not in right:
                rows.append({'text': row['text'], 'set': name, 'secret': False})
    write(out, name, rows)


def quiet(data, name, file, out):
    right = judged_right(data, 'tests/accuracy/judged.tsv', file)
    rows = []
    with open(f'{data}/benign/{file}.ndjson', encoding='utf-8') as lines:
        for number, line in enumerate(lines, 1):
            row = json.loads(line)
            if number not in right:
                rows.append({'text': row['text'], 'set': name, 'secret': False})
    write(out, name, rows)


def write(out, name, rows):
    with open(f'{out}/{name}.rows', 'w', encoding='utf-8') as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + '\n')


# --- made ------------------------------------------------------------------------

SYLLABLES = ('ac al am ar bo ca ce clo co cu da de dex di do el en ex fa fi flo for ga ge go gra hu in jo ka key la lo ly ma me mi mo na '
             'ne no nu o pa pay pe pi plo po pro qua ra re ri ro sa se sha si so sta ta te ti to tra ty u va ve vi wa we wi xo ya za zo').split()
PASSWORDS = ('password passwd pass pwd pw PASSWORD Passwort kennwort contraseña senha mdp passphrase passcode DB_PASS db_password '
             'rootPassword MYSQL_PWD 비밀번호 비번 密码 пароль parola wachtwoord hasło').split()
TOKENS = ('api_key apiKey API_KEY apikey key KEY secret SECRET client_secret clientSecret token TOKEN access_token accessToken auth_token '
          'secret_key SECRET_KEY private_key signing_key app_key app_secret pat auth api_token bearer_token webhook_secret creds '
          'credential access_key license_key encryption_key shared_secret session_token refresh_token sas_token salt consumer_secret').split()
HARMLESS = ('sha sha1 sha256 md5 hash digest checksum commit revision etag integrity fingerprint id uuid guid request_id trace_id '
            'session user_id client_id tenant_id object_id image build version file path url href src name class cursor nonce '
            'next_page csrf_token public_key publicKey pubkey certificate signature_version thumbprint serial blob tree parent '
            'token_id key_id access_key_id secret_name token_type password_hash key_name secret_arn tokenUrl passwordFile foreign_key primary_key sort_key cache_key '
            'partition_key idempotency_key public_key_token').split()
MARKS = ['=', ' = ', ': ', ':', '=>', ' => ', ' := ', '="', ' = "', ': "', '":"', '": "', "='", " = '", "': '", ' -> ', '  ', ' is ', '("', '(', '\t', ' | ']
CLOSE = {'"': '"', "'": "'"}
ALPHABETS = {
    'hex': '0123456789abcdef', 'HEX': '0123456789ABCDEF', 'alnum': 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
    'lower': 'abcdefghijklmnopqrstuvwxyz0123456789', 'upper': 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
    'base64': 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
    'base64url': 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', 'base32': 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'}
ENGLISH = ('get set value user name config default client request response handler manager service create update delete parse string number '
           'data list item index path file load save read write open close test example main init start stop run build').split()


def drawn(r, alphabet, low, high):
    return ''.join(r.choice(ALPHABETS[alphabet]) for _ in range(r.randint(low, high)))


def service(r):
    return ''.join(r.choice(SYLLABLES) for _ in range(r.randint(2, 4)))


def spelt(r, *words):
    kind = r.randrange(5)
    words = [w for w in words if w]
    if kind == 0:
        return '_'.join(words).upper()
    if kind == 1:
        return '_'.join(words)
    if kind == 2:
        return words[0] + ''.join(w[:1].upper() + w[1:] for w in words[1:])
    return r.choice('-._ ').join(words)


def key(r):
    kind = r.randrange(8)
    alphabet = r.choice(list(ALPHABETS))
    if kind == 0:
        return f'{drawn(r, "hex", 8, 8)}-{drawn(r, "hex", 4, 4)}-{drawn(r, "hex", 4, 4)}-{drawn(r, "hex", 4, 4)}-{drawn(r, "hex", 12, 12)}'
    if kind == 1:
        return service(r)[:5] + r.choice(['_', '-', '_live_', '.', '_sk_']) + drawn(r, alphabet, 16, 44)
    if kind == 2:
        return drawn(r, alphabet, 6, 12) + r.choice('.:-') + drawn(r, alphabet, 16, 40)
    if kind == 3:
        return drawn(r, 'hex', 32, 32) if r.random() < 0.6 else drawn(r, 'hex', 40, 64)
    if kind == 4:
        return drawn(r, alphabet, 10, 17)
    return drawn(r, alphabet, 18, 64)


LEET = {'a': '4', 'e': '3', 'i': '1', 'o': '0', 's': '5', 't': '7'}


def leet(r, word):
    out = ''.join(LEET[c] if c in LEET and r.random() < 0.5 else c.upper() if r.random() < 0.2 else c for c in word)
    return out if any(c.isdigit() for c in out) else out + str(r.randint(0, 99))


def password(r):
    kind = r.randrange(5)
    if kind == 3:
        return leet(r, service(r) + service(r)[:3]) + str(r.randint(0, 999))
    if kind == 4:
        return leet(r, r.choice(ENGLISH) + r.choice(ENGLISH).title()) + r.choice(['', '!', '#', '1', '42', '_9'])
    if kind == 0:
        return ''.join(r.choice('ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789!#$%&*+-.=?@^_') for _ in range(r.randint(8, 20)))
    if kind == 1:
        return drawn(r, 'alnum', 8, 16)
    word = service(r)
    return word[:1].upper() + word[1:] + r.choice('!@#$%&*-_.') + str(r.randint(10, 9999)) + r.choice(['', '!', 'x'])


def number(r):
    return r.choice([
        f'0x{drawn(r, "hex", 8, 16)}{r.choice(["", "UL", "ULL", "u"])}', f'{r.randint(0, 99)}.{r.randint(10 ** 6, 10 ** 15)}',
        str(r.randint(10 ** 5, 10 ** 17)), f'-{r.randint(10 ** 5, 10 ** 15)}', f'0x{r.choice("01248f8") * 2 * r.randint(3, 8)}UL',
        f'{r.randint(1, 255)}.{r.randint(0, 255)}.{r.randint(0, 255)}.{r.randint(1, 255)}', f'{r.randint(0, 23)}:{r.randint(10, 59)}:{r.randint(10, 59)}'])


def code(r):
    a, b, c = r.sample(ENGLISH, 3)
    n = r.randint(1, 999)
    return r.choice([
        f'{a}_{b}{n}', f'{a}.{b}{n}', f'{a.upper()}{n}', f'{a.title()}{n}{b.title()}', f'{a}={b}{n}', f'{a}[{n}].{b}', f'{a}->{b}{n}', f'&{a}{n}',
        f'${{{a.upper()}_{n}}}', f'<{a}-{n}>', f'%({a}{n})s', f'{{{{{a}{n}}}}}', f'http://{a}{n}.{b}.com/{c}', f'https://localhost:{n}/{a}',
        f'./{a}/{b}{n}.{c[:3]}', f'{a.upper()}-{n % 10}.{n % 7}+', f'{a[:3].upper()}{n}', f'{a}{n % 10}/{b}/{c}', f'utf8_to_{a}{n}', f'{a}::{b}{n}',
        f'#{a}{n}', f'@{a}{n}', f'{a}-{b}-{n}', f'{a}{n}@{b}.com', f'{a.upper()}_{b.upper()}_{n}', f'\\{a}_{n}', f'{a}|{b}{n}', f'std::{a}<{n}>', f'{a}{n % 10}()',
        f'AES-{n % 3}28-{r.choice(["GCM", "CBC"])}', f'SHA{r.choice(["1", "256", "-512", "3-256"])}', f'RS{r.choice(["256", "512"])}', f'pbkdf2_sha{n}',
        f'your-{a}-{n}', f'my_{a}_{b}{n}', f'xxxx{n}xxxx', f'{a}123', f'{a}1234', f'secret123', f'Password{n % 10}', f'test{n % 100}'])


def written(r):
    kind = r.randrange(13)
    if kind >= 9:
        return code(r)
    if kind >= 7:
        return number(r)
    if kind == 0:
        return '_'.join(r.choice(ENGLISH) for _ in range(3))
    if kind == 1:
        return r.choice(ENGLISH) + ''.join(w.title() for w in r.sample(ENGLISH, 2)) + r.choice(['', '2', 'V1'])
    if kind == 2:
        return '/'.join([''] + r.sample(ENGLISH, 3)) + r.choice(['', '.json', '2.txt'])
    if kind == 3:
        return '-'.join(r.sample(ENGLISH, 2)) + '-' + str(r.randint(1, 99))
    if kind == 4:
        return f'{r.randint(0, 9)}.{r.randint(0, 20)}.{r.randint(0, 99)}-{r.choice(["beta", "rc"])}{r.randint(1, 9)}'
    if kind == 5:
        return f'20{r.randint(10, 29)}-0{r.randint(1, 9)}-1{r.randint(0, 9)}T1{r.randint(0, 9)}:2{r.randint(0, 9)}:00Z'
    return r.choice(ENGLISH) + '(' + r.choice(ENGLISH) + str(r.randint(1, 9)) + ')'


def made(r, name, value, label, kind):
    mark = r.choice(MARKS)
    lead = r.choice(['', '', 'export ', '  ', '- ', 'const ', '"', 'my ', 'The ', '--', '{"'])
    name = name if not mark.startswith(('"', "'")) else name
    return {'text': lead + name + mark + value + CLOSE.get(mark[-1], '') + r.choice(['', '', ';', ',', '\n']), 'set': f'made: {kind}', 'secret': label,
            'weight': 0.25}


def service_value(r):
    return r.choice([drawn(r, 'hex', 32, 32), drawn(r, 'hex', 40, 40)]) if r.random() < 0.25 else drawn(r, r.choice(['alnum', 'base64url', 'lower', 'alnum']), 20, 48)


def prefix(r):
    first = r.choice([service(r)[:r.randint(2, 6)], drawn(r, 'lower', 2, 4).strip('0123456789') or 'ax', service(r)])
    more = [r.choice(['live', 'test', 'prod', 'sk', 'pat', 'api', 'key', 'token', 'v1', 'dev', 'secret', 'at', 'sandbox'])] * (r.random() < 0.4)
    joint = r.choice('__-')
    return r.choice([str, str, str.upper])(joint.join([first] + more)) + r.choice([joint, joint, '.'])


# What stands in front of a random string that names a thing and opens nothing.
NAMED = ('sha sha1 sha256 sha512 md5 commit rev build image img file doc layer blob cache asset chunk main index vendor app style bundle node pod '
         'container docker snapshot run job task thread msg message req request resp chatcmpl call toolu evt event cus sub pi ch acct user usr org '
         'team project uuid id ref trace span ami vpc subnet sg eni vol snap tmp temp dump backup page test step item order invoice video photo '
         'session group device host release version patch digest hash etag tree object checkpoint model dataset thumb icon font logo banner').split()


def named(r):
    body = r.choice([drawn(r, 'hex', 16, 64), drawn(r, 'alnum', 16, 28), drawn(r, 'lower', 16, 30)])
    return r.choice(NAMED) + r.choice(['_', '-', '-']) + body


def digest(r):
    """As lock files, package lists, version control and servers write digests."""
    a, b, s = r.choice(ENGLISH), service(r), service(r)
    version = f'{r.randint(0, 9)}.{r.randint(0, 30)}.{r.randint(0, 20)}'
    hex40, hex64, hex32 = drawn(r, 'hex', 40, 40), drawn(r, 'hex', 64, 64), drawn(r, 'hex', 32, 32)
    base64 = drawn(r, 'base64', 43, 43) + '='
    base64_512 = drawn(r, 'base64', 86, 86) + '=='
    return r.choice([
        f'{s}.com/{b}/{a} v{version} h1:{base64}', f'{s}.com/{b}/{a} v{version}/go.mod h1:{base64}', f'"integrity": "sha512-{base64_512}"',
        f'  integrity sha512-{base64_512}', f'checksum = "{hex64}"', f'    sha256: {hex64}', f'{{file = "{b}-{version}.tar.gz", hash = "sha256:{hex64}"}}',
        f'{b}@sha256:{hex64}', f'commit {hex40}', f'index {hex40[:7]}..{hex40[9:16]} 100644', f'Merge: {hex40[:9]} {hex40[20:29]}', f'ETag: "{hex32}"',
        f'SHA256:{base64[:-1]} {b}@{s} (ED25519)', f'{hex32}  {b}-{version}.deb', f'{hex64} *{b}.iso', f'resolved "https://{s}.com/{b}-{version}.tgz#{hex40}"',
        f'rev = "{hex40}"', f'source = "git+https://{s}.com/{b}#{hex40}"', f'content_hash: {hex40}', f'"sha1": "{hex40}"', f'Digest: sha256:{hex64}',
        f'{a}/{b}.{hex32[:20]}.js', f'<script integrity="sha384-{drawn(r, "base64", 64, 64)}">', f'version = "{version}" hash = "{hex64}"',
        f'"_resolved": "{base64_512}"', f'{b} ({version}) {hex64}', f'pkg:{b}/{a}@{version}?checksum={hex40}', f'--hash=sha256:{hex64}',
        f'name = "{b}"\nversion = "{version}"\nchecksum = "{hex64}"', f'uuid = "{key(r)}"' if r.random() < 0.1 else f'node_id: {drawn(r, "base64", 32, 32)}'])


ACCOUNTS = 'id ID user username User login account Username email userId name 아이디 계정 账号 用户名 Benutzer usuario utilisateur логин host'.split()


def pair(r):
    """An account and its password, as people write them to each other."""
    user = r.choice([service(r), service(r) + '@' + service(r) + '.com', 'admin', 'root', 'master', f'{r.randint(1, 255)}.{r.randint(0, 255)}.{r.randint(0, 255)}.{r.randint(1, 255)}'])
    value, mark = password(r), r.choice([':', ': ', '=', ' = ', ' : ', ' ', '->'])
    account = r.choice(ACCOUNTS) + mark + user
    word = r.choice(PASSWORDS)
    text = r.choice([
        f'{account}{r.choice([",", ", ", " ", "/", " / ", chr(10), "; "])}{word}{mark}{value}', f'{user} {word}{mark}{value}', f'{user}({word}{mark}{value})',
        f'{r.choice(ACCOUNTS)}/{word}{mark}{user}/{value}', f'new {word} is {value}', f'the {word} for {user} is {value}', f'{word} {value} for {user}'])
    return {'text': text + r.choice(['', '', '.', '\n', ' # note']), 'set': 'made: account and password', 'secret': value, 'weight': 0.5}


# --- made: where programs, documents and people put a value ------------------------

def word(r):
    return r.choice(ENGLISH)


def host(r):
    return r.choice(['', 'api.', 'app.', 'hooks.', 'rpc.', 'data.', 'www.']) + service(r) + r.choice(['.com', '.io', '.dev', '.net', '.cloud', '.example', '.co.uk'])


def credential(r):
    return spelt(r, r.choice([service(r), '', service(r), word(r)]), *r.choice(TOKENS).split('_'))


def plain(r):
    return spelt(r, r.choice([service(r), '', word(r)]), *r.choice(HARMLESS).split('_'))


def in_address(r, value, name):
    path = '/'.join(r.choice([word(r), service(r), 'v1', 'v2', 'api', 'list', 'data.json']) for _ in range(r.randint(0, 3)))
    more = r.choice(['', '', f'{word(r)}={r.randint(1, 99)}&', f'{word(r)}={service(r)}&'])
    return f'https://{host(r)}/{path}?{more}{name}={value}' + r.choice(['', '', f'&{word(r)}={r.randint(1, 99)}', '"', ' '])


def in_path(r, value, segment):
    return f'{r.choice(["https", "http", "wss"])}://{host(r)}/{segment}/{value}' + r.choice(['', '', '/' + word(r), '?x=1', '"', ')', '\n'])


def in_call(r, value):
    """An argument of a call whose name says little."""
    name = r.choice([service(r), service(r).title(), word(r), service(r).title() + 'Client', f'{service(r)}.{word(r)}', f'new {service(r).title()}'])
    quote = r.choice(['"', "'"])
    first = r.choice(['', '', f'{quote}{word(r)}{quote}, ', f'{quote}{service(r)}-{r.randint(1, 9)}{quote}, '])
    return f'{name}({first}{quote}{value}{quote}' + r.choice([')', ');', f', {quote}{word(r)}{quote})', f', {r.randint(1, 99)})'])


def in_element(r, value, name):
    title = name[:1].upper() + name[1:]
    return r.choice([f'<{name}>{value}</{name}>', f'<{title}>{value}</{title}>', f'<add key="{title}" value="{value}" />', f'<property name="{name}" value="{value}"/>',
                     f'<entry key="{name}">{value}</entry>', f'<{title} encoding="base64">{value}</{title}>', f'<setting name="{title}"><value>{value}</value></setting>',
                     f'<string name="{name}">{value}</string>', f'<key>{name}</key>\n<string>{value}</string>'])


def in_default(r, value, name):
    quote = r.choice(['"', "'"])
    call = r.choice(['os.getenv', 'getenv', 'os.environ.get', 'env', 'config.get', 'System.getProperty', 'process.env.get', 'ENV.fetch'])
    b = r.choice(['', '', 'b', 'u', 'f', 'r', '@', 'L', 'N'])
    return r.choice([f'{call}({quote}{name}{quote}, {b}{quote}{value}{quote})', f'{name} = {call}({quote}{name}{quote}) or {b}{quote}{value}{quote}', f'{name} = {b}{quote}{value}{quote}',
                     f'process.env.{name} || {quote}{value}{quote}', f'{name} ?? {quote}{value}{quote}', f'if {name} == {quote}{value}{quote}:', f'if ({name} !== {quote}{value}{quote}) {{',
                     f'assert {name} != {b}{quote}{value}{quote}', f'def {word(r)}({name}={quote}{value}{quote}):'])


def below(r, value, name):
    return r.choice(['', '## ', '**', '- ', '> ']) + name.replace('_', ' ') + r.choice(['', ':', '**', ':**', '**:']) + r.choice(['\n', '\n', '\n\n', '\n  ']) + value + '\n'


def in_header(r, value, name):
    title = '-'.join(part.title() for part in re.split('[_. -]', name))
    return r.choice([f'{title}: {value}', f'-H "{title}: {value}"', f"-H 'X-{title}: {value}'", f'"X-{title}": "{value}"', f'Authorization: {service(r).title()} {value}',
                     f'Authorization: Bearer {value}', f'authorization: {value}', f'Authorization: Token token={value}', f'Authorization: {service(r).title()}-Key {value}'])


def spoken(r, value, name):
    name = name.replace('_', ' ')
    return r.choice([f'{name} - {value}', f'{name} -- {value}', f'{name} – {value}', f'my {name} is {value}', f'the {name}: {value}', f'here is the {name}, {value}', f'{name} → {value}',
                     f'use {name} {value} for it', f'{name} "{value}"', f'{name} `{value}`', f'({name} {value})', f'{name}은 {value} 입니다', f'{name}は{value}です', f'{name}: “{value}”'])


def assigned(r, value, name):
    return name + r.choice(['=', ': ', ' = ', ' ']) + value


PLACES = ['v1', 'v2', 'api', 'hook', 'hooks', 'webhook', 'token', 'key', 'rpc', 'api/v3', 'services/hooks']
THINGS = ['blob', 'commit', 'tree', 'd', 'assets', 'static', 'images', 'file', 'item', 'object', 'watch', 'post', 'u', 'user', 'v1/users', 'api/items', 'v2/jobs', 'raw', 'issues', 'wiki']


def put(r):
    """A pair of rows: a secret where one is put, and something harmless in the same place."""
    name, other, spoken_name = credential(r), plain(r), r.choice(PASSWORDS)
    digest40, worded, secret, passed = drawn(r, 'hex', 40, 40), written(r), key(r), password(r)
    short = r.choice([drawn(r, 'hex', 8, 16), drawn(r, 'alnum', 8, 15), drawn(r, 'lower', 8, 15)])
    in_url = drawn(r, r.choice(['alnum', 'base64url', 'lower', 'hex']), 24, 44)
    argument = service_value(r)
    value, place, more = r.choice([
        (secret, in_address, (r.choice(['key', 'apikey', 'api_key', 'token', 'access_token', 'sig', 'signature', 'auth', 'secret', 'code', name]),)),
        (in_url, in_path, (r.choice(PLACES),)), (argument, in_call, ()), (secret, in_element, (name,)), (passed, in_element, (spoken_name,)),
        (secret, in_default, (name,)), (passed, in_default, (spoken_name,)), (secret, below, (name,)), (passed, below, (spoken_name,)), (secret, in_header, (name,)),
        (secret, spoken, (name,)), (passed, spoken, (spoken_name,)), (short, assigned, (name,)), (short, assigned, (spoken_name,))])
    no = r.choice([
        lambda: in_address(r, r.choice([secret, digest40, short]), r.choice(['id', 'cursor', 'ref', 'sha', 'etag', 'rev', 'hash', other])),
        lambda: in_path(r, r.choice([digest40, drawn(r, 'hex', 8, 64), worded, drawn(r, 'hex', 24, 24)]), r.choice(THINGS)), lambda: in_path(r, worded, r.choice(PLACES)),
        lambda: in_call(r, r.choice([worded, digest40, drawn(r, 'hex', 64, 64)])), lambda: in_element(r, r.choice([secret, worded]), other), lambda: in_element(r, worded, name),
        lambda: in_default(r, worded, name), lambda: in_default(r, r.choice([secret, worded]), other), lambda: below(r, worded, name), lambda: below(r, r.choice([digest40, worded]), other),
        lambda: in_header(r, worded, name), lambda: assigned(r, secret, other), lambda: spoken(r, worded, r.choice([name, spoken_name])), lambda: spoken(r, digest40, other)])
    return [{'text': place(r, value, *more), 'set': 'made: put in its place', 'secret': value, 'weight': 0.25},
            {'text': no(), 'set': 'made: harmless in such a place', 'secret': False, 'weight': 0.25}]


def identifier(r):
    """As programs name things: short parts, some with digits."""
    part = lambda: r.choice([word(r), word(r)[:3], service(r)[:4], 'x86', 'utf8', 'int32', 'v2', 'sha1', 'md5', 'x509', 'p8', 'n', 't', 'ctx', 'fn', '3', '64'])  # noqa: E731
    parts = [part() for _ in range(r.randint(2, 4))]
    return r.choice([
        lambda: '_'.join(parts), lambda: '_'.join(parts).upper(), lambda: ''.join(p.title() for p in parts), lambda: parts[0] + ''.join(p.title() for p in parts[1:]),
        lambda: '-'.join(parts), lambda: '.'.join(parts), lambda: '::'.join(parts), lambda: '/'.join(parts) + '.' + r.choice('c h py pl js txt conf 1 8'.split()),
        lambda: parts[0][:1] + str(r.randint(1, 9)) + parts[1][:1] + str(r.randint(10, 999)), lambda: f'{parts[0]}{r.randint(1, 9999)}'])()


def number_or_hash(r):
    return r.choice([f'0x{drawn(r, "HEX", 4, 16)}{r.choice(["", "UL", "l", "u"])}', drawn(r, 'hex', 7, 40), str(r.randint(10 ** 4, 10 ** 19)), f'{r.randint(1, 9)}.{r.randint(0, 99)}.{r.randint(0, 99)}'])


def source(r):
    """Lines of programs, their documents and their changes, with a word for a secret in them."""
    name, value = r.choice([credential(r), spelt(r, word(r), r.choice(PASSWORDS)), identifier(r) + r.choice(['_key', '_KEY', 'Key', '_token', '_auth', 'API', '_sig'])]), identifier(r)
    digits = number_or_hash(r)
    return r.choice([
        f'#define {name.upper()} {r.choice(["", "  "])}{r.choice([digits, f"({digits})", identifier(r).upper()])}', f'#define {name.upper()}\t\t{digits}', f'int {identifier(r)}({value} {name}, {identifier(r)} *{value});',
        f'{name} = {value};', f'{name} = {identifier(r)}({value});', f'{name}={value}', f'{name}: {value}', f'{name}, {value}, {identifier(r)}', f'{name}({value}, {identifier(r)})', f'{name}->{value}',
        f"'{name}' => '{value}'", f'"{name}": "{value}"', f'{name} {value} is read by {identifier(r)}', f'the {name} {value} of {identifier(r)}', f'- {name}: {value}: fix the {word(r)}', f'\t* {value}, {name}: {word(r)} {word(r)}',
        f'man/{word(r)}.{r.randint(1, 8)}, man/{name}.{r.randint(1, 8)}, man/{value}', f'<{name}>{value}</{name}>', f'<a href="https://{host(r)}/{word(r)}/{digits}">{digits}</a>', f'[{digits}](https://{host(r)}/{word(r)}/{digits})',
        f'{word(r)}: {digits}', f'{word(r)}("{digits}")', f'${name}, ${value}', f'{name} = ${value}', f'({name} {value})', f'{name} - {value}', f'{name}\n{value}\n', f'{word(r)} = "{drawn(r, "hex", 16, 64)}"',
        f'{r.choice(["picture", "image", "data", "body"])}: |\n  ' + '\n  '.join(drawn(r, 'base64', 64, 64) for _ in range(3)) + f'\n  {drawn(r, "base64", 20, 40)}', f'case {name.upper()}: return {digits};'])


def make(out, n):
    r = random.Random(20261123)
    rows = []
    for _ in range(n):
        s = r.choice([service(r), '', service(r)])
        rows.append(made(r, spelt(r, s, *r.choice(TOKENS).split('_')), key(r), True, 'key beside its name'))
        rows.append(made(r, spelt(r, s, r.choice(PASSWORDS)) if r.random() < 0.6 else r.choice(PASSWORDS), password(r), True, 'password'))
        rows.append(made(r, service(r), service_value(r), True, 'key beside a service'))
        rows.append(made(r, spelt(r, s, *r.choice(HARMLESS).split('_')), key(r) if r.random() < 0.7 else written(r), False, 'harmless name'))
        rows.append(made(r, spelt(r, s, *r.choice(TOKENS + PASSWORDS).split('_')), written(r), False, 'written value'))
        lead = r.choice(['', '', '"', ' ', 'use ', 'with `', '> ', '- ', "'", 'Bearer ', '\n'])
        rows.append({'text': lead + prefix(r) + key(r)[-44:] + r.choice(['', '', '"', '`', ' ', '\n', ',']), 'set': 'made: prefixed', 'secret': True, 'weight': 0.25})
        rows.append({'text': lead + named(r) + r.choice(['', '', '"', '`', ' ', '\n', ',']), 'set': 'made: named thing', 'secret': False, 'weight': 0.25})
        rows.append({'text': lead + r.choice(['_', '-']).join(r.choice(ENGLISH) for _ in range(r.randint(3, 5))) + str(r.randint(1, 99)), 'set': 'made: words joined', 'secret': False, 'weight': 0.25})
        rows.append(pair(r))
        rows.extend(put(r) + put(r))
        rows.extend({'text': source(r), 'set': 'made: program text', 'secret': False, 'weight': 0.25} for _ in range(3))
        rows.append({'text': digest(r), 'set': 'made: digest', 'secret': False, 'weight': 0.5})
        rows.append(made(r, r.choice(ENGLISH), drawn(r, 'hex', 32, 64) if r.random() < 0.5 else written(r), False, 'word and digest'))
    write(out, 'made', rows)


def main():
    data, out = sys.argv[1:3]
    for source in SOURCES:
        secrets(data, source, out)
    for name, file in QUIET.items():
        quiet(data, name, file, out)
    make(out, 2500)


if __name__ == '__main__':
    main()
