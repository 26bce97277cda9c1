// upstream.mjs - an API of language models that says what a script says, each byte in a write of
// its own. The model's name chooses the scenario. GET /hits/MODEL: how often that was asked for.
// Usage: node upstream.mjs; prints its port.
import http from 'node:http';
import zlib from 'node:zlib';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import anthropic from './wire/anthropic.mjs';
import cohere from './wire/cohere.mjs';
import cohereV1 from './wire/cohere_v1.mjs';
import gemini from './wire/gemini.mjs';
import ollama from './wire/ollama.mjs';
import openai from './wire/openai.mjs';
import responses from './wire/responses.mjs';
import { escaped, frameBytes } from './wire/frames.mjs';
import { scenarioOf } from './scenarios.mjs';

const protocols = [...openai, ...responses, ...anthropic, ...ollama, ...gemini, ...cohere, ...cohereV1];
const hits = new Map();

async function bodyOf(request) {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) {
        text += chunk;
    }
    return text ? JSON.parse(text) : {};
}

function fail(response, status, message) {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
}

async function writeBytes(out, text) {
    for (const byte of Buffer.from(text)) {
        if (out.destroyed || out.errored) {
            return;
        }
        out.write(Buffer.of(byte));
        await turn();
    }
}

async function writeStream(response, out, script, frames) {
    for (const frame of frames) {
        if (frame.pause) {
            await sleep(script.pause);
        } else if (frame.cut) {
            response.destroy();
            return;
        } else {
            await writeBytes(out, frameBytes(frame, script.newline ?? '\n'));
        }
    }
    out.end();
}

async function writeWhole(response, out, script, text) {
    if (script.pause) {
        await sleep(script.pause);
    }
    if (script.ending === 'cut') {
        await writeBytes(out, text.slice(0, text.length / 2));
        response.destroy();
        return;
    }
    await writeBytes(out, text);
    out.end();
}

async function answer(request, response, protocol, call) {
    const script = scenarioOf(call.model);
    if (!script) {
        return fail(response, 404, 'no such model');
    }
    hits.set(call.model, (hits.get(call.model) ?? 0) + 1);
    if (!protocol.auth(request.headers)) {
        return fail(response, 401, 'the credentials did not arrive');
    }
    const head = { 'x-request-id': 'req-1' };
    if (script.side) {
        head['x-upstream-echo'] = encodeURI(script.side);
    }
    let out = response;
    if (script.gzip && /gzip/.test(request.headers['accept-encoding'] ?? '')) {
        head['content-encoding'] = 'gzip';
        out = zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH });
        out.pipe(response);
    }
    if (script.status) {
        response.writeHead(script.status, { ...head, 'content-type': 'application/json' });
        await writeWhole(response, out, {}, escaped(protocol.error(script)));
    } else if (call.stream) {
        head['content-type'] =
            protocol.type ?? (protocol.ndjson ? 'application/x-ndjson' : 'text/event-stream; charset=utf-8');
        response.writeHead(200, head);
        await writeStream(response, out, script, protocol.stream(script, call));
    } else {
        response.writeHead(200, { ...head, 'content-type': 'application/json' });
        await writeWhole(response, out, script, escaped(protocol.whole(script, call)));
    }
}

const server = http.createServer(async (request, response) => {
    request.socket.setNoDelay(true);
    const { pathname } = new URL(request.url, 'http://upstream');
    if (pathname.startsWith('/hits/')) {
        response.end(String(hits.get(pathname.slice('/hits/'.length)) ?? 0));
        return;
    }
    try {
        const body = await bodyOf(request);
        for (const protocol of protocols) {
            const call = protocol.route(request.method, pathname, body);
            if (call) {
                await answer(request, response, protocol, { ...call, body });
                return;
            }
        }
        fail(response, 404, 'no such route');
    } catch (error) {
        console.error(error);
        response.destroy();
    }
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
