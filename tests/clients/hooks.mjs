// hooks.mjs - Claude Code and Codex with the hooks that docs/contracts.md shows, before a model that follows a script: which calls run,
// and what the model gets to read.
// Usage: node hooks.mjs [--only=REGEX] [--show] PROGRAMS
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import anthropic from './wire/anthropic.mjs';
import responses from './wire/responses.mjs';
import { frameBytes } from './wire/frames.mjs';
import { planted } from './planted.mjs';
import { startService, startUpstream, stopAll } from './processes.mjs';

const { values: options, positionals } = parseArgs({
    options: { only: { type: 'string', default: '' }, show: { type: 'boolean' } },
    allowPositionals: true,
});
const programs = path.resolve(positionals[0]);
const here = fs.realpathSync(path.dirname(new URL(import.meta.url).pathname));
const modules = path.join(here, '../../build/clients/agents/node_modules');
const page = fs.readFileSync(path.join(here, '../../docs/contracts.md'), 'utf8');
const { token, address } = planted;
const key = 'key-of-the-tests',
    DONE = 'That is all.',
    LIST = 'It sails on Friday.',
    PARALLEL = 3,
    SECONDS = 240;

// What the page shows in that language first behind those words.
function shown(language, words) {
    const [, rest] = page.split(words);
    return new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(rest)[1];
}

// --- the agents ----------------------------------------------------------------

const commandTo = (agent, service) => `${programs}/filterctl hook ${agent} ${service}`;
const bash = command => (work, agent) => agent.bash(command);

// Of the page's settings those events, to the service of the tests.
function claudeSettings(service, events, isCommand) {
    const { hooks } = JSON.parse(shown('json', "In Claude Code's `settings.json`"));
    const chosen = Object.entries(hooks).filter(([event]) => events.includes(event));
    for (const [, [matcher]] of chosen) {
        const [{ url, ...hook }] = matcher.hooks;
        matcher.hooks = isCommand
            ? [{ type: 'command', command: commandTo('claude-code', service) }]
            : [{ ...hook, url: url.replace('http://127.0.0.1:8470', service) }];
    }
    return { hooks: Object.fromEntries(chosen) };
}

