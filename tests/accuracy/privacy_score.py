"""privacy_score.py SET FINDINGS: how well the findings (filterctl check --format ndjson) cover the spans of the set, by
presidio-research's way: a span is found when findings of its entity overlap it by an intersection over union of at least 0.9;
PER-ENTITY precision and recall, and F2 over all. Adjacent findings of one entity are one; a place, a post code or a name inside an
address belongs to the address."""
import collections
import json
import sys

ENTITY = {"classifier-person-name": "PERSON", "person-name": "PERSON", "classifier-postal-address": "STREET_ADDRESS", "postal-address": "STREET_ADDRESS",
          "street-address-bare": "STREET_ADDRESS", "postal-address-lines": "STREET_ADDRESS", "postal-address-town": "STREET_ADDRESS", "place-name": "LOCATION", "classifier-place-name": "LOCATION", "place-in-context": "LOCATION",
          "nationality-or-group": "NRP", "date-any": "DATE_TIME", "date-of-birth": "DATE_TIME", "birth-date-prose": "DATE_TIME", "time-of-day": "DATE_TIME", "weekday-or-month": "DATE_TIME", "year-in-text": "DATE_TIME", "age-any": "AGE", "age-languages": "AGE", "age-of-person": "AGE",
          "title-of-person": "TITLE", "organisation-name": "ORGANIZATION", "organisation-known": "ORGANIZATION",
          "organisation-short": "ORGANIZATION", "organisation-in-context": "ORGANIZATION", "person-in-context": "PERSON", "classifier-person-name-likely": "PERSON", "place-name-more": "LOCATION", "town-form": "LOCATION",
          "street-address-parts": "STREET_ADDRESS", "street-word-first": "STREET_ADDRESS", "street-word-last": "STREET_ADDRESS", "street-kind-first": "STREET_ADDRESS", "street-kind-last": "STREET_ADDRESS", "address-code-last": "STREET_ADDRESS", "address-way-first": "STREET_ADDRESS",
          "address-number-and-code": "STREET_ADDRESS", "address-behind-label": "STREET_ADDRESS", "address-of-label": "STREET_ADDRESS", "address-in-context": "STREET_ADDRESS", "address-other-scripts": "STREET_ADDRESS", "ipv6-any": "IP_ADDRESS", "domain-name": "DOMAIN_NAME", "zip-code": "ZIP_CODE", "phone-bare": "PHONE_NUMBER",
          "phone-national": "PHONE_NUMBER", "phone-international": "PHONE_NUMBER", "email-address": "EMAIL_ADDRESS", "payment-card": "CREDIT_CARD",
          "payment-card-short": "CREDIT_CARD", "ssn-us": "US_SSN", "iban": "IBAN_CODE", "iban-other": "IBAN_CODE", "town-behind-street": "LOCATION", "code-behind-town": "ZIP_CODE",
          "address-town": "LOCATION", "address-postcode": "ZIP_CODE", "ipv4-address": "IP_ADDRESS", "ssn-us-bare": "US_SSN"}
# Of two that overlap the first of these decides, as one value is one thing.
ORDER = ["EMAIL_ADDRESS", "CREDIT_CARD", "IBAN_CODE", "US_SSN", "IP_ADDRESS", "PHONE_NUMBER", "STREET_ADDRESS", "DOMAIN_NAME", "DATE_TIME", "ORGANIZATION", "TITLE", "PERSON",
         "AGE", "NRP", "LOCATION", "ZIP_CODE"]
IOU = 0.9


def merged(found, text):
    """Findings without what lies in another of an earlier entity; neighbours of one entity joined."""
    kept = []
    for entity in ORDER:
        spans = sorted(s[:2] for s in found if s[2] == entity)
        joined = []
        for start, end in spans:
            if joined and (start <= joined[-1][1] or not text[joined[-1][1]:start].strip(b" ,\n") and entity != "PHONE_NUMBER"):
                joined[-1][1] = max(end, joined[-1][1])
            else:
                joined.append([start, end])
        titles = [k for k in kept if k[2] == "TITLE"] if entity == "PERSON" else []
        for span in joined:  # a name begins behind its title, which is redacted with it
            for title in titles:
                if title[0] <= span[0] < title[1]:
                    span[0] = title[1]
            span[0] += len(text[span[0]:span[1]]) - len(text[span[0]:span[1]].lstrip(b" ."))
        kept += [[a, b, entity] for a, b in joined if a < b and not any(x < b and a < y for x, y, _ in kept)]
    return kept


def iou(a, b):
    both = min(a[1], b[1]) - max(a[0], b[0])
    return both / (max(a[1], b[1]) - min(a[0], b[0])) if both > 0 else 0


def main():
    found = collections.defaultdict(list)
    with open(sys.argv[2], encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            if row.get("bytes") and row.get("action") != "allow" and row["rule"] in ENTITY:
                found[row["line"]].append([*row["bytes"], ENTITY[row["rule"]]])
    right, marked, given = (collections.Counter() for _ in range(3))
    show = sys.argv[3] if len(sys.argv) > 3 else None
    with open(sys.argv[1], encoding="utf-8") as rows:
        for number, row in enumerate(map(json.loads, rows), 1):
            text = row["text"].encode()
            guesses = merged(found[number], text)
            for guess in guesses:
                given[guess[2]] += 1
                if show == guess[2] and not any(s[2] == guess[2] and iou(s, guess) >= IOU for s in row["spans"]):
                    print("false:", text[guess[0]:guess[1]], "in", row["text"][:160])
            for span in row["spans"]:
                marked[span[2]] += 1
                is_found = any(g[2] == span[2] and iou(g, span) >= IOU for g in guesses)
                right[span[2]] += is_found
                if show == span[2] and not is_found:
                    print("missed:", text[span[0]:span[1]], [text[g[0]:g[1]] for g in guesses if iou(g, span) > 0])

    def figures(n_right, n_marked, n_given):
        p, r = n_right / n_given if n_given else 0, n_right / n_marked if n_marked else 0
        return p, r, 5 * p * r / (4 * p + r) if p + r else 0

    for entity in ORDER:
        print("%-15s marked %5d  P %.3f R %.3f F2 %.3f" % (entity, marked[entity], *figures(right[entity], marked[entity], given[entity])))
    print("%-15s marked %5d  P %.3f R %.3f F2 %.3f" % ("all", marked.total(), *figures(right.total(), marked.total(), given.total())))


if __name__ == "__main__":
    main()
