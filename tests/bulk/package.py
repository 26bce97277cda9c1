"""package.py - the package filterd for Python, without pyarrow: verdicts, arrays, threads, fork, errors.

Run with PYTHONPATH=clients/python/src and FILTERD_LIBRARY; the first argument is filterctl, the second a cache.
"""

import copy
import gc
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import unittest

import filterd

FILTERCTL, CACHE = sys.argv[1:3]
TEXTS = [open(os.path.join("rules/samples", name), encoding="utf-8").read() for name in sorted(os.listdir("rules/samples"))]
IBAN = "The refund goes to DE38 3704 0044 0532 0136 27, as agreed."
f = filterd.Filter(cache=CACHE)


class Judge(unittest.TestCase):
    def test_redact(self):
        v = f.judge("Zoë: " + IBAN)
        self.assertEqual((v.action, v.rule, v.text), ("redact", "iban", "Zoë: The refund goes to [iban], as agreed."))
        finding = v.findings[0]
        self.assertEqual(("Zoë: " + IBAN)[finding.start:finding.end], "DE38 3704 0044 0532 0136 27")
        self.assertEqual((finding.rule, finding.category, finding.action, finding.view), ("iban", "pii", "redact", "raw"))
        self.assertNotIn("refund", repr(v))

    def test_allow_and_null_characters(self):
        v = f.judge("a\0b \ud800 ü")
        self.assertEqual((v.action, v.rule, v.text, v.findings, v.error), ("allow", None, "a\0b \ud800 ü", [], None))

    def test_block(self):
        key = "ghp_" + "x7Kq2mZpL9vRtYw3NbHs5cDfJg8aEu"
        policy = ("policies:\n  default:\n    rules: [secrets]\n    actions: [{category: secret, action: block}]\n    notice: none of it\n")
        v = filterd.Filter(policy_text=policy, cache=CACHE).judge(f"my key is AKIAQ3EGRVZ7MXK2PLWT {key}")
        self.assertEqual((v.action, v.text, v.notice), ("block", None, "none of it"))

    def test_as_filterctl(self):
        lines = "".join(json.dumps({"text": t}) + "\n" for t in TEXTS)
        answers = subprocess.run([FILTERCTL, "check", "--pipe", "--field", "text", "--all", "--cache", CACHE], input=lines,
                                 capture_output=True, text=True, check=False).stdout.splitlines()
        self.assertEqual(len(answers), len(TEXTS))
        batch = f.judge_batch(TEXTS, threads=3)
        for text, answer, row in zip(TEXTS, map(json.loads, answers), batch.to_list()):
            v = f.judge(text)
            self.assertEqual((v.action, v.rule, v.text), (answer["action"], answer["rule"], answer["text"]))
            self.assertEqual((row["action"], row["rule"], row["text"]), (v.action, v.rule, v.text))
            self.assertEqual([x.rule for x in v.findings], [x["rule"] for x in answer["findings"]])
            self.assertEqual([x["rule"] for x in row["findings"]], [x.rule for x in v.findings])

    def test_threads(self):
        results = []
        threads = [threading.Thread(target=lambda: results.extend(f.judge(IBAN).action for _ in range(50))) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(results, ["redact"] * 400)

    def test_fork(self):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map(_action, [IBAN, "hello"] * 3), ["redact", "allow"] * 3)

    def test_pickle(self):
        for other in (pickle.loads(pickle.dumps(f)), copy.copy(f)):
            self.assertEqual(other.digest, f.digest)
            self.assertEqual(other.judge(IBAN).action, "redact")

    def test_errors(self):
        for options in ({"rules": "/nonexistent"}, {"policy_text": "policies: 3"}, {"policy_name": "strict"},
                        {"policy": "a", "policy_text": "b"}):
            with self.assertRaises(filterd.FilterdError):
                filterd.Filter(cache=CACHE, **options)
        with self.assertRaisesRegex(ValueError, "32 bytes"):
            filterd.Filter(hash_key=b"short")

    def test_an_unjudged_text_is_blocked_or_raises(self):
        long = "x" * (64 * 1024 * 1024 + 1)
        verdict = f.judge(long)
        self.assertEqual((verdict.action, verdict.rule, verdict.text), ("block", "filterd.unjudged", None))
        batch = f.judge_batch(["a", None, long])
        self.assertEqual((batch.report.unjudged, batch.report.actions["block"]), (1, 1))
        strict = pickle.loads(pickle.dumps(filterd.Filter(cache=CACHE, on_error="raise")))
        self.assertEqual(strict.judge_batch(["a", None]).report.rows, 2)
        with self.assertRaisesRegex(filterd.FilterdError, "could not be judged: limit"):
            strict.judge(long)
        with self.assertRaisesRegex(filterd.FilterdError, "row 2 could not be judged: limit"):
            strict.judge_batch(["a", None, long])
        with self.assertRaisesRegex(ValueError, "on_error"):
            filterd.Filter(on_error="ignore")

    def test_tokens_of_a_key_agree(self):
        policy = ("policies:\n  default:\n    rules: [pii]\n    actions: [{category: pii, action: redact, with: hash}]\n    notice: n\n")
        texts = [filterd.Filter(policy_text=policy, cache=CACHE, hash_key=key).judge(IBAN).text for key in (b"k" * 32, b"k" * 32, b"l" * 32, None)]
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(len({*texts}), 3)