const claude = isCommand => ({
    name: isCommand ? 'Claude Code, command' : 'Claude Code, http',
    wire: anthropic[0],
    start({ model, service, prompt, events, work }) {
        fs.mkdirSync(`${work}/.claude`);
        fs.writeFileSync(`${work}/.claude/settings.json`, JSON.stringify(claudeSettings(service, events, isCommand)));
        return {
            file: `${modules}/@anthropic-ai/claude-code-linux-x64/claude`,
            args: ['-p', prompt, '--model', 'claude-test', '--allowedTools', 'Bash', 'Read', 'Grep'],
            env: { ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: key, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
        };
    },
    bash: command => ({ name: 'Bash', arguments: { command, description: 'Run it' } }),
    result: '"tool_result"',
});
const claudes = [claude(false), claude(true)];

function codexConfig(model, service, events) {
    const provider = `{name = "f", base_url = "${model}/v1", env_key = "PROVIDER_KEY", wire_api = "responses"}`;
    const hooks = shown('toml', "In Codex's `config.toml`")
        .split(/(?=^\[\[hooks\.\w+\]\]$)/m)
        .filter(part => events.some(event => part.startsWith(`[[hooks.${event}]]`)))
        .join('')
        .replaceAll('filterctl hook codex', commandTo('codex', service));
    return `model_provider = "f"\nmodel_providers.f = ${provider}\n${hooks}`;
}

// The tests vouch for the hook; containers have no user namespaces for Codex's own sandbox.
const UNATTENDED = ['--skip-git-repo-check', '--dangerously-bypass-hook-trust', '--dangerously-bypass-approvals-and-sandbox'];
const codex = {
    name: 'Codex',
    wire: responses[0],
    start({ model, service, prompt, events, work }) {
        fs.writeFileSync(`${work}/config.toml`, codexConfig(model, service, events));
        return {
            file: `${modules}/.bin/codex`,
            args: ['exec', ...UNATTENDED, '-m', 'gpt-5', prompt],
            env: { CODEX_HOME: work, PROVIDER_KEY: key },
        };
    },
    bash: command => ({ name: 'exec_command', arguments: { cmd: command } }),
    result: '"function_call_output"',
};
const agents = [...claudes, codex];

async function run(agent, settings, work) {
    const { file, args, env } = agent.start({ ...settings, work });
    const child = spawn(file, args, {
        cwd: work,
        env: { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: work, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    child.stdout.on('data', chunk => (out += chunk));
    child.stderr.on('data', chunk => (out += chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), SECONDS * 1000);
    await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
    clearTimeout(timer);
    return out;
}

// --- servers -------------------------------------------------------------------

async function listen(server) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${server.address().port}`;
}

async function textOf(request) {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) {
        text += chunk;
    }
    return text;
}

// The model: the call, if there is one; with its result in the request, or without tools, the last words.
async function startModel({ wire, result }, call) {
    const requests = [];
    const answer = async (request, response) => {
        const text = await textOf(request);
        const body = text ? JSON.parse(text) : {};
        const asked = wire.route(request.method, new URL(request.url, 'http://model').pathname, body);
        if (!asked) {
            response.writeHead(404).end('{}');
            return;
        }
        requests.push(text);
        const isCall = call && body.tools?.length && !text.includes(result);
        const said = isCall ? { text: '', tools: [call], finish: 'tool' } : { text: DONE, finish: 'stop' };
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(wire.stream({ answers: [said] }, asked).map(frame => frameBytes(frame, '\n')).join(''));
    };
    const server = http.createServer((request, response) => answer(request, response).catch(() => response.destroy()));
    return { url: await listen(server), requests, close: () => server.close() };
}

// Takes connections and never says anything.
async function startSilent() {
    const server = net.createServer(socket => socket.on('error', () => {}));
    return { url: await listen(server), close: () => server.close() };
}

// --- the cases -----------------------------------------------------------------

const AFTER = ['PostToolUse', 'PostToolBatch'];
const ALL = ['PreToolUse', 'PermissionRequest', ...AFTER, 'UserPromptSubmit'];
const upstream = await startUpstream();
const service = await startService(programs, upstream);
const silent = await startSilent();
const services = { up: `http://${service.address}`, down: 'http://127.0.0.1:9', silent: silent.url };

// Each is true, or says what is wrong.
const reached = (seen, text) => seen.requests.some(request => request.includes(text));
const ran = seen => seen.ran || 'did not run';
const goesOn = seen => seen.out.includes(DONE) || 'the agent did not go on';
const denied = seen => !seen.ran || 'ran';
const unasked = seen => !seen.requests.length || 'the model was asked';
const hidden = text => seen => !reached(seen, text) || 'it reached the model';
const read = text => seen => reached(seen, text) || 'it did not reach the model';
const unshown = seen => seen.agent === codex || !seen.out.includes(token) || 'the prompt was shown';
const tool = (name, argumentsIn) => work => ({ name, arguments: argumentsIn(work) });

const cases = {
    'a call, a silent service': { call: bash('touch ran'), where: 'silent', events: ['PreToolUse'], sees: [denied, goesOn] },
    'a clean call': { call: bash('touch ran; cat list'), sees: [ran, read(LIST), goesOn] },
    'a secret in a call': { call: bash(`touch ran; echo ${token}`), sees: [denied, goesOn] },
    'a secret in a prompt': { prompt: `Do it with ${token}.`, sees: [unasked, unshown] },
    'a secret in a result': { call: bash('touch ran; cat secret'), sees: [ran, hidden(token), goesOn] },
    'an address in a result': { call: bash('touch ran; cat address'), sees: [ran, hidden(address), goesOn] },
    'a secret in what failed': { call: bash('touch ran; cat secret; false'), sees: [ran, hidden(token)] },
    'a secret in a file': { call: tool('Read', work => ({ file_path: `${work}/secret` })), of: claudes, sees: [hidden(token), goesOn] },
    'a secret in a search': {
        call: tool('Grep', work => ({ pattern: 'token', path: work, output_mode: 'content' })),
        of: claudes,
        sees: [hidden(token), goesOn],
    },
    'a call, no service': { call: bash('touch ran'), where: 'down', events: ['PreToolUse'], sees: [denied, goesOn] },
    'a prompt, no service': { where: 'down', events: ['UserPromptSubmit'], sees: [unasked] },
    'a result, no service': { call: bash('touch ran; cat secret'), where: 'down', events: AFTER, sees: [ran, hidden(token)] },
    'what failed, no service': { call: bash('touch ran; cat secret; false'), where: 'down', events: AFTER, sees: [ran, hidden(token)] },
};

async function play(agent, name) {
    const { call = () => null, prompt = 'Do it.', where = 'up', events = ALL, sees } = cases[name];
    const work = fs.mkdtempSync(path.join(os.tmpdir(), 'filterd-hooks.'));
    fs.writeFileSync(`${work}/secret`, `The token is ${token}\n`);
    fs.writeFileSync(`${work}/list`, `${LIST}\n`);
    fs.writeFileSync(`${work}/address`, `Write to ${address}\n`);
    const model = await startModel(agent, call(work, agent));
    const out = await run(agent, { model: model.url, service: services[where], prompt, events }, work);
    const seen = { agent, out, requests: model.requests, ran: fs.existsSync(`${work}/ran`) };
    model.close();
    fs.rmSync(work, { recursive: true, force: true });
    return sees.map(each => each(seen)).filter(each => each !== true);
}

const queue = Object.keys(cases)
    .flatMap(name => (cases[name].of ?? agents).map(agent => ({ agent, name })))
    .filter(({ agent, name }) => new RegExp(options.only).test(`${agent.name}: ${name}`));
let passed = 0,
    failed = 0;
async function worker() {
    for (let each = queue.shift(); each; each = queue.shift()) {
        const complaints = await play(each.agent, each.name);
        complaints.length ? failed++ : passed++;
        (complaints.length || options.show) &&
            console.log(`${complaints.length ? 'FAILED ' : 'ok     '} ${each.agent.name}: ${each.name}: ${complaints.join(', ')}`);
    }
}
await Promise.all(Array.from({ length: PARALLEL }, worker));
silent.close();
failed += (await stopAll()) ? 0 : 1;
console.log(`hooks: ${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
