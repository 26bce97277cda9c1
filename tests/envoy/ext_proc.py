"""Envoy's external processing without Envoy: the messages of one exchange, sent by curl over HTTP/2.

ext_proc.py [OPTION…] URL < ANSWER: sends a request and ANSWER as its upstream's, and prints what Envoy would deliver: a line
`status N`, then the body. Exit code 3 and a line `grpc-status N`: the call failed.
  --mode=buffered|streamed|duplex    of both bodies (streamed)
  --split=N                          bytes of a message of a body (all)
  --path=PATH --type=TYPE --status=N --header=NAME:VALUE --answer-header=NAME:VALUE --body=JSON
  --upstream=NAME --token=TOKEN      metadata of the call
  --trailers                         the answer ends with trailers
  --skipped-trailers                 the same, and they are not sent
  --request-trailers, --skipped-request-trailers   the same of the request
  --head                             print the headers of the answer, too, as its client gets them
  --sent                             print the request as its upstream gets it instead, with its headers
"""
import argparse
import subprocess
import sys
import tempfile

MODES = {'streamed': 1, 'buffered': 2, 'duplex': 4}


def varint(n):
    out = b''
    while n >= 0x80:
        out += bytes([n & 0x7f | 0x80])
        n >>= 7
    return out + bytes([n])


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def read(message):
    """The fields of a message: (number, value) in order."""
    at = 0

    def take():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(message):
        tag = take()
        value = take()
        if tag & 7 == 2:
            value, at = message[at:at + value], at + value
        yield tag >> 3, value


def one(message, *path):
    for field in path:
        message = dict(read(message)).get(field, b'')
    return message


def headers(pairs):
    return data(1, b''.join(data(1, data(1, k) + data(3, v)) for k, v in pairs))


def bodies(field, body, split):
    parts = [body[i:i + split] for i in range(0, len(body), split)] or [b'']
    return [data(field, data(1, p) + (number(2, 1) if last else b'')) for p, last in
            zip(parts, [False] * (len(parts) - 1) + [True])]


def messages(o, answer):
    """The ProcessingRequests of an exchange, as Envoy orders them."""
    mode = MODES[o.mode]
    split = len(answer) + len(o.body) + 1 if o.mode == 'buffered' or not o.split else o.split
    request = [(':method', o.method), (':path', o.path), (':authority', 'api.test'), ('content-type', 'application/json')]
    request += [tuple(h.split(':', 1)) for h in o.header]
    response = [(':status', str(o.status)), ('content-type', o.type)] + [tuple(h.split(':', 1)) for h in o.answer_header]
    last = number(3, 1) if not o.body else b''
    config = b'' if o.old else data(11, number(1, mode) + number(2, mode))
    out = [data(2, headers(request) + last) + config]
    if o.request_trailers or o.skipped_request_trailers:
        out += [data(4, data(1, o.body.encode()))] + ([data(6, headers([('x-checksum', '1')]))] if o.request_trailers else [])
    else:
        out += bodies(4, o.body.encode(), split) if o.body else []
    out += [data(3, headers(response))]
    parts = bodies(5, answer, split)
    if o.trailers or o.skipped_trailers:
        parts = [data(5, data(1, answer[i:i + split])) for i in range(0, len(answer), split)] + ([data(7, headers([('x-checksum', '1')]))] if o.trailers else [])
    return out + parts


def call(o, answer):
    """Sends them, and returns the responses and gRPC's status."""
    wire = b''.join(b'\0' + len(m).to_bytes(4, 'big') + m for m in messages(o, answer))
    with tempfile.NamedTemporaryFile() as file, tempfile.NamedTemporaryFile() as head:
        file.write(wire)
        file.flush()
        command = ['curl', '-sS', '--max-time', '30', '--http2-prior-knowledge', '-D', head.name, '--data-binary', '@' + file.name,
                   '-H', 'Content-Type: application/grpc', '-H', 'TE: trailers', '-H', 'filterd-upstream: ' + o.upstream]
        command += ['-H', 'Authorization: Bearer ' + o.token] if o.token else []
        command += o.curl + [o.url + '/envoy.service.ext_proc.v3.ExternalProcessor/Process']
        got = subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout
        lines = head.read().decode().splitlines()
    status = [line.split(':')[1].strip() for line in lines if line.startswith('grpc-status:')]
    responses = []
    while got:
        size = int.from_bytes(got[1:5], 'big')
        responses.append(got[5:5 + size])
        got = got[5 + size:]
    return responses, status[-1] if status else None


def deliver(responses, answer_status):
    """What Envoy makes of them: (request's body, its changes of headers, status, answer's body, is whole)."""
    sent, body, status, is_whole, changes = b'', b'', answer_status, False, {}
    for r in responses:
        for field, value in read(r):
            if field == 7:  # immediate
                return sent, changes, one(value, 1, 1), one(value, 3), True
            if field in (1, 2):
                changes[field] = one(value, 1, 2)
            mutation = one(value, 1, 3)
            streamed = one(mutation, 3)
            text = one(mutation, 1) or one(streamed, 1)
            is_whole |= field == 4 and dict(read(streamed)).get(2) == 1
            if field == 3:
                sent += text
            elif field == 4:
                body += text
    return sent, changes, status, body, is_whole


def head(o, changes):
    """The lines of the answer's head, once Envoy has changed it."""
    taken = [v.decode() for f, v in read(changes) if f == 2]
    new = [(one(v, 1, 1).decode(), one(v, 1, 3).decode()) for f, v in read(changes) if f == 1]
    old = [('content-type', o.type)] + [tuple(h.split(':', 1)) for h in o.answer_header]
    return ['%s: %s' % h for h in old if h[0] not in taken and h[0] not in dict(new)] + ['%s: %s' % h for h in new]


def removed(changes):
    return sorted(v.decode() for f, v in read(changes) if f == 2)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('url')
    p.add_argument('--mode', default='streamed')
    p.add_argument('--split', type=int, default=0)
    p.add_argument('--method', default='POST')
    p.add_argument('--path', default='/v1/chat/completions')
    p.add_argument('--type', default='text/event-stream')
    p.add_argument('--status', type=int, default=200)
    p.add_argument('--header', action='append', default=[])
    p.add_argument('--answer-header', action='append', default=[])
    p.add_argument('--body', default='{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}')
    p.add_argument('--upstream', default='ai')
    p.add_argument('--token')
    p.add_argument('--curl', action='append', default=[])
    p.add_argument('--trailers', action='store_true')
    p.add_argument('--skipped-trailers', action='store_true')
    p.add_argument('--request-trailers', action='store_true')
    p.add_argument('--skipped-request-trailers', action='store_true')
    p.add_argument('--old', action='store_true', help='an Envoy that does not say its modes')
    p.add_argument('--sent', action='store_true')
    p.add_argument('--head', action='store_true')
    p.add_argument('--removed', type=int, help='print the headers that response 1 (request) or 2 (answer) removes')
    o = p.parse_args()
    responses, status = call(o, sys.stdin.buffer.read())
    sent, changes, http, body, _ = deliver(responses, o.status)
    if status != '0':
        print('grpc-status', status)
        sys.exit(3)
    if o.removed:
        print(*removed(changes.get(o.removed, b'')))
    elif o.sent:
        sys.stdout.buffer.write(sent)
    else:
        lines = head(o, changes.get(2, b'')) if o.head else []
        sys.stdout.buffer.write(b'status %d\n' % http + ''.join(line + '\n' for line in lines).encode() + body)


if __name__ == '__main__':
    main()