def _action(text):
    return f.judge(text).action


class Batch(unittest.TestCase):
    def test_list(self):
        verdicts = f.judge_batch([IBAN, None, "hello", ""])
        rows = verdicts.to_list()
        self.assertEqual([r and r["action"] for r in rows], ["redact", None, "allow", "allow"])
        self.assertEqual(len(verdicts), 4)
        self.assertEqual(verdicts.report.actions, {"block": 0, "redact": 1, "allow": 2})
        report = verdicts.report
        self.assertEqual((report.rows, report.nulls, report.rules, report.bytes), (4, 1, {"iban": 1}, len(IBAN) + len("hello")))
        self.assertEqual(f.judge_batch(["ä", "xyz"]).report.bytes, 5)

    def test_without_text(self):
        self.assertNotIn("text", f.judge_batch([IBAN], with_text=False).to_list()[0])

    def test_what_is_no_list_of_texts(self):
        with self.assertRaisesRegex(TypeError, "one text"):
            f.judge_batch(IBAN)
        with self.assertRaisesRegex(TypeError, "row 1: str or None expected, it is int"):
            f.judge_batch(["a", 1])

    def test_empty(self):
        self.assertEqual(f.judge_batch([]).to_list(), [])

    def test_capsules_are_given_once_and_freed(self):
        for _ in range(200):
            verdicts = f.judge_batch([IBAN, "hello"])
            capsules = verdicts.__arrow_c_array__()
            with self.assertRaises(filterd.FilterdError):
                verdicts.__arrow_c_array__()
            del capsules
        gc.collect()
        self.assertEqual((filterd._arrow._given, filterd._arrow._kept), ({}, {}))

    def test_own_capsules_are_an_input(self):
        class Texts:
            def __arrow_c_array__(self, requested_schema=None):
                schema, array = filterd._arrow.array_of_strings([IBAN, None])
                return filterd._arrow.capsules_of(schema, array)

        self.assertEqual([r and r["action"] for r in f.judge_batch(Texts()).to_list()], ["redact", None])
        # An array of structs is no array of texts.
        with self.assertRaisesRegex(filterd.FilterdError, "utf8"):
            f.judge_batch(f.judge_batch(["x"]))

    def test_report_adds_up(self):
        reports = [f.judge_batch(TEXTS).report, f.judge_batch([IBAN, None]).report]
        total = sum(reports, filterd.Report())
        self.assertEqual(total.rows, len(TEXTS) + 2)
        self.assertEqual(total.rules["iban"], reports[0].rules["iban"] + 1)
        self.assertEqual(total.scan("archive")["bytes"], sum(len(t.encode()) for t in [*TEXTS, IBAN]))
        with self.assertRaisesRegex(ValueError, "one digest"):
            total + filterd.Report(digest="sha256:other")


class Quiet(unittest.TestCase):
    def test_nothing_is_printed(self):
        code = f"import filterd; f = filterd.Filter(cache={CACHE!r}); f.judge_batch([{IBAN!r}] * 10); f.judge({IBAN!r})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual((done.stdout, done.stderr), ("", ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
