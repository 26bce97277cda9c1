// anthropic.mjs - Anthropic's Messages.
import { USAGE, pieces, writtenArguments } from '../scenarios.mjs';
import { assemble, chatter } from './frames.mjs';

const FINISH = { stop: 'end_turn', tool: 'tool_use', length: 'max_tokens' };
const usage = { input_tokens: USAGE.input, output_tokens: USAGE.output };
const citation = script => ({
    type: 'char_location',
    cited_text: script.side,
    document_index: 0,
    document_title: script.side,
    start_char_index: 0,
    end_char_index: 40,
    file_id: null,
});
const frame = data => ({ event: data.type, data });
const messageOf = (script, model, content, stop_reason) => ({
    id: script.id ?? 'msg_01XK',
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason,
    stop_sequence: null,
    usage,
});

function blocks(script) {
    const [answer] = script.answers;
    return [
        ...(answer.reasoning ? [{ type: 'thinking', thinking: answer.reasoning, signature: 'c2lnbmF0dXJl' }] : []),
        ...(answer.text
            ? [{ type: 'text', text: answer.text, ...(script.side ? { citations: [citation(script)] } : {}) }]
            : []),
        ...(answer.tools ?? []).map((tool, i) => ({
            type: 'tool_use',
            id: `toolu_${i + 1}`,
            name: tool.name,
            input: tool.cut ? {} : tool.arguments, // this vendor shows what was whole of it
            written: writtenArguments(tool),
        })),
    ];
}

function blockFrames(script, block, index) {
    const delta = body => frame({ type: 'content_block_delta', index, delta: body });
    if (block.type === 'thinking') {
        return {
            before: [
                frame({ type: 'content_block_start', index, content_block: { ...block, thinking: '', signature: '' } }),
            ],
            middle: pieces(block.thinking).map(thinking => delta({ type: 'thinking_delta', thinking })),
            after: [
                delta({ type: 'signature_delta', signature: block.signature }),
                frame({ type: 'content_block_stop', index }),
            ],
        };
    }
    if (block.type === 'text') {
        return {
            before: [frame({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } })],
            middle: pieces(block.text).map(text => delta({ type: 'text_delta', text })),
            after: [
                ...(block.citations ?? []).map(item => delta({ type: 'citations_delta', citation: item })),
                frame({ type: 'content_block_stop', index }),
            ],
        };
    }
    return {
        before: [frame({ type: 'content_block_start', index, content_block: { ...block, written: undefined, input: {} } })],
        middle: pieces(block.written).map(partial_json =>
            delta({ type: 'input_json_delta', partial_json }),
        ),
        after: [frame({ type: 'content_block_stop', index })],
    };
}

export default [
    {
        name: 'anthropic',
        route: (method, path, body) =>
            method === 'POST' && path === '/v1/messages' && { model: body.model, stream: body.stream === true },
        // The AI SDK sends the one form, the vendor's own package since 1.12 the other.
        auth: headers =>
            Boolean(headers['anthropic-version']) &&
            (headers['x-api-key'] === 'key-of-the-tests' || headers.authorization === 'Bearer key-of-the-tests'),
        stream(script, { model }) {
            const parts = blocks(script).map((block, i) => blockFrames(script, block, i));
            return assemble(script, {
                before: [
                    frame({
                        type: 'message_start',
                        message: { ...messageOf(script, model, [], null), usage: { ...usage, output_tokens: 1 } },
                    }),
                    ...chatter(script),
                    ...parts[0].before,
                    frame({ type: 'ping' }),
                ],
                middle: parts[0].middle,
                after: [
                    ...parts[0].after,
                    ...parts.slice(1).flatMap(part => [...part.before, ...part.middle, ...part.after]),
                    frame({
                        type: 'message_delta',
                        delta: { stop_reason: FINISH[script.answers[0].finish], stop_sequence: null },
                        usage: { output_tokens: USAGE.output },
                    }),
                    frame({ type: 'message_stop' }),
                ],
                error: [
                    frame({
                        type: 'error',
                        error: { type: 'overloaded_error', message: `Overloaded. ${script.side}` },
                    }),
                ],
            });
        },
        whole: (script, { model }) =>
            messageOf(
                script,
                model,
                blocks(script).map(block => ({ ...block, written: undefined })),
                FINISH[script.answers[0].finish],
            ),
        error: script => ({
            type: 'error',
            error: { type: 'invalid_request_error', message: `Refused. ${script.side}` },
            request_id: 'req_011C',
        }),
    },
];
