"""system_prompts.py URL [DATA]: how many runs of a system prompt are left in answers, and how many ordinary answers are changed.

A hundred prompts are put together from the lines of system_prompts.txt: 18 kinds of assistants, in eight languages, in five forms. Of
each, runs of 32 bytes and more are copied into answers: verbatim, in base64, in changed case, and cut in a stream. A run is left when
32 of its bytes are delivered. The answers of the file talk about the same things in other words, names, addresses and numbers among
them; those of DATA, which may be missing, are answers of language models to other questions. The same is done with
system_prompts_other.txt, 12 other kinds. A filterd with the policies `default` (system_prompt: {}) and `every` (words: 1) listens at
URL. By default a run does not count that has less than 32 bytes besides addresses of the prompt, as answers may give them: how many
these are is printed. Of the other list, whose answers repeat sentences of their prompts, only the answers count whose runs have no 32
bytes besides addresses. Prints one line for each count; exit code 1 when a bar is missed."""

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
LISTS = ("system_prompts.txt", "system_prompts_other.txt")
EXCEPTIONS_MAX = 40  # runs of a thousand that have an address and little else
SEED = int(os.environ.get("FILTERD_SEED", "1"))


# --- prompts and answers -------------------------------------------------------------------------


def read_kinds(name):
    """The kinds of assistants: lines of the prompt, and answers."""
    kinds, part = [], None
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
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
    values = {
        "firm": firm,
        "name": draw.choice(NAMES),
        "url": f"https://www.{firm.lower()}.example/{draw.choice(['help', 'service'])}/{draw.choice(['refunds-and-returns', 'opening-hours', 'frequently-asked'])}",
        "mail": f"{draw.choice(['customer-service', 'support-desk', 'first-contact'])}@{firm.lower()}.example",
        "phone": f"+44 20 7946 0{draw.randint(100, 999)}",
        "n": str(draw.randint(3, 90)),
        "m": str(draw.randint(100, 9000)),
        "code": f"{draw.choice(['KITE', 'LARK', 'ROOK'])}-{draw.randint(1000, 9999)}",
    }
    return values | {"page": f"{firm.lower()}-help.com/en/articles/{values['code'].lower()}-what-to-do"}


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


def make_prompts(name):
    kinds, draw = read_kinds(name), random.Random(SEED)
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


ADDRESS = re.compile(r"(?:https?://|\w+-help\.com)[\w./-]*\w|[\w-]+@[\w.]*\w|\+44[ 0-9]*[0-9]", re.ASCII)


def without_addresses(prompt, run):
    """The run without whole addresses of the prompt, if without their scheme."""
    for address in ADDRESS.findall(prompt):
        bare = re.escape(re.sub(r"^(?:https?://)?(?:www\.)?", "", address))
        pattern = rf"(?<![\w@+/-])(?:(?:https?:)?//)?(?:www\.)?{bare}(?![\w/@-])[.,;:!?'()*]*"
        run = re.sub(pattern, "", run, flags=re.ASCII | re.IGNORECASE)
    return run


def is_address(prompt, run):
    """Whether a run has an address of the prompt and less than 32 bytes else: by default it does not count."""
    rest = without_addresses(prompt, run)
    return rest != run and folded_len(rest) < RUN_MIN


def repeats(prompt, answer):
    """Whether an answer has a run of the prompt with 32 bytes besides addresses."""
    prompt, answer = (re.sub(r"\s+", " ", text.lower()) for text in (prompt, answer))
    end = 0
    for start in range(len(answer)):
        before, end = end, max(end, start)
        while end < len(answer) and answer[start : end + 1] in prompt:
            end += 1
        if end > before and folded_len(without_addresses(prompt, answer[start:end])) >= RUN_MIN:
            return True
    return False


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


def count_left(service, policy, prompts, shown):
    counts = {}
    counts_as_run = {"default": lambda prompt, run: not is_address(prompt, run), "every": lambda _, run: different_words(run) >= 1}[policy]
    all_leaks = list(leaks(prompts))
    answers = [(prompt, f"I was told this: {written}\nIs there anything else?") for prompt, _, written, _ in all_leaks]
    for (prompt, run, written, form), delivered in zip(all_leaks, service.judge(policy, answers), strict=True):
        add(counts, form, counts_as_run(prompt, run), is_left(run, written, form, delivered), (run, delivered), shown)
    for prompt, _, draw in prompts:
        for _ in range(STREAMS):
            run = make_run(prompt, draw)
            delivered = service.stream(policy, prompt, f"I was told this: {run}\nIs there anything else?", draw)
            add(counts, "stream", counts_as_run(prompt, run), windows_left(run, delivered), (run, delivered), shown)
    return counts


def add(counts, form, counts_as_run, left, example, shown):
    n = counts.setdefault(form, [0, 0, 0])
    n[0] += counts_as_run
    n[1] += counts_as_run and left
    n[2] += not counts_as_run
    if counts_as_run and left and shown:
        print(f"left, {form}: {example[0]!r}\n  in {example[1]!r}")


def count_changed(service, policy, pairs, shown):
    """How many are changed, and how many of these repeat nothing of their prompt but addresses."""
    changed = false = 0
    for (prompt, answer), delivered in zip(pairs, service.judge(policy, pairs), strict=True):
        changed += delivered != answer
        false += delivered != answer and not repeats(prompt, answer)
        if delivered != answer and shown:
            print(f"changed: {answer!r}\n  as {delivered!r}")
    return changed, false


def real_answers(data):
    for path in sorted(glob.glob(f"{data}/benign/*answers.ndjson") + glob.glob(f"{data}/benign/llm-*.ndjson")):
        with open(path, encoding="utf-8") as file:
            yield from (json.loads(line)["text"] for line in file)


def try_list(service, name, policy, shown):
    """Whether no run is left and, by default, no more than one of a thousand answers is changed."""
    prompts, is_good, where = list(make_prompts(name)), True, f"{name}, {policy}"
    for form, (n, left, other) in count_left(service, policy, prompts, shown).items():
        print(f"{where}: {form}: left {left} of {n} runs, none expected; {other} that do not count")
        of = (STREAMS if form == "stream" else RUNS) * PROMPTS
        is_good = is_good and left == 0 and n + other == of and other * 1000 <= EXCEPTIONS_MAX * of
    answers = [(prompt, answer) for prompt, own, _ in prompts for answer in own]
    changed, false = count_changed(service, policy, answers, shown)
    print(f"{where}: changed {changed} of {len(answers)} answers about the same things; {false} of these have no run of 32 bytes besides addresses")
    bar = false if name == LISTS[1] else changed
    return is_good and len(answers) >= 1000 and (policy == "every" or bar * 1000 <= len(answers))


def try_real(service, name, real, shown):
    draw = random.Random(SEED)
    pairs = [(prompt, answer) for prompt, _, _ in make_prompts(name) for answer in draw.sample(real, REAL)]
    changed, _ = count_changed(service, "default", pairs, shown)
    print(f"{name}, default: changed {changed} of {len(pairs)} answers of language models to other questions")
    return changed * 1000 <= len(pairs)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--show"]
    service, shown, is_good = Service(arguments[0]), "--show" in sys.argv, True
    real = list(real_answers(arguments[1])) if len(arguments) > 1 else []
    for name in os.environ.get("FILTERD_LISTS", " ".join(LISTS)).split():
        for policy in ("default", "every"):
            is_good = try_list(service, name, policy, shown) and is_good
        is_good = (not real or try_real(service, name, real, shown)) and is_good
    raise SystemExit(not is_good)


if __name__ == "__main__":
    main()
