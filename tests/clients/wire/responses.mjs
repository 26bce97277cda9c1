// responses.mjs - OpenAI's Responses. The whole text stands in four events at the end once more.
import { USAGE, pieces, writtenArguments } from '../scenarios.mjs';
import { assemble, chatter, logprob } from './frames.mjs';

const usage = {
    input_tokens: USAGE.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: USAGE.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: USAGE.input + USAGE.output,
};

const annotations = script =>
    script.side
        ? [
              {
                  type: 'url_citation',
                  start_index: 9,
                  end_index: 20,
                  url: `https://portal.test/${encodeURIComponent(script.side)}`,
                  title: script.side,
              },
          ]
        : [];
const logprobs = (script, text) => (script.side ? pieces(text).map(logprob) : []);
const textPart = (script, text) => ({
    type: 'output_text',
    text,
    annotations: annotations(script),
    logprobs: logprobs(script, text),
});

const isCut = script => script.answers[0].finish === 'length';
const statusOf = script => (isCut(script) ? 'incomplete' : 'completed');

function items(script) {
    const [answer] = script.answers;
    return [
        ...(answer.reasoning
            ? [{ id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: answer.reasoning }] }]
            : []),
        ...(answer.text
            ? [
                  {
                      id: 'msg_7d21',
                      type: 'message',
                      status: statusOf(script),
                      role: 'assistant',
                      content: [textPart(script, answer.text)],
                  },
              ]
            : []),
        ...(answer.tools ?? []).map((tool, i) => ({
            id: `fc_${i + 1}`,
            type: 'function_call',
            status: statusOf(script),
            call_id: `call_${i + 1}`,
            name: tool.name,
            arguments: writtenArguments(tool),
        })),
    ];
}

const responseOf = (script, model, status, output) => ({
    id: script.id ?? 'resp_4b0c',
    object: 'response',
    created_at: 1760000000,
    status,
    background: false,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    max_output_tokens: null,
    model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: status === 'in_progress' ? null : usage,
    user: null,
    metadata: {},
});

function messageEvents(script, item, output_index) {
    const at = { item_id: item.id, output_index, content_index: 0 };
    const [part] = item.content;
    return {
        before: [
            { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [] } },
            {
                type: 'response.content_part.added',
                ...at,
                part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
            },
        ],
        middle: pieces(part.text).map(delta => ({
            type: 'response.output_text.delta',
            ...at,
            delta,
            logprobs: script.side ? [logprob(delta)] : [],
            obfuscation: 'x7Qp',
        })),
        after: [
            ...part.annotations.map((annotation, annotation_index) => ({
                type: 'response.output_text.annotation.added',
                ...at,
                annotation_index,
                annotation,
            })),
            { type: 'response.output_text.done', ...at, text: part.text, logprobs: part.logprobs },
            { type: 'response.content_part.done', ...at, part },
            { type: 'response.output_item.done', output_index, item },
        ],
    };
}

function reasoningEvents(item, output_index) {
    const at = { item_id: item.id, output_index, summary_index: 0 };
    const [part] = item.summary;
    return {
        before: [
            { type: 'response.output_item.added', output_index, item: { ...item, summary: [] } },
            { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
        ],
        middle: pieces(part.text).map(delta => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
        after: [
            { type: 'response.reasoning_summary_text.done', ...at, text: part.text },
            { type: 'response.reasoning_summary_part.done', ...at, part },
            { type: 'response.output_item.done', output_index, item },
        ],
    };
}

function callEvents(item, output_index) {
    const at = { item_id: item.id, output_index };
    return {
        before: [
            {
                type: 'response.output_item.added',
                output_index,
                item: { ...item, status: 'in_progress', arguments: '' },
            },
        ],
        middle: pieces(item.arguments).map(delta => ({
            type: 'response.function_call_arguments.delta',
            ...at,
            delta,
            obfuscation: 'x7',
        })),
        after: [
            { type: 'response.function_call_arguments.done', ...at, name: item.name, arguments: item.arguments },
            { type: 'response.output_item.done', output_index, item },
        ],
    };
}

// An upstream whose copies say something else than its deltas did.
function miscopied(script, event) {
    const { text } = script.answers[0];
    return script.copy
        ? JSON.parse(JSON.stringify(event, (_, value) => (value === text ? script.copy : value)))
        : event;
}

export default [
    {
        name: 'openai-responses',
        route: (method, path, body) =>
            method === 'POST' && path === '/v1/responses' && { model: body.model, stream: body.stream === true },
        auth: headers => headers.authorization === 'Bearer key-of-the-tests',
        stream(script, { model }) {
            const output = items(script);
            const events = {
                message: (item, i) => messageEvents(script, item, i),
                reasoning: reasoningEvents,
                function_call: callEvents,
            };
            const parts = output.map((item, i) => events[item.type](item, i));
            let sequence_number = 0;
            const frame = event => ({ event: event.type, data: { ...event, sequence_number: sequence_number++ } });
            const copy = event => frame(miscopied(script, event));
            return assemble(script, {
                before: [
                    frame({ type: 'response.created', response: responseOf(script, model, 'in_progress', []) }),
                    ...chatter(script),
                    frame({ type: 'response.in_progress', response: responseOf(script, model, 'in_progress', []) }),
                    ...parts[0].before.map(frame),
                ],
                middle: parts[0].middle.map(frame),
                after: [
                    ...parts[0].after.map(copy),
                    ...parts
                        .slice(1)
                        .flatMap(part => [...part.before, ...part.middle, ...part.after])
                        .map(frame),
                    copy({
                        type: `response.${statusOf(script)}`,
                        response: responseOf(script, model, statusOf(script), output),
                    }),
                ],
                error: [frame({ type: 'error', code: 'server_error', message: `Failed. ${script.side}`, param: null })],
            });
        },
        whole: (script, { model }) => responseOf(script, model, statusOf(script), items(script)),
        error: script => ({
            error: {
                message: `Refused. ${script.side}`,
                type: 'invalid_request_error',
                param: null,
                code: 'bad_input',
            },
        }),
    },
];
