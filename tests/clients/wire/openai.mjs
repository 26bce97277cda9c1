// openai.mjs - Chat Completions and the older Completions.
import { USAGE, pieces, writtenArguments } from '../scenarios.mjs';
import { assemble, chatter, interleave, logprob } from './frames.mjs';

const FINISH = { stop: 'stop', tool: 'tool_calls', length: 'length' };
const usage = { prompt_tokens: USAGE.input, completion_tokens: USAGE.output, total_tokens: USAGE.input + USAGE.output };
const errorOf = script => ({
    error: { message: `Refused. ${script.side}`, type: 'invalid_request_error', param: null, code: 'bad_input' },
});
const bearer = headers => headers.authorization === 'Bearer key-of-the-tests';

const toolCall = (tool, index) => ({
    index,
    id: `call_${index + 1}`,
    type: 'function',
    function: { name: tool.name, arguments: writtenArguments(tool) },
});

function chatDeltas(answer, index, script, chunk) {
    const choice = (delta, more = {}) => chunk([{ index, delta, logprobs: null, finish_reason: null, ...more }]);
    const out = [choice({ role: 'assistant', content: '' })];
    for (const piece of pieces(answer.reasoning ?? '')) {
        out.push(choice({ reasoning_content: piece }));
    }
    for (const piece of pieces(answer.text)) {
        out.push(
            choice({ content: piece }, script.side ? { logprobs: { content: [logprob(piece)], refusal: null } } : {}),
        );
    }
    (answer.tools ?? []).map(toolCall).forEach(call => {
        out.push(choice({ tool_calls: [{ ...call, function: { ...call.function, arguments: '' } }] }));
        for (const piece of pieces(call.function.arguments)) {
            out.push(choice({ tool_calls: [{ index: call.index, function: { arguments: piece } }] }));
        }
    });
    return out;
}

const chat = {
    name: 'openai-chat',
    route: (method, path, body) =>
        method === 'POST' && path === '/v1/chat/completions' && { model: body.model, stream: body.stream === true },
    auth: bearer,
    stream(script, { model, body }) {
        const chunk = (choices, more = {}) => ({
            data: {
                id: script.id ?? 'chatcmpl-8c1f',
                object: 'chat.completion.chunk',
                created: 1760000000,
                model,
                system_fingerprint: 'fp_44709d6fcb',
                choices,
                ...(script.side ? { provider_note: script.side, obfuscation: 'x7Qp' } : {}),
                ...more,
            },
        });
        const answers = script.answers.map((answer, index) => chatDeltas(answer, index, script, chunk));
        return assemble(script, {
            before: chatter(script),
            middle: interleave(answers),
            after: [
                ...script.answers.map(({ finish }, index) =>
                    chunk([{ index, delta: {}, logprobs: null, finish_reason: FINISH[finish] }]),
                ),
                ...(body.stream_options?.include_usage ? [chunk([], { usage })] : []),
                { data: '[DONE]' },
            ],
            error: [{ data: errorOf(script) }, { data: '[DONE]' }],
        });
    },
    whole: (script, { model }) => ({
        id: script.id ?? 'chatcmpl-8c1f',
        object: 'chat.completion',
        created: 1760000000,
        model,
        choices: script.answers.map((answer, index) => ({
            index,
            message: {
                role: 'assistant',
                content: answer.text || null,
                refusal: null,
                ...(answer.reasoning ? { reasoning_content: answer.reasoning } : {}),
                ...(answer.tools
                    ? { tool_calls: answer.tools.map((tool, i) => ({ ...toolCall(tool, i), index: undefined })) }
                    : {}),
            },
            logprobs: script.side ? { content: pieces(answer.text).map(logprob), refusal: null } : null,
            finish_reason: FINISH[answer.finish],
        })),
        ...(script.side ? { provider_note: script.side } : {}),
        usage,
    }),
    error: errorOf,
};

const completions = {
    name: 'openai-completions',
    route: (method, path, body) =>
        method === 'POST' && path === '/v1/completions' && { model: body.model, stream: body.stream === true },
    auth: bearer,
    stream(script, { model, body }) {
        const chunk = (choices, more = {}) => ({
            data: {
                id: script.id ?? 'cmpl-8c1f',
                object: 'text_completion',
                created: 1760000000,
                model,
                choices,
                ...more,
            },
        });
        const answers = script.answers.map(({ text }, index) =>
            pieces(text).map((piece, at) =>
                chunk([
                    {
                        index,
                        text: piece,
                        finish_reason: null,
                        logprobs: script.side
                            ? {
                                  tokens: [piece],
                                  token_logprobs: [-0.1],
                                  top_logprobs: [{ [piece]: -0.1 }],
                                  text_offset: [at],
                              }
                            : null,
                    },
                ]),
            ),
        );
        return assemble(script, {
            before: chatter(script),
            middle: interleave(answers),
            after: [
                ...script.answers.map(({ finish }, index) =>
                    chunk([{ index, text: '', logprobs: null, finish_reason: finish }]),
                ),
                ...(body.stream_options?.include_usage ? [chunk([], { usage })] : []),
                { data: '[DONE]' },
            ],
            error: [{ data: errorOf(script) }, { data: '[DONE]' }],
        });
    },
    whole: (script, { model }) => ({
        id: script.id ?? 'cmpl-8c1f',
        object: 'text_completion',
        created: 1760000000,
        model,
        choices: script.answers.map(({ text, finish }, index) => ({
            index,
            text,
            finish_reason: finish,
            logprobs: script.side
                ? {
                      tokens: pieces(text),
                      token_logprobs: pieces(text).map(() => -0.1),
                      top_logprobs: pieces(text).map(piece => ({ [piece]: -0.1 })),
                      text_offset: pieces(text).map((_, i) => i),
                  }
                : null,
        })),
        usage,
    }),
    error: errorOf,
};

export default [chat, completions];
