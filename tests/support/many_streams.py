"""Many streams at once through the proxy: upstream and clients in one process.

many_streams.py N ANSWER: listens on a free port of 127.0.0.1, writes it to ANSWER, waits for a line "PID HOST PORT"
on stdin, opens N streams to /ai/v1/chat/completions, waits until each has its first text and the
upstream says nothing more, then lets them end: a third is finished by the upstream, a third is broken off by it, a third
is left by the client. Prints one JSON object: how they ended, and the resident memory of PID in KiB with the first few,
while all are open, and after.
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
PATIENCE = 60 + N // 50
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
                     + event({"role": "assistant", "content": ""}) + event({"content": "Hello there, "}))
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


def resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s*(\d+) kB", status.read()).group(1))


class Client:
    def __init__(self, way):
        self.way = way
        self.said = b""

    async def open(self, host, port, gate):
        body = json.dumps({"model": self.way, "stream": True,
                           "messages": [{"role": "user", "content": "hi"}]}).encode()
        async with gate:
            self.reader, self.writer = await asyncio.open_connection(host, port, limit=4096)
            self.writer.write(b"POST /ai/v1/chat/completions HTTP/1.1\r\nHost: filterd\r\n"
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
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=4096, limit=4096)
    with open(sys.argv[2], "w", encoding="ascii") as out:
        out.write(str(server.sockets[0].getsockname()[1]))
    pid, host, port = (await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)).split()

    gate = asyncio.Semaphore(AT_ONCE)
    clients = [Client(WAYS[i % 3]) for i in range(N)]
    opened = [await c.open(host, port, gate) for c in clients[:FIRST]]
    before = resident_kib(pid)
    began = time.monotonic()
    opened += await asyncio.wait_for(asyncio.gather(*[c.open(host, port, gate) for c in clients[FIRST:]]), PATIENCE)
    opening = time.monotonic() - began
    await asyncio.sleep(1)
    during = resident_kib(pid)

    go_on.set()
    began = time.monotonic()
    ends = await asyncio.wait_for(asyncio.gather(*[c.close() for c in clients]), PATIENCE)
    closing = time.monotonic() - began
    await asyncio.sleep(3)
    print(json.dumps({"opened": sum(opened), "peak": upstream_peak, "left_at_the_upstream": upstream_open,
                      "ends": {end: ends.count(end) for end in sorted(set(ends))},
                      "before_kib": before, "each_kib": round((during - before) / (N - FIRST), 1),
                      "during_kib": during, "after_kib": resident_kib(pid),
                      "opening_s": round(opening, 2), "closing_s": round(closing, 2)}))


_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
asyncio.run(main())
