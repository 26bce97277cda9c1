"""The check digits of national numbers, written a second time, against the examples of the shipped rules: every match
holds a number that is right, and near misses are among them that have the form and a wrong check digit."""
import datetime
import glob
import re
import sys

import yaml


def weighted(text, weights):
    return sum(int(c, 36) * w for c, w in zip(text, weights))


def luhn(text):
    total = 0
    for i, c in enumerate(reversed(text)):
        doubled = int(c) * (1 + i % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def zero(weights, modulus):
    return lambda text: weighted(text, weights) % modulus == 0


def complement(weights, modulus, ten=None):
    def holds(text):
        check = -weighted(text[:-1], weights) % modulus
        return text[-1] == (ten if check == 10 else str(check))
    return holds


def verhoeff(text):
    def times(a, b):
        if a < 5:
            return (a + b) % 5 if b < 5 else 5 + (a + b) % 5
        return 5 + (a - b) % 5 if b < 5 else (a - b) % 5

    step, total = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4], 0
    for i, c in enumerate(reversed(text)):
        digit = int(c)
        for _ in range(i % 8):
            digit = step[digit]
        total = times(total, digit)
    return total == 0


def hybrid(text):
    product = 10
    for c in text[:-1]:
        product = 2 * ((product + int(c)) % 10 or 10) % 11
    return (product + int(text[-1])) % 10 == 1


def mod97(text):
    return int("".join(str(int(c, 36)) for c in text)) % 97


def mod11_2(text):
    rest = 0
    for c in text[:-1]:
        rest = 2 * (rest + int(c)) % 11
    return (rest + (10 if text[-1] == "X" else int(text[-1]))) % 11 == 1


def short_date(year, month, day):
    for century in (1900, 2000):
        try:
            datetime.date(century + int(year), int(month), int(day))
            return True
        except ValueError:
            pass
    return False


def iban(text):
    return mod97(text[4:] + text[:4]) == 1


def vin(text):
    values = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9]))
    weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
    total = sum((int(c) if c.isdigit() else values[c]) * w for c, w in zip(text, weights)) % 11
    return text[8] == ("X" if total == 10 else str(total))


def dea(text):
    d = [int(c) for c in text[2:]]
    return (d[0] + d[2] + d[4] + 2 * (d[1] + d[3] + d[5])) % 10 == d[6]


