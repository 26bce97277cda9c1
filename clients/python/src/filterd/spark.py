"""Texts judged in Spark: by Arrow, in its Python workers, with one engine in each.

    from filterd.spark import judged, redacted, report
    judged(df, "text").where("verdict.action <> 'allow'")
    judged(df, "text", keep=["id"]).write.parquet("verdicts")
    redacted(df, "text", policy_text=open("policy.yaml").read())
    report(df, "text")                                    # rows, actions, rules: no text leaves the executors

    from filterd.spark import judge, redact               # columns, from Spark 4.1 on
    df.withColumn("safe", redact("text"))

Rules and policy travel as text, and every worker must have the same engine: a digest that differs from the driver's fails the job.
`options` are those of Filter. Keys for the operators hash and encrypt must be given, or tokens of one value differ between workers.
"""

import dataclasses
import json
import typing

import pyarrow
from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import (ArrayType, FloatType, IntegerType, StringType, StructField, StructType)

from ._filter import Filter, FilterdError
from .report import Report

_FINDING = StructType([StructField("rule", StringType()), StructField("start", IntegerType()), StructField("end", IntegerType()),
                       StructField("confidence", FloatType()), StructField("action", StringType()),
                       StructField("category", StringType()), StructField("severity", StringType()),
                       StructField("view", StringType())])
VERDICT = StructType([StructField("action", StringType()), StructField("rule", StringType()), StructField("text", StringType()),
                      StructField("findings", ArrayType(_FINDING)), StructField("error", StringType())])

_TEXT = pyarrow.string()
_ARROW_FINDING = pyarrow.struct([("rule", _TEXT), ("start", pyarrow.int32()), ("end", pyarrow.int32()),
                                 ("confidence", pyarrow.float32()), ("action", _TEXT), ("category", _TEXT), ("severity", _TEXT),
                                 ("view", _TEXT)])
_ARROW_VERDICT = pyarrow.struct([("action", _TEXT), ("rule", _TEXT), ("text", _TEXT), ("findings", pyarrow.list_(_ARROW_FINDING)),
                                 ("error", _TEXT)])

_filters: typing.Dict[tuple, Filter] = {}  # of this Python worker, by what they were opened with


def _filter(options: dict, digest: str) -> Filter:
    key = tuple(sorted(options.items()))
    if key not in _filters or digest != _filters[key].digest:  # a worker outlives jobs, and files of a policy may change between them
        _filters[key] = Filter(**options)
    if digest != _filters[key].digest:
        raise FilterdError(f"the digest {digest} of the driver expected, this worker has {_filters[key].digest}: the versions of "
                           "filterd or its rules differ")
    return _filters[key]


def _verdicts(texts: pyarrow.Array, options: dict, digest: str) -> pyarrow.Array:
    return pyarrow.array(_filter(options, digest).judge_batch(texts, threads=1))


def _texts(texts: pyarrow.Array, options: dict, digest: str) -> pyarrow.Array:
    return _verdicts(texts, options, digest).field("text").cast(_TEXT)


def judged(df: DataFrame, column: str, name: str = "verdict", *, keep: typing.Optional[typing.Sequence[str]] = None,
           **options: typing.Any) -> DataFrame:
    """The rows with one more column, VERDICT, for the texts of a column. `keep`: the columns that go along, all without it: the text
    itself need not travel back from Python, and Spark does not read the columns that nobody asks for."""
    digest = Filter(**options).digest
    kept = df.columns if keep is None else list(keep)

    def run(batches):
        for batch in batches:
            verdicts = _verdicts(batch.column(column), options, digest).cast(_ARROW_VERDICT)
            yield pyarrow.RecordBatch.from_arrays([*(batch.column(one) for one in kept), verdicts], [*kept, name])

    asked = df if keep is None else df.select(*dict.fromkeys([*kept, column]))
    return asked.mapInArrow(run, StructType([*(df.schema[one] for one in kept), StructField(name, VERDICT)]))


def redacted(df: DataFrame, column: str, **options: typing.Any) -> DataFrame:
    """The rows with each text of a column as it may be delivered; null where it is blocked."""
    digest = Filter(**options).digest

    def run(batches):
        for batch in batches:
            columns = list(batch.columns)
            at = batch.schema.get_field_index(column)
            columns[at] = _texts(columns[at], options, digest)
            yield pyarrow.RecordBatch.from_arrays(columns, batch.schema.names)

    return df.mapInArrow(run, df.schema)


def report(df: DataFrame, column: str, **options: typing.Any) -> Report:
    """Judges a column for its report alone. A task that Spark runs again counts once."""
    digest = Filter(**options).digest

    def run(batches):
        total = Report()
        for batch in batches:
            total += _filter(options, digest).judge_batch(batch.column(column), threads=1, with_text=False).report
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([json.dumps(dataclasses.asdict(total))])], ["report"])

    rows = df.select(column).mapInArrow(run, StructType([StructField("report", StringType())])).collect()
    return sum((Report(**json.loads(row["report"])) for row in rows), Report())


def _column(column: typing.Union[str, Column], run: typing.Callable, kind: typing.Any, options: dict) -> Column:
    if not hasattr(functions, "arrow_udf"):
        raise FilterdError("Spark 4.1 or later expected, this has no arrow_udf: judged() and redacted() work without it")
    digest = Filter(**options).digest

    def each(texts: pyarrow.Array) -> pyarrow.Array:
        return run(texts, options, digest)

    return functions.arrow_udf(each, kind)(column)


def judge(column: typing.Union[str, Column], **options: typing.Any) -> Column:
    """VERDICT of each text: `df.select("id", judge("text").alias("v")).where("v.action <> 'allow'")`."""
    return _column(column, lambda *of: _verdicts(*of).cast(_ARROW_VERDICT), VERDICT, options)


def redact(column: typing.Union[str, Column], **options: typing.Any) -> Column:
    """Each text as it may be delivered; null where it is blocked."""
    return _column(column, _texts, StringType(), options)
