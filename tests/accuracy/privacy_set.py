"""privacy_set.py LISTS [N] [SEED]: a synthetic set of N texts with their personal data, one JSON object a line, as
{"text", "spans": [[start, end, entity]]} in bytes. Templates of this file, filled from the word lists in the folder LISTS
(faker_locales.ndjson, world_cities.tsv); the same seed gives the same set. Values that lists do not have (numbers, dates, companies)
are made here. It is a development set: rules of the pack
`privacy` were corrected with it, and their cities are out of the same list."""
import json
import random
import sys

TEMPLATES = """
My name is {person} and I live at {address}.
Please call {title} {last} at {phone} before {date}.
{person} was born on {date} in {city}, {country}.
I am a {age} year old {nrp} and I work for {org}.
Send the invoice to {address}. The contact is {person}, {phone}.
My e-mail is {email}, my phone number is {phone}.
Can you ship this to {address}?
I moved from {city} to {city2} on {date}.
{org} opened an office in {city} last year.
Charge it to my card {card}, the name on it is {person}.
{title} {person} will see you on {date}.
{person} lives in {country} and travels to {city} often.
How do I reach {person}? Try {phone} or {email}.
{first} from {org} told us to look at {domain}.
The patient, {person}, aged {age}, was admitted on {date}.
Our address has changed, it is now:
{address_lines}
Dear {title} {last}, your order from {org} is at {address}.
The {nrp} embassy in {city} is closed on {date}.
Is {domain} the web site of {org}?
My social security number is {ssn}.
Transfer it to the account {iban} of {person}.
{person}, {address_lines}
Office: {phone}. Home: {phone2}.
The login came from {ip} on {date}.
She is {age} years old, {nrp}, and has a degree from {org}.
I have lived in {country} since {date}.
Contact {person} ({email}) for more.
We will meet {first} at {address} on {date}.
He works at {org} in {city}.
Her ZIP code is {zip} and she lives in {city}.
{person} and {person2} founded {org}.
call me on {phone}
You can write to {person}, {address}.
{last} said that {org} will not sell its {country} branch.
What is the time in {city} when it is noon in {country}?
Return address: {person}
{address_lines}
My card {card} was stolen in {country}, please call {phone}.
{title} {last} married {person} on {date}.
""".strip("\n").split("\n")
# A template that goes on in the next line ends with a colon or holds a name alone.
NRP = ["Kenyan", "Danish", "Peruvian", "Hindu", "Catholic", "Lebanese", "Vietnamese", "Muslim", "Scottish", "Jewish",
       "Republican", "Finnish", "Malaysian", "Buddhist", "Cuban", "Ethiopian", "Turkish", "Icelandic", "Brazilian", "Sikh"]
COUNTRIES = ["Kenya", "Denmark", "Peru", "India", "Brazil", "Lebanon", "Vietnam", "Senegal", "Scotland", "Israel", "Finland",
             "Malaysia", "Cuba", "Ethiopia", "Iceland", "Tuvalu", "New Zealand", "South Korea", "United States", "Ecuador",
             "Burkina Faso", "Togo", "Norway", "Papua New Guinea", "Poland", "Moldova"]
