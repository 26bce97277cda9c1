// cohere_v1.mjs - Cohere's chat, version 1: a JSON object a line, and one at the end that repeats the answer.
import { USAGE, pieces } from '../scenarios.mjs';
import { assemble } from './frames.mjs';

const FINISH = { stop: 'COMPLETE', tool: 'COMPLETE', length: 'MAX_TOKENS' };
const line = data => ({ data: { is_finished: false, ...data }, line: true });
const meta = {
    api_version: { version: '1' },
    billed_units: { input_tokens: USAGE.input, output_tokens: USAGE.output },
    tokens: { input_tokens: USAGE.input, output_tokens: USAGE.output },
};
const callsOf = answer => answer.tools?.map(({ name, arguments: parameters }) => ({ name, parameters }));
const idOf = script => script.id ?? '3c6d2f10-7a55';

function answerOf(script) {
    const [answer] = script.answers;
    return {
        response_id: '5f0a2c77-41d0',
        generation_id: idOf(script),
        text: script.copy ?? answer.text ?? '',
        finish_reason: FINISH[answer.finish],
        chat_history: [
            { role: 'USER', message: 'What is the news?' },
            { role: 'CHATBOT', message: script.copy ?? answer.text ?? '' },
        ],
        ...(answer.tools ? { tool_calls: callsOf(answer) } : {}),
        ...(script.side ? { citations: [{ start: 0, end: 4, text: script.side, document_ids: ['doc_0'] }] } : {}),
        ...(script.side ? { documents: [{ id: 'doc_0', snippet: script.side }] } : {}),
        meta,
    };
}

export default [
    {
        name: 'cohere-v1',
        type: 'application/stream+json',
        route: (method, path, body) =>
            method === 'POST' && path === '/v1/chat' && { model: body.model, stream: body.stream === true },
        auth: headers => headers.authorization === 'Bearer key-of-the-tests',
        stream(script) {
            const [answer] = script.answers;
            return assemble(script, {
                before: [line({ event_type: 'stream-start', generation_id: idOf(script) })],
                middle: pieces(answer.text ?? '').map(text => line({ event_type: 'text-generation', text })),
                after: [
                    line({
                        event_type: 'citation-generation',
                        citations: script.side ? answerOf(script).citations : [],
                    }),
                    ...(answer.tools ? [line({ event_type: 'tool-calls-generation', tool_calls: callsOf(answer) })] : []),
                    line({
                        event_type: 'stream-end',
                        is_finished: true,
                        finish_reason: FINISH[answer.finish],
                        response: answerOf(script),
                    }),
                ],
                error: [
                    line({
                        event_type: 'stream-end',
                        is_finished: true,
                        finish_reason: 'ERROR',
                        error: `Failed. ${script.side}`,
                        response: { ...answerOf(script), finish_reason: 'ERROR' },
                    }),
                ],
            });
        },
        whole: answerOf,
        error: script => ({ message: `Refused. ${script.side}` }),
    },
];
