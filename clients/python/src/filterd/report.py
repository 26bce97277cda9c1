"""What a job judged, in numbers: nothing of any text."""

import collections
import dataclasses
import typing

from . import _arrow, _native

_ACTIONS = ("block", "redact", "allow")


@dataclasses.dataclass
class Report:
    """Counts of verdicts. Reports of the same digest add up: sum(reports, Report())."""

    digest: str = ""  # of rules, policy and engine
    engine: str = ""  # its version
    rows: int = 0
    nulls: int = 0
    unjudged: int = 0
    bytes: int = 0  # of the texts, in UTF-8
    actions: typing.Dict[str, int] = dataclasses.field(default_factory=lambda: dict.fromkeys(_ACTIONS, 0))
    rules: typing.Dict[str, int] = dataclasses.field(default_factory=dict)  # findings of each

    @classmethod
    def of_arrays(cls, digest, rules, schema, array, text_bytes):
        actions = list(_arrow.numbers(*_arrow.column(schema, array, b"action")))
        findings_schema, findings = _arrow.column(schema, array, b"findings")
        found = _arrow.column(findings_schema.children[0].contents, findings.children[0].contents, b"rule")
        error = _arrow.column(schema, array, b"error")[1]
        counts = collections.Counter(_arrow.numbers(*found))
        return cls(digest=digest, engine=_native.lib.filterd_version().decode(), rows=array.length, nulls=array.null_count,
                   unjudged=array.length - error.null_count, bytes=text_bytes,
                   actions={name: actions.count(i) for i, name in enumerate(_ACTIONS)},
                   rules={rules[i]: n for i, n in sorted(counts.items())})

    def __add__(self, other: "Report") -> "Report":
        if self.digest and other.digest and self.digest != other.digest:
            raise ValueError(f"reports of one digest expected, they are {self.digest} and {other.digest}: the job ran with "
                             "different rules, policies or engines")
        return Report(digest=self.digest or other.digest, engine=self.engine or other.engine, rows=self.rows + other.rows,
                      nulls=self.nulls + other.nulls, unjudged=self.unjudged + other.unjudged, bytes=self.bytes + other.bytes,
                      actions={name: self.actions[name] + other.actions[name] for name in _ACTIONS},
                      rules=dict(collections.Counter(self.rules) + collections.Counter(other.rules)))

    def scan(self, source: str, snapshot: str = "") -> dict:
        """The body of POST /v1/scans, which makes a line of filterd's record of it: which archive, and which state of it, was judged.

            requests.post("http://127.0.0.1:8471/v1/scans", json=report.scan("s3://answers/2026-11", "v7"), headers=...)
        """
        return {"source": source, "snapshot": snapshot, "digest": self.digest, "engine": self.engine, "rows": self.rows,
                "nulls": self.nulls, "unjudged": self.unjudged, "bytes": self.bytes, "actions": self.actions, "rules": self.rules}
