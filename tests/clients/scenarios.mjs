// scenarios.mjs - what the upstream's model says, in no protocol's words. wire/*.mjs say it in each.
//
//   answers    one for each choice: reasoning, text, tools, finish (stop, tool, length)
//              a tool with `cut`: its arguments are cut off behind so many characters
//   side       what fields beside the text repeat: logprobs, citations, comments, vendors' fields
//   copy       what copies of the text at the end say in its place
//   id         the answer's id
//   ending     'whole' (default), 'cut' (the connection breaks), 'late' (it breaks behind the event that ends
//              the text, before the one that says why the answer ended), 'error' (an error frame)
//   pause      milliseconds of silence halfway
//   status     the upstream refuses with this status and an error body that repeats `side`
//   gzip       the answer is compressed when the request allows it
//   newline    how lines of the stream end
import { planted } from './planted.mjs';

const { token, address, password } = planted;
const mail = to => ({
    name: 'send_mail',
    arguments: { to, subject: 'Loading list', body: 'It sails on Friday.\nÆ “quoted”' },
});
const say = (text, more = {}) => ({ answers: [{ text, finish: 'stop' }], ...more });
const call = (tools, text = '') => ({ answers: [{ text, tools, finish: 'tool' }] });

const BEFORE = 'Here is what the build needs: first the branch, then the credentials. The token is ';

export const text = {
    before: BEFORE,
    clean: 'Good morning. The ship leaves Bergen at nine, and “Æsa” carries 40 containers: 🚢 all in order.',
    redact: `Write to ${address} about the crane, and log in with password: ${password} on the portal. Thank you.`,
    encoded: `The blob reads ${Buffer.from(`Write to ${address} today.`).toString('base64')} and nothing else.`,
    block: `${BEFORE}${token} as agreed.`,
    blockFirst: `${token} is the token of the build, as agreed with the others.`,
    json: JSON.stringify({ name: 'Anna Berg', note: 'She knows the harbour.', email: address }),
    jsonBlock: `{"name": "Anna Berg", "note": "${BEFORE}", "email": "${token} as agreed"}`,
    jsonFirst: `{"name": "${token}", "note": "", "email": ""}`,
    second: 'The second answer is shorter.',
    cut: `Please keep this for the build: ${token.slice(0, 30)}`,
    tools: mail('the harbour office'),
    toolsRedact: mail(address),
    toolsBlock: {
        name: 'send_mail',
        arguments: { to: 'the harbour office', subject: 'Build', body: `Use ${token} for it.` },
    },
};

export const scenarios = {
    clean: say(text.clean, { gzip: true }),
    usage: say(text.clean),
    redact: say(text.redact, { side: text.redact, newline: '\r\n' }),
    encoded: say(text.encoded),
    soft: say(text.block),
    hard: say(text.blockFirst),
    json: say(text.json),
    jsonblock: say(text.jsonBlock),
    jsonfirst: say(text.jsonFirst),
    tool: call([text.tools]),
    toolredact: call([text.toolsRedact]),
    toolblock: call([text.toolsBlock]),
    heartbeat: say(text.redact, { pause: 3000 }),
    error: say(text.clean, { status: 400, side: `The token is ${token}, write to ${address}.` }),
    broken: say(text.redact, { ending: 'error', side: `The token is ${token}, write to ${address}.` }),
    cut: say(text.cut, { ending: 'cut' }),
    late: say(text.cut, { ending: 'late' }),
    length: { answers: [{ text: text.cut, finish: 'length' }] },
    toolcut: { answers: [{ text: '', tools: [{ ...text.tools, cut: 24 }], finish: 'length' }] },
    two: {
        answers: [
            { text: text.redact, finish: 'stop' },
            { text: text.second, finish: 'stop' },
        ],
    },
    ids: say(text.clean, { id: token }),
    side: say(text.clean, { side: text.redact }),
    copies: say(text.clean, { copy: text.redact }),
    aside: say(text.clean, { side: text.block }),
    thought: { answers: [{ reasoning: text.clean, text: text.clean, finish: 'stop' }] },
    reasoning: { answers: [{ reasoning: text.redact, text: text.clean, finish: 'stop' }] },
};

// Arguments as the model wrote them.
export const writtenArguments = ({ arguments: args, cut }) => JSON.stringify(args).slice(0, cut);

// A model's name is the scenario and the number of the case: "redact-17".
export function scenarioOf(model) {
    const name = /^([a-z]+)-\d+$/.exec(model)?.[1];
    return name && Object.hasOwn(scenarios, name) ? scenarios[name] : null;
}

export const USAGE = { input: 41, output: 23 };

// Deltas of one to five characters.
export function pieces(string) {
    const sizes = [1, 3, 2, 5, 1, 4];
    const characters = [...string];
    const out = [];
    for (let i = 0, at = 0; at < characters.length; i++) {
        const size = sizes[i % sizes.length];
        out.push(characters.slice(at, at + size).join(''));
        at += size;
    }
    return out;
}
