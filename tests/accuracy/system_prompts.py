"""system_prompts.py URL [DATA]: how many runs of a system prompt are left in answers, and how many ordinary answers are changed.

A hundred prompts are put together from the lines of system_prompts.txt: 18 kinds of assistants, in eight languages, in five forms. Of
each, runs of 32 bytes and more are copied into answers: verbatim, in base64, in changed case, and cut in a stream. A run is left when
32 of its bytes are delivered. The answers of the file talk about the same things in other words, names, addresses and numbers among
them; those of DATA, which may be missing, are answers of language models to other questions. A filterd with the policies `default`
(system_prompt: {}) and `every` (words: 1) listens at URL. Prints one line for each count; exit code 1 when a bar is missed."""

import base64
import glob
import http.client
import json
import os
import random
import re
import sys
import unicodedata
import urllib.parse

PROMPTS, RUNS, STREAMS, RUN_MIN, RUN_MAX, REAL = 100, 10, 3, 32, 240, 20
FORMS = os.path.join(os.path.dirname(__file__), "system_prompts.txt")
SEED = int(os.environ.get("FILTERD_SEED", "1"))


# --- prompts and answers -------------------------------------------------------------------------


def read_kinds():
    """The kinds of assistants: lines of the prompt, and answers."""
    kinds, part = [], None
    with open(FORMS, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("== "):
                kinds.append({"language": line[3:5], "prompt": [], "answers": []})
            elif line in ("prompt:", "answers:"):
                part = kinds[-1][line[:-1]]
            elif line and not line.startswith("#"):
                part.append(line)
    return kinds


FIRMS = ["Harbour", "Linden", "Northwind", "Fjord", "Maple", "Quarry", "Juniper", "Meridian", "Copperfield", "Saltmarsh"]
NAMES = ["Otto", "Mira", "Kestrel", "Atlas", "Juno", "Piper", "Sage", "Nico", "Wren", "Indigo"]


def slots(draw):
    firm = draw.choice(FIRMS)
    return {
        "firm": firm,
        "name": draw.choice(NAMES),
        "url": f"https://www.{firm.lower()}.example/{draw.choice(['help', 'service'])}/{draw.choice(['refunds-and-returns', 'opening-hours', 'frequently-asked'])}",
        "mail": f"{draw.choice(['customer-service', 'support-desk', 'first-contact'])}@{firm.lower()}.example",
        "phone": f"+44 20 7946 0{draw.randint(100, 999)}",
        "n": str(draw.randint(3, 90)),
        "m": str(draw.randint(100, 9000)),
        "code": f"{draw.choice(['KITE', 'LARK', 'ROOK'])}-{draw.randint(1000, 9999)}",
    }


def fill(text, values):
    return re.sub(r"\{(\w+)\}", lambda match: values[match[1]], text)


def lay_out(lines, form):
    """The lines as prompts have them: prose, a list, headings, elements, JSON."""
    if form == 0:
        return " ".join(lines)
    if form == 1:
        return lines[0] + "\n\n" + "\n".join(f"- {line}" for line in lines[1:])
    if form == 2:
        return "# Role\n" + lines[0] + "\n\n## Rules\n\n" + "\n".join(f"{i}. **{line}**" if i == 2 else f"{i}. {line}" for i, line in enumerate(lines[1:], 1))
    if form == 3:
        return f"<role>{lines[0]}</role>\n<rules>\n" + "\n".join(lines[1:]) + "\n</rules>"
    return json.dumps({"role": lines[0], "rules": lines[1:]}, ensure_ascii=False, separators=(",", ":"))


def make_prompts():
    kinds, draw = read_kinds(), random.Random(SEED)
    for i in range(PROMPTS):
        kind, values = kinds[i % len(kinds)], slots(draw)
        rest = kind["prompt"][1:]
        draw.shuffle(rest)
        lines = [fill(line, values) for line in kind["prompt"][:1] + rest[: draw.randint(5, len(rest))]]
        answers = [fill(answer, values) for answer in kind["answers"]]
        yield lay_out(lines, i // len(kinds) % 5), answers, draw


# --- runs -------------------------------------------------------------------------------------------


def folded_len(text):
    """No more bytes than the text has when folded: a letter with an accent, a look-alike or a wide letter is one."""
    return sum(3 if 0x2E80 <= ord(c) < 0xFF00 else 1 for c in unicodedata.normalize("NFC", text) if not unicodedata.combining(c))


def different_words(text):
    """As a policy's `words` counts them: an address is one, and so is an ideograph."""
    ideographs = re.findall(r"[\u3041-\ud7a3]", text)
    words = re.findall(r"[^\W_\u3041-\ud7a3](?:[.\-_:/@?=&%#+~]*[^\W_\u3041-\ud7a3])*", text)
    return len({word.lower() for word in words if len(word.encode()) >= 2} | set(ideographs))


def make_run(prompt, draw):
    """A run of the prompt of at least RUN_MIN bytes when folded, from any character to any other; no white space around."""
    while True:
        start = draw.randrange(len(prompt))
        end = start
        length = draw.choice([RUN_MIN, RUN_MIN, 40, 60, 100, RUN_MAX])
        while end < len(prompt) and folded_len(prompt[start:end]) < length:
            end += 1
        run = re.sub(r"\s+", " ", prompt[start:end])
        if run == run.strip() and folded_len(run) >= RUN_MIN:
            return run


def windows_left(run, delivered):
    """Whether 32 bytes of the run are in the text, in any case."""
    run, delivered = run.lower(), delivered.lower()
    for start in range(len(run)):
        end = start
        while end < len(run) and folded_len(run[start:end]) < RUN_MIN:
            end += 1
        if folded_len(run[start:end]) < RUN_MIN:
            break
        if run[start:end] in delivered:
            return True
    return False


def change_case(run, draw):
    return draw.choice([str.upper, str.title, str.swapcase, str.lower])(run)


# --- the service -----------------------------------------------------------------------------------------


class Service:
    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)

    def post(self, path, body, content_type="application/json"):
        self.connection.request("POST", path, body.encode(), {"Content-Type": content_type})
        response = self.connection.getresponse()
        text = response.read().decode()
        if response.status not in (200, 201):
            raise SystemExit(f"{path}: {response.status} {text[:300]}")
        return text

    def judge(self, policy, pairs):
        """What of each answer is delivered, in their order."""
        for start in range(0, len(pairs), 500):
            some = pairs[start : start + 500]
            lines = [json.dumps({"policy": policy, "context": {"system": prompt}, "text": answer}) for prompt, answer in some]
            answers = self.post("/v1/filter/batch", "\n".join(lines) + "\n", "application/x-ndjson").splitlines()
            for (_, sent), line in zip(some, answers, strict=True):
                answer = json.loads(line)
                yield sent if answer["action"] == "allow" else answer["text"]

    def stream(self, policy, prompt, answer, draw):
        stream = json.loads(self.post("/v1/streams", json.dumps({"policy": policy, "context": {"system": prompt}})))["id"]
        delivered, at = [], 0
        while at < len(answer):
            size = draw.randint(1, 40)
            delivered.append(json.loads(self.post(f"/v1/streams/{stream}/chunks", answer[at : at + size], "text/plain")).get("text", ""))
            at += size
        delivered.append(json.loads(self.post(f"/v1/streams/{stream}/end", "{}")).get("text", ""))
        return "".join(delivered)


# --- counts ----------------------------------------------------------------------------------------------


def leaks(prompts):
    """Prompt, run, what the answer has of it, and how it is written."""
    for prompt, _, draw in prompts:
        for _ in range(RUNS):
            run = make_run(prompt, draw)
            yield prompt, run, run, "verbatim"
            yield prompt, run, base64.b64encode(run.encode()).decode(), "base64"
            yield prompt, run, change_case(run, draw), "case"


def is_left(run, written, form, delivered):
    if form == "base64":
        return any(written[at : at + 44] in delivered for at in range(len(written) - 43))
    return windows_left(run, delivered)


def count_left(service, policy, words, prompts, shown):
    counts = {}
    all_leaks = list(leaks(prompts))
    answers = [(prompt, f"I was told this: {written}\nIs there anything else?") for prompt, _, written, _ in all_leaks]
    for (prompt, run, written, form), delivered in zip(all_leaks, service.judge(policy, answers), strict=True):
        add(counts, form, different_words(run) >= words, is_left(run, written, form, delivered), (run, delivered), shown)
    for prompt, _, draw in prompts:
        for _ in range(STREAMS):
            run = make_run(prompt, draw)
            delivered = service.stream(policy, prompt, f"I was told this: {run}\nIs there anything else?", draw)
            add(counts, "stream", different_words(run) >= words, windows_left(run, delivered), (run, delivered), shown)
    return counts


def add(counts, form, counts_as_run, left, example, shown):
    n = counts.setdefault(form, [0, 0, 0])
    n[0] += counts_as_run
    n[1] += counts_as_run and left
    n[2] += not counts_as_run
    if counts_as_run and left and shown:
        print(f"left, {form}: {example[0]!r}\n  in {example[1]!r}")


def count_changed(service, policy, pairs, shown):
    changed = 0
    for (prompt, answer), delivered in zip(pairs, service.judge(policy, pairs), strict=True):
        changed += delivered != answer
        if delivered != answer and shown:
            print(f"changed: {answer!r}\n  as {delivered!r}")
    return changed


def real_answers(data):
    for path in sorted(glob.glob(f"{data}/benign/*answers.ndjson") + glob.glob(f"{data}/benign/llm-*.ndjson")):
        with open(path, encoding="utf-8") as file:
            yield from (json.loads(line)["text"] for line in file)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--show"]
    service, shown, is_good = Service(arguments[0]), "--show" in sys.argv, True
    for policy, words in (("default", 4), ("every", 1)):
        prompts = list(make_prompts())
        counts = count_left(service, policy, words, prompts, shown)
        for form, (n, left, other) in counts.items():
            print(f"{policy}: {form}: left {left} of {n} runs, none expected; {other} with fewer than {words} different words")
            is_good = is_good and left == 0 and n >= (STREAMS if form == "stream" else RUNS) * PROMPTS * 8 // 10
        answers = [(prompt, answer) for prompt, own, _ in prompts for answer in own]
        changed = count_changed(service, policy, answers, shown)
        print(f"{policy}: changed {changed} of {len(answers)} answers about the same things")
        is_good = is_good and len(answers) >= 1000 and (policy == "every" or changed * 1000 <= len(answers))
    real = list(real_answers(arguments[1])) if len(arguments) > 1 else []
    if real:
        draw = random.Random(SEED)
        pairs = [(prompt, answer) for prompt, _, _ in prompts for answer in draw.sample(real, REAL)]
        changed = count_changed(service, "default", pairs, shown)
        print(f"default: changed {changed} of {len(pairs)} answers of language models to other questions")
        is_good = is_good and changed * 1000 <= len(pairs)
    raise SystemExit(not is_good)


if __name__ == "__main__":
    main()
