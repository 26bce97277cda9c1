// python.mjs - packages of Python, one process for all cases.
import { spawn } from 'node:child_process';
import readline from 'node:readline';
import { frameworkExpectations } from '../expect.mjs';

// The packages take long to load, and each case waits for those before it.
const TIMEOUT_S = 180;

let bridge = null; // made by the first case
let last = Promise.resolve();

function connect(build) {
    const child = spawn(`${build}python/bin/python`, [`${build}src/bridge.py`], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { child, lines };
}

// One case at a time: the bridge answers in order.
function ask(build, question) {
    last = last.then(async () => {
        bridge ??= connect(build);
        bridge.child.stdin.write(`${JSON.stringify(question)}\n`);
        const { value } = await bridge.lines.next();
        return value ? JSON.parse(value) : { error: { message: 'the bridge ended' } };
    });
    return last;
}
export const stopPython = () => bridge?.child.kill();

const rows = [
    [
        'openai chat, events',
        {
            wire: 'openai',
            streams: true,
            choices: true,
            finish: ['stop', 'tool_calls', 'content_filter', 'length'],
        },
    ],
    [
        'openai chat, whole',
        { wire: 'openai', choices: true, finish: ['stop', 'tool_calls', 'content_filter', 'length'] },
    ],
    [
        'openai responses, stream helper',
        {
            wire: 'openai',
            streams: true,
            finish: ['completed', 'completed', 'content_filter', 'max_output_tokens'],
        },
    ],
    [
        'openai responses, whole',
        { wire: 'openai', finish: ['completed', 'completed', 'content_filter', 'max_output_tokens'] },
    ],
    [
        'anthropic, stream helper',
        { wire: 'anthropic', streams: true, finish: ['end_turn', 'tool_use', 'refusal', 'max_tokens'] },
    ],
    ['anthropic, whole', { wire: 'anthropic', finish: ['end_turn', 'tool_use', 'refusal', 'max_tokens'] }],
    // Version 1 has no word for a filtered answer either, and repeats the answer at the end of its stream.
    [
        'cohere v1, stream',
        {
            wire: 'cohere',
            streams: true,
            wholeCalls: true,
            repeats: true,
            finish: ['COMPLETE', 'COMPLETE', 'ERROR', 'MAX_TOKENS'],
        },
    ],
    ['cohere v1, whole', { wire: 'cohere', wholeCalls: true, finish: ['COMPLETE', 'COMPLETE', 'ERROR', 'MAX_TOKENS'] }],
];
const frameworks = ['openai-agents', 'pydantic-ai'].flatMap(name =>
    ['chat', 'responses'].flatMap(api => ['stream', 'whole'].map(way => `${name} ${api}, ${way}`)),
);
const STRUCTURED = ['openai chat, events', 'openai chat, whole', 'openai responses, stream helper'].concat(
    'openai responses, whole',
    'anthropic, whole',
);

const play =
    client =>
    async ({ base, key, model, choices, tool, structured, build }, result) =>
        Object.assign(result, await ask(build, { client, base, key, model, choices, tool, structured }));

const direct = rows.map(
    ([
        client,
        {
            finish: [stop, tool, filtered, length],
            ...row
        },
    ]) => ({
        ...row,
        name: `python ${client}`,
        tools: true,
        copies: client.includes('responses'),
        finish: { stop, tool, filtered, length },
        structured: STRUCTURED.includes(client),
        seconds: TIMEOUT_S,
        costs: client === 'openai chat, events',
        run: play(client),
    }),
);

export default [
    ...direct,
    ...frameworks.map(name => ({
        wire: 'openai',
        name: `python ${name}`,
        seconds: TIMEOUT_S,
        // Half a value is none: these say so, and nothing of why.
        halfValue: ['UnexpectedModelBehavior', 'ModelBehaviorError'],
        structured: true,
        finish: {},
        expectations: frameworkExpectations,
        only: Object.keys(frameworkExpectations),
        run: play(name),
    })),
];
