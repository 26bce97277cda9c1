"""engines.py FILTERCTL FOLDER [--time] [--corpus] [ENGINE...]: the verdicts of each engine are those of filterctl check --pipe.

The texts are FILTERD_ROWS (20,000) made-up ones, or with --corpus all that are in FILTERD_DATA.
"""

import collections
import gzip
import json
import os
import pathlib
import random
import stat
import string
import subprocess
import sys
import time

import pyarrow
import pyarrow.parquet

import filterd

FILTERCTL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
IS_TIMED = "--time" in sys.argv[3:]
WANTED = [name for name in sys.argv[3:] if not name.startswith("--")]
ROWS = int(os.environ.get("FILTERD_ROWS", "20000"))
CACHE = FOLDER / "cache"
PARQUET = str(FOLDER / "texts.parquet")


def make_texts():
    """Texts of 20 to 4,000 characters from the samples and generated values; some null, some empty."""
    rng = random.Random(24)
    samples = [p.read_text() for p in sorted(pathlib.Path("rules/samples").iterdir())]
    words = " ".join(samples).split()
    values = ["DE38 3704 0044 0532 0136 27", "AKIAQ3EGRVZ7MXK2PLWT", "password: Xk9#mQ2$vL7!", "call +49 30 901820", "ada@mail.example"]
    texts = []
    for i in range(ROWS):
        length = rng.choice([3, 20, 100, 400])
        parts = [rng.choice(words) for _ in range(length)]
        if rng.random() < 0.3:
            parts.insert(rng.randrange(len(parts)), rng.choice(values))
        if rng.random() < 0.05:
            parts.append("ghp_" + "".join(rng.choices(string.ascii_letters + string.digits, k=36)))
        texts.append(None if i % 997 == 0 else "" if i % 499 == 1 else " ".join(parts))
    return texts


def read_corpus():
    texts = []
    for path in sorted(pathlib.Path(os.environ["FILTERD_DATA"]).rglob("*.ndjson*")):
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8") as lines:
            texts += [text for text in (json.loads(line).get("text") for line in lines) if isinstance(text, str)]
    return texts


def expected_of(texts):
    """(action, rule, text) of each, by the command line."""
    lines = "".join(json.dumps({"text": t or ""}) + "\n" for t in texts)
    started = time.monotonic()
    done = subprocess.run([FILTERCTL, "check", "--pipe", "--field", "text", "--cache", str(CACHE)], input=lines, capture_output=True,
                          text=True, check=False)
    seconds = time.monotonic() - started
    answers = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    assert len(answers) == len(texts), done.stderr
    return [None if t is None else (a["action"], a["rule"], a["text"]) for t, a in zip(texts, answers)], seconds


def compare(engine, got, expected, seconds):
    wrong = [i for i, (a, b) in enumerate(zip(got, expected)) if a != b]
    if len(got) != len(expected) or wrong:
        where = f", first in row {wrong[0]}: {got[wrong[0]]!r}, {expected[wrong[0]]!r} expected" if wrong else ""
        print(f"{engine}: FAILED, {len(got)} rows, {len(wrong)} differ{where}")
        return False
    print(f"{engine}: {len(got)} rows are those of filterctl" + (f"; {seconds:.2f} s" if IS_TIMED else ""))
    return True


def rows_of(struct):
    return [None if v is None else (v["action"], v["rule"], v["text"]) for v in struct]


def judge_each(texts):
    f = filterd.Filter()
    verdicts = [None if t is None else f.judge(t) for t in texts]
    return [v and (v.action, v.rule, v.text) for v in verdicts]


def judge_arrow(kind):
    def run(texts):
        f, got = filterd.Filter(), []
        for batch in range(0, len(texts), 2000):
            got += rows_of(pyarrow.array(f.judge_batch(pyarrow.array(texts[batch:batch + 2000], kind))).to_pylist())
        return got

    return run


def judge_polars(texts):
    import polars

    f = filterd.Filter()
    got = []
    for verdicts in f.judge_stream(polars.Series("text", texts, dtype=polars.String)):
        got += rows_of(pyarrow.array(verdicts).to_pylist())
    return got


def judge_duckdb(_):
    import duckdb
    import filterd.duckdb

    con = duckdb.connect()
    filterd.duckdb.register(con)
    single = "filterd_action(text), filterd_rule(text), filterd_redact(text)"
    rows = con.sql(f"SELECT {single} FROM '{PARQUET}' ORDER BY id").fetchall()
    verdicts = con.sql(f"SELECT filterd_verdict(text) FROM '{PARQUET}' ORDER BY id").fetchall()
    assert rows_of(v for v, in verdicts) == [None if row[0] is None else row for row in rows], "filterd_verdict differs from its parts"
    return rows_of(v for v, in verdicts)


