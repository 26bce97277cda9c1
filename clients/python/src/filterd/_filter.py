"""Filter, its verdicts, and arrays of verdicts."""

import ctypes as c
import dataclasses
import os
import pathlib
import threading
import typing

from . import _arrow, _native
from .report import Report

_lib = _native.lib
_Path = typing.Union[str, "os.PathLike[str]", None]


class FilterdError(Exception):
    """What failed, and what was expected. Never contains a text."""


def version() -> str:
    """The version of the engine."""
    return _lib.filterd_version().decode()


@dataclasses.dataclass(frozen=True)
class Finding:
    rule: str
    category: str
    severity: str
    action: str
    confidence: float
    start: int  # characters of the text, half-open
    end: int
    view: str  # how the text was read to find it: raw, base64, ...
    is_shadow: bool  # recorded alone: the policy does not act on it


@dataclasses.dataclass(frozen=True)
class Verdict:
    action: str  # allow, redact or block
    rule: typing.Optional[str]  # that decided
    text: typing.Optional[str] = dataclasses.field(repr=False)  # what may be delivered; None when blocked
    notice: typing.Optional[str]  # what the policy shows in place of a blocked text
    findings: typing.List[Finding]
    error: typing.Optional[str]  # why it could not be judged; it is blocked then


class Verdicts:
    """Verdicts of an array of texts: an Arrow array of structs, as libfilterd(3) describes it.

    `pyarrow.array(verdicts)`, `polars.from_arrow` and whatever else takes __arrow_c_array__ take it over, once. to_list() gives
    dictionaries instead, whose offsets are bytes of the text in UTF-8.
    """

    def __init__(self, schema, array, report):
        self._schema, self._array, self.report = schema, array, report

    def __len__(self):
        return self.report.rows

    def to_list(self) -> typing.List[typing.Optional[dict]]:
        self._check()
        return _arrow.to_list(self._schema, self._array)

    def __arrow_c_array__(self, requested_schema=None):
        self._check()
        schema, array, self._schema, self._array = self._schema, self._array, None, None
        return _arrow.capsules_of(schema, array)

    def _check(self):
        if self._array is None:
            raise FilterdError("the verdicts were taken over before")

    def __del__(self):
        if self._array is not None:
            _arrow.release(self._array)
            _arrow.release(self._schema)


class _Worker:
    def __init__(self, engine):
        self.engine = engine
        self.pointer = _lib.filterd_worker_new(engine.pointer)
        if not self.pointer:
            raise FilterdError("no memory for a worker")

    def __del__(self):
        if getattr(self, "pointer", None) and self.engine.process == os.getpid():
            _lib.filterd_worker_free(self.pointer)


class _Engine:
    def __init__(self, options):
        self.process = os.getpid()
        error = c.create_string_buffer(_native.ERROR_MAX)
        self.pointer = _lib.filterd_open(c.byref(options), error, len(error))
        if not self.pointer:
            raise FilterdError(error.value.decode("utf-8", "replace"))

    def __del__(self):
        if getattr(self, "pointer", None) and self.process == os.getpid():
            _lib.filterd_close(self.pointer)


