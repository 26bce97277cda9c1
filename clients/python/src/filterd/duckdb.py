"""SQL functions for DuckDB: filterd_action(text), filterd_rule(text), filterd_redact(text), and filterd_verdict(text), which has all
of them and the findings as one struct, for one judging.

    import duckdb, filterd.duckdb
    con = duckdb.connect()
    filterd.duckdb.register(con)
    con.sql("SELECT filterd_redact(answer) FROM 'answers/*.parquet'")

filterd_redact is null where a text is blocked; all are null for null.
"""

import typing

import pyarrow

from ._filter import Filter

_TEXT = pyarrow.string()
_FINDING = pyarrow.struct([("rule", _TEXT), ("start", pyarrow.int32()), ("end", pyarrow.int32()), ("confidence", pyarrow.float32()),
                           ("action", _TEXT), ("category", _TEXT), ("severity", _TEXT), ("view", _TEXT)])
_FINDING_SQL = ('STRUCT("rule" VARCHAR, "start" INTEGER, "end" INTEGER, confidence FLOAT, "action" VARCHAR, category VARCHAR, '
                'severity VARCHAR, "view" VARCHAR)')
_VERDICT = pyarrow.struct([("action", _TEXT), ("rule", _TEXT), ("text", _TEXT), ("findings", pyarrow.list_(_FINDING)), ("error", _TEXT)])
_VERDICT_SQL = f'STRUCT("action" VARCHAR, "rule" VARCHAR, "text" VARCHAR, findings {_FINDING_SQL}[], error VARCHAR)'
# The column of a verdict, or all of it; its type in Arrow and in SQL.
_FUNCTIONS = {"filterd_action": ("action", _TEXT, "VARCHAR"), "filterd_rule": ("rule", _TEXT, "VARCHAR"),
              "filterd_redact": ("text", _TEXT, "VARCHAR"), "filterd_verdict": (None, _VERDICT, _VERDICT_SQL)}


def register(connection: typing.Any, **options: typing.Any) -> Filter:
    """Adds the functions to the connection; `options` are those of Filter, which is returned."""
    filter_ = Filter(**options)
    for name, (column, kind, sql) in _FUNCTIONS.items():
        connection.create_function(name, _function(filter_, column, kind), ["VARCHAR"], sql, type="arrow", null_handling="special")
    return filter_


def _function(filter_: Filter, column: typing.Optional[str], kind: pyarrow.DataType) -> typing.Callable:
    def run(texts):
        chunks = texts.chunks if isinstance(texts, pyarrow.ChunkedArray) else [texts]
        return pyarrow.chunked_array([_column(filter_, chunk, column, kind) for chunk in chunks], kind)

    return run


def _column(filter_: Filter, texts: pyarrow.Array, column: typing.Optional[str], kind: pyarrow.DataType) -> pyarrow.Array:
    verdicts = pyarrow.array(filter_.judge_batch(texts, with_text=column in (None, "text")))
    return (verdicts.field(column) if column else verdicts).cast(kind)
