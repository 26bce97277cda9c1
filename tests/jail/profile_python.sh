#!/bin/sh
# profile_python.sh BINDIR: Python programs under `profile: python`.
. "$(dirname "$0")/jail.inc"
[ -x /usr/bin/python3 ] || { skip "profile python: no /usr/bin/python3"; finish; }

cat >"$here/program.py" <<'P'
import asyncio, ctypes, decimal, hashlib, json, multiprocessing, os, socket, sqlite3, ssl, subprocess, sys, tempfile
import concurrent.futures, queue, threading

def square(n): return n * n

def threads():
    jobs, results = queue.Queue(), []
    def work():
        while (n := jobs.get()) is not None: results.append(square(n))
    pool = [threading.Thread(target=work) for _ in range(8)]
    for t in pool: t.start()
    for n in range(100): jobs.put(n)
    for _ in pool: jobs.put(None)
    for t in pool: t.join()
    assert sum(results) == 328350

def processes():
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        with context.Pool(3) as pool: assert pool.map(square, range(20))[-1] == 361
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            assert sum(pool.map(square, range(10))) == 285
        box = context.Queue(); p = context.Process(target=box.put, args=("hello",)); p.start()
        assert box.get(timeout=30) == "hello"; p.join(); assert p.exitcode == 0
    from multiprocessing import shared_memory
    block = shared_memory.SharedMemory(create=True, size=4096); block.buf[:5] = b"bytes"
    again = shared_memory.SharedMemory(block.name); assert bytes(again.buf[:5]) == b"bytes"
    again.close(); block.close(); block.unlink()

async def echo():
    async def answer(r, w): w.write(await r.readline()); await w.drain(); w.close()
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    r, w = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
    w.write(b"line\n"); assert await r.readline() == b"line\n"; w.close(); server.close()
    child = await asyncio.create_subprocess_exec("tr", "a-z", "A-Z", stdin=-1, stdout=-1)
    out, _ = await child.communicate(b"shout"); assert out == b"SHOUT"
    assert await asyncio.to_thread(square, 7) == 49

def files():
    with tempfile.TemporaryDirectory() as folder:
        db = sqlite3.connect(os.path.join(folder, "x.db")); db.execute("pragma journal_mode=wal")
        db.execute("create table t(n)"); db.executemany("insert into t values(?)", [(n,) for n in range(99)]); db.commit()
        assert db.execute("select sum(n) from t").fetchone() == (4851,)
    assert os.path.expanduser("~") == "/work" and os.getuid() == 1000
    assert ssl.create_default_context() and hashlib.sha256(b"").hexdigest().startswith("e3b0")
    assert subprocess.run(["sh", "-c", "exit 3"]).returncode == 3 and ctypes.CDLL(None).getpid() == os.getpid()

if __name__ == "__main__":
    threads(); processes(); asyncio.run(echo()); files()
    print("all passed")
P
mkdir "$here/project" && printf '[project]\nname = "thing"\nversion = "1"\n' >"$here/project/pyproject.toml"
chmod -R a+rX "$here/project" "$here/program.py"

for caller in $callers; do
    printf 'profile: python\ninputs: [{from: %s, to: /src/program.py}]\n' "$here/program.py" | policy "$caller" python
    tried=$((tried + 1))
    in_jail "$caller" python /usr/bin/python3 /src/program.py
    grep -qx 'all passed' "$here/out" || { fail "threads, processes, asyncio, files as $caller"; cat "$here/out" "$here/err"; }

    # A virtual environment, with pip where this machine has the wheel of it.
    tried=$((tried + 1))
    /usr/bin/python3 -c 'import ensurepip' 2>/dev/null && pip= || pip=--without-pip
    in_jail "$caller" python sh -c "/usr/bin/python3 -m venv $pip env && . env/bin/activate &&
        python -c 'import sys; assert sys.prefix == \"/work/env\"; print(\"venv\")' && { [ -n '$pip' ] || pip --version; }"
    grep -qx venv "$here/out" || { fail "venv as $caller"; cat "$here/out" "$here/err"; }
    [ -n "$pip" ] || grep -q '^pip .* from /work/env' "$here/out" || { fail "pip in a venv as $caller"; cat "$here/err"; }

    # What docs/jail.md says of it: no index is asked, no Unix socket is there.
    tried=$((tried + 1))
    [ -n "$pip" ] || { in_jail "$caller" python sh -c 'python3 -m venv e && time -p e/bin/pip install nonesuch'
        grep -q 'No matching distribution' "$here/err" || { fail "pip without an index as $caller"; cat "$here/err"; }; }
    in_jail "$caller" python /usr/bin/python3 -c 'import multiprocessing as m; m.Manager()'
    grep -q 'PermissionError' "$here/err" || { fail "a manager, which needs a Unix socket, as $caller"; cat "$here/err"; }
done
finish