def utr(text):
    return text[0] == "21987654321"[weighted(text[1:], [6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11]


def tax_id_de(text):
    counts = [text[:10].count(d) for d in "0123456789"]
    return hybrid(text) and sum(c > 1 for c in counts) == 1 and max(counts) <= 3


def dni(text):
    number = text[:-1].translate(str.maketrans("XYZ", "012"))
    return text[-1] == "TRWAGMYFPDXBNJZSQVHLCKE"[int(re.sub("^[KLM]", "", number)) % 23]


def cif(text):
    digit = next(d for d in "0123456789" if luhn(text[1:8] + d))
    return text[8] in (digit, "JABCDEFGHI"[int(digit)])


def fiscal_code(text):
    odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
    place = [int(c) if c.isdigit() else ord(c) - 65 for c in text]
    return place[15] == sum(odd[v] if i % 2 == 0 else v for i, v in enumerate(place[:15])) % 26


def nir(text):
    return 97 - int(text[:13].replace("2A", "19").replace("2B", "18")) % 97 == int(text[13:])


def national_be(text):
    return int(text[9:]) in (97 - int(text[:9]) % 97, 97 - int("2" + text[:9]) % 97)


def hetu(text):
    return text[10] == "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(text[:6] + text[7:10]) % 31]


def fnr(text):
    return zero([3, 7, 6, 1, 8, 9, 4, 5, 2, 1], 11)(text) and zero([5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1], 11)(text)


def ahv(text):
    return zero([1, 3] * 6 + [1], 10)(text)


def tckn(text):
    d = [int(c) for c in text]
    return (7 * sum(d[0:9:2]) - sum(d[1:8:2])) % 10 == d[9] and sum(d[:10]) % 10 == d[10]


def gstin(text):
    total = 0
    for i, c in enumerate(reversed(text)):
        value = int(c, 36) * (1 + i % 2)
        total += value // 36 + value % 36
    return total % 36 == 0


def hkid(text):
    values = [36] * (9 - len(text)) + [int(c, 36) for c in text]
    return sum(v * w for v, w in zip(values, range(9, 0, -1))) % 11 == 0


def nric(text):
    letters = {"S": "JZIHGFEDCBA", "T": "JZIHGFEDCBA", "F": "XWUTRQPNMLK", "G": "XWUTRQPNMLK", "M": "XWUTRQPNJLK"}
    total = weighted(text[1:8], [2, 7, 6, 5, 4, 3, 2]) + {"T": 4, "G": 4, "M": 3}.get(text[0], 0)
    return text[8] == letters[text[0]][total % 11]


def thai(text):
    return (11 - weighted(text[:12], range(13, 1, -1)) % 11) % 10 == int(text[12])


def abn(text):
    return zero([10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19], 89)(str(int(text[0]) - 1) + text[1:])


def brazilian(weights):
    def holds(text):
        for n in (len(text) - 2, len(text) - 1):
            rest = sum((ord(c) - 48) * w for c, w in zip(text[:n], weights[len(text) - 1 - n:])) % 11
            if int(text[n]) != (0 if rest < 2 else 11 - rest):
                return False
        return True
    return holds


def curp(text):
    place = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ".index
    return (10 - sum(place(c) * (18 - i) for i, c in enumerate(text[:17])) % 10) % 10 == int(text[17])


def rut(text):
    check = 11 - sum(int(c) * (2 + i % 6) for i, c in enumerate(reversed(text[:-1]))) % 11
    return text[-1] == {11: "0", 10: "K"}.get(check, str(check))


def personnummer(text):
    return luhn(text[-10:])


# What a number looks like once its separators are gone, and what holds for it.
DIGITS = r"[0-9]{%s}"
RULES = {
    "payment-card": (DIGITS % "14,19", luhn),
    "iban": (r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", iban),
    "aba-routing-us": (DIGITS % 9, zero([3, 7, 1] * 3, 10)),
    "imei": (DIGITS % 15, luhn),
    "npi-us": (DIGITS % 10, lambda text: luhn("80840" + text)),
    "dea-us": (r"[A-Z][A-Z9][0-9]{7}", dea),
    "sin-ca": (DIGITS % 9, luhn),
    "nhs-number-uk": (DIGITS % 10, zero(range(10, 0, -1), 11)),
    "utr-uk": (DIGITS % 10, utr),
    "tax-id-de": (DIGITS % 11, tax_id_de),
    "id-card-de": (r"[A-Z0-9]{9}[0-9]", lambda text: weighted(text[:9], [7, 3, 1] * 3) % 10 == int(text[9])),
    "nif-es": (r"(?:[0-9]{8}|[XYZKLM][0-9]{7})[A-Z]", dni),
    "cif-es": (r"[A-W][0-9]{7}[0-9A-J]", cif),
    "fiscal-code-it": (r"[A-Z]{6}[0-9L-V]{2}[A-Z][0-9L-V]{2}[A-Z][0-9L-V]{3}[A-Z]", fiscal_code),
    "nir-fr": (r"[0-9]{5}[0-9][0-9AB][0-9]{8}", nir),
    "bsn-nl": (DIGITS % 9, zero([9, 8, 7, 6, 5, 4, 3, 2, -1], 11)),
    "national-number-be": (DIGITS % 11, national_be),
    "pesel-pl": (DIGITS % 11, zero([1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1], 10)),
    "personnummer-se": (r"(?:19|20)?[0-9]{10}", personnummer),
    "hetu-fi": (r"[0-9]{6}[-+A-Y][0-9]{3}[0-9A-Y]", hetu),
    "fnr-no": (DIGITS % 11, fnr),
    "ahv-ch": (r"756[0-9]{10}", ahv),
    "tckn-tr": (DIGITS % 11, tckn),
    "id-number-il": (DIGITS % 9, luhn),
    "id-number-za": (DIGITS % 13, lambda text: luhn(text) and short_date(text[:2], text[2:4], text[4:6])),
    "aadhaar-in": (DIGITS % 12, verhoeff),
    "gstin-in": (r"[0-9]{2}[A-Z]{5}[0-9]{4}[A-Z][0-9A-Z]Z[0-9A-Z]", gstin),
    "resident-id-cn": (r"[0-9]{17}[0-9X]", mod11_2),
    "hkid-hk": (r"[A-Z]{1,2}[0-9]{6}[0-9A]", hkid),
    "my-number-jp": (DIGITS % 12, complement([6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11, "0")),
    "nric-sg": (r"[STFGM][0-9]{7}[A-Z]", nric),
    "national-id-th": (DIGITS % 13, thai),
    "tfn-au": (DIGITS % 9, zero([1, 4, 3, 7, 5, 8, 6, 9, 10], 11)),
    "medicare-au": (DIGITS % 10, lambda text: weighted(text, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 == int(text[8])),
    "abn-au": (r"[1-9][0-9]{10}", abn),
    "acn-au": (DIGITS % 9, complement([8, 7, 6, 5, 4, 3, 2, 1], 10)),
    "cpf-br": (DIGITS % 11, brazilian([11, 10, 9, 8, 7, 6, 5, 4, 3, 2])),
    "cnpj-br": (r"[0-9A-Z]{12}[0-9]{2}", brazilian([6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])),
    "curp-mx": (r"[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9]", curp),
    "rut-cl": (r"[0-9]{8}[0-9K]", rut),
    "rut-cl-short": (r"[0-9]{7}[0-9K]", rut),
}
SEPARATED = r"[ .\-/()\u00a0\u202f]{0,2}"
NEAR_MISSES = 2


def numbers(form, text):
    """What has the form in the text, whatever separates it, at every place."""
    plain = re.compile(form + r"\Z")
    for begin in range(len(text)):
        if begin > 0 and re.match(r"[A-Za-z0-9_]", text[begin - 1], re.ASCII):
            continue
        run = re.match(rf"(?:[A-Za-z0-9+]{SEPARATED}){{6,40}}", text[begin:], re.ASCII)
        if run is None:
            continue
        packed = ""
        for at, c in enumerate(run.group()):
            if re.match(r"[A-Za-z0-9]", c, re.ASCII) or (c in "-+" and "[-+A-Y]" in form):
                packed += c
                rest = text[begin + at + 1:begin + at + 2]
                is_free = not re.match(r"[A-Za-z0-9_]", rest, re.ASCII)
                if is_free and plain.match(packed):
                    yield packed


def verdicts(rule, text):
    form, holds = RULES[rule]
    return [holds(number) for number in numbers(form, text)]


def main():
    complaints, checked = [], 0
    for path in sorted(glob.glob("rules/pii/*.yaml")):
        with open(path, encoding="utf-8") as file:
            rules = yaml.safe_load(file).get("rules", [])
        for rule in rules:
            name = rule["id"]
            if name not in RULES:
                continue
            checked += 1
            complaints += [f"{name}: no right number in: {e}" for e in rule["match"] if True not in verdicts(name, e)]
            near = [v for v in (verdicts(name, e) for e in rule["no_match"]) if v and True not in v]
            if len(near) < NEAR_MISSES:
                complaints.append(f"{name}: {len(near)} near misses have its form and a wrong check digit")
    if checked != len(RULES):
        complaints.append(f"{checked} of {len(RULES)} rules found")
    print("\n".join(complaints))
    sys.exit(1 if complaints else 0)


main()
