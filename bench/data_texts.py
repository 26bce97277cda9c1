"""Texts for bench/data.sh, as NDJSON: ones that have nothing of the tables, and copies of parts of indexed documents.

data_texts.py benign DATA BYTES: texts of DATA, then files of Python's library, until there are so many bytes.
data_texts.py documents DATA N FOLDER: writes N documents to FOLDER; prints a copied run of each that is long enough, of 200 to
600 characters, written in one of the ways of FORMS; a run without a letter or digit, which copies nothing, is left out (130 of
10,000: one text of the file is blanks). The documents are of one file, which is not among the benign ones.
data_texts.py notes DATA N FOLDER: likewise N short documents, of 100 to 190 characters; prints each one that has 60 letters and digits, less up
to a tenth of its characters.
"""
import json
import pathlib
import random
import sys
import sysconfig

DOCUMENTS = "llm-arena-hard.ndjson"
FOLDERS = ("benign", "harm", "injection", "ner", "toxicity")
RUN, RUN_MAX, PIECE = 200, 600, 4096
NOTE, NOTE_MAX, NOTE_LETTERS = 100, 190, 60
FORMS = (
    str,
    str.upper,
    str.lower,
    lambda text: text.replace(" ", "\n"),
    lambda text: text.replace(" ", "  "),
    lambda text: "\n".join("> " + line for line in text.split("\n")),
    lambda text: text.replace("e", "e\u0301").replace("o", "\u00f6"),
    lambda text: text.replace("a", "\u0430").replace("i", "\u0456"),
    lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    lambda text: "\u200b".join(text),
)


def texts(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["text"]


def write(text):
    print(json.dumps({"text": text}))


def benign(data, wanted):
    n = 0
    for folder in FOLDERS:
        for path in sorted(pathlib.Path(data, folder).glob("*.ndjson")):
            for text in texts(path) if path.name != DOCUMENTS else ():
                if n < wanted:
                    write(text)
                    n += len(text.encode(errors="replace"))
    for path in sorted(pathlib.Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        source = path.read_text(encoding="utf-8", errors="replace")
        for at in range(0, len(source), PIECE):
            if n < wanted:
                write(source[at:at + PIECE])
                n += len(source[at:at + PIECE].encode(errors="replace"))
    if n < wanted:
        sys.exit(f"data_texts.py: only {n} bytes of texts")


def whole(text):
    """As the file can hold it: a lone surrogate is no character."""
    return text.encode("utf-8", "replace").decode("utf-8")


def documents(data, wanted, folder):
    pick = random.Random(20261128)
    every = [whole(text) for text in texts(pathlib.Path(data, "benign", DOCUMENTS))]
    joined = "\n\n".join(every)
    size = len(joined) // wanted
    pathlib.Path(folder).mkdir()
    for i in range(wanted):
        document = joined[i * size:(i + 1) * size]
        pathlib.Path(folder, f"{i:05}.txt").write_text(document, encoding="utf-8")
        length = pick.randint(RUN, min(RUN_MAX, len(document)))
        at = pick.randint(0, len(document) - length)
        run, form = document[at:at + length], pick.choice(FORMS)
        if any(c.isalnum() for c in run):
            write("As I was told: " + form(run) + " That is all.")


def notes(data, wanted, folder):
    pick = random.Random(20261129)
    joined = "\n\n".join(whole(text) for text in texts(pathlib.Path(data, "benign", DOCUMENTS)))
    step = len(joined) // wanted
    pathlib.Path(folder).mkdir()
    for i in range(wanted):
        note = joined[i * step:i * step + pick.randint(NOTE, NOTE_MAX)]
        pathlib.Path(folder, f"{i:05}.txt").write_text(note, encoding="utf-8")
        cut = pick.randint(0, len(note) // 10)
        first = pick.randint(0, cut)
        if sum(c.isalnum() for c in note) >= NOTE_LETTERS:
            write("As I was told: " + pick.choice(FORMS)(note[first:len(note) - (cut - first)]) + " That is all.")


if sys.argv[1:2] == ["benign"] and len(sys.argv) == 4:
    benign(sys.argv[2], int(sys.argv[3]))
elif sys.argv[1:2] == ["documents"] and len(sys.argv) == 5:
    documents(sys.argv[2], int(sys.argv[3]), sys.argv[4])
elif sys.argv[1:2] == ["notes"] and len(sys.argv) == 5:
    notes(sys.argv[2], int(sys.argv[3]), sys.argv[4])
else:
    sys.exit(__doc__)