ADDRESSES = {  # street and number, then the town: as their postal services show them
    "en_US": ["{n} {street} {suffix}, {city}, {state} {d5}", "{n} {street} {suffix} Apt. {m}, {city}, {state} {d5}", "{n} {street} {suffix}, {city}"],
    "en_GB": ["{m} {street} {suffix}, {city} {ukpost}"], "de_DE": ["{street}straße {m}, {d5} {city}"],
    "fr_FR": ["{m} rue {street}, {d5} {city}"], "es_ES": ["Calle {street} {m}, {d5} {city}"], "it_IT": ["Via {street} {m}, {d5} {city}"],
    "nl_NL": ["{street}straat {m}, {d4} XK {city}"], "pl_PL": ["ul. {street} {m}, {d2}-{d3} {city}"], "sv_SE": ["{street}gatan {m}, {d3} {d2} {city}"],
    "pt_BR": ["Rua {street}, {m}, {city} {d5}-{d3}"], "hu_HU": ["{street} utca {m}, {d4} {city}"], "tr_TR": ["{street} Cad. {m}, {d5} {city}"],
}
PHONES = ["{a3}-{e3}-{d4}", "({a3}) {e3}-{d4}", "{a3}.{e3}.{d4}", "({a3}){e3}-{d4}x{d3}", "001-{a3}-{e3}-{d4}", "+1-{a3}-{e3}-{d4}", "+44 20 {e4} {d4}",
          "020 {e4} {d4}", "07{e3} {d3}{d3}", "06 {d2} {d2} {d2} {d2}", "+49 30 {e4}{d4}", "0171 {e4}{d3}", "030 {e4}{d4}", "+33 6 {d2} {d2} {d2} {d2}",
          "(11) 9{e4}-{d4}", "+81 3 {e4} {d4}", "0{a3} {e3} {d4}"]
MONTHS = "January February March April May June July August September October November December".split()


