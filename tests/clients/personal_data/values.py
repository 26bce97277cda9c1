"""Values for the places of templates.txt: Faker's by locale, and lists for what Faker has not. The locales, the lists and some forms of dates
are in two halves, `dev` and `test`, as the templates are."""
import datetime
import re

from faker import Faker

# Locales that write English count four times.
LOCALES = {
    "dev": ["en_US", "en_AU", "en_IE", "en_NZ", "en_KE", "en_NG"] * 4
    + ["de_DE", "de_LU", "fr_CA", "fr_CH", "es_MX", "es_CO", "it_IT", "nl_NL", "sv_SE", "fi_FI", "pl_PL", "pt_PT", "hr_HR", "tr_TR", "lt_LT", "et_EE", "sq_AL",
       "yo_NG", "vi_VN", "ja_JP"],
    "test": ["en_GB", "en_CA", "en_IN", "en_PH", "en_PK", "en_BD"] * 4
    + ["de_AT", "de_CH", "fr_FR", "fr_BE", "es_ES", "es_AR", "es_CL", "pt_BR", "nl_BE", "da_DK", "no_NO", "cs_CZ", "sk_SK", "hu_HU", "ro_RO", "sl_SI", "lv_LV",
       "id_ID", "zu_ZA", "zh_CN"],
}
# Written in another script: names in Latin letters, places from the lists, streets and telephones of the United States and Great Britain.
ROMANIZED = {"ja_JP": "en_US", "zh_CN": "en_GB", "vi_VN": "en_AU"}

CITIES = {
    "dev": """Lagos, Melbourne, Chicago, Cork, Osaka, Guadalajara, Munich, Turin, Rotterdam, Gothenburg, Tampere, Kraków, Porto, Zagreb, Izmir, Nairobi, Hanoi, Tallinn,
Houston, Auckland, Galway, Bogotá, Quebec City, Geneva, Milan, Utrecht, Beirut, Cairo, Accra, Seoul, Baltimore, Salt Lake City, Perth, Wellington, Leipzig, Naples,
Eindhoven, Poznań, Medellín, Marrakesh, Kyoto, St. Louis, San Diego, Buffalo, Limerick, Hobart, Mombasa, Nagoya, Tirana, Vilnius""",
    "test": """London, Toronto, Mumbai, Manila, Karachi, Dhaka, Vienna, Lyon, Seville, Buenos Aires, Santiago, São Paulo, Antwerp, Copenhagen, Bergen, Brno, Budapest,
Cluj, Riga, Jakarta, Durban, Shanghai, Manchester, Vancouver, Bangalore, Cebu City, Lahore, Graz, Zurich, Marseille, Valencia, Córdoba, Rio de Janeiro, Ghent, Aarhus, Oslo,
Bratislava, Ljubljana, New Delhi, Leeds, Edinburgh, Ottawa, Chennai, Liège, Cape Town, Beijing, Montevideo, Tunis, Tel Aviv, Los Angeles""",
}
ORGANISATIONS = {
    "dev": """Siemens, Toyota, Nestlé, General Electric, University of Melbourne, Deutsche Bank, Red Cross, St. Vincent's Hospital, Qantas, Aer Lingus, Walmart, Pfizer,
Harvard University, Bank of America, World Bank, Amnesty International, Trinity College Dublin, Médecins Sans Frontières, IBM, KLM, Philips, Ikea, Nokia, Fiat, Spotify, FedEx,
Mayo Clinic, Kenya Airways, Greenpeace, Goldman Sachs, Safaricom, Hewlett-Packard, AT&T, McKinsey, Stanford University, Federal Reserve, UNICEF, Volkswagen, Target, Subway""",
    "test": """Unilever, Samsung, HSBC, British Airways, University of Toronto, Royal Bank of Canada, Tata Motors, Infosys, Air France, Novartis, Oxford University, Barclays,
Apollo Hospitals, Oxfam, National Health Service, Renault, Santander, Petrobras, Maersk, Škoda, Heineken, Boeing, Netflix, Intel, Cleveland Clinic, Lufthansa, Deloitte, PwC,
Marks & Spencer, Tesco, Johns Hopkins University, European Commission, BBC, Toyota Research Institute, Crédit Agricole, L'Oréal, Bayer, Emirates, Save the Children, MIT""",
}
NRP = {
    "dev": """American, Irish, Kenyan, German, Mexican, Italian, Dutch, Swedish, Polish, Turkish, Japanese, Vietnamese, Nigerian, Lithuanian, Catholic, Muslim, Buddhist,
Republican, Labour, Kurdish, Hispanic, Egyptian, Korean, Iranian, Greek, Mormon, Socialist""",
    "test": """British, Canadian, Indian, Filipino, Pakistani, Austrian, French, Spanish, Brazilian, Danish, Norwegian, Czech, Hungarian, Romanian, Chinese, Indonesian, Jewish,
Protestant, Hindu, Democrat, Conservative, Argentinian, Russian, Somali, Israeli, Sikh, Liberal, Portuguese, Ukrainian""",
}
PREFIXES = {"dev": ["Mr.", "Mrs.", "Ms.", "Dr.", "Mr", "Miss", "Dr", "Prof.", "Rev.", "Herr", "Sir"], "test": ["Mr", "Mrs", "Ms", "Dr", "Mr.", "Mrs.", "Dr.", "Professor", "Father", "Mme", "Señora"]}
PRODUCTS = ["kettle", "desk lamp", "running shoes", "bicycle", "coffee grinder", "phone case", "raincoat", "garden hose", "headphones", "office chair"]
BOTH = ["%d %B %Y", "%B %d, %Y", "%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d", "%d.%m.%Y", "%-d %B %Y", "%B %-d", "%-d %b %Y", "%A, %-d %B %Y", "%-d %B", "%b %-d, %Y", "%m/%d/%y"]
DATES = {"dev": ["%dth of %B %Y", "%A, %B %-d", "%d-%b-%Y", "%-d.%-m.%y", "%b %-dth"], "test": ["%B %dth, %Y", "%a %-d %b", "%d-%m-%Y", "%Y/%m/%d", "the %dth of %B", "%-d-%b-%y", "%B of %Y"]}
TIMES = ["%H:%M", "%-I:%M %p", "%-I %p", "%-I.%M%p", "%H:%M:%S"]
STAMPS = ["%Y-%m-%d %H:%M:%S", "%d/%b/%Y:%H:%M:%S +0000", "%a, %d %b %Y %H:%M:%S +0000", "%Y-%m-%dT%H:%M:%SZ", "%B %-d, %Y at %-I:%M %p", "%d.%m.%Y %H:%M"]


