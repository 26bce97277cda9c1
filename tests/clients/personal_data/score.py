"""score.py BINDIR HALF [COUNT [ENTITY]]: what the policy `privacy` finds of the texts of generate.py, or with `letters-dev` and `letters-test` of
letters.py, by the evaluators of presidio-evaluator.

`spans` is its SpanEvaluator at an intersection over union of 0.9: all personal data as one class ("all"), then each entity. `tokens` is its
TokenEvaluator. Both leave out the package's skip words, and take neighbours of one entity as one. Entities of findings are those of rules/names.yaml. With ENTITY
(or `all`) the errors of that entity are printed too. Exit code 1 below the bar, which is that of `all` by spans."""
import collections
import json
import logging
import os
import subprocess
import sys
import tempfile

import pandas
import spacy
import yaml
from presidio_evaluator.evaluation import SpanEvaluator, TokenEvaluator
from presidio_evaluator.span_to_tag import span_to_tag

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
BAR = 0.80
# Rules whose entity of Presidio has another name in the set, or none.
SAME = {"classifier-postal-address": "STREET_ADDRESS", "postal-address": "STREET_ADDRESS", "person-name": "PERSON", "date-of-birth": "DATE_TIME",
        "birth-date-prose": "DATE_TIME", "age-of-person": "AGE", "driver-licence-number": "US_DRIVER_LICENSE",
        "licence-number": "US_DRIVER_LICENSE", "card-expiry": "DATE_TIME"}


def entities():
    """rule -> entity"""
    with open(os.path.join(ROOT, "rules/names.yaml"), encoding="utf-8") as file:
        rows = yaml.safe_load(file)["names"]
    names = {row["rule"]: row["presidio"] for row in rows if "presidio" in row}
    return {rule: name[0] if isinstance(name, list) else name for rule, name in names.items()} | SAME


def findings(bindir, path):
    """number of line -> [(start, end in bytes, rule, confidence)], those that the policy acts on"""
    rules = os.path.join(ROOT, "rules")
    out = subprocess.run([os.path.join(bindir, "filterctl"), "check", "--rules", rules, "--policy", os.path.join(rules, "policy-privacy.yaml"),
                          "--policy-name", "privacy", "--field", "text", "--format", "ndjson", path], stdout=subprocess.PIPE, check=False)
    if out.returncode > 1:
        sys.exit("check failed")
    found = collections.defaultdict(list)
    for row in map(json.loads, out.stdout.decode().splitlines()):
        if row.get("bytes") and row.get("action") != "allow":
            found[row["line"]].append((*row["bytes"], row["rule"], row["confidence"]))
    return found


def in_characters(text, spans):
    place, byte = {}, 0
    for index, char in enumerate(text):
        place[byte] = index
        byte += len(char.encode())
    place[byte] = len(text)
    return [(place[start], place[end], *rest) for start, end, *rest in spans]


def without_repeats(spans):
    """As Presidio's engine: of findings of one entity one that another as sure contains is left out. span_to_tag makes an empty span of
    one of two equal ones, which tags the line break or the quote in front."""
    kept = []
    for start, end, entity, score in sorted(spans, key=lambda span: (-span[3], span[0], -span[1])):
        if not any(entity == other and first <= start and end <= last for first, last, other, _ in kept):
            kept.append((start, end, entity, score))
    return kept


def tagged(text, doc, spans):
    """An entity for each token; of two that overlap the one with the higher confidence decides, as in the package's own wrappers."""
    starts, ends, entity, scores = (list(column) for column in zip(*spans)) if spans else ([], [], [], [])
    return span_to_tag("IO", text, starts, ends, entity, scores, tokens=doc) if spans else ["O"] * len(doc)


def table(rows, found, names):
    """One row a token, in the form that the evaluators take."""
    tokenizer, frame = spacy.blank("en"), []
    for number, row in enumerate(rows, 1):
        doc = tokenizer(row["text"])
        guesses = [(start, end, names.get(rule, rule.upper().replace("-", "_")), score) for start, end, rule, score in in_characters(row["text"], found[number])]
        tags = [tagged(row["text"], doc, spans) for spans in ([[*span, 1] for span in row["spans"]], without_repeats(guesses))]
        frame += [(number, str(token), a, b, token.idx) for token, a, b in zip(doc, *tags, strict=True)]
    return pandas.DataFrame(frame, columns=["sentence_id", "token", "annotation", "prediction", "start_indices"])


def errors(result, rows, frame, entity):
    """Each error of the entity with its text; a sentence at a time, as errors do not say where they are."""
    del result
    for number, sentence in frame.groupby("sentence_id"):
        one = SpanEvaluator(iou_threshold=0.9).calculate_score_on_df(sentence, level="pii" if entity == "all" else "entity")
        del one.results
        pieces = []
        for column in ("annotation", "prediction"):
            parts, last = [], None
            for token, tag in zip(sentence["token"], sentence[column]):
                if tag != "O" and tag == last:
                    parts[-1] += " " + token
                elif tag != "O":
                    parts.append(f"{tag}={token}")
                last = tag
            pieces.append(parts)
        if entity == "all":
            wrong = one.pii_false_negatives or one.pii_false_positives
        else:
            metrics = one.per_type.get(entity)
            wrong = metrics and (metrics.false_negatives or metrics.false_positives)
        if wrong:
            print(json.dumps(rows[number - 1]["text"], ensure_ascii=False))
            print("    missed:", [p for p in pieces[0] if p not in pieces[1]])
            print("    false: ", [p for p in pieces[1] if p not in pieces[0]])


def main():
    logging.disable(logging.WARNING)
    bindir, half = sys.argv[1], sys.argv[2]
    count = sys.argv[3] if len(sys.argv) > 3 else "1500"
    with tempfile.NamedTemporaryFile("w+", suffix=".ndjson", encoding="utf-8") as file:
        generator = "letters.py" if half.startswith("letters-") else "generate.py"
        subprocess.run([sys.executable, os.path.join(HERE, generator), half.removeprefix("letters-"), count], stdout=file, stderr=subprocess.DEVNULL, check=True)
        file.seek(0)
        rows = [json.loads(line) for line in file]
        frame = table(rows, findings(bindir, file.name), entities())
    result = SpanEvaluator(iou_threshold=0.9).calculate_score_on_df(frame)
    tokens = TokenEvaluator().calculate_score_on_df(frame)
    if len(sys.argv) > 4:
        errors(result, rows, frame, sys.argv[4])
    marked = {entity for row in rows for *_, entity in row["spans"]}
    print("%-18s marked %5d  spans P %.3f R %.3f F2 %.3f  tokens P %.3f R %.3f F2 %.3f" %
          ("all", result.pii_annotated, result.pii_precision, result.pii_recall, result.pii_f, tokens.pii_precision, tokens.pii_recall, tokens.pii_f))
    for entity, figures in sorted(result.per_type.items(), key=lambda item: -item[1].num_annotated):
        if entity in marked:
            by_token = tokens.per_type[entity]
            print("%-18s marked %5d  spans P %.3f R %.3f F2 %.3f  tokens P %.3f R %.3f F2 %.3f" %
                  (entity, figures.num_annotated, figures.precision, figures.recall, figures.f_beta, by_token.precision, by_token.recall, by_token.f_beta))
        else:
            print("%-18s not marked, given %d" % (entity, figures.num_predicted))
    sys.exit(result.pii_f < BAR)


if __name__ == "__main__":
    main()
