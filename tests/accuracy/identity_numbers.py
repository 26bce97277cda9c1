"""identity_numbers.py texts TABLE: the texts of identity_numbers.tsv, one JSON object a line: each value behind each of its titles in five
forms, and alone where it is clear. identity_numbers.py score TEXTS SHIPPED PRIVACY: a line for each number with what findings of personal data
(filterctl check --all --format ndjson) of both policies reported and acted on; exit code 1 when one that should be redacted is not."""
import collections
import json
import sys

FORMS = ["{title}: {value}", "{title} {value}", "The {title} is {value}, as the form says.", "| {title} | {value} |", '{{"{title}": "{value}", "active": true}}']
# What must be in a value that is clear without a title.
CLEAR = {"yes": lambda value: True, "no": lambda value: False, "hyphens": lambda value: "-" in value, "dots": lambda value: "." in value, "spaces": lambda value: " " in value,
         "entity": lambda value: value[0].isalpha()}


def texts(table):
    with open(table, encoding="utf-8") as rows:
        for row in rows:
            if row.startswith("#"):
                continue
            number, values, titles, alone = row.rstrip("\n").split("\t")
            for value in values.split(";"):
                for title in titles.split(";"):
                    for form in FORMS:
                        print(json.dumps({"number": number, "alone": False, "text": form.format(title=title, value=value), "value": value}, ensure_ascii=False))
                if CLEAR[alone](value):
                    print(json.dumps({"number": number, "alone": True, "text": f"It says {value} on the form.", "value": value}, ensure_ascii=False))


def findings(path):
    """By line the findings of personal data: [(start, end, action)]."""
    found = collections.defaultdict(list)
    with open(path, encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            if row.get("category") == "pii" and row.get("bytes"):
                found[row["line"]].append((*row["bytes"], row["action"]))
    return found


def covers(found, text, value):
    """Whether the value is reported, and whether it is acted on, but for its first two characters (a country's letters)."""
    start = len(text[:text.rindex(value)].encode())
    hits = [action for a, b, action in found if a <= start + 2 and b >= start + len(value)]
    return bool(hits), any(action != "allow" for action in hits)


def score(path, shipped, privacy):
    by_policy = {"shipped": findings(shipped), "privacy": findings(privacy)}
    n, reported, acted = (collections.Counter() for _ in range(3))
    through = []
    with open(path, encoding="utf-8") as rows:
        for line, row in enumerate(map(json.loads, rows), 1):
            for policy, found in by_policy.items():
                key = row["number"], policy, row["alone"]
                is_reported, is_acted = covers(found[line], row["text"], row["value"])
                n[key] += 1
                reported[key] += is_reported
                acted[key] += is_acted
                if not is_acted and not (row["alone"] and policy == "shipped"):
                    through.append((policy, "reported" if is_reported else "missed", row["number"], row["text"]))
    numbers = list(dict.fromkeys(number for number, _, _ in n))
    print("number               shipped, with a title     privacy, with a title     privacy, alone")
    for number in numbers:
        cells = ["%4d reported %4d acted" % (100 * reported[k] // n[k], 100 * acted[k] // n[k]) if n[k] else "" for k in
                 ((number, "shipped", False), (number, "privacy", False), (number, "privacy", True))]
        print("%-20s %s   %s   %s" % (number, *cells))
    for row in through:
        print("through:", *row, sep="\t")
    print("%d numbers, %d texts; %d got through" % (len(numbers), n.total() // 2, len(through)))
    return through


if __name__ == "__main__":
    if sys.argv[1] == "texts":
        texts(sys.argv[2])
    else:
        sys.exit(bool(score(*sys.argv[2:5])))