def listed(table, half):
    return [entry.strip() for entry in table[half].replace("\n", " ").split(",")]


class Values:
    """Values of one text: of one locale, so that name, town and telephone fit each other."""

    def __init__(self, r, half, fakers):
        self.r, self.half = r, half
        self.locale = r.choice(LOCALES[half])
        self.people = fakers[self.locale]
        self.places = fakers[ROMANIZED.get(self.locale, self.locale)]
        self.english = fakers["en_US"]

    def made(self, kind):
        """(text, entity or None)"""
        return getattr(self, kind)(), ENTITIES.get(kind)

    def first(self):
        return self.people.first_romanized_name() if self.locale in ("ja_JP", "zh_CN") else self.people.first_name()

    def last(self):
        return self.people.last_romanized_name() if self.locale in ("ja_JP", "zh_CN") else self.people.last_name()

    def name(self):
        middle = f" {self.r.choice('ABCDEFGHJKLMNPRSTW')}." if self.r.random() < 0.08 else ""
        last = f"{self.last()}-{self.last()}" if self.r.random() < 0.03 else self.last()
        return f"{self.first()}{middle} {last}"

    def prefix(self):
        return self.r.choice(PREFIXES[self.half])

    def org(self):
        return self.r.choice(listed(ORGANISATIONS, self.half)) if self.r.random() < 0.45 else self.places.company()

    def city(self):
        return self.r.choice(listed(CITIES, self.half)) if self.r.random() < 0.6 else self.places.city()

    def state(self):
        return self.places.state() if self.locale.startswith(("en_AU", "en_IN", "de_DE", "de_AT", "pt_BR", "es_MX")) else self.english.state()

    def country(self):
        return self.english.country()

    def address_lines(self):
        return self.places.address()

    def address(self):
        return self.places.address() if self.r.random() < 0.2 else re.sub(r",?\s*\n", ", ", self.places.address())

    def street(self):
        return self.places.street_address()

    def zip(self):
        return self.places.postcode()

    def phone(self):
        return self.places.phone_number() if hasattr(self.places, "phone_number") else self.places.mobile_number()

    def email(self):
        return self.r.choice([self.places.free_email, self.places.company_email, self.english.ascii_safe_email])()

    def domain(self):
        return self.places.domain_name()

    def url(self):
        return self.english.url() + self.r.choice(["", "help", "en/orders"])

    def card(self):
        return self.english.credit_card_number() if self.r.random() < 0.6 else self.grouped(self.english.credit_card_number("visa16"))

    def grouped(self, digits):
        return self.r.choice(" -").join(digits[i:i + 4] for i in range(0, 16, 4))

    def iban(self):
        value = self.places.iban()
        return value if self.r.random() < 0.6 else " ".join(value[i:i + 4] for i in range(0, len(value), 4))

    def ssn(self):
        return self.english.ssn()

    def licence(self):
        """Forms of Washington, New York, California and Florida."""
        return self.english.bothify(self.r.choice(["?#######", "### ### ###", "?###-###-##-###-#", "WDL?????##?#"]), letters="ABCDEFGHKLMNPRSTWY")

    def ip(self):
        return self.english.ipv6() if self.r.random() < 0.15 else self.english.ipv4_public()

    def nrp(self):
        return self.r.choice(listed(NRP, self.half))

    def age(self):
        return str(self.r.randint(5, 97))

    def moment(self, first=1985, last=2025):
        start = datetime.datetime(first, 1, 1)
        return start + datetime.timedelta(seconds=self.r.randrange((last - first) * 365 * 86400))

    def date(self, first=1985):
        form = self.r.choice(BOTH) if self.r.random() < 0.7 else self.r.choice(DATES[self.half])
        when = self.moment(first)
        if "th" in form:
            when = when.replace(day=self.r.randint(4, 20))
        return when.strftime(form)

    def dob(self):
        return self.moment(1930, 2012).strftime(self.r.choice(BOTH[:7] + DATES[self.half][2:4]))

    def day(self):
        return self.moment().strftime("%A")

    def month(self):
        return self.moment().strftime("%B")

    def month_year(self):
        return self.moment().strftime("%B %Y")

    def year(self):
        return str(self.r.randint(1961, 2025))

    def time(self):
        return self.moment().strftime(self.r.choice(TIMES))

    def datetime(self):
        return self.moment(2015).strftime(self.r.choice(STAMPS))

    def job(self):
        return self.english.job().lower().split(",")[0]

    def product(self):
        return self.r.choice(PRODUCTS)

    def amount(self):
        return self.r.choice(["${}", "£{}", "€{}", "{} euros"]).format(self.r.choice([self.r.randint(5, 900), f"{self.r.randint(1, 90)},{self.r.randint(100, 999)}", f"{self.r.randint(1, 99)}.50"]))

    def ref(self):
        return self.english.bothify(self.r.choice(["??-######", "#######", "????####", "#-####-##", "ORD-#####"]), letters="ABCDEFGHKLMNPRSTWXZ")

    def number(self):
        return str(self.r.randint(2, 60))


