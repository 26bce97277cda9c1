"""Many streams at once through the proxy.

many_streams.py N ANSWER [UPSTREAM…]: starts an upstream, writes its port to ANSWER, waits for a line "PID HOST PORT SECRET"
on stdin, opens N streams to /ai/v1/chat/completions, waits until each has its first text and the
upstream says nothing more, then lets them end: a third is finished by the upstream, a third is broken off by it, a third
is left by the client. The secret is part of each answer. Prints one JSON object: how they ended, how many clients have
seen the secret, and the resident memory of PID in KiB with the first few, while all are open, and after. The upstream is this process, over HTTP/1.1, or the command: it prints its port, lets the
streams end at a line on its stdin, and prints an object with peak, left and connections at the end of that.
"""
import asyncio
import json
import re
import resource
import sys
import time

N = int(sys.argv[1])
FIRST = 30  # are open before memory is looked at: the threads have their own by then
AT_ONCE = 256  # being opened, so that no queue of a listener overflows
TIMEOUT_S = 60 + N // 50
WAYS = ("finish", "break", "leave")

go_on = asyncio.Event()
upstream_open = upstream_peak = 0


def event(delta, finish=None):
    data = b"data: " + json.dumps({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}).encode() + b"\n\n"
    return b"%x\r\n%s\r\n" % (len(data), data)


async def read_request(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
    return json.loads(await reader.readexactly(length))


async def answer(reader, writer):
    global upstream_open, upstream_peak
    try:
        request = await read_request(reader)
        upstream_open += 1
        upstream_peak = max(upstream_peak, upstream_open)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                     + event({"role": "assistant", "content": ""}) + event({"content": request["messages"][-1]["content"]}))
        await writer.drain()
        await go_on.wait()
        if request["model"] == "finish":
            writer.write(event({"content": "and goodbye."}) + event({}, "stop") + b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
            await writer.drain()
        elif request["model"] == "leave":
            await reader.read(1)  # until the proxy closes
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        upstream_open -= 1
        writer.close()


class Here:
    """The upstream in this process: a connection for each stream."""

    async def start(self):
        self.server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=4096, limit=4096)
        return self.server.sockets[0].getsockname()[1]

    async def let_go(self):
        go_on.set()

    async def stop(self):
        self.server.close()
        return {"peak": upstream_peak, "left": upstream_open, "connections": upstream_peak}


class There:
    def __init__(self, command):
        self.command = command

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            *self.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        return int(await self.process.stdout.readline())

    async def let_go(self):
        self.process.stdin.write(b"go on\n")
        await self.process.stdin.drain()

    async def stop(self):
        self.process.stdin.close()
        return json.loads(await self.process.stdout.readline())


def resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s*(\d+) kB", status.read()).group(1))


class Client:
    def __init__(self, way, secret):
        self.way = way
        self.text = f"Hello there, {secret} is what I know, "
        self.said = b""

    async def open(self, host, port, gate):
        body = json.dumps({"model": self.way, "stream": True,
                           "messages": [{"role": "user", "content": self.text}]}).encode()
        async with gate:
            self.reader, self.writer = await asyncio.open_connection(host, port, limit=4096)
            self.writer.write(b"POST /ai/v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                              b"Content-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                              % (len(body), body))
            while b"Hello" not in self.said:
                data = await self.reader.read(4096)
                if not data:
                    return False
                self.said += data
            return True

    async def close(self):
        if self.way == "leave":
            self.writer.close()
            return "left"
        while data := await self.reader.read(4096):
            self.said += data
        self.writer.close()
        ended = re.findall(rb'"finish_reason": ?"(\w+)"', self.said)
        is_whole = self.said.endswith(b"0\r\n\r\n") and b"data: [DONE]" in self.said
        return (ended[-1].decode() if ended else "nothing") if is_whole else "broken"


async def main():
    upstream = There(sys.argv[3:]) if len(sys.argv) > 3 else Here()
    port = await upstream.start()
    with open(sys.argv[2], "w", encoding="ascii") as out:
        out.write(str(port))
    pid, host, port, secret = (await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)).split()

    gate = asyncio.Semaphore(AT_ONCE)
    clients = [Client(WAYS[i % 3], secret) for i in range(N)]
    opened = [await c.open(host, port, gate) for c in clients[:FIRST]]
    before = resident_kib(pid)
    began = time.monotonic()
    opened += await asyncio.wait_for(asyncio.gather(*[c.open(host, port, gate) for c in clients[FIRST:]]), TIMEOUT_S)
    opening = time.monotonic() - began
    await asyncio.sleep(1)
    during = resident_kib(pid)

    await upstream.let_go()
    began = time.monotonic()
    ends = await asyncio.wait_for(asyncio.gather(*[c.close() for c in clients]), TIMEOUT_S)
    closing = time.monotonic() - began
    await asyncio.sleep(3)
    seen = await upstream.stop()
    print(json.dumps({"opened": sum(opened), "peak": seen["peak"], "connections": seen["connections"],
                      "left_at_the_upstream": seen["left"],
                      "leaks": sum(secret.encode() in c.said for c in clients),
                      "ends": {end: ends.count(end) for end in sorted(set(ends))},
                      "before_kib": before, "each_kib": round((during - before) / (N - FIRST), 1),
                      "during_kib": during, "after_kib": resident_kib(pid),
                      "opening_s": round(opening, 2), "closing_s": round(closing, 2)}))


_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
asyncio.run(main())
