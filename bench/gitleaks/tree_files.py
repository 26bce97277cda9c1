#!/usr/bin/env python3
"""Makes a folder of source-like text: what Debian packages have under /usr, copied until it is large enough, with made-up secrets.

usage: tree_files.py FOLDER MEGABYTES [PIECES [SEED]]

It has PIECES folders of about the same size. One of two hundred files has a secret of git_history.py on lines of its own. The same files for one system and one seed."""
import pathlib
import random
import sys

import git_history

ROOTS = ('/usr/include', '/usr/lib/python3', '/usr/lib/python3.11', '/usr/lib/python3.13', '/usr/share')
ENDINGS = {'.c', '.cfg', '.conf', '.css', '.h', '.hpp', '.html', '.ini', '.js', '.json', '.m4', '.md', '.mk', '.php', '.pl', '.pm', '.py',
           '.rb', '.rst', '.sh', '.sql', '.tcl', '.toml', '.txt', '.vim', '.xml', '.yaml', '.yml'}
FILE_BYTES_MAX, ONE_OF = 1_000_000, 200


def sources():
    for root in ROOTS:
        for path in sorted(pathlib.Path(root).rglob('*')):
            if path.suffix not in ENDINGS or path.is_symlink() or not path.is_file() or path.stat().st_size > FILE_BYTES_MAX:
                continue
            try:
                yield path, path.read_text(encoding='utf-8')
            except UnicodeDecodeError:
                continue


def main():
    folder, size = pathlib.Path(sys.argv[1]), int(sys.argv[2]) * 1_000_000
    pieces = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 22)
    files = list(sources())
    if not files:
        sys.exit('tree_files.py: no text under /usr')
    left = size
    for copy in range(size):
        for path, text in files:
            if rng.randrange(ONE_OF) == 0:
                lines = text.splitlines()
                at = rng.randrange(len(lines) + 1)
                lines[at:at] = rng.choice(git_history.SECRETS)(rng)
                text = '\n'.join(lines) + '\n'
            to = folder / str((size - left) * pieces // size) / str(copy) / path.relative_to('/')
            to.parent.mkdir(parents=True, exist_ok=True)
            left -= to.write_bytes(text.encode())
            if left <= 0:
                return


main()
