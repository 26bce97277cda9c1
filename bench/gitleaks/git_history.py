#!/usr/bin/env python3
"""Writes the history of a made-up repository for `git fast-import`, the same each time for one Python and one seed.

usage: git_history.py COMMITS [SEED]

Its files are those of Python's own library. Each commit changes some of them: lines are inserted, replaced and taken away, the new
ones from other files of the library. There are branches that are merged, files that are removed, and in one of fifty commits a made-up
secret: keys with a valid form, and values assigned to names that say so."""
import base64
import pathlib
import random
import string
import sys
import sysconfig
import zlib

FILES, FILE_BYTES_MAX = 700, 120_000
ALPHANUMERIC = string.ascii_letters + string.digits
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


def pick(rng, alphabet, n):
    return ''.join(rng.choice(alphabet) for _ in range(n))


def github_token(rng):
    body = pick(rng, ALPHANUMERIC, 30)
    rest, digits = zlib.crc32(body.encode()), ''
    while rest:
        rest, digit = divmod(rest, 62)
        digits = BASE62[digit] + digits
    return 'ghp' + '_' + body + digits.rjust(6, '0')


def private_key(rng):
    text = base64.b64encode(rng.randbytes(608)).decode()
    kind = 'RSA PRIVATE ' + 'KEY-----'
    return ['-----BEGIN ' + kind] + [text[i:i + 64] for i in range(0, len(text), 64)] + ['-----END ' + kind]


SECRETS = (
    lambda rng: ['aws_access_key_id = ' + 'AK' + 'IA' + pick(rng, string.ascii_uppercase + '234567', 16)],
    lambda rng: ['GITHUB_TOKEN=' + github_token(rng)],
    lambda rng: ['slack = "' + 'xo' + 'xb-' + pick(rng, string.digits, 12) + '-' + pick(rng, string.digits, 13) + '-' + pick(rng, ALPHANUMERIC, 24) + '"'],
    lambda rng: ['stripe.api_key = "' + 'sk_' + 'live_' + pick(rng, ALPHANUMERIC, 24) + '"'],
    lambda rng: ['db_password = "' + pick(rng, ALPHANUMERIC, 20) + '"'],
    lambda rng: ['API_SECRET: ' + pick(rng, '0123456789abcdef', 40)],
    private_key,
)


def library():
    root = pathlib.Path(sysconfig.get_paths()['stdlib'])
    files = {}
    for path in sorted(root.rglob('*.py')):
        if 'site-packages' in path.parts or path.stat().st_size > FILE_BYTES_MAX:
            continue
        try:
            lines = path.read_text(encoding='utf-8').splitlines()
        except UnicodeDecodeError:
            continue
        if len(lines) > 20:
            files[str(path.relative_to(root))] = lines
    return files


class History:
    def __init__(self, rng, out):
        self.rng, self.out = rng, out
        self.files = library()
        self.names = list(self.files)
        rng.shuffle(self.names)
        self.names = self.names[:FILES]
        self.tree, self.marks, self.time = {}, 0, 1_600_000_000

    def write(self, text):
        self.out.write(text)

    def data(self, text):
        content = text.encode()
        self.write(b'data %d\n%s\n' % (len(content), content))

    def edit(self, lines):
        """One hunk."""
        rng = self.rng
        at, taken = rng.randrange(len(lines)), rng.choice((0, 0, 1, 2, 5))
        source = self.files[rng.choice(self.names)]
        start, n = rng.randrange(len(source)), rng.choice((1, 1, 2, 3, 6, 12))
        lines[at:at + taken] = source[start:start + n]

    def change(self):
        """The changed files of a commit."""
        rng, changed = self.rng, {}
        missing = [name for name in self.names if name not in self.tree]
        if missing and (not self.tree or rng.random() < 0.35):
            for name in missing[:rng.choice((1, 1, 2, 4))]:
                changed[name] = list(self.files[name])
        for _ in range(rng.choice((1, 1, 2, 2, 3, 4)) if self.tree else 0):
            name = rng.choice(sorted(self.tree))
            lines = changed.setdefault(name, list(self.tree[name]))
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                self.edit(lines)
        if rng.random() < 0.02:
            lines = changed[rng.choice(sorted(changed))]
            at = rng.randrange(len(lines) + 1)
            lines[at:at] = rng.choice(SECRETS)(rng)
        return changed

    def commit(self, branch, changed, removed=(), parents=()):
        self.marks += 1
        self.time += self.rng.randrange(60, 20_000)
        who = b'Author %d <author%d@example.org> %d +0000' % (self.marks % 23, self.marks % 23, self.time)
        self.write(b'commit refs/heads/%s\nmark :%d\nauthor %s\ncommitter %s\n' % (branch, self.marks, who, who))
        self.data('change %d' % self.marks)
        for i, parent in enumerate(parents):
            self.write(b'%s :%d\n' % (b'merge' if i else b'from', parent))
        for name, lines in changed.items():
            self.write(b'M 100644 inline %s\n' % name.encode())
            self.data('\n'.join(lines) + '\n')
        for name in removed:
            self.write(b'D %s\n' % name.encode())
        return self.marks

    def run(self, commits):
        rng, head = self.rng, 0
        while self.marks < commits:
            parents = (head,) if head else ()
            if rng.random() < 0.03 and self.tree and commits - self.marks > 8:
                head = self.branch(head)
                continue
            changed, removed = self.change(), ()
            if rng.random() < 0.01 and len(self.tree) > 50:
                removed = (rng.choice(sorted(set(self.tree) - set(changed))),)
            head = self.commit(b'main', changed, removed, parents)
            self.tree.update(changed)
            for name in removed:
                del self.tree[name]

    def branch(self, head):
        """Some commits on a branch, and its merge. The branch has files of its own, so that nothing conflicts."""
        rng, side, brought = self.rng, head, {}
        for _ in range(rng.choice((1, 2, 4))):
            changed = self.change()
            side = self.commit(b'side', changed, (), (side,))
            brought.update(changed)
            self.tree.update(changed)
        other = rng.choice(sorted(set(self.tree) - set(brought)))
        lines = list(self.tree[other])
        self.edit(lines)
        head = self.commit(b'main', {other: lines}, (), (head,))
        self.tree[other] = lines
        return self.commit(b'main', brought, (), (head, side))


def main():
    commits, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 22
    History(random.Random(seed), sys.stdout.buffer).run(commits)


if __name__ == '__main__':
    main()
