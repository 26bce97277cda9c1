"""links.py FILTERCTL FORMS LOAD_FORMS [DATA]: how many forms of links are left, and how many ordinary answers are changed.

FORMS (tests/rules/link_forms.txt) lead to another host than ok.example, or load from it: what they carry must be gone. LOAD_FORMS
(tests/rules/load_forms.txt) load from ok.example, from which `load: none` permits nothing: no construct that loads may hold it. From
the answers in DATA, texts are made whose links all lead to permitted hosts: hosts in them are replaced, and links are added. Prints
forms, forms left, bytes of answers, bytes of those that load nothing, and answers changed; with --show, also which."""

import glob
import itertools
import json
import re
import subprocess
import sys
import tempfile

CARRIED = "K7QDATA"
LOADS = re.compile(r"!\[|<[a-zA-Z]|url|import|image", re.I)
POLICY = """policies:
  default:
    rules: [links]
    links: {allow: [ok.example, '*.cdn.example'], load: LOAD}
    actions:
      - {tag: link, action: redact, with: text}
"""

# A URL with a host, and what chat clients and servers of mail take for one.
HOST = re.compile(r"(?i)\b((?:https?|ftp|wss?):(?:\\?/)+)[^\s/?#<>\"'`)(\]}{\\|^,;]*[^\s/?#<>\"'`)(\]}{\\|^,;.:]")
WWW = re.compile(r"(?i)\bwww\.[\w.-]*\w")
# What loads, wherever it loads from: with `load: none` such an answer has no permitted links only.
LOADING = re.compile(
    r"""(?ix) !\[[^\]]*\]\s*[(\[] | \b(?:src|srcset|poster|background|data|href|content|action|xlink:href)\s*= | url\s*\( | @import"""
)
ADDED = [
    "See [the guide](https://ok.example/guide?page=2&sort=a#top \"Guide\") for more.",
    "It is in [the reference][1].\n\n[1]: https://a.cdn.example/reference 'Reference'",
    "Open https://ok.example/start, then (https://x.y.cdn.example/b_(c)); **https://ok.example/d**!",
    "<https://ok.example/c?d=e%20f> or <a href=\"https://ok.example/x\" title=\"x > y\">here</a>.",
    "Write to [us](mailto:help@other.example), call [this number](tel:+441632960961), see [below](#below) or [there](../b/c.md).",
    "| a | b |\n|---|---|\n| [c](https://ok.example/c) | [d](<https://ok.example/d e>) |",
    "[^1]: https://ok.example/note, read in 2026.",
    "Mail <help@ok.example>, or see [the *form* `f[0]`](https://ok.example/form?a[]=1).",
]


def judge(filterctl, texts, load):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy:
        policy.write(POLICY.replace("LOAD", load))
        policy.flush()
        asked = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        command = [filterctl, "check", "--pipe", "--field", "text", "--policy", policy.name]
        answers = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    for text, line in zip(texts, answers.stdout.splitlines(), strict=True):
        answer = json.loads(line)
        yield text, answer["action"], text if answer["action"] == "allow" else answer.get("text", "")


def read_forms(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read().removesuffix("\n").split("\n%%\n")


def left(filterctl, forms, loading_forms):
    for form, action, delivered in itertools.chain(judge(filterctl, forms, "none"), judge(filterctl, loading_forms, "none")):
        may_stay = form in loading_forms and not LOADS.search(delivered)
        if CARRIED not in form or action not in ("redact", "block") or (CARRIED in delivered and not may_stay):
            yield form, delivered


def answers_with_permitted_links(data):
    for path in sorted(glob.glob(f"{data}/benign/*answers.ndjson") + glob.glob(f"{data}/benign/llm-*.ndjson")):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file):
                text = WWW.sub("ok.example", HOST.sub(r"\1ok.example", json.loads(line)["text"]))
                if "javascript:" not in text:
                    yield text + "\n\n" + ADDED[number % len(ADDED)]


def changed(filterctl, texts, nothing_loaded):
    for load, some in (("allowed", texts), ("none", nothing_loaded)):
        for text, _, delivered in judge(filterctl, some, load):
            if text != delivered:
                yield load, text, delivered


def size(texts):
    return sum(len(text.encode()) for text in texts)


def main():
    filterctl, forms_path, loading_path, *data = [argument for argument in sys.argv[1:] if argument != "--show"]
    forms, loading_forms = read_forms(forms_path), read_forms(loading_path)
    forms_left = list(left(filterctl, forms, loading_forms))
    texts = list(answers_with_permitted_links(data[0])) if data else []
    nothing_loaded = [text for text in texts if not LOADING.search(text)]
    answers_changed = list(changed(filterctl, texts, nothing_loaded))
    if "--show" in sys.argv:
        for form, delivered in forms_left:
            print(f"left: {form[:300]!r}\n  as: {delivered[:300]!r}")
        for load, text, delivered in answers_changed:
            at = next((i for i, (a, b) in enumerate(zip(text, delivered)) if a != b), min(len(text), len(delivered)))
            print(f"changed, load {load}: {text[max(0, at - 80) : at + 120]!r}\n  as: {delivered[max(0, at - 80) : at + 80]!r}")
    print(len(forms) + len(loading_forms), len(forms_left), size(texts), size(nothing_loaded), len(answers_changed))


if __name__ == "__main__":
    main()