def spark_session(executors):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    return (SparkSession.builder.master(f"local[{executors}]").config("spark.ui.enabled", "false")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "2000").config("spark.log.level", "ERROR")
            .config("spark.sql.shuffle.partitions", "2").config("spark.driver.memory", "2g").getOrCreate())


def judge_spark(_):
    from filterd.spark import judge, judged, redact, redacted, report

    spark = spark_session(2)
    df = spark.read.parquet(PARQUET)
    rows = judged(df, "text").orderBy("id").collect()
    alone = judged(df, "text", keep=["id"])
    assert alone.columns == ["id", "verdict"], alone.columns
    assert alone.orderBy("id").collect() == [(row["id"], row["verdict"]) for row in rows], "judged(keep=...)"
    got = rows_of(row["verdict"] for row in rows)
    for name, texts in (("redacted()", redacted(df, "text")), ("redact()", df.select("id", redact("text").alias("text")))):
        assert [row["text"] for row in texts.orderBy("id").collect()] == [verdict and verdict[2] for verdict in got], name
    columns = df.select("id", judge("text").alias("verdict")).orderBy("id").collect()
    assert [row["verdict"] for row in columns] == [row["verdict"] for row in rows], "judge() differs from judged()"
    assert report(df, "text") == report_of([row["verdict"] for row in rows], [row["text"] for row in rows]), "report()"
    spark.stop()
    return got


def report_of(verdicts, texts):
    """The report that the verdicts of a job add up to."""
    there = [verdict for verdict in verdicts if verdict is not None]
    return filterd.Report(digest=filterd.Filter().digest, engine=filterd.__version__, rows=len(verdicts), nulls=len(verdicts) - len(there),
                          unjudged=sum(v["error"] is not None for v in there), bytes=sum(len((t or "").encode()) for t in texts),
                          actions={name: sum(v["action"] == name for v in there) for name in ("block", "redact", "allow")},
                          rules=dict(collections.Counter(f["rule"] for v in there for f in v["findings"])))


def judge_clickhouse(texts):
    """An executable function of ClickHouse: filterctl check --pipe itself, a line in, a line out."""
    import chdb.session

    folder = FOLDER / "clickhouse"
    script = folder / "user_scripts" / "filterctl_pipe"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(f"#!/bin/sh\nexec '{FILTERCTL}' check --pipe --field text --cache '{CACHE}' 2>/dev/null\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    answer = chdb.session.Session(str(folder)).query(
        "SELECT action, rule, text FROM executable('filterctl_pipe', JSONEachRow, 'action String, rule Nullable(String), "
        f"text Nullable(String)', (SELECT coalesce(text, '') AS text FROM file('{PARQUET}', Parquet) ORDER BY id), "
        "SETTINGS max_command_execution_time = 600, command_read_timeout = 60000, send_chunk_header = 0) "
        "SETTINGS max_threads = 1, input_format_skip_unknown_fields = 1", "JSONCompactEachRow")
    rows = [tuple(json.loads(line)) for line in str(answer).split("\n") if line]
    return [None if text is None else row for text, row in zip(texts, rows)]


def main():
    CACHE.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.environ["FILTERD_CACHE"] = str(CACHE)
    filterd.Filter().judge("")  # the rules are compiled once
    texts = read_corpus() if "--corpus" in sys.argv else make_texts()
    pyarrow.parquet.write_table(pyarrow.table({"id": range(len(texts)), "text": pyarrow.array(texts, pyarrow.string())}), PARQUET,
                                row_group_size=5000, compression="none")  # Spark's snappy does not load where musl is installed
    expected, seconds = expected_of(texts)
    print(f"{len(texts)} texts, {sum(len(t or '') for t in texts) / 1e6:.1f} M characters" + (f"; filterctl {seconds:.2f} s" if IS_TIMED else ""))
    engines = [("judge", judge_each), ("judge_batch, utf8", judge_arrow(pyarrow.string())),
               ("judge_batch, large_utf8", judge_arrow(pyarrow.large_string())),
               ("judge_batch, utf8_view", judge_arrow(pyarrow.string_view())), ("polars", judge_polars), ("DuckDB", judge_duckdb),
               ("Spark", judge_spark), ("ClickHouse", judge_clickhouse)]
    is_good = True
    for name, run in [e for e in engines if not WANTED or e[0] in WANTED]:
        started = time.monotonic()
        is_good &= compare(name, run(texts), expected, time.monotonic() - started)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