ENTITIES = {"first": "PERSON", "last": "PERSON", "name": "PERSON", "prefix": "TITLE", "org": "ORGANIZATION", "city": "LOCATION", "state": "LOCATION", "country": "LOCATION",
            "address_lines": "STREET_ADDRESS", "address": "STREET_ADDRESS", "street": "STREET_ADDRESS", "zip": "ZIP_CODE", "phone": "PHONE_NUMBER", "email": "EMAIL_ADDRESS",
            "domain": "DOMAIN_NAME", "url": "DOMAIN_NAME", "card": "CREDIT_CARD", "iban": "IBAN_CODE", "ssn": "US_SSN", "licence": "US_DRIVER_LICENSE", "ip": "IP_ADDRESS",
            "nrp": "NRP", "age": "AGE", "date": "DATE_TIME", "dob": "DATE_TIME", "day": "DATE_TIME", "month": "DATE_TIME", "month_year": "DATE_TIME", "year": "DATE_TIME",
            "time": "DATE_TIME", "datetime": "DATE_TIME"}


def fakers(seed):
    """One generator for each locale, with a seed of its own."""
    names = sorted({name for half in LOCALES.values() for name in half} | set(ROMANIZED.values()) | {"en_US"})
    made = {name: Faker(name) for name in names}
    for place, name in enumerate(names):
        made[name].seed_instance(seed + place)
    return made
