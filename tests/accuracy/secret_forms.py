"""secret_forms.py FILTERCTL FORMS VALUES SEED: in how many of FORMS (secret-forms.txt) is a secret redacted whole, or the text blocked?

Each form is judged VALUES times, each time with other values. Prints the share, and with --missed the forms in which one is
delivered, with how many of VALUES are not. With --words, passwords are made as people make them, and forms without one are left out."""

import base64
import json
import random
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
}


def filled(form, draw):
    """The form with its values, and these."""
    values = []
    while (begin := form.find("{{")) >= 0:
        end = form.index("}}", begin)
        values.append(KINDS[form[begin + 2 : end]](draw))
        form = form[:begin] + values[-1] + form[end + 2 :]
    return form, values


def main():
    filterctl, path, times, seed = sys.argv[1:5]
    with open(path, encoding="utf-8") as file:
        text = "".join(line for line in file if not line.startswith("# "))
    forms = [form.strip("\n") for form in text.split("\n----\n")]
    if "--words" in sys.argv:
        KINDS.update(pw=password_of_words, pwl=password_of_words)
        forms = [form for form in forms if "{{pw" in form]
    draw = random.Random(int(seed))
    texts = [(form, *filled(form, draw)) for form in forms for _ in range(int(times))]
    asked = "".join(json.dumps({"text": one + "\n"}) + "\n" for _, one, _ in texts)
    answers = subprocess.run([filterctl, "check", "--pipe", "--field", "text"], input=asked, capture_output=True, text=True, check=True)
    missed = {}
    for (form, _, values), line in zip(texts, answers.stdout.splitlines(), strict=True):
        answer = json.loads(line)
        is_delivered = answer["action"] == "allow" or (
            answer["action"] == "redact" and any(value in answer["text"] for value in values)
        )
        missed[form] = missed.get(form, 0) + is_delivered
    if "--missed" in sys.argv:
        for form, n in sorted(missed.items(), key=lambda item: -item[1]):
            if n > 0:
                print(f"{n} of {times}: {form!r}")
    share = 100 * (1 - sum(missed.values()) / len(texts))
    print(f"{share:.1f} {len(forms)} {len(texts)}")


main()
