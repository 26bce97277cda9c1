"""secret_forms.py FILTERCTL FORMS VALUES SEED: in how many of FORMS (secret-forms.txt) is a secret redacted whole, or the text blocked?

Each form is judged VALUES times, each time with other values. Prints the share, and with --missed the forms in which one is
delivered, with how many of VALUES are not. With --words, passwords are made as people make them, with --walks of a walk over the
keyboard and digits, with --phrases of four or five words; forms without one are left out. A value of which two fifths are left is delivered."""

import base64
import json
import random
import re
import string
import subprocess
import sys
import uuid

LETTERS_DIGITS = string.ascii_letters + string.digits
SIGNS = LETTERS_DIGITS + "!#$%*+-=?@"
BASE32 = string.ascii_uppercase + "234567"


def drawn(alphabet, length):
    return lambda draw: "".join(draw.choice(alphabet) for _ in range(length))


def encoded(length):
    return lambda draw: base64.b64encode(draw.randbytes(length)).decode()


def password(draw):
    """8 to 14 characters, a capital, a small letter and a digit among them; letters and digits at the ends."""
    kinds = [draw.choice(string.ascii_uppercase), draw.choice(string.digits), draw.choice(string.ascii_lowercase)]
    middle = kinds[1:] + [draw.choice(SIGNS) for _ in range(draw.randint(4, 10))]
    draw.shuffle(middle)
    return kinds[0] + "".join(middle) + draw.choice(LETTERS_DIGITS)


WORDS = "Summer winter Falcon dragon monkey Orange tiger pepper Liverpool Jessica hockey sunshine Banana guitar Silver Welcome".split()


def password_of_words(draw):
    """A word, a sign perhaps, and two to four digits, or these with a sign behind; the digits are no row."""
    number = str(draw.randint(21, 1899))
    while number[1] in (number[0], chr(ord(number[0]) + 1), chr(ord(number[0]) - 1)):
        number = str(draw.randint(21, 1899))
    sign = draw.choice("!@#$_-.") if draw.random() < 0.6 else ""
    return draw.choice(WORDS) + sign + number + ("!" if sign == "" and draw.random() < 0.5 else "")


def password_of_a_walk(draw):
    """A walk over a keyboard, a sign perhaps, and three or four digits that are no row and no year."""
    walk = draw.choice("qwerty asdfgh zxcvbn qazwsx 1qaz2wsx qweasd poiuyt azerty".split())
    number = draw.choice(["4719", "827", "6395", "748", "5163", "3842"])
    return (walk.capitalize() if draw.random() < 0.5 else walk) + draw.choice(["", "!", "@", "#", "_"]) + number


PHRASE = """anchor velvet puzzle meadow copper rocket lantern basket winter cactus marble engine pillow harbor ticket river saddle pencil thunder gravel
orchid tunnel ladder candle magnet parrot bishop walnut staple cloud mirror spoon garden helmet violin""".split()


def passphrase(draw):
    words = [draw.choice(PHRASE) for _ in range(draw.choice([4, 4, 5]))]
    kind = draw.random()
    if kind < 0.7:
        return "-".join(words)
    return "".join(word.capitalize() for word in words) if kind < 0.85 else "-".join(word.capitalize() for word in words) + str(draw.randint(1, 99))


def phrase_apart(draw):
    return passphrase(draw) if draw.random() < 0.5 else " ".join(draw.choice(PHRASE) for _ in range(draw.choice([4, 5])))


def lines(head, count, end="\n"):
    """The lines of a key in PEM: these characters, then random ones."""
    def made(draw):
        body = head + base64.b64encode(draw.randbytes(48 * count + 20)).decode()
        return end.join(body[at : at + 64] for at in range(0, len(body), 64))
    return made


def jwt(draw):
    parts = [b'{"alg":"HS256","typ":"JWT"}', json.dumps({"sub": str(draw.getrandbits(30)), "iat": 1763352729}).encode(), draw.randbytes(32)]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


