"""generate.py HALF COUNT [SEED]: texts of templates.txt filled with the values of values.py, as NDJSON on standard output:
{"text": ..., "spans": [[start, end, ENTITY], ...], "template": n, "locale": ...}, with offsets in characters.

HALF is `dev` or `test`: each has every second template of a register and its own locales, so that what is written with one half in sight can be
measured on the other. The same seed gives the same texts."""
import json
import os
import random
import re
import sys

import values

PLACE = re.compile(r"\{(\w+)\}|\[([^|\]]+)\|([A-Z_]+)\]")


def templates(half):
    """The half's templates: (register, number, text)."""
    register, place = None, 0
    with open(os.path.join(os.path.dirname(__file__), "templates.txt"), encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if line.startswith("## "):
                register, place = line[3:], 0
            elif line and not line.startswith("#"):
                if half == ("test" if place % 2 else "dev"):
                    yield register, number, line.replace("\\n", "\n")
                place += 1


def filled(template, source, r, lower):
    text, spans, end = "", [], 0
    for match in PLACE.finditer(template):
        text += template[end:match.start()]
        end = match.end()
        value, entity = source.made(match[1]) if match[1] else (match[2], match[3])
        if lower and entity in ("PERSON", "LOCATION") and r.random() < 0.5:
            value = value.lower()
        if entity:
            spans.append([len(text), len(text) + len(value), entity])
        text += value
    return text + template[end:], spans


def main():
    if os.environ.get("PYTHONHASHSEED") != "0":  # Faker draws from sets
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    half, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 2126
    r = random.Random(f"{seed} {half}")
    fakers = values.fakers(seed + (half == "test") * 1000)
    for faker in fakers.values():
        faker.random.seed(r.randrange(1 << 30))
    mine = list(templates(half))
    for place in range(count):
        register, number, template = mine[place % len(mine)]
        source = values.Values(r, half, fakers)
        text, spans = filled(template, source, r, register == "chats and messages" and r.random() < 0.4)
        print(json.dumps({"text": text, "spans": spans, "template": number, "locale": source.locale}, ensure_ascii=False))


if __name__ == "__main__":
    main()
