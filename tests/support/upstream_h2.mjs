// upstream_h2.mjs - a language model API over HTTP/2 and TLS for the tests: says what it is told to, as badly as it is
// told to. Usage: node upstream_h2.mjs LOG CERTIFICATE KEY [CERTIFICATE KEY …]: one listener for each certificate, on
// free ports of 127.0.0.1; prints the ports in one line.
//
// Each request becomes a line of JSON in LOG, with the number of its connection and of its stream; so does a stream
// that ends in the middle, and a connection that could not be made. The request's model names what happens; the last
// message's content is what is said. A line on stdin lets all streams go on that wait for it; the end of stdin, when a
// line came before, prints how many streams and connections there were at most and ends.
import fs from 'node:fs';
import http2 from 'node:http2';
import readline from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const { NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = http2.constants;
const [logFile, ...files] = process.argv.slice(2);
const log = fs.openSync(logFile, 'a');
const note = (what) => fs.writeSync(log, JSON.stringify(what) + '\n');

// --- what is said ---

function event(delta, finish = null) {
    return 'data: ' + JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm',
        choices: [{ index: 0, delta, finish_reason: finish }] }) + '\n\n';
}

function* events(text, size = 5) {
    yield event({ role: 'assistant', content: '' });
    for (let i = 0; i < text.length; i += size) {
        yield event({ content: text.slice(i, i + size) });
    }
    yield event({}, 'stop');
    yield 'data: [DONE]\n\n';
}

function head(stream, type = 'text/event-stream', status = 200) {
    stream.respond({ ':status': status, 'content-type': type, 'x-request-id': 'req-from-upstream-2',
        'x-secret-of-upstream': 'do not forward' });
}

function begin(stream, text) {
    head(stream);
    stream.write(event({ role: 'assistant', content: '' }) + event({ content: text }));
}

function finish(stream, text) {
    if (!stream.destroyed) {
        stream.end(event({ content: text }) + event({}, 'stop') + 'data: [DONE]\n\n');
    }
}

function sayWhole(stream, text) {
    head(stream, 'application/json');
    stream.end(JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm',
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }] }));
}

// --- ways ---

const gathered = new Map(); // by model: what goes on when enough are open
let goOn;
const going = new Promise((resolve) => { goOn = resolve; });
let refusals = 0;

// gather-N: its end comes when N of its kind are open at the same time.
function gather(stream, model, text) {
    const waiting = gathered.get(model) ?? [];
    waiting.push(() => finish(stream, ' end'));
    gathered.set(model, waiting);
    begin(stream, text);
    if (waiting.length === Number(model.slice('gather-'.length))) {
        waiting.forEach((goes) => goes());
        gathered.delete(model);
    }
}

async function inTime(stream, parts, ms) {
    head(stream);
    for (const part of parts) {
        if (stream.destroyed) {
            return;
        }
        stream.write(part);
        await sleep(ms);
    }
    stream.end();
}

// As fast as it is taken: 32 MiB of text.
async function much(stream) {
    const data = event({ content: 'word '.repeat(205) });
    head(stream);
    for (let i = 0; i < 1 << 15 && !stream.destroyed; i++) {
        if (!stream.write(data)) {
            await Promise.race([new Promise((resolve) => stream.once('drain', resolve)),
                new Promise((resolve) => stream.once('close', resolve))]);
        }
    }
    stream.end(event({}, 'stop') + 'data: [DONE]\n\n');
}

// A moment passes, so that what was written is on its way before what follows.
async function soon(stream, text, what) {
    begin(stream, text);
    await sleep(200);
    if (!stream.destroyed && !stream.session.destroyed) {
        what();
    }
}

// A reset without an end before it, which node would send.
function reset(stream, code) {
    stream._final = (done) => done();
    stream.close(code);
}

const sockets = new Map(); // by their port, as a session does not give its own away

