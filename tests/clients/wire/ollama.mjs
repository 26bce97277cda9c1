// ollama.mjs - Ollama's chat and generate: one JSON object a line.
import { USAGE, pieces } from '../scenarios.mjs';
import { assemble } from './frames.mjs';

const created_at = '2026-10-09T08:53:20.000000Z';
const counts = {
    total_duration: 5000000,
    load_duration: 10000,
    prompt_eval_count: USAGE.input,
    eval_count: USAGE.output,
};
const FINISH = { stop: 'stop', tool: 'stop', length: 'length' };
const line = data => ({ data, line: true });
const streams = body => body.stream !== false;
const note = script => (script.side ? { provider_note: script.side } : {});
// Here a token's number is its letter's, so that whoever has the numbers has the text.
const context = script => [...Buffer.from(script.answers[0].text)];

function protocol(path, message, tail) {
    return {
        name: `ollama${path.replaceAll('/', '-').replace('-api', '')}`,
        ndjson: true,
        route: (method, at, body) => method === 'POST' && at === path && { model: body.model, stream: streams(body) },
        auth: () => true,
        stream(script, { model }) {
            const [answer] = script.answers;
            const calls = answer.tools ? message('', answer.tools) : null;
            return assemble(script, {
                before: [],
                middle: [
                    ...pieces(answer.reasoning ?? '').map(piece =>
                        line({ model, created_at, ...message('', undefined, piece), done: false }),
                    ),
                    ...pieces(answer.text).map(piece =>
                        line({ model, created_at, ...message(piece), ...note(script), done: false }),
                    ),
                    ...(calls ? [line({ model, created_at, ...calls, done: false })] : []),
                ],
                after: [
                    line({
                        model,
                        created_at,
                        ...message(''),
                        done: true,
                        done_reason: FINISH[script.answers[0].finish],
                        ...tail(script),
                        ...counts,
                    }),
                ],
                error: [line({ error: `Failed. ${script.side}` })],
            });
        },
        whole: (script, { model }) => ({
            model,
            created_at,
            ...message(script.answers[0].text, script.answers[0].tools, script.answers[0].reasoning),
            ...note(script),
            done: true,
            done_reason: FINISH[script.answers[0].finish],
            ...tail(script),
            ...counts,
        }),
        error: script => ({ error: `Refused. ${script.side}` }),
    };
}

const chatMessage = (content, tools, thinking) => ({
    message: {
        role: 'assistant',
        content,
        ...(thinking ? { thinking } : {}),
        ...(tools
            ? { tool_calls: tools.map(({ name, arguments: args }) => ({ function: { name, arguments: args } })) }
            : {}),
    },
});

export default [
    protocol('/api/chat', chatMessage, () => ({})),
    protocol(
        '/api/generate',
        (response, _, thinking) => ({ response, ...(thinking ? { thinking } : {}) }),
        script => ({ context: context(script) }),
    ),
];