def _cache_directory():
    """$FILTERD_CACHE, or filterd in the user's cache; None when it cannot be made."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = pathlib.Path(os.environ.get("FILTERD_CACHE") or os.path.join(base, "filterd"))
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return str(path)


def _name(text: _Path) -> typing.Optional[bytes]:
    return None if text is None else os.fsencode(text)


class Filter:
    """The engine under one policy. Threads may share it; after fork and in a pickle it opens itself again.

    rules: a folder of rules in place of those built in. policy: a policy file; policy_text: the content of one. policy_name: which
    policy of the file. tenant, app, agent: whose texts they are, for policies that name them. cache: a folder for compiled rules.
    hash_key, encrypt_key: 32 bytes for the operators hash and encrypt; random ones without them. on_error: a text that could not be
    judged is blocked ("block"), or raises FilterdError ("raise").
    """

    def __init__(self, rules: _Path = None, policy: _Path = None, *, policy_text: typing.Optional[str] = None,
                 policy_name: typing.Optional[str] = None, tenant: typing.Optional[str] = None, app: typing.Optional[str] = None,
                 agent: typing.Optional[str] = None, cache: _Path = None, hash_key: typing.Optional[bytes] = None,
                 encrypt_key: typing.Optional[bytes] = None, on_error: str = "block"):
        for name, key in (("hash_key", hash_key), ("encrypt_key", encrypt_key)):
            if key is not None and len(key) != 32:
                raise ValueError(f"{name}: 32 bytes expected, there are {len(key)}")
        if on_error not in ("block", "raise"):
            raise ValueError(f"on_error: 'block' or 'raise' expected, it is {on_error!r}")
        self._raises = on_error == "raise"
        self._given = {"rules": _name(rules), "policy": _name(policy), "policy_text": _name(policy_text),
                       "policy_name": _name(policy_name), "cache": _name(cache or _cache_directory()), "tenant": _name(tenant),
                       "app": _name(app), "agent": _name(agent), "hash_key": hash_key, "encrypt_key": encrypt_key}
        self._open()

    def _open(self):
        options = _native.Options(size=c.sizeof(_native.Options), **self._given)
        self._lock = threading.Lock()
        self._local = threading.local()
        self._engine = _Engine(options)
        count = _lib.filterd_rule_count(self._engine.pointer)
        self._rules = [_lib.filterd_rule_name(self._engine.pointer, i).decode() for i in range(count + 1)]

    def __getstate__(self) -> dict:
        return {"given": self._given, "raises": self._raises}

    def __setstate__(self, state: dict) -> None:
        self._given, self._raises = state["given"], state["raises"]
        self._open()

    def _here(self):
        """The engine of this process."""
        if self._engine.process != os.getpid():
            self._open()
        return self._engine

    @property
    def digest(self) -> str:
        """sha256:... of all that decides a verdict: rules, policy and engine."""
        return _lib.filterd_digest(self._here().pointer).decode()

    def _worker(self):
        engine = self._here()
        worker = getattr(self._local, "worker", None)
        if worker is None or worker.engine is not engine:
            worker = self._local.worker = _Worker(engine)
        return worker

    def judge(self, text: str) -> Verdict:
        """Judges one text. Offsets of findings are characters."""
        worker = self._worker()
        bytes_ = text.encode("utf-8", "surrogatepass")
        verdict = _native.Verdict(size=c.sizeof(_native.Verdict))
        _lib.filterd_judge(worker.pointer, bytes_, len(bytes_), 0, c.byref(verdict))
        if self._raises and verdict.error:
            raise FilterdError("the text could not be judged: " + verdict.error.decode())
        return Verdict(action=_lib.filterd_action_name(verdict.action).decode(),
                       rule=None if verdict.rule == _native.NO_RULE else self._rules[verdict.rule],
                       text=_string(verdict.text, verdict.text_length), notice=_string(verdict.notice, verdict.notice_length),
                       findings=[self._finding(bytes_, verdict, i) for i in range(verdict.n_findings)],
                       error=verdict.error.decode() if verdict.error else None)

    def _finding(self, bytes_, verdict, i):
        f = _native.Finding.from_address(verdict.findings + i * verdict.finding_size)
        start = len(bytes_[:f.start].decode("utf-8", "surrogatepass"))
        return Finding(rule=self._rules[f.rule], category=_lib.filterd_category_name(f.category).decode(),
                       severity=_lib.filterd_severity_name(f.severity).decode(),
                       action=_lib.filterd_action_name(f.action).decode(), confidence=round(f.confidence, 6), start=start,
                       end=start + len(bytes_[f.start:f.end].decode("utf-8", "surrogatepass")), view=f.view.decode(),
                       is_shadow=bool(f.is_shadow))

    def judge_batch(self, texts, *, threads: int = 0, with_text: bool = True) -> Verdicts:
        """Judges an array of texts: whatever has __arrow_c_array__ (pyarrow, polars, nanoarrow), or a list of str and None.

        threads: at most so many, 0: one for each processor. with_text=False: verdicts and findings alone.
        """
        if hasattr(texts, "__arrow_c_array__"):
            capsules = texts.__arrow_c_array__()
            return self._judge_array(*_arrow.array_of_capsules(*capsules), threads, with_text)
        if hasattr(texts, "__arrow_c_stream__"):
            raise TypeError("an array expected, this is a stream of arrays: judge_stream takes it")
        schema, array = _arrow.array_of_strings(texts)
        return self._judge_array(c.addressof(schema), c.addressof(array), threads, with_text)

    def judge_stream(self, texts, *, threads: int = 0, with_text: bool = True) -> typing.Iterator[Verdicts]:
        """Judges each array of a stream: whatever has __arrow_c_stream__, as a chunked array or a series of polars."""
        for schema, array in _arrow.chunks_of_stream(texts.__arrow_c_stream__()):
            yield self._judge_array(c.addressof(schema), c.addressof(array), threads, with_text)

    def _judge_array(self, schema, array, threads, with_text):
        engine = self._here()
        given, size = _arrow.Array.from_address(array).length, _arrow.text_bytes(schema, array)
        out_array, out_schema = _arrow.Array(), _arrow.Schema()
        error = c.create_string_buffer(_native.ERROR_MAX)
        code = _lib.filterd_judge_arrow(engine.pointer, array, schema, threads, 0 if with_text else _native.NO_TEXT,
                                        c.byref(out_array), c.byref(out_schema), error, len(error))
        if code != 0:
            raise FilterdError(error.value.decode("utf-8", "replace"))
        assert out_array.length == given
        verdicts = Verdicts(out_schema, out_array, Report.of_arrays(self.digest, self._rules, out_schema, out_array, size))
        if self._raises and verdicts.report.unjudged:
            row, reason = _arrow.first_string(*_arrow.column(out_schema, out_array, b"error"))
            raise FilterdError(f"row {row} could not be judged: {reason}")
        return verdicts


def _string(pointer, length):
    return None if not pointer else c.string_at(pointer, length).decode("utf-8", "surrogatepass")
