"""spark_faults.py FOLDER: what may happen to a job of Spark changes no verdict.

A policy file is edited between two jobs whose Python workers are the same ones; Python workers are killed while they judge.
"""

import os
import pathlib
import signal
import sys
import threading
import time

import pyarrow
import pyarrow.parquet

import filterd
from filterd.spark import judged, report

FOLDER = pathlib.Path(sys.argv[1]).resolve()
ROWS, KILLS = 8000, 3
PARQUET = str(FOLDER / "faults.parquet")
POLICY = "policies:\n  default:\n    rules: [pii]\n    actions: [{category: pii, action: %s}]\n    notice: none of it\n"
TEXT = "The refund of case %d goes to DE38 3704 0044 0532 0136 27 by tomorrow, as we said when we met. " * 10


def spark_session(master):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    return (SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
            .config("spark.log.level", "OFF").config("spark.sql.files.maxPartitionBytes", "500k")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "200").getOrCreate())


def workers():
    """The processes that the pyspark.daemon of this process's Java has forked."""
    parents, daemons = {}, set()
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, parents[pid] = int(status.parent.name), int(status.read_text().rsplit(")", 1)[1].split()[1])
            if b"pyspark.daemon" in (status.parent / "cmdline").read_bytes():
                daemons.add(pid)
        except OSError:
            continue  # it ended
    return [pid for pid in daemons if parents[pid] in daemons and parents.get(parents[parents[pid]]) == os.getpid()]


def kill_workers(is_done, killed):
    while not is_done.is_set() and len(killed) < KILLS:
        for pid in workers()[:1]:
            try:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            except ProcessLookupError:
                pass
        time.sleep(0.3)


def check_edited_policy(spark):
    policy = FOLDER / "faults.yaml"
    few = spark.read.parquet(PARQUET).where("id < 1000")
    for action in ("redact", "block", "redact"):
        policy.write_text(POLICY % action)
        got = {row["verdict"]["action"] for row in judged(few, "text", keep=["id"], policy=str(policy)).collect()}
        assert got == {action}, f"the policy says {action}, there is {got}"


def check_killed_workers(spark):
    df = spark.read.parquet(PARQUET)
    job = judged(df, "text", keep=["id"]).orderBy("id")
    expected = job.collect()
    assert len(expected) == ROWS, f"{len(expected)} of {ROWS} rows"
    counts = report(df, "text")
    for run, before in ((job.collect, expected), (lambda: report(df, "text"), counts)):
        is_done, killed = threading.Event(), []
        killer = threading.Thread(target=kill_workers, args=(is_done, killed))
        killer.start()
        try:
            got = run()
        finally:
            is_done.set()
            killer.join()
        assert killed, "no worker was killed"
        assert got == before, "other verdicts after workers were killed"
        print(f"{len(killed)} workers killed: the same")


def main():
    cache = FOLDER / "cache"
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.environ["FILTERD_CACHE"] = str(cache)
    filterd.Filter()  # the rules are compiled once
    pyarrow.parquet.write_table(pyarrow.table({"id": range(ROWS), "text": [TEXT % ((i,) * 10) for i in range(ROWS)]}), PARQUET, row_group_size=500,
                                compression="none", use_dictionary=False)
    # A task that fails fails its job; then it may fail three times, as those of killed workers do.
    for master, check in (("local[2]", check_edited_policy), ("local[2,4]", check_killed_workers)):
        spark = spark_session(master)
        check(spark)
        spark.stop()


if __name__ == "__main__":
    main()
