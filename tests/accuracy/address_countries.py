"""address_countries.py set TABLE [N] [SEED]: N texts (default 12) with an address of several lines for each country of addresses.tsv, one JSON
object a line. address_countries.py score SET FINDINGS [missed]: of each country the share of addresses that findings of addresses, with places and
post codes beside them, cover by an intersection over union of 0.9; the countries are counted."""
import collections
import json
import random
import re
import sys

FRAMES = ["The new address is\n{a}\nand the key is under the mat.", "Please send it to:\n{a}\n\nThank you.", "Nadia Okoro\n{a}\n", "{a}", "Ship to:\n{a}\n\nItems: 3 boxes",
          "She moved last week.\n\n{a}\n\nHer phone has not changed."]
ADDRESS = {"classifier-postal-address", "postal-address", "street-address-bare", "postal-address-lines", "postal-address-town", "street-address-parts",
           "address-code-last", "address-in-context", "address-way-first", "address-number-and-code", "address-behind-label", "address-of-label", "address-other-scripts",
           "street-word-first", "street-word-last", "street-kind-first", "street-kind-last"}
RULES = ADDRESS | {"place-name", "place-name-more", "town-form", "town-behind-street", "code-behind-town", "place-in-context", "zip-code"}


def made(form, r):
    letters = "ABCDEFGHJKLMNPRSTUVWXYZ"
    out = re.sub("#", lambda _: r.choice("0123456789"), re.sub("@", lambda _: r.choice(letters), form))
    return "1" + out[1:] if out[0] == "0" and form[0] == "#" and r.random() < 0.7 else out


def address(row, r):
    _, country, lines, post, streets, cities = row
    text = lines
    for name, value in (("{street}", r.choice(streets.split(";"))), ("{city}", r.choice(cities.split(";"))), ("{post}", made(post, r))):
        text = text.replace(name, value)
    text = re.sub("{n}", lambda _: str(r.randint(2, 240)), text)
    text = re.sub("{m}", lambda _: str(r.randint(1, 29)), text)
    return text.replace("|", "\n") + ("\n" + r.choice([country, country.upper()]) if r.random() < 0.5 else "")


def make(table, count, seed):
    r = random.Random(seed)
    with open(table, encoding="utf-8") as rows:
        for row in rows:
            if not row.startswith("#"):
                fields = row.rstrip("\n").split("\t")
                for i in range(count):
                    before, _, after = FRAMES[i % len(FRAMES)].partition("{a}")
                    a = address(fields, r)
                    start = len(before.encode())
                    print(json.dumps({"country": fields[0], "text": before + a + after, "span": [start, start + len(a.encode())]}, ensure_ascii=False))


def covered(span, findings, text):
    """IoU of the span and the findings of addresses that touch it, with places and post codes joined."""
    spans = sorted(f[:2] for f in findings if f[1] > span[0] and f[0] < span[1])
    if not any(f[2] in ADDRESS for f in findings if f[1] > span[0] and f[0] < span[1]):
        return 0
    start, end = min(s[0] for s in spans), max(s[1] for s in spans)
    bytes_in = set()
    for a, b in spans:
        bytes_in |= set(range(a, b))
    joined = bytes_in | {i for i in range(start, end) if text[i:i + 1] in b" ,\n"}
    return len(joined & set(range(*span))) / len(joined | set(range(*span)))


def score(path, findings, show):
    found = collections.defaultdict(list)
    with open(findings, encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            if row.get("bytes") and row.get("action") != "allow" and row["rule"] in RULES:
                found[row["line"]].append([*row["bytes"], row["rule"]])
    n, right = collections.Counter(), collections.Counter()
    with open(path, encoding="utf-8") as rows:
        for number, row in enumerate(map(json.loads, rows), 1):
            text = row["text"].encode()
            n[row["country"]] += 1
            iou = covered(row["span"], found[number], text)
            right[row["country"]] += iou >= 0.9
            if show and iou < 0.9:
                print("missed", row["country"], round(iou, 2), repr(text[slice(*row["span"])].decode()), [(f[2], text[f[0]:f[1]].decode()) for f in found[number]], sep="\t")
    shares = {country: right[country] / n[country] for country in n}
    print(" ".join(f"{country} {100 * share:.0f}" for country, share in sorted(shares.items(), key=lambda item: item[1])))
    print("countries: %d; recall of at least 0.7 in %d, of at least 0.5 in %d; all addresses %.3f" %
          (len(n), sum(s >= 0.7 for s in shares.values()), sum(s >= 0.5 for s in shares.values()), right.total() / n.total()))
    return right.total() / n.total(), sum(s >= 0.7 for s in shares.values())


def main():
    if sys.argv[1] == "set":
        make(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 12, int(sys.argv[4]) if len(sys.argv) > 4 else 21)
    else:
        all_right, countries = score(sys.argv[2], sys.argv[3], len(sys.argv) > 4)
        sys.exit(all_right < 0.9 or countries < 100)


if __name__ == "__main__":
    main()