class Maker:
    def __init__(self, lists, seed):
        self.r = random.Random(seed)
        self.lists = {}
        with open(lists + "/faker_locales.ndjson", encoding="utf-8") as rows:
            for row in map(json.loads, rows):
                self.lists.setdefault(row["locale"], {})[row["list"]] = [v for v in row["values"] if isinstance(v, str)]
        with open(lists + "/world_cities.tsv", encoding="utf-8") as rows:
            self.cities = [row.split("\t")[0] for row in rows][1:]
        self.person_locales = [k for k, v in self.lists.items() if "last_names" in v and k[:2] in "en de fr es it nl pl sv pt da fi no cs hu".split()
                               and self.firsts(k)]

    def firsts(self, locale):
        have = self.lists[locale]
        return [n for k in ("first_names_male", "first_names_female", "first_names") for n in have.get(k, [])]

    def locale(self):
        return "en_US" if self.r.random() < 0.5 else self.r.choice(self.person_locales)

    def first(self):
        return self.r.choice(self.firsts(self.locale()))

    def last(self):
        return self.r.choice(self.lists[self.locale()]["last_names"])

    def person(self):
        where = self.locale()
        return self.r.choice(self.firsts(where)) + " " + self.r.choice(self.lists[where]["last_names"])

    def digits(self, n):
        return "".join(self.r.choice("0123456789") for _ in range(n))

    def phone(self):
        return self.r.choice(PHONES).format(a3=self.r.choice("23456789") + self.r.choice("012345678") + self.digits(1), e3=self.r.choice("23456789") + self.digits(2),
                                            e4=self.r.choice("23456789") + self.digits(3), d2=self.digits(2), d3=self.digits(3), d4=self.digits(4))

    def city(self):
        if self.r.random() < 0.3:
            us = self.lists["en_US"]
            return self.r.choice(us["city_prefixes"]) + " " + self.first() + self.r.choice(us["city_suffixes"]) if self.r.random() < 0.5 else self.last() + self.r.choice(us["city_suffixes"])
        return self.r.choice(self.cities)

    def address(self):
        where = "en_US" if self.r.random() < 0.5 else self.r.choice(list(ADDRESSES))
        return self.r.choice(ADDRESSES[where]).format(
            n=self.r.randint(1, 99999), m=self.r.randint(1, 250), street=self.last(), suffix=self.r.choice(self.lists["en_US"]["street_suffixes"]),
            city=self.city(), state=self.r.choice("AL AZ CA CO FL GA IL KS MA NY OH OR TX WA".split()), d5=self.digits(5), d4=self.r.choice("123456789") + self.digits(3),
            d3=self.digits(3), d2=self.digits(2), ukpost=self.r.choice(["LS7 4QT", "CB1 2AZ", "SW4 9JP", "M13 0RD", "EH8 7TL"]))

    def address_lines(self):
        text = self.address()
        at = text.index(", ", text.index(", ") + 1 if text.startswith("Rua ") else 0)
        return text[:at] + "\n" + text[at + 2:] + ("\n" + self.r.choice(COUNTRIES) if self.r.random() < 0.4 else "")

    def date(self):
        y, m, d = self.r.randint(1940, 2024), self.r.randint(1, 12), self.r.randint(1, 28)
        return self.r.choice([f"{y}-{m:02}-{d:02}", f"{m}/{d}/{y}", f"{d:02}.{m:02}.{y}", f"{MONTHS[m - 1]} {d}, {y}", f"{d} {MONTHS[m - 1]} {y}", f"{MONTHS[m - 1]} {y}",
                              f"{MONTHS[m - 1][:3]} {d}", f"{d}/{m:02}/{y % 100:02}"])

    def org(self):
        return self.r.choice(["{a}, {b} and {c}", "{a}-{b}", "{a} Group", "{a} LLC", "{a} Inc", "{a} PLC", "{a} and Sons", "{a} Ltd", "University of {a}", "{a} {b} Bank"]).format(
            a=self.last(), b=self.last(), c=self.last())

    def luhn(self, text):
        total = sum(sum(divmod(int(c) * (1 + (i % 2 == 0)), 10)) for i, c in enumerate(reversed(text)))
        return text + str(-total % 10)

    def iban(self):
        bban = self.digits(18)
        return "DE%02d%s" % (98 - int(bban + "131400") % 97, bban)

    def value(self, name):
        made = {
            "person": (self.person, "PERSON"), "first": (self.first, "PERSON"), "last": (self.last, "PERSON"),
            "title": (lambda: self.r.choice(["Mr.", "Mrs.", "Ms.", "Dr.", "Miss", "Prof."]), "TITLE"), "phone": (self.phone, "PHONE_NUMBER"), "date": (self.date, "DATE_TIME"),
            "city": (self.city, "LOCATION"), "country": (lambda: self.r.choice(COUNTRIES), "LOCATION"), "age": (lambda: str(self.r.randint(18, 99)), "AGE"),
            "nrp": (lambda: self.r.choice(NRP), "NRP"), "org": (self.org, "ORGANIZATION"), "address": (self.address, "STREET_ADDRESS"),
            "address_lines": (self.address_lines, "STREET_ADDRESS"), "email": (lambda: (self.r.choice("abcdefghij") + "." + "".join(c for c in self.last().lower() if c.isascii() and c.isalpha()) + "@" + self.r.choice(["posteo.de", "gmail.com", "bluefjord.no"])), "EMAIL_ADDRESS"),
            "card": (lambda: self.luhn("4" + self.digits(14)), "CREDIT_CARD"), "ssn": (lambda: f"{self.r.randint(101, 665)}-{self.r.randint(11, 98)}-{self.r.randint(1001, 9998)}", "US_SSN"),
            "iban": (self.iban, "IBAN_CODE"), "ip": (lambda: f"{self.r.randint(11, 99)}.{self.r.randint(1, 250)}.{self.r.randint(1, 250)}.{self.r.randint(1, 250)}", "IP_ADDRESS"),
            "zip": (lambda: self.digits(5), "ZIP_CODE"), "domain": (lambda: "".join(c for c in self.last().lower() if c.isascii() and c.isalpha()) + self.r.choice([".com", ".org", ".net", ".info"]), "DOMAIN_NAME"),
        }[name.rstrip("2")]
        return made[0](), made[1]

    def text(self, template):
        out, spans = b"", []
        while template:
            before, brace, rest = template.partition("{")
            out += before.encode()
            if not brace:
                break
            name, _, template = rest.partition("}")
            value, entity = self.value(name)
            spans.append([len(out), len(out) + len(value.encode()), entity])
            out += value.encode()
        return {"text": out.decode(), "spans": spans}


def templates():
    whole = []
    for line in TEMPLATES:
        if line == "{address_lines}":
            whole[-1] += "\n" + line
        else:
            whole.append(line)
    return whole


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1500
    maker = Maker(sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else 21)
    all_templates = templates()
    for i in range(count):
        print(json.dumps(maker.text(all_templates[i % len(all_templates)]), ensure_ascii=False))


if __name__ == "__main__":
    main()
