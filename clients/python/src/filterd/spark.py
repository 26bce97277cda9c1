"""Columns of texts judged in Spark: by Arrow, in its Python workers, with one engine in each.

    from filterd.spark import judged, redacted
    judged(df, "text").where("verdict.action <> 'allow'")
    redacted(df, "text", policy_text=open("policy.yaml").read())

Rules and policy travel as text, and every worker must have the same engine: a digest that differs from the driver's fails the job.
"""

import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql.types import (ArrayType, FloatType, IntegerType, StringType, StructField, StructType)

from ._filter import Filter, FilterdError

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

_filters = {}  # of this Python worker, by what they were opened with


def _filter(options, digest):
    key = tuple(sorted(options.items()))
    if key not in _filters:
        _filters[key] = Filter(**options)
    if digest not in (None, _filters[key].digest):
        raise FilterdError(f"the digest {digest} of the driver expected, this worker has {_filters[key].digest}: the versions of "
                           "filterd or its rules differ")
    return _filters[key]


def _judge(batch, column, options, digest):
    texts = batch.column(column)
    verdicts = pyarrow.array(_filter(options, digest).judge_batch(texts, threads=1))
    return texts, verdicts.cast(_ARROW_VERDICT)


def judged(df: DataFrame, column: str, name: str = "verdict", **options) -> DataFrame:
    """The rows with one more column, VERDICT, for the texts of a column. `options` are those of Filter."""
    digest = Filter(**options).digest

    def run(batches):
        for batch in batches:
            _, verdicts = _judge(batch, column, options, digest)
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, verdicts], [*batch.schema.names, name])

    return df.mapInArrow(run, StructType([*df.schema.fields, StructField(name, VERDICT)]))


def redacted(df: DataFrame, column: str, **options) -> DataFrame:
    """The rows with each text of a column as it may be delivered; null where it is blocked."""
    digest = Filter(**options).digest

    def run(batches):
        for batch in batches:
            _, verdicts = _judge(batch, column, options, digest)
            at = batch.schema.get_field_index(column)
            columns = list(batch.columns)
            columns[at] = verdicts.field("text")
            yield pyarrow.RecordBatch.from_arrays(columns, batch.schema.names)

    return df.mapInArrow(run, df.schema)
