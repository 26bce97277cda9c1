"""figures.py FILTERCTL FOLDER: how long the ways to judge a table take, and how many verdicts differ between them.

judge_batch beside filterctl check --pipe driven from Python, each with one thread, and each with all processors; Spark's mapInArrow beside rdd.pipe, each with
FILTERD_EXECUTORS (2) slots, from Parquet to files; one executor beside FILTERD_EXECUTORS; DuckDB over Parquet with all processors. The rows are answers of
models from FILTERD_DATA (the working copy's data), cut at FILTERD_ROW_BYTES (2048); with FILTERD_ROW_BYTES=0 they are 3 to 20 shuffled words with a value in
each seventh.

An executor is a process of its own with one core, to which it and its Python workers are pinned, as a cluster would give it; master and driver run beside
them on any core. `local[1]` is no such executor: its JVM and its Python worker take turns on two cores.

FILTERD_ROWS: how many (200,000); FILTERD_TURNS: how often warm executors judge them all, of which the quickest counts (3); FILTERD_WAYS: these alone (batch,
pipe; threads, jobs: the same with all processors; duckdb, arrow, rdd; executor, executors). Figures are comparable on a quiet machine alone; processor
seconds count all processes of the session, so run it in one of its own (setsid).
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
TURNS = int(os.environ.get("FILTERD_TURNS", "3"))
CACHE = FOLDER / "cache"
PARQUET = str(FOLDER / "rows.parquet")
VERDICTS = str(FOLDER / "verdicts.parquet")  # what Spark wrote
ANSWERED = str(FOLDER / "answers")
PIPE_OF_ALL = [FILTERCTL, "check", "--pipe", "--field", "text", "--cache", str(CACHE)]
PIPE = PIPE_OF_ALL + ["--jobs", "1"]
JAVA = """#!/bin/sh
# Executor N of Spark gets the core N of those listed, and no other; all else of Java runs where it will.
executor=$(echo "$*" | sed -n 's/.*CoarseGrainedExecutorBackend.* --executor-id \\([0-9]*\\).*/\\1/p')
[ -n "$executor" ] || exec %(java)s "$@"
set -- %(java)s "$@"
cores='%(cores)s'
exec taskset -c "$(echo "$cores" | cut -d' ' -f$((executor %% %(n)d + 1)))" "$@"
"""


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
        columns = (verdicts.field(name) for name in ("action", "rule", "text"))
        got += zip(*(column.to_numpy(zero_copy_only=False).tolist() for column in columns))  # to_pylist makes an object of Arrow for each value
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


def pin_executors():
    """Spark starts executors by this java. To be called before Spark starts: its driver keeps what it found then."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < SLOTS:
        sys.exit(f"{SLOTS} cores expected for as many executors, there are {len(cores)}")
    home = FOLDER / "java"
    (home / "bin").mkdir(parents=True, exist_ok=True)
    java = home / "bin" / "java"
    java.write_text(JAVA % {"java": pathlib.Path(shutil.which("java")).resolve(), "cores": " ".join(map(str, cores)), "n": SLOTS})
    java.chmod(0o755)
    os.environ["JAVA_HOME"] = str(home)


def spark_session(master):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    return (SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
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
    rows = []
    for batch in pyarrow.parquet.read_table(VERDICTS, columns=["id", "action", "rule", "text"]).to_batches():  # 2 GiB of texts are no one array
        rows += ((row[0], verdict(*row[1:])) for row in zip(*(column.to_pylist() for column in batch.columns)))
    return [each for _, each in sorted(rows, key=lambda row: row[0])]


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
    chosen = [name for name in ("arrow", "rdd") if name in wanted]
    if chosen:
        spark = spark_session(f"local[{SLOTS}]")
        for run in (by_arrow, by_rdd):
            run(spark, ROWS // 20)  # workers have started, classes are loaded and compiled
        for name in chosen:
            run, read = (by_rdd, rdd_verdicts) if name == "rdd" else (by_arrow, arrow_verdicts)
            seconds[name] = timed(name, run, spark, size)[1]
            results[name] = read(spark)
        spark.stop()
    return results, seconds


def run_executors(wanted, size, results, seconds):
    """Adds to both. The first time all rows are judged is not counted: Java compiles its code then, in each executor."""
    for name, executors in (("executor", 1), ("executors", SLOTS)):
        if name in wanted:
            spark = spark_session(f"local-cluster[{executors},1,1024]")
            by_arrow(spark)
            seconds[name] = min(timed(name, by_arrow, spark, size)[1] for _ in range(TURNS))
            results[name] = arrow_verdicts(spark)
            spark.stop()


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
    wanted = os.environ.get("FILTERD_WAYS", "batch pipe threads jobs duckdb arrow rdd executor executors").split()
    CACHE.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.environ["FILTERD_CACHE"] = str(CACHE)
    filterd.Filter().judge("")  # the rules are compiled once
    if {"executor", "executors"} & set(wanted):
        pin_executors()
    texts = cut_answers() if ROW_BYTES > 0 else shuffle_words()
    pyarrow.parquet.write_table(pyarrow.table({"id": range(len(texts)), "text": texts}), PARQUET, row_group_size=5000, compression="none")
    size = sum(len(text.encode()) for text in texts)
    print(f"{len(texts)} texts, {size / 1e6:.1f} MB", flush=True)
    results, seconds = run_ways(texts, wanted, size)
    run_executors(wanted, size, results, seconds)
    for slow, fast in (("pipe", "batch"), ("pipe", "threads"), ("jobs", "threads"), ("rdd", "arrow"), ("executor", "executors")):
        if slow in seconds and fast in seconds:
            print(f"{fast} to {slow}: {seconds[fast] / seconds[slow]:.3f} of its time, {seconds[slow] / seconds[fast]:.2f} x as fast")
    return 1 if report_differences(results) else 0


if __name__ == "__main__":
    sys.exit(main())
