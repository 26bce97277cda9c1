"""latency.py ADDRESS N: N requests to filterd, one after the other, half of them blocked, so that they wait for the record's disk;
prints the median and the 99th percentile of both, microseconds."""
import http.client
import sys
import time

connection = http.client.HTTPConnection(sys.argv[1])
times = {'allow': [], 'block': []}
for i in range(int(sys.argv[2])):
    kind, text = ('block', 'E2EBOMB0001') if i % 2 else ('allow', 'hello')
    began = time.perf_counter_ns()
    connection.request('POST', '/v1/filter', '{"text":"%s"}' % text, {'Content-Type': 'application/json'})
    assert b'"action":"%s"' % kind.encode() in connection.getresponse().read()
    times[kind].append((time.perf_counter_ns() - began) // 1000)
print('; '.join(f'{kind} median {sorted(t)[len(t) // 2]} us, p99 {sorted(t)[len(t) * 99 // 100]} us' for kind, t in times.items()))