SEED = "abandon able absent absorb abstract absurd access accident winner thank wave sausage useful zebra advice cage turtle ocean panda river stone".split()
# What names an account and opens nothing.
IDS = {"akia"}
KINDS = {
    "pw": password,
    "pwl": lambda draw: drawn(LETTERS_DIGITS, draw.randint(9, 12))(draw),
    "bpw": lambda draw: base64.b64encode(password(draw).encode()).decode(),
    "uuid": lambda draw: str(uuid.UUID(int=draw.getrandbits(128), version=4)),
    **{f"t{n}": drawn(LETTERS_DIGITS, n) for n in (20, 24, 32, 40, 64)},
    **{f"l{n}": drawn(string.ascii_lowercase + string.digits, n) for n in (24, 32)},
    **{f"h{n}": drawn("0123456789abcdef", n) for n in (16, 32, 40, 64, 128)},
    **{f"b{n}": encoded(n) for n in (24, 32, 64)},
    **{f"b{n}u": drawn(BASE32, n) for n in (16, 32)},
    "walk": password_of_a_walk,
    "phrase": phrase_apart,
    "basic": lambda draw: base64.b64encode(b"svc-build:" + password(draw).encode()).decode(),
    "akia": lambda draw: "AKIA" + drawn(BASE32, 16)(draw),
    "aws40": drawn(LETTERS_DIGITS + "/+", 40),
    "azsecret": lambda draw: drawn(LETTERS_DIGITS, 3)(draw) + "8Q~" + drawn(LETTERS_DIGITS + "_-.~", 34)(draw),
    "aiza": lambda draw: "AIzaSy" + drawn(LETTERS_DIGITS + "-_", 33)(draw),
    "pem": lines("MIIEpAIBAAKCAQEA", 12),
    "pem1": lines("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 12, "\\n"),
    "pemssh": lines("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW", 5),
    "sshb64": lambda draw: base64.b64encode(
        f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KINDS['pemssh'](draw)}\n-----END OPENSSH PRIVATE KEY-----\n".encode()).decode(),
    "wg": encoded(32),
    "seed": lambda draw: " ".join(draw.choice(SEED) for _ in range(12)),
    "hexbytes16": lambda draw: ", ".join(f"0x{draw.getrandbits(8):02X}" for _ in range(16)),
    "salt64": drawn(LETTERS_DIGITS + "!#%^&*()_-=+[]{}|;:,.?~", 64),
    "dj50": drawn(string.ascii_lowercase + string.digits + "!@#$%^&*(-_=+)", 50),
    "jwt": jwt,
    "crypt6": lambda draw: "$6$" + drawn(LETTERS_DIGITS, 8)(draw) + "$" + drawn(LETTERS_DIGITS + "./", 86)(draw),
    "bcrypt": lambda draw: "$2y$10$" + drawn(LETTERS_DIGITS + "./", 53)(draw),
    "bech58": drawn("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "pin": lambda draw: draw.choice(["4829", "7304", "5816", "9471", "6038"]),
    "pin6": lambda draw: draw.choice(["582917", "730426", "916358"]),
    "b64u_32": lambda draw: base64.urlsafe_b64encode(draw.randbytes(32)).decode(),
}
# Kinds with a length behind them: t24 as above, u43 of base64url, b64_32 of so many bytes in base64, b64s27 of so many characters of it.
ALPHABETS = {
    "t": LETTERS_DIGITS, "a": string.ascii_letters, "l": string.ascii_lowercase + string.digits, "h": "0123456789abcdef", "d": string.digits,
    "u": LETTERS_DIGITS + "-_", "b64s": LETTERS_DIGITS + "/+", "b32u": BASE32,
}


def drawn_by(name, draw):
    if name in KINDS:
        return KINDS[name](draw)
    kind, length = re.fullmatch(r"(b64_|b64s|b32u|[a-z])([0-9]+)", name).groups()
    return encoded(int(length))(draw) if kind == "b64_" else drawn(ALPHABETS[kind], int(length))(draw)


def is_left(value, text):
    """Two fifths of the value, or of a line of it, and at least four characters."""
    for part in [line for line in re.split(r"\\n|\n", value) if len(line) >= 20] or [value]:
        least = min(len(part), max(4, len(part) * 2 // 5 + 1))
        if any(part[at : at + least] in text for at in range(len(part) - least + 1)):
            return True
    return False


def filled(form, draw):
    """The form with its values, and these."""
    values = []
    while (begin := form.find("{{")) >= 0:
        end = form.index("}}", begin)
        value = drawn_by(form[begin + 2 : end], draw)
        if form[begin + 2 : end] not in IDS:
            values.append(value)
        form = form[:begin] + value + form[end + 2 :]
    return form, values


def main():
    filterctl, path, times, seed = sys.argv[1:5]
    with open(path, encoding="utf-8") as file:
        text = "".join(line for line in file if not line.startswith("# "))
    forms = [form.strip("\n") for form in text.split("\n----\n")]
    for option, made in (("--words", password_of_words), ("--walks", password_of_a_walk), ("--phrases", passphrase)):
        if option in sys.argv:
            KINDS.update(pw=made, pwl=made)
            forms = [form for form in forms if "{{pw" in form]
    draw = random.Random(int(seed))
    texts = [(form, *filled(form, draw)) for form in forms for _ in range(int(times))]
    asked = "".join(json.dumps({"text": one + "\n"}) + "\n" for _, one, _ in texts)
    answers = subprocess.run([filterctl, "check", "--pipe", "--field", "text"], input=asked, capture_output=True, text=True, check=True)
    missed = {}
    for (form, _, values), line in zip(texts, answers.stdout.splitlines(), strict=True):
        answer = json.loads(line)
        is_delivered = answer["action"] == "allow" or (
            answer["action"] == "redact" and any(is_left(value, answer["text"]) for value in values)
        )
        missed[form] = missed.get(form, 0) + is_delivered
    if "--missed" in sys.argv:
        for form, n in sorted(missed.items(), key=lambda item: -item[1]):
            if n > 0:
                print(f"{n} of {times}: {form!r}")
    share = 100 * (1 - sum(missed.values()) / len(texts))
    print(f"{share:.1f} {len(forms)} {len(texts)}")


main()
