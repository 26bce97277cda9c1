// processes.mjs - the upstream and filterd as processes of their own.
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const PROTOCOLS = ['openai', 'anthropic', 'ollama', 'gemini', 'cohere'];
const STYLES = { '': 'auto', '-soft': 'soft', '-hard': 'hard', '-turn': 'end_turn', '-refusal': 'refusal' }; // by the end of an entry's name

const running = [];
const folders = [];
let isStopping = false;
let isWell = true;
const here = path.dirname(new URL(import.meta.url).pathname);

function start(command, args, options = {}) {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
    running.push(child);
    return child;
}

process.on('exit', () => running.forEach(child => child.kill('SIGKILL')));

// False when filterd ended early or not as it should.
export async function stopAll() {
    isStopping = true;
    await Promise.all(
        running
            .filter(child => child.exitCode === null && child.signalCode === null)
            .map(child => {
                child.kill('SIGTERM');
                const timer = setTimeout(() => child.kill('SIGKILL'), 20000);
                return once(child, 'exit').then(() => clearTimeout(timer));
            }),
    );
    folders.forEach(folder => fs.rmSync(folder, { recursive: true, force: true }));
    return isWell;
}

// Waits for a line on one of the child's outputs; the rest of it is kept in child.log.
function line(child, output, pattern, seconds) {
    child.log = '';
    child.stdout.on('data', chunk => (child.log += chunk));
    child.stderr.on('data', chunk => (child.log += chunk));
    return new Promise((resolve, reject) => {
        const timer = setTimeout(
            () => reject(new Error(`not ready in time: ${child.log.slice(-1500)}`)),
            seconds * 1000,
        );
        child.on('exit', code => reject(new Error(`ended with ${code}: ${child.log.slice(-1500)}`)));
        child[output].on('data', () => {
            const found = pattern.exec(child.log);
            if (found) {
                clearTimeout(timer);
                resolve(found);
            }
        });
    });
}

export async function startUpstream() {
    const child = start(process.execPath, [path.join(here, 'upstream.mjs')]);
    child.stderr.pipe(process.stderr);
    const [, port] = await line(child, 'stdout', /^(\d+)\n/, 10);
    const hits = async model => Number(await (await fetch(`http://127.0.0.1:${port}/hits/${model}`)).text());
    return { host: '127.0.0.1', port: Number(port), hits };
}

// filterd's proxy: for each protocol an entry of each style of blocking.
function proxyOptions(work, upstream) {
    const entries = PROTOCOLS.flatMap(protocol =>
        Object.entries(STYLES).map(
            ([suffix, block]) =>
                `  ${protocol}${suffix}: {protocol: ${protocol}, url: 'http://${upstream.host}:${upstream.port}', ` +
                `block: ${block}, heartbeat: 1}`,
        ),
    );
    const file = path.join(work, 'upstreams.yaml');
    fs.writeFileSync(file, `upstreams:\n${entries.join('\n')}\n`);
    return [`--upstreams=${file}`];
}

function folder() {
    const made = fs.mkdtempSync(path.join(os.tmpdir(), 'filterd-clients.'));
    folders.push(made);
    return made;
}

async function filter(address, body) {
    const response = await fetch(`http://${address}/v1/filter`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
    });
    if (response.status !== 200) {
        throw new Error(`/v1/filter answered ${response.status}`);
    }
    return response.json();
}

// What filterd itself says of whole texts: the same has to come out of its streams.
async function judgedBy(address, texts) {
    const strings = new Map();
    let notice = '';
    for (const each of Object.values(texts)) {
        const isText = typeof each === 'string';
        const answer = await filter(address, isText ? { text: each } : { document: each.arguments });
        strings.set(isText ? each : JSON.stringify(each.arguments), isText ? answer.text : answer.document);
        notice ||= answer.notice ?? '';
    }
    const text = each => strings.get(each);
    return {
        notice,
        text,
        arguments: each => strings.get(JSON.stringify(each)),
        // Where a text broke off, what could have become a secret may stand as its label.
        cut: (whole, said) =>
            text(whole).startsWith(
                said
                    .replace(notice, '')
                    .trimEnd()
                    .replace(/\[[^\]]*\]$/, ''),
            ),
    };
}

export async function startService(programs, upstream) {
    const work = folder();
    const child = start(path.join(programs, 'filterd'), [
        '--listen=127.0.0.1:0',
        `--operators=unix:${work}/operators.sock`,
        `--state-directory=${work}/state`,
        `--cache-directory=${work}/cache`,
        ...proxyOptions(work, upstream),
    ]);
    const [, address] = await line(child, 'stderr', /ready listen=(\S+) /, 120);
    const [host, port] = address.split(':');
    child.on('exit', (code, signal) => {
        if (!isStopping || code !== 0) {
            isWell = false;
            console.log(`FAILED  filterd ended: ${signal ?? code}\n${child.log.slice(-3000)}`);
        }
    });
    return { host, port: Number(port), address, judged: texts => judgedBy(address, texts) };
}

// What a page shows first as YAML under that heading.
function shownYaml(page, heading) {
    const section = fs.readFileSync(page, 'utf8').split(`\n${heading}\n`)[1];
    return /```yaml\n(.*?)```/s.exec(section)[1];
}

const GUARDRAILS = {
    // Each part of an answer in chat completions, redacted.
    redacting: `guardrails:
  - guardrail_name: filterd
    litellm_params:
      guardrail: generic_guardrail_api
      mode: post_call
      api_base: http://127.0.0.1:8470
      unreachable_fallback: fail_closed
      streaming_transform_mode: incremental_diff
      streaming_sampling_rate: 1
      default_on: true
`,
    documented: shownYaml(path.join(fs.realpathSync(here), '../../docs/operations.md'), '## LiteLLM'),
};

// LiteLLM's proxy before the upstream, asking filterd as those GUARDRAILS say.
export async function startLitellm(python, upstream, service, name) {
    const guardrails = GUARDRAILS[name].replace('http://127.0.0.1:8470', `http://${service.address}`);
    const work = folder();
    const port = await freePort();
    fs.writeFileSync(
        path.join(work, 'config.yaml'),
        `model_list:
  - model_name: "*"
    litellm_params:
      model: "openai/*"
      api_base: http://127.0.0.1:${upstream.port}/v1
      api_key: key-of-the-tests
${guardrails}litellm_settings:
  num_retries: 0
  telemetry: false
`,
    );
    const args = ['--config', path.join(work, 'config.yaml'), '--host', '127.0.0.1', '--port', String(port)];
    const child = start(path.join(python, 'bin/litellm'), args, {
        cwd: work,
        env: {
            ...process.env,
            LITELLM_LOCAL_MODEL_COST_MAP: 'True',
            FILTERD_KEY: 'none', // filterd has no tokens here
            LITELLM_LOG: 'ERROR',
            LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY: 'true',
        },
    });
    await answers(child, `http://127.0.0.1:${port}/health/liveliness`, 120);
    return { host: '127.0.0.1', port };
}

// Waits until that address answers.
async function answers(child, url, seconds) {
    let log = '';
    child.stdout.on('data', chunk => (log += chunk));
    child.stderr.on('data', chunk => (log += chunk));
    for (const end = Date.now() + seconds * 1000; Date.now() < end && child.exitCode === null; await sleep(200)) {
        if (
            await fetch(url).then(
                ({ ok }) => ok,
                () => false,
            )
        ) {
            return;
        }
    }
    throw new Error(`no answer: ${log.slice(-1500)}`);
}

async function freePort() {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    server.close();
    await once(server, 'close');
    return port;
}
