"""figures.py FILTERCTL FOLDER: how long the ways to judge a table take, and how many verdicts differ between them.

judge_batch beside filterctl check --pipe driven from Python, each with one thread, and each with all processors; Spark's mapInArrow beside rdd.pipe, each with
FILTERD_EXECUTORS (2) slots, from Parquet to files; DuckDB over Parquet with all processors. The rows are answers of models from FILTERD_DATA (the working
copy's data), cut at FILTERD_ROW_BYTES (2048); with FILTERD_ROW_BYTES=0 they are 3 to 20 shuffled words with a value in each seventh.
FILTERD_ROWS: how many (200,000); FILTERD_WAYS: these alone (batch, pipe; threads, jobs: the same with
all processors; duckdb, arrow, rdd; single: arrow with one slot). Figures are comparable on a quiet
machine alone; processor seconds count all processes of the session, so run it in one of its own (setsid).
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time
import zlib

import pyarrow
import pyarrow.parquet

import filterd

FILTERCTL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
ROWS = int(os.environ.get("FILTERD_ROWS", "200000"))
ROW_BYTES = int(os.environ.get("FILTERD_ROW_BYTES", "2048"))
DATA = pathlib.Path(os.environ.get("FILTERD_DATA", "data"))
ANSWERS = ("llm-fastchat", "gpteacher_answers", "hh_preferred_answers", "llm-arena-hard")
SLOTS = int(os.environ.get("FILTERD_EXECUTORS", "2"))
CACHE = FOLDER / "cache"
PARQUET = str(FOLDER / "rows.parquet")
VERDICTS = str(FOLDER / "verdicts.parquet")  # what Spark wrote
ANSWERED = str(FOLDER / "answers")
PIPE_OF_ALL = [FILTERCTL, "check", "--pipe", "--field", "text", "--cache", str(CACHE)]
PIPE = PIPE_OF_ALL + ["--jobs", "1"]


def cut_answers():
    """Rows of about ROW_BYTES, cut at blanks; when the answers end they begin again, elsewhere cut."""
    answers = " ".join(json.loads(line)["text"] for name in ANSWERS for line in open(DATA / "benign" / f"{name}.ndjson", encoding="utf-8"))
    texts, at = [], 0
    while len(texts) < ROWS:
        end = answers.find(" ", at + ROW_BYTES)
        if end < 0:
            at = len(texts) % ROW_BYTES
            continue
        texts.append(answers[at:end])
        at = end + 1
    return texts


def shuffle_words():
    rng = random.Random(24)
    words = " ".join(p.read_text() for p in sorted(pathlib.Path("rules/samples").iterdir())).split()
    values = ["DE38 3704 0044 0532 0136 27", "AKIAQ3EGRVZ7MXK2PLWT", "password: Xk9#mQ2$vL7!", "ada@mail.example"]
    texts = []
    for i in range(ROWS):
        parts = rng.choices(words, k=rng.choice([3, 10, 20]))
        if i % 7 == 0:
            parts.append(rng.choice(values))
        texts.append(" ".join(parts))
    return texts


def verdict(action, rule, text):
    return action, rule, zlib.crc32(text.encode()) if text is not None else None


def by_batch(texts, threads=1):
    engine, got = filterd.Filter(), []
    for at in range(0, len(texts), 2000):
        verdicts = pyarrow.array(engine.judge_batch(pyarrow.array(texts[at:at + 2000]), threads=threads))
        got += zip(*(verdicts.field(name).to_pylist() for name in ("action", "rule", "text")))
    return got


def by_threads(texts):
    return by_batch(texts, threads=0)


def by_pipe(texts, pipe=None):
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    done = subprocess.run(pipe or PIPE, input=lines, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    answers = map(json.loads, done.stdout.split("\n")[:-1])
    return [(a["action"], a["rule"], a.get("text")) for a in answers]


def by_jobs(texts):
    return by_pipe(texts, PIPE_OF_ALL)


def by_duckdb(_):
    """With all processors."""
    import duckdb
    import filterd.duckdb

    con = duckdb.connect()
    filterd.duckdb.register(con)
    rows = con.sql(f"SELECT v.action, v.rule, v.text FROM (SELECT id, filterd_verdict(text) AS v FROM '{PARQUET}') ORDER BY id")
    return rows.fetchall()


def spark_session(slots):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    return (SparkSession.builder.master(f"local[{slots}]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
            .config("spark.log.level", "ERROR").config("spark.sql.execution.arrow.maxRecordsPerBatch", "2000").config("spark.sql.files.maxPartitionBytes", "8m")
            .config("spark.driver.memory", "4g").getOrCreate())


def texts_of(spark, limit):
    rows = spark.read.parquet(PARQUET)
    return rows if limit is None else rows.where(f"id < {limit}")


def by_arrow(spark, limit=None):
    """The verdicts as a table of Parquet, written where they were judged, as the job of an archive writes them."""
    from filterd.spark import judged
    from pyspark.sql import functions as f

    column = f.col("verdict")
    judged(texts_of(spark, limit), "text", keep=["id"]).select(
        "id", *(column[name].alias(name) for name in ("action", "rule", "text"))).write.mode("overwrite").parquet(VERDICTS, compression="none")


def arrow_verdicts(_):
    return [verdict(*row) for row in zip(*(column.to_pylist() for column in
            pyarrow.parquet.read_table(VERDICTS).sort_by("id").select(["action", "rule", "text"]).columns))]


def by_rdd(spark, limit=None):
    """The answers of filterctl as files of lines, written as they come: nothing of them is read in Spark."""
    shutil.rmtree(ANSWERED, ignore_errors=True)
    texts_of(spark, limit).select("text").toJSON().pipe(" ".join(PIPE), checkCode=True).saveAsTextFile(ANSWERED)


def rdd_verdicts(spark):
    """A file for each partition, its answers in the order of the rows; ids go round the pipe, as it takes the text alone."""
    answers = [json.loads(line) for part in sorted(pathlib.Path(ANSWERED).glob("part-*")) for line in open(part, encoding="utf-8")]
    ids = [row[0] for row in texts_of(spark, None).select("id").collect()]
    assert len(ids) == len(answers), f"{len(answers)} answers to {len(ids)} rows"
    return [verdict(a["action"], a["rule"], a.get("text")) for _, a in sorted(zip(ids, answers), key=lambda pair: pair[0])]


def processor_seconds():
    """Of all processes of this session, and of those that they waited for: Spark's and its Python workers' are among them."""
    ticks = 0
    for file in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it ended
        if int(fields[3]) == os.getsid(0):
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def timed(name, run, argument, size):
    wall, used = time.monotonic(), processor_seconds()
    got = run(argument)
    seconds = time.monotonic() - wall
    print(f"{name}: {seconds:.2f} s, processor {processor_seconds() - used:.2f} s, {size / 1e6 / seconds:.1f} MB/s", flush=True)
    return got, seconds


def run_ways(texts, wanted, size):
    """The verdicts of each way, and how long it took."""
    results, seconds = {}, {}
    for name, run in (("batch", by_batch), ("pipe", by_pipe), ("threads", by_threads), ("jobs", by_jobs), ("duckdb", by_duckdb)):
        if name in wanted:
            got, seconds[name] = timed(name, run, texts, size)
            results[name] = [verdict(*row) for row in got]
    for slots, names in ((SLOTS, ("arrow", "rdd")), (1, ("single",))):
        chosen = [name for name in names if name in wanted]
        if chosen:
            spark = spark_session(slots)
            for run in (by_arrow, by_rdd):
                run(spark, ROWS // 20)  # workers have started, classes are loaded and compiled
            for name in chosen:
                run, read = (by_rdd, rdd_verdicts) if name == "rdd" else (by_arrow, arrow_verdicts)
                seconds[name] = timed(name, run, spark, size)[1]
                results[name] = read(spark)
            spark.stop()
    return results, seconds


def report_differences(results):
    name, first = next(iter(results.items()))
    wrong = [other for other, rows in results.items() if rows != first]
    for other in wrong:
        rows = [i for i, (a, b) in enumerate(zip(first, results[other])) if a != b]
        where = f", first row {rows[0]}: {results[other][rows[0]]}, {first[rows[0]]} in {name}" if rows else ""
        print(f"{other}: {len(results[other])} rows, {len(rows)} differ{where}")
    print(f"{', '.join(wrong)}: not the verdicts of {name}" if wrong else f"{', '.join(results)}: the same verdicts")
    return bool(wrong) or len(first) != ROWS


def main():
    wanted = os.environ.get("FILTERD_WAYS", "batch pipe threads jobs duckdb arrow rdd single").split()
    CACHE.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.environ["FILTERD_CACHE"] = str(CACHE)
    filterd.Filter().judge("")  # the rules are compiled once
    texts = cut_answers() if ROW_BYTES > 0 else shuffle_words()
    pyarrow.parquet.write_table(pyarrow.table({"id": range(len(texts)), "text": texts}), PARQUET, row_group_size=5000, compression="none")
    size = sum(len(text.encode()) for text in texts)
    print(f"{len(texts)} texts, {size / 1e6:.1f} MB", flush=True)
    results, seconds = run_ways(texts, wanted, size)
    for slow, fast in (("pipe", "batch"), ("pipe", "threads"), ("jobs", "threads"), ("rdd", "arrow"), ("single", "arrow")):
        if slow in seconds and fast in seconds:
            print(f"{fast} to {slow}: {seconds[fast] / seconds[slow]:.3f} of its time, {seconds[slow] / seconds[fast]:.2f} x as fast")
    return 1 if report_differences(results) else 0


if __name__ == "__main__":
    sys.exit(main())
