// cohere.mjs - Cohere's chat, version 2.
import { USAGE, pieces, writtenArguments } from '../scenarios.mjs';
import { assemble, chatter } from './frames.mjs';

const FINISH = { stop: 'COMPLETE', tool: 'TOOL_CALL', length: 'MAX_TOKENS' };
const usage = {
    billed_units: { input_tokens: USAGE.input, output_tokens: USAGE.output },
    tokens: { input_tokens: USAGE.input, output_tokens: USAGE.output },
};
const frame = data => ({ event: data.type, data });
const citation = script => ({
    start: 0,
    end: 20,
    text: script.side,
    sources: [{ type: 'document', id: 'doc:1', document: { id: 'doc:1', text: script.side } }],
});
const toolCall = (tool, i) => ({
    id: `${tool.name}_${i + 1}`,
    type: 'function',
    function: { name: tool.name, arguments: writtenArguments(tool) },
});

function textFrames(script, text, index) {
    return {
        before: [frame({ type: 'content-start', index, delta: { message: { content: { type: 'text', text: '' } } } })],
        middle: pieces(text).map(piece =>
            frame({
                type: 'content-delta',
                index,
                delta: { message: { content: { text: piece } } },
                ...(script.side
                    ? { logprobs: { text: piece, token_ids: [...Buffer.from(piece)], logprobs: [-0.1] } }
                    : {}),
            }),
        ),
        after: [
            ...(script.side
                ? [
                      frame({ type: 'citation-start', index, delta: { message: { citations: citation(script) } } }),
                      frame({ type: 'citation-end', index }),
                  ]
                : []),
            frame({ type: 'content-end', index }),
        ],
    };
}

function thinkingFrames(thinking) {
    const content = piece => ({ message: { content: piece } });
    return {
        before: [frame({ type: 'content-start', index: 0, delta: content({ type: 'thinking', thinking: '' }) })],
        middle: pieces(thinking).map(piece =>
            frame({ type: 'content-delta', index: 0, delta: content({ thinking: piece }) }),
        ),
        after: [frame({ type: 'content-end', index: 0 })],
    };
}

function callFrames(call, index) {
    return {
        before: [
            frame({
                type: 'tool-call-start',
                index,
                delta: { message: { tool_calls: { ...call, function: { ...call.function, arguments: '' } } } },
            }),
        ],
        middle: pieces(call.function.arguments).map(piece =>
            frame({
                type: 'tool-call-delta',
                index,
                delta: { message: { tool_calls: { function: { arguments: piece } } } },
            }),
        ),
        after: [frame({ type: 'tool-call-end', index })],
    };
}

export default [
    {
        name: 'cohere',
        route: (method, path, body) =>
            method === 'POST' && path === '/v2/chat' && { model: body.model, stream: body.stream === true },
        auth: headers => headers.authorization === 'Bearer key-of-the-tests',
        stream(script) {
            const [answer] = script.answers;
            const parts = [
                ...(answer.reasoning ? [thinkingFrames(answer.reasoning)] : []),
                ...(answer.text ? [textFrames(script, answer.text, answer.reasoning ? 1 : 0)] : []),
                ...(answer.tools ?? []).map(toolCall).map(callFrames),
            ];
            return assemble(script, {
                before: [
                    frame({
                        type: 'message-start',
                        id: script.id ?? '29f1b6d0-5c8e',
                        delta: {
                            message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] },
                        },
                    }),
                    ...chatter(script),
                    ...parts[0].before,
                ],
                middle: parts[0].middle,
                after: [
                    ...parts[0].after,
                    ...parts.slice(1).flatMap(part => [...part.before, ...part.middle, ...part.after]),
                    frame({ type: 'message-end', delta: { finish_reason: FINISH[answer.finish], usage } }),
                ],
                error: [
                    frame({
                        type: 'message-end',
                        delta: { finish_reason: 'ERROR', error: `Failed. ${script.side}`, usage },
                    }),
                ],
            });
        },
        whole(script) {
            const [answer] = script.answers;
            return {
                id: script.id ?? '29f1b6d0-5c8e',
                finish_reason: FINISH[answer.finish],
                message: {
                    role: 'assistant',
                    ...(answer.text
                        ? {
                              content: [
                                  ...(answer.reasoning ? [{ type: 'thinking', thinking: answer.reasoning }] : []),
                                  { type: 'text', text: answer.text },
                              ],
                          }
                        : {}),
                    ...(answer.tools ? { tool_calls: answer.tools.map(toolCall) } : {}),
                    ...(script.side ? { citations: [citation(script)] } : {}),
                },
                ...(script.side
                    ? { logprobs: [{ text: script.side, token_ids: [...Buffer.from(script.side)], logprobs: [-0.1] }] }
                    : {}),
                usage,
            };
        },
        error: script => ({ id: 'e-1', message: `Refused. ${script.side}` }),
    },
];
