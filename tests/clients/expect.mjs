// expect.mjs - what a client has to have seen of each scenario; each function returns complaints.
import { USAGE, text } from './scenarios.mjs';
import { isDeepStrictEqual } from 'node:util';

export const toolDescription = {
    name: 'send_mail',
    description: 'Sends a message.',
    parameters: {
        type: 'object',
        properties: { to: { type: 'string' }, subject: { type: 'string' }, body: { type: 'string' } },
        required: ['to', 'subject', 'body'],
    },
};

export const schemaDescription = {
    name: 'contact',
    schema: {
        type: 'object',
        properties: { name: { type: 'string' }, note: { type: 'string' }, email: { type: 'string' } },
        required: ['name', 'note', 'email'],
        additionalProperties: false,
    },
};

const show = value => JSON.stringify(value) ?? 'nothing';
const same = (what, expected, actual) =>
    isDeepStrictEqual(expected, actual) ? [] : [`${what}: expected ${show(expected)}, got ${show(actual)}`];
const noError = ({ error }) => (error ? [`an error: ${show(error)}`] : []);

const answered =
    texts =>
    ({ result, driver, judged }) => [
        ...noError(result),
        ...same(
            'text',
            texts.map(each => judged.text(each)),
            result.texts,
        ),
        ...(result.copies ? same('text at the end', result.texts, result.copies) : []),
        ...same(
            'finish',
            texts.map(() => driver.finish.stop),
            result.finishes,
        ),
    ];

const called =
    call =>
    ({ result, driver, judged }) => [
        ...noError(result),
        ...same('calls', [{ name: call.name, arguments: judged.arguments(call.arguments) }], result.tools),
        ...same('finish', [driver.finish.tool], result.finishes),
    ];

// What was said before the notice is the beginning of what may be said; in a stream, most of it.
export function noticed({ result, judged, driver: { streams } }, allowed) {
    const [said] = result.texts;
    const at = said?.indexOf(judged.notice) ?? -1;
    if (at < 0) {
        return [`no notice: ${show(said)}`];
    }
    const before = said.slice(0, at).trimEnd();
    return [
        ...(allowed.startsWith(before) ? [] : [`said before the notice: ${show(before)}`]),
        ...(streams && allowed && before.length < 30 ? [`held back: ${show(said)}`] : []),
        ...(said.slice(at + judged.notice.length) === '' ? [] : [`said behind the notice: ${show(said)}`]),
    ];
}

// Responses that are streamed end as whole ones, for the sake of who asks again otherwise.
const autoFinish = ({ copies, streams }) => (copies && streams ? 'stop' : 'filtered');
const askedOnce = ({ hits, driver }) => same('requests that reached the upstream', driver.asks ?? 1, hits);
const costs = ({ result, driver }) => (driver.costs ? same('usage', [USAGE.input, USAGE.output], result.usage) : []);

const withheld = (allowed, finish) => seen => [
    ...noError(seen.result),
    ...askedOnce(seen),
    ...(allowed ? costs(seen) : []),
    ...noticed(seen, allowed),
    ...(seen.result.copies ? same('text at the end', seen.result.texts, seen.result.copies) : []),
    ...same('calls', [], seen.result.tools),
    ...same(
        'finish',
        [seen.driver.finish[finish === 'auto' ? (seen.driver.auto ?? autoFinish(seen.driver)) : finish]],
        seen.result.finishes,
    ),
];

// The notice stands in no value; that there was a block is told all the same, once.
const spared = seen => {
    const { result, judged } = seen;
    const [said = ''] = result.texts;
    const inText = said.includes(judged.notice) && said.trim() !== judged.notice;
    const inValue = JSON.stringify(result.values ?? []).includes(judged.notice);
    const isTold =
        said.includes(judged.notice) ||
        (result.refusal ?? '').includes(judged.notice) ||
        (result.error?.message ?? '').includes(judged.notice) ||
        result.finishes.includes(seen.driver.finish.filtered) ||
        result.error?.name === 'ContentFilterFinishReasonError' ||
        seen.driver.halfValue?.includes(result.error?.name);
    return [
        ...(inText ? [`the notice in the text: ${show(said)}`] : []),
        ...(inValue ? [`the notice in a value: ${show(result.values)}`] : []),
        ...(isTold ? [] : [`nobody is told: ${show(result)}`]),
        ...askedOnce(seen),
    ];
};

const valued = ({ result, judged }) => [
    ...noError(result),
    ...same('value', JSON.parse(judged.text(text.json)), (result.values ?? []).at(-1)),
];

// An error with this status, and the upstream asked once: no client tries again.
const refused =
    status =>
    ({ result, hits }) => [
        ...same('status', status, result.error?.status),
        ...same('text', '', result.texts.join('')),
        ...same('calls', [], result.tools),
        ...same('requests that reached the upstream', 1, hits),
    ];

