"""letters.py HALF COUNT [SEED]: as generate.py, but of letters.txt and letters_values.py: letters, forms, orders, records of 36 countries, with addresses
as they are written there. Of both halves the rules were written with `dev` in sight; `test` was not read."""
import json
import os
import random
import sys

import letters_values as values
from generate import filled

HERE = os.path.dirname(os.path.abspath(__file__))


def templates(half):
    register, place = None, 0
    with open(os.path.join(HERE, "letters.txt"), encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if line.startswith("## "):
                register, place = line[3:], 0
            elif line:
                if half == ("test" if place % 2 else "dev"):
                    yield register, number, line.replace("\\n", "\n").replace("\\t", "\t")
                place += 1


def main():
    if os.environ.get("PYTHONHASHSEED") != "0":  # Faker draws from sets
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    half, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 511
    r = random.Random(f"{seed} {half}")
    fakers = values.fakers(seed + (half == "test") * 777)
    mine = list(templates(half))
    for place in range(count):
        _, number, template = mine[place % len(mine)]
        source = values.Values(r, half, fakers)
        text, spans = filled(template, source, r, False)
        print(json.dumps({"text": text, "spans": spans, "template": number, "locale": source.code}, ensure_ascii=False))


if __name__ == "__main__":
    main()
