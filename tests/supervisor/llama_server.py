"""llama.cpp's server with one model, on a free port of loopback. Arguments: PORTFILE MODEL PLACES CONTEXT (tokens of each place).

Runs the program that LLAMA_SERVER names, or llama-server of the PATH, or the server inside the Python package xllamacpp."""
import os
import shutil
import signal
import socket
import sys
import time

port_file, model, places, context = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


def say(port):
    with open(port_file + ".new", "w", encoding="ascii") as file:
        file.write(str(port))
    os.rename(port_file + ".new", port_file)


def run_program(program):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    say(port)
    os.execv(program, [program, "--host", "127.0.0.1", "--port", str(port), "-m", model, "-c", str(places * context), "-np", str(places),
                       "-t", "1", "--temp", "0", "--no-webui"])


def run_package():
    import xllamacpp  # pylint: disable=import-error,import-outside-toplevel
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel, params.n_ctx = places, places * context
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.sampling.temp = 0.0
    server = xllamacpp.Server(params)
    say(server.listening_address.rsplit(":", 1)[1].rstrip("/"))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    while server:
        time.sleep(60)


found = os.environ.get("LLAMA_SERVER") or shutil.which("llama-server")
if found:
    run_program(found)
run_package()
