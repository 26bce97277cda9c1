"""examples.py BINDIR [MISSED]: the example numbers of libphonenumber (each region, each kind of number) through filterctl check.

Three forms: international without a word beside it and national with one, by the shipped policy; national without one, by the policy
`privacy`, where the form is clear. Example numbers are sequences, such as 0123456, which the shipped rules report and do not act on; so each
is tried with random digits behind its first ones too (`random`), which libphonenumber calls valid. Printed are the shares found (at any confidence) and
acted on, and with MISSED every number that is not. Exit code 1 below the bars."""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import phonenumbers
from phonenumbers import PhoneNumberFormat, PhoneNumberType

KINDS = {PhoneNumberType.FIXED_LINE: "fixed", PhoneNumberType.MOBILE: "mobile", PhoneNumberType.TOLL_FREE: "toll-free", PhoneNumberType.PREMIUM_RATE: "premium",
         PhoneNumberType.SHARED_COST: "shared-cost", PhoneNumberType.PERSONAL_NUMBER: "personal", PhoneNumberType.VOIP: "voip", PhoneNumberType.UAN: "uan",
         PhoneNumberType.PAGER: "pager", PhoneNumberType.VOICEMAIL: "voicemail"}
WORDS = ["Tel: {}", "My phone number is {}.", "Please call me on {} before noon."]
ALONE = "It is {} from nine to five."
SHIPPED = ("rules/policy.yaml", "default")
PRIVACY = ("rules/policy-privacy.yaml", "privacy")
# The least share, in percent, of rows found and acted on.
BARS = {("international", "example"): (100, 0), ("international", "random"): (100, 99), ("with a word", "example"): (99, 0), ("with a word", "random"): (99, 97),
        ("alone", "random"): (90, 90)}


def varied(number, r):
    """The number with other last digits, valid and of the same kind; None when there is none within 200 tries."""
    national = phonenumbers.national_significant_number(number)
    for attempt in range(200):
        keep = max(2, len(national) - 6) if attempt < 100 else max(2, len(national) - 4)
        other = phonenumbers.PhoneNumber()
        other.merge_from(number)
        digits = national[:keep] + "".join(r.choice("0123456789") for _ in national[keep:])
        if digits.startswith("0") != national.startswith("0") or len(set(digits)) < 4:
            continue
        other.national_number = int(digits)
        if phonenumbers.is_valid_number(other) and phonenumbers.number_type(other) == phonenumbers.number_type(number):
            return other
    return None


def is_clear(text):
    """Whether a national number alone says that it is one: nine digits or more in groups, or behind a trunk prefix."""
    digits = re.sub(r"[^0-9]", "", text)
    groups = re.findall(r"[0-9]+", text)
    return len(digits) >= 9 and (len(groups) >= 3 or text.startswith("("))


def examples():
    r = random.Random(21)
    regions = [(region, None) for region in sorted(phonenumbers.SUPPORTED_REGIONS)] + [(None, code) for code in sorted(phonenumbers.COUNTRY_CODES_FOR_NON_GEO_REGIONS)]
    for region, code in regions:
        for kind, name in KINDS.items():
            number = phonenumbers.example_number_for_type(region, kind) if region else None
            if code is not None:
                number = phonenumbers.example_number_for_non_geo_entity(code) if kind == PhoneNumberType.FIXED_LINE else None
            if number is not None:
                yield region or f"+{code}", name, "example", number
                other = varied(number, r)
                if other is not None:
                    yield region or f"+{code}", name, "random", other


def rows():
    """(policy, form, region, kind, how, text, number as written)"""
    for region, kind, how, number in examples():
        abroad = phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL)
        for text in (abroad, phonenumbers.format_number(number, PhoneNumberFormat.E164)) if phonenumbers.can_be_internationally_dialled(number) else ():
            yield SHIPPED, "international", region, kind, how, ALONE.format(text), text
        home = phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
        if region.startswith("+") or kind == "uan" and len(re.sub("[^0-9]", "", home)) < 7:
            continue
        for text in WORDS:
            yield SHIPPED, "with a word", region, kind, how, text.format(home), home
        if is_clear(home):
            yield PRIVACY, "alone", region, kind, how, ALONE.format(home), home


def judged(ctl, policy, texts):
    """The findings of each text: [(action, start, end)] in bytes."""
    found = collections.defaultdict(list)
    with tempfile.NamedTemporaryFile("w", suffix=".ndjson", encoding="utf-8") as file:
        for text in texts:
            file.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
        file.flush()
        out = subprocess.run([ctl, "check", "--rules", "rules", "--policy", policy[0], "--policy-name", policy[1], "--field", "text", "--all", "--format", "ndjson", file.name],
                             stdout=subprocess.PIPE, check=False)
        if out.returncode > 1:
            sys.exit("check failed")
        for row in map(json.loads, out.stdout.decode().splitlines()):
            if row.get("category") == "pii" and row.get("bytes"):
                found[row["line"] - 1].append((row["action"], *row["bytes"]))
    return found


def main():
    ctl = os.path.join(sys.argv[1], "filterctl")
    show = len(sys.argv) > 2
    n, found, acted = (collections.Counter() for _ in range(3))
    regions = collections.defaultdict(set)
    everything = list(rows())
    for policy in (SHIPPED, PRIVACY):
        mine = [row for row in everything if row[0] == policy]
        findings = judged(ctl, policy, [row[5] for row in mine])
        for i, (_, form, region, kind, how, text, number) in enumerate(mine):
            start = len(text[:text.index(number)].encode())
            # All its digits but for the trunk prefix's and a bracket.
            hits = [action for action, a, b in findings[i] if a <= start + 3 and b >= start + len(number)]
            n[form, how] += 1
            found[form, how] += bool(hits)
            acted[form, how] += any(action != "allow" for action in hits)
            if not hits:
                regions[form, how].add(region)
            if show and not any(action != "allow" for action in hits) and (how == "random" or not hits):
                print("missed" if not hits else "found ", form, how, region, kind, text, sep="\t")
    bad = False
    for key in n:
        f, a = 100 * found[key] / n[key], 100 * acted[key] / n[key]
        least = BARS.get(key, (0, 0))
        bad |= f < least[0] or a < least[1]
        print("%-14s %-8s %5d numbers: found %5.1f %% (bar %d), acted on %5.1f %% (bar %d); regions with one not found: %d" %
              (*key, n[key], f, least[0], a, least[1], len(regions[key])))
    sys.exit(bad)


if __name__ == "__main__":
    main()
