#!/usr/bin/env python3
"""load.py ADDRESS THREADS OUT STOP: posts texts through a balancer until the file STOP is there.

OUT gets a line for each request: its status, or the name of the failure, and the id of the answer. An answer that does not hold back the
key is counted as leaked. Prints how many there were of each, and the slowest answer in milliseconds."""
import collections, http.client, json, pathlib, sys, threading, time

address, threads, out, stop = sys.argv[1], int(sys.argv[2]), open(sys.argv[3], 'w'), pathlib.Path(sys.argv[4])
key = 'E2EKEY-4kq9Zt7Xw2Lm8Rv5Bn3Jc6Hd'
lock, counts, slowest = threading.Lock(), collections.Counter(), [0.0]


def one(link, n):
    text = f'key {key}' if n % 2 else 'nothing to hide'
    link.request('POST', '/v1/filter', text, {'Content-Type': 'text/plain'})
    answer = link.getresponse()
    body = answer.read()
    if answer.status != 200:
        return str(answer.status), ''
    body = json.loads(body)
    return 'leaked' if key in (body['text'] or '') else '200', body['id']


def run():
    link, n = None, 0
    while not stop.exists():
        n, began = n + 1, time.monotonic()
        link = link or http.client.HTTPConnection(address, timeout=60)
        try:
            what, id = one(link, n)
        except (OSError, http.client.HTTPException) as e:
            what, id, link = type(e).__name__, '', None
        with lock:
            counts[what] += 1
            slowest[0] = max(slowest[0], time.monotonic() - began)
            print(what, id, file=out)
        time.sleep(0.002)


all = [threading.Thread(target=run) for _ in range(threads)]
for thread in all: thread.start()
for thread in all: thread.join()
out.close()
print(' '.join(f'{what}={n}' for what, n in sorted(counts.items())), f'slowest_ms={slowest[0] * 1000:.0f}')
