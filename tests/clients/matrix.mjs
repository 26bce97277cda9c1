// matrix.mjs - every client plays every scenario; what it saw and what was on its wire is compared.
// Usage: node matrix.mjs [--direct] [--only=REGEX] [--show] PROGRAMS
//   --direct  no filterd between: proves that clients, upstream and the search for leaks work
//   --only    the cases whose line the expression matches
//   --report  writes the table of docs/clients.md anew, in place of comparing it
//   --show    one line for each case that passed, too
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { expectations, plays, schemaDescription, toolDescription } from './expect.mjs';
import { compareReport, outcomeOf } from './report.mjs';
import { leaksIn } from './planted.mjs';
import { startLitellm, startService, startUpstream, stopAll } from './processes.mjs';
import { openTap } from './tap.mjs';
import { text } from './scenarios.mjs';
import agents from './clients/agents.mjs';
import ai from './clients/ai.mjs';
import anthropic from './clients/anthropic.mjs';
import cohere from './clients/cohere.mjs';
import genai from './clients/genai.mjs';
import langchain from './clients/langchain.mjs';
import litellm from './clients/litellm.mjs';
import ollama from './clients/ollama.mjs';
import openai from './clients/openai.mjs';
import python, { stopPython } from './clients/python.mjs';
import sdks from './clients/sdks.mjs';

const { values: options, positionals } = parseArgs({
    options: { direct: { type: 'boolean' }, only: { type: 'string', default: '' }, show: { type: 'boolean' }, report: { type: 'boolean' } },
    allowPositionals: true,
});
const DIRECT = ['clean', 'usage', 'tool', 'two', 'reasoning', 'side', 'redact', 'soft', 'toolblock', 'error'];
const PARALLEL = 6,
    SECONDS = 30;
const key = 'key-of-the-tests';
const build = new URL('../', new URL(import.meta.url)).pathname;

// Clients reject promises nobody waits for when an answer breaks off.
process.on('unhandledRejection', () => {});

const withAgents = fs.existsSync(`${build}agents.done`) && !options.direct;
const withPython = fs.existsSync(`${build}python.done`);
const numbered = [
    ...(withPython ? python : []),
    ...(withPython && !options.direct ? litellm : []),
    ...(withAgents ? agents : []),
    ...sdks,
    ...openai,
    ...anthropic,
    ...ai,
    ...langchain,
    ...ollama,
    ...genai,
    ...cohere,
]
    .flatMap(driver =>
        Object.keys(expectations)
            .filter(scenario => plays(driver, scenario))
            .map(scenario => ({ driver, scenario, name: `${driver.name}: ${scenario}` })),
    )
    .map((each, number) => ({ ...each, model: `${modelOf(each.scenario)}-${number}` }))
    .filter(({ name }) => new RegExp(options.only).test(name))
    .filter(({ scenario }) => !options.direct || DIRECT.includes(scenario));

// Some scenarios are another's answer once more, for an upstream entry of another style.
function modelOf(scenario) {
    return { turn: 'soft', auto: 'soft', autotool: 'toolblock' }[scenario] ?? scenario;
}

const upstream = await startUpstream();
const service = options.direct ? null : await startService(positionals[0], upstream);
const judged = service
    ? await service.judged(text)
    : { notice: '', text: each => each, arguments: each => each, cut: (whole, said) => whole.startsWith(said) };

const gateways = {};
for (const { driver } of numbered) {
    if (driver.litellm) {
        gateways[driver.litellm] ??= await startLitellm(`${build}python`, upstream, service, driver.litellm);
    }
}

function describe(error) {
    const { name, status, statusCode, status_code: other, message } = error;
    return {
        name: error.constructor === Object ? name : error.constructor.name,
        status: status ?? statusCode ?? other,
        message: String(message).slice(0, 200),
    };
}

async function play({ driver, scenario, model }) {
    const direct = driver.litellm || !service;
    const tap = await openTap(gateways[driver.litellm] ?? service ?? upstream);
    const result = { texts: [], finishes: [], tools: [], usage: null, error: null };
    const style = { hard: '-hard', turn: '-turn', soft: '-soft', toolblock: '-soft' }[scenario] ?? '';
    let stopClient = () => {};
    const context = {
        base: `http://127.0.0.1:${tap.port}${direct ? '' : `/${driver.wire}${style}`}`,
        key,
        model,
        choices: scenario === 'two' ? 2 : 1,
        tool: scenario.includes('tool') ? toolDescription : null,
        structured: scenario.startsWith('json') ? schemaDescription : null,
        build,
        onTimeout: stop => (stopClient = stop),
    };
    const seconds = driver.seconds ?? SECONDS;
    let timer;
    try {
        await Promise.race([
            driver.run(context, result),
            new Promise((_, reject) => {
                timer = setTimeout(() => {
                    stopClient();
                    reject(new Error(`no end after ${seconds} s`));
                }, seconds * 1000);
            }),
        ]);
    } catch (error) {
        result.error = error;
    }
    clearTimeout(timer);
    result.error &&= describe(result.error);
    tap.close();
    return {
        result,
        driver,
        judged,
        bytes: tap.bytes(),
        longestGap: tap.longestGap(),
        hits: await upstream.hits(model),
    };
}

// Without filterd the secrets have to be seen, or the search for them would be worth nothing.
function compare({ scenario }, seen) {
    const leaks = leaksIn(seen.bytes.toString('latin1').replace(seen.driver.unasked ?? /$^/, ''));
    const expectation = seen.driver.expectations?.[scenario] ?? expectations[scenario];
    if (!options.direct) {
        return [...expectation(seen), ...leaks.map(leak => `leaked: ${leak}`)];
    }
    if (['soft', 'toolblock', 'redact'].includes(scenario)) {
        return leaks.length ? [] : ['the planted secret was not seen'];
    }
    return [...expectation(seen), ...(['clean', 'usage', 'tool'].includes(scenario) ? leaks : [])];
}

const outcomes = [];
let passed = 0,
    failed = 0;
async function worker(queue) {
    for (let each = queue.shift(); each; each = queue.shift()) {
        const seen = await play(each);
        outcomes.push({ ...each, outcome: outcomeOf(each, seen) });
        const complaints = compare(each, seen);
        if (complaints.length === 0) {
            passed++;
            options.show && console.log(`ok      ${each.name}`);
            continue;
        }
        failed++;
        console.log(`FAILED  ${each.name}`);
        complaints.forEach(complaint => console.log(`        ${complaint}`));
        fs.mkdirSync(`${build}wire`, { recursive: true });
        fs.writeFileSync(`${build}wire/${each.name.replace(/[^a-z]+/g, '-')}`, seen.bytes);
    }
}

fs.rmSync(`${build}wire`, { recursive: true, force: true });
const queue = [...numbered];
await Promise.all(Array.from({ length: PARALLEL }, () => worker(queue)));
stopPython();
if (!options.direct && (options.report || !options.only)) {
    failed += compareReport(outcomes, options.report);
}
failed += (await stopAll()) ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
