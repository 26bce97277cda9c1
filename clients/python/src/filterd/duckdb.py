"""SQL functions for DuckDB: filterd_action(text), filterd_rule(text), filterd_redact(text).

    import duckdb, filterd.duckdb
    con = duckdb.connect()
    filterd.duckdb.register(con)
    con.sql("SELECT filterd_redact(answer) FROM 'answers/*.parquet'")

filterd_redact is null where a text is blocked, and for null.
"""

import pyarrow

from ._filter import Filter

_COLUMNS = {"filterd_action": "action", "filterd_rule": "rule", "filterd_redact": "text"}


def register(connection, **options) -> Filter:
    """Adds the functions to the connection; `options` are those of Filter, which is returned."""
    filter_ = Filter(**options)
    for name, column in _COLUMNS.items():
        connection.create_function(name, _function(filter_, column), ["VARCHAR"], "VARCHAR", type="arrow", null_handling="special")
    return filter_


def _function(filter_, column):
    def run(texts):
        chunks = texts.chunks if isinstance(texts, pyarrow.ChunkedArray) else [texts]
        judged = [_column(filter_, chunk, column) for chunk in chunks]
        return pyarrow.chunked_array(judged, pyarrow.string())

    return run


def _column(filter_, texts, column):
    verdicts = pyarrow.array(filter_.judge_batch(texts, with_text=column == "text"))
    return verdicts.field(column).cast(pyarrow.string())