const ways = {
    bytes: (s, text) => inTime(s, [...events(text)].join(''), 0),
    slow: (s, text) => inTime(s, events(text), 100),
    stall: begin,
    much,
    half: (s, text) => soon(s, text, () => {
        s.write(event({ content: 'the end of it' }).slice(0, 40));
        setTimeout(() => reset(s, NGHTTP2_INTERNAL_ERROR), 100);
    }),
    reset: (s, text) => soon(s, text, () => reset(s, NGHTTP2_INTERNAL_ERROR)),
    cancel: (s, text) => soon(s, text, () => reset(s, NGHTTP2_CANCEL)),
    'reset-first': (s) => reset(s, NGHTTP2_INTERNAL_ERROR),
    refuse: (s, text) => (refusals++ % 2 === 0 ? reset(s, NGHTTP2_REFUSED_STREAM) : inTime(s, events(text), 0)),
    drop: (s, text) => soon(s, text, () => sockets.get(s.session.socket.remotePort)?.destroy()),
    // Goes away without this stream, which was not dealt with; and with it, which is ended properly.
    'goaway-now': (s, text) => soon(s, text, () => {
        s.session.goaway(NGHTTP2_INTERNAL_ERROR, s.id - 2 < 0 ? 0 : s.id - 2);
        s.session.destroy();
    }),
    'goaway-after': (s, text) => soon(s, text, () => {
        s.session.goaway(NGHTTP2_NO_ERROR, s.id);
        setTimeout(() => finish(s, ' end'), 200);
    }),
    finish: (s, text) => { begin(s, text); going.then(() => finish(s, 'and goodbye.')); },
    break: (s, text) => { begin(s, text); going.then(() => reset(s, NGHTTP2_INTERNAL_ERROR)); },
    leave: begin,
};

function answer(stream, request) {
    const text = request.messages.at(-1).content;
    const model = request.model;
    if (model.startsWith('gather-')) {
        gather(stream, model, text);
    } else if (model.startsWith('error-')) {
        head(stream, 'application/json', Number(model.slice(-3)));
        stream.end(JSON.stringify({ error: { message: text, type: 'x', param: null, code: null } }));
    } else if (ways[model]) {
        ways[model](stream, text);
    } else if (request.stream) {
        head(stream);
        stream.end([...events(text)].join(''));
    } else {
        sayWhole(stream, text);
    }
}

// --- serving ---

const now = { streams: 0, connections: 0 }, most = { streams: 0, connections: 0 };
function count(what, by) {
    now[what] += by;
    most[what] = Math.max(most[what], now[what]);
}

let connections = 0;
function onSession(session) {
    session.number = ++connections;
    count('connections', 1);
    session.on('error', () => {});
    session.on('close', () => count('connections', -1));
}

async function onStream(stream, headers) {
    const connection = stream.session.number, id = stream.id;
    let body = '';
    count('streams', 1);
    stream.on('error', () => {});
    stream.on('aborted', () => note({ closed: id, connection }));
    stream.on('close', () => count('streams', -1));
    for await (const part of stream.setEncoding('utf8')) {
        body += part;
    }
    if (stream.destroyed) {
        return;
    }
    const request = body ? JSON.parse(body) : {};
    note({ target: headers[':path'], connection, stream: id, model: request.model, headers });
    answer(stream, request);
}

async function listen(certificate, key) {
    const server = http2.createSecureServer({ cert: fs.readFileSync(certificate), key: fs.readFileSync(key),
        settings: { maxConcurrentStreams: 100 } });
    server.on('secureConnection', (socket) => {
        const port = socket.remotePort;
        sockets.set(port, socket);
        socket.on('close', () => sockets.delete(port));
    });
    server.on('session', onSession);
    server.on('stream', (stream, headers) => onStream(stream, headers).catch(() => stream.destroy()));
    server.on('tlsClientError', () => note({ refused: certificate }));
    server.on('sessionError', () => {});
    await new Promise((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, resolve));
    return server.address().port;
}

const ports = [];
for (let i = 0; i + 1 < files.length; i += 2) {
    ports.push(await listen(files[i], files[i + 1]));
}
console.log(ports.join(' '));

const lines = readline.createInterface({ input: process.stdin });
let isTold = false;
lines.on('line', () => { isTold = true; goOn(); });
lines.on('close', () => {
    if (isTold) {
        console.log(JSON.stringify({ peak: most.streams, left: now.streams, connections: most.connections }));
        process.exit(0);
    }
});