// The answer broke off: what was said is the beginning of what may be said, and nobody can take it
// for a whole answer.
const brokenOff =
    whole =>
    ({ result, driver, judged }) => {
        const said = result.texts[0] ?? '';
        const ends = driver.finish.stop === result.finishes[0] && !result.error && !said.includes(judged.notice);
        return [
            ...(judged.cut(whole, said) ? [] : [`said: ${show(said)}`]),
            ...(ends ? [`finish ${show(result.finishes)} without an error`] : []),
            ...same('calls', [], result.tools),
        ];
    };

// The answer ended for its length, and says so: a part of a secret at its end stands as a label.
const lengthened = ({ result, driver }) => [
    ...noError(result),
    ...(/^Please keep this for the build: \[[a-z-]+\]$/.test(result.texts[0]) ? [] : [`said: ${show(result.texts)}`]),
    ...(result.copies ? same('text at the end', result.texts, result.copies) : []),
    ...same('finish', [driver.finish.length], result.finishes),
];

// Nobody can run a call that was cut off, and nobody is blamed for it.
const uncalled = ({ result, driver }) => [
    ...noError(result),
    ...same('text', '', result.texts.join('')),
    ...same('calls', [], result.tools),
    ...same('finish', [driver.finish.length], result.finishes),
];

// What filterd makes of a secret where no text belongs is its own affair: the answer has to end.
const ended = ({ result }) => (result.error || result.texts.length === 1 ? [] : [`no answer: ${show(result)}`]);

// A signed block of reasoning cannot be redacted in place: it becomes text that is no reasoning.
const reasoned = seen => {
    const [said = ''] = seen.result.texts;
    const signed = seen.driver.wire === 'anthropic' ? seen.judged.text(text.redact) : '';
    return answered([text.clean])({ ...seen, result: { ...seen.result, texts: [said.slice(signed.length)] } });
};

const usage = seen => [
    ...answered([text.clean])(seen),
    ...same('usage', [USAGE.input, USAGE.output], seen.result.usage),
];

const kept = ({ longestGap }) => (longestGap > 2400 ? [`silence of ${Math.round(longestGap)} ms`] : []);

// What a person reads of a client that tells no more than the text.
export const reads =
    each =>
    ({ result, judged }) => [
        ...noError(result),
        ...(result.texts[0]?.includes(judged.text(each)) ? [] : [`it printed: ${show(result.texts)}`]),
    ];

// Of a framework that gives its last output alone.
export const frameworkExpectations = {
    clean: reads(text.clean),
    redact: reads(text.redact),
    auto: seen => [...noError(seen.result), ...noticed(seen, text.before), ...askedOnce(seen)],
    json: valued,
    jsonblock: spared,
    jsonfirst: spared,
};

export const expectations = {
    clean: answered([text.clean]),
    usage,
    redact: answered([text.redact]),
    encoded: answered([text.encoded]),
    soft: withheld(text.before, 'filtered'),
    turn: withheld(text.before, 'stop'),
    hard: refused(400),
    auto: withheld(text.before, 'auto'),
    autotool: withheld('', 'auto'),
    json: valued,
    jsonblock: spared,
    jsonfirst: spared,
    tool: called(text.tools),
    toolredact: called(text.toolsRedact),
    toolblock: withheld('', 'filtered'),
    heartbeat: seen => [...answered([text.redact])(seen), ...kept(seen)],
    error: refused(400),
    broken: brokenOff(text.redact),
    cut: brokenOff(text.cut),
    late: brokenOff(text.cut),
    length: lengthened,
    toolcut: uncalled,
    two: answered([text.redact, text.second]),
    side: answered([text.clean]),
    copies: answered([text.clean]),
    thought: answered([text.clean]),
    reasoning: reasoned,
    aside: ended,
    ids: ended,
};

// Before a gateway of another make a block is an error of its making.
export const stopped =
    allowed =>
    ({ result, judged }) => [
        ...(result.error ? [] : ['no error']),
        ...(allowed.startsWith((result.texts[0] ?? '').replace(judged.notice, ''))
            ? []
            : [`said: ${show(result.texts)}`]),
        ...same('calls', [], result.tools),
    ];

// Protocols that end a text before they say why the answer ended; the Responses API is one, too.
const LATE_REASONS = ['anthropic', 'cohere'];

// Their upstreams read the calls themselves and send whole ones alone.
const WHOLE_CALLS = ['gemini', 'ollama'];
const callsAreWhole = driver => driver.wholeCalls || WHOLE_CALLS.includes(driver.wire);

// Which scenarios a client's row can play.
export function plays(driver, scenario) {
    return (
        (!scenario.includes('tool') || driver.tools) &&
        (!scenario.startsWith('json') || driver.structured) &&
        (scenario !== 'two' || driver.choices) &&
        (scenario !== 'late' || (driver.streams && (driver.copies || LATE_REASONS.includes(driver.wire)))) &&
        (scenario !== 'toolcut' || !callsAreWhole(driver)) &&
        (scenario !== 'copies' || driver.copies || driver.repeats) &&
        (!['broken', 'heartbeat', 'copies'].includes(scenario) || driver.streams) &&
        (!driver.only || driver.only.includes(scenario))
    );
}
