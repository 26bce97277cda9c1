"""Many streams of /v1/streams open at once.

many_open.py N PID HOST PORT SECRET: opens N streams, posts a part of a text with the secret to each, and the rest when
all are open; the secret is cut between the two. Every third is ended, every third is ended as truncated, the others are
left. Prints one JSON object: how many were opened and how they ended, how many answers have the secret in them, and the
resident memory of PID in KiB with the first few, while all are open, and after.
"""
import asyncio
import json
import re
import sys
import time

N, PID, HOST, PORT, SECRET = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
FIRST = 30  # are open before memory is looked at
CONNECTIONS = 64
leaks = 0


class Connection:
    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(HOST, PORT)

    async def post(self, path, value):
        global leaks
        body = json.dumps(value).encode()
        self.writer.write(b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                          b"Content-Length: %d\r\n\r\n%s" % (path.encode(), len(body), body))
        head = await self.reader.readuntil(b"\r\n\r\n")
        answer = await self.reader.readexactly(int(re.search(rb"(?i)content-length: (\d+)", head).group(1)))
        leaks += SECRET.encode() in answer
        return int(head.split()[1]), json.loads(answer)


async def each(connections, items, work):
    """Calls work(connection, item) for each, one at a time on each connection."""
    queue = list(enumerate(items))[::-1]
    results = [None] * len(queue)

    async def run(connection):
        while queue:
            i, item = queue.pop()
            results[i] = await work(connection, item)

    await asyncio.gather(*[run(c) for c in connections])
    return results


async def begin(connection, i):
    status, stream = await connection.post("/v1/streams", {"agent": f"agent-{i}"})
    if status // 100 != 2:
        return {"id": None, "status": status, "text": "", "n": i}
    status, part = await connection.post(f"/v1/streams/{stream['id']}/chunks",
                                         {"text": f"number {i} has {SECRET[:12]}"})
    return {"id": stream["id"], "status": status, "text": part.get("text", ""), "n": i}


async def end(connection, stream):
    if stream["id"] is None or stream["n"] % 3 == 2:
        return "left"
    path = f"/v1/streams/{stream['id']}"
    status, part = await connection.post(path + "/chunks", {"text": f"{SECRET[12:]} and no more"})
    text = stream["text"] + (part.get("text") or "")
    status, last = await connection.post(path + "/end", {"truncated": stream["n"] % 3 == 1})
    text += last.get("text") or ""
    is_right = status == 200 and text.startswith(f"number {stream['n']} has [test-key] and")
    return ("truncated" if stream["n"] % 3 == 1 else "ended") if is_right else f"{status}: {text}"


def resident_kib():
    with open(f"/proc/{PID}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s*(\d+) kB", status.read()).group(1))


async def main():
    connections = [Connection() for _ in range(CONNECTIONS)]
    for connection in connections:
        await connection.open()
    streams = await each(connections, range(FIRST), begin)
    before = resident_kib()
    began = time.monotonic()
    streams += await each(connections, range(FIRST, N), begin)
    opening = time.monotonic() - began
    during = resident_kib()
    print(json.dumps({"opened": sum(s["status"] == 200 for s in streams), "before_kib": before, "during_kib": during,
                      "each_kib": round((during - before) / (N - FIRST), 1), "opening_s": round(opening, 2)}), flush=True)
    sys.stdin.readline()
    began = time.monotonic()
    ends = await each(connections, streams, end)
    closing = time.monotonic() - began
    print(json.dumps({"ends": {e: ends.count(e) for e in sorted(set(ends))}, "leaks": leaks,
                      "closing_s": round(closing, 2)}))


asyncio.run(main())
