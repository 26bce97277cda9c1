"""examples.py FILTERCTL FOLDER [WORD...]: the examples of docs/bulk.md and README.md, each run as it stands; WORD: those that have it.

They find answers.parquet, a folder answers of such files and policy.yaml where they run, and a session of Spark; what they print and write
has none of the values that were to be redacted.
"""

import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pyarrow
import pyarrow.parquet

FILTERCTL, FOLDER = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
WORDS = sys.argv[3:]
CACHE = FOLDER / "cache"
SECRETS = ["DE38 3704 0044 0532 0136 27", "AKIAQ3EGRVZ7MXK2PLWT"]
BLOCKS = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def make_folder(work):
    texts = [f"{i}: the refund goes to {SECRETS[0]}" if i % 3 == 0 else f"{i}: key {SECRETS[1]}" if i % 3 == 1 else f"{i}: nothing" for i in range(90)]
    pyarrow.parquet.write_table(pyarrow.table({"id": range(90), "text": [*texts[:-1], None]}), work / "answers.parquet", compression="none")
    (work / "answers").mkdir()
    shutil.copy(work / "answers.parquet", work / "answers" / "1.parquet")
    shutil.copy("rules/policy.yaml", work / "policy.yaml")


def spark_session():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    return (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
            .config("spark.sql.parquet.compression.codec", "uncompressed").getOrCreate())


def run_python(code):
    names = {"__name__": "example"}
    if "spark.read" in code:
        names["spark"] = spark_session()
    exec(compile(code, "example", "exec"), names)  # pylint: disable=exec-used
    for value in names.values():
        if type(value).__module__.startswith("ray.data"):
            assert value.schema().names == ["id", "text", "safe"]
            print([row["safe"] for row in value.take_all()])


def script_of(code):
    return code.replace("filterctl check", f"'{FILTERCTL}' check").replace("/var/cache/filterd", str(CACHE))


def run_pipe(code):
    """A script for rsyslog: a message in, what is to be changed out."""
    line = json.dumps({"msg": "to " + SECRETS[0]}) + "\n"
    done = subprocess.run(["sh", "-c", script_of(code)], input=line, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert answer == {"msg": "to [iban]", "$!": {"filterd": {"action": "redact", "rule": "iban"}}}, answer


def run_clickhouse(script, sql, work):
    import chdb.session

    path = work / "clickhouse" / "user_scripts" / "filterctl_pipe"
    path.parent.mkdir(parents=True)
    path.write_text(script_of(script))
    path.chmod(0o755)
    session = chdb.session.Session(str(work / "clickhouse"))
    session.query(f"CREATE TABLE answers ENGINE = Memory AS SELECT coalesce(text, '') AS text FROM file('{work}/answers.parquet', Parquet)")
    rows = str(session.query(sql, "JSONCompactEachRow")).splitlines()
    assert len(rows) == 90 and json.loads(rows[0])[1] == "iban", rows[:1]
    print("\n".join(rows))


def examples():
    """(language, code) of all; the script for ClickHouse and its statement are one."""
    blocks = BLOCKS.findall(pathlib.Path("docs/bulk.md").read_text(encoding="utf-8"))
    blocks += [b for b in BLOCKS.findall(pathlib.Path("README.md").read_text(encoding="utf-8")) if b[0] == "python"]
    script = ""
    for language, code in blocks:
        if language == "sh" and "--field text --jobs" in code:
            script = code
        elif language == "sql":
            yield language, (script, code)
        elif language == "python" or "rsyslog" in code:
            yield language, code


def run(language, code, work):
    if language == "python":
        run_python(code)
    elif language == "sql":
        run_clickhouse(*code, work)
    else:
        run_pipe(code)


def check_output(printed, work):
    files = [b"".join(p.read_bytes() for p in work.glob(name)) for name in ("redacted/*.parquet", "redacted.parquet")]
    for secret in SECRETS:
        assert secret not in printed, "an example prints what it redacted"
        assert not any(secret.encode() in file for file in files), "an example writes what it redacted"


def main():
    os.environ["FILTERD_CACHE"] = str(CACHE)
    wanted = [e for e in examples() if all(word in str(e[1]) for word in WORDS)]
    work = pathlib.Path(tempfile.mkdtemp())
    try:
        make_folder(work)
        os.chdir(work)
        for language, code in wanted:
            print(f"example: {str(code).splitlines()[0]}", flush=True)
            with contextlib.redirect_stdout(io.StringIO()) as out:
                run(language, code, work)
            check_output(out.getvalue(), work)
    finally:
        os.chdir("/")
        shutil.rmtree(work)
    assert WORDS or len(wanted) >= 9, f"{len(wanted)} examples"
    print(f"{len(wanted)} examples of docs/bulk.md and README.md run")


if __name__ == "__main__":
    main()
