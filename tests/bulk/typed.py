"""typed.py - the package's public names as a program with strict types uses them; mypy reads it, nothing runs it."""

import typing

import filterd


def count(texts: typing.List[typing.Optional[str]]) -> typing.Dict[str, int]:
    f = filterd.Filter(policy_text="policies: {}", on_error="raise")
    verdict: filterd.Verdict = f.judge("text")
    finding: typing.Optional[filterd.Finding] = verdict.findings[0] if verdict.findings else None
    start: int = finding.start if finding is not None else 0
    verdicts: filterd.Verdicts = f.judge_batch(texts, threads=start, with_text=False)
    total: filterd.Report = sum((v.report for v in (verdicts, verdicts)), filterd.Report())
    body: typing.Dict[str, typing.Any] = total.scan("archive", snapshot=f.digest)
    return total.actions if body else {verdict.action: len(verdicts)}
