// anthropic.mjs - the package "@anthropic-ai/sdk".
import Anthropic from '@anthropic-ai/sdk';

const connect = ({ base, key }) => new Anthropic({ baseURL: base, apiKey: key });
const request = ({ model, tool }) => ({
    model,
    max_tokens: 500,
    messages: [{ role: 'user', content: 'What is the news?' }],
    ...(tool ? { tools: [{ name: tool.name, description: tool.description, input_schema: tool.parameters }] } : {}),
});

function read(message, result) {
    result.texts = [
        message.content
            .filter(block => block.type === 'text')
            .map(block => block.text)
            .join(''),
    ];
    result.finishes = [message.stop_reason];
    result.tools = message.content
        .filter(block => block.type === 'tool_use')
        .map(({ name, input }) => ({ name, arguments: input }));
    result.usage = [message.usage.input_tokens, message.usage.output_tokens];
}

async function events(context, result) {
    const blocks = [];
    let input = 0;
    result.texts = [''];
    for await (const event of await connect(context).messages.create({ ...request(context), stream: true })) {
        if (event.type === 'message_start') {
            input = event.message.usage.input_tokens;
        } else if (event.type === 'content_block_start') {
            blocks[event.index] = { ...event.content_block, json: '' };
        } else if (event.type === 'content_block_delta') {
            result.texts[0] += event.delta.text ?? '';
            blocks[event.index].json += event.delta.partial_json ?? '';
        } else if (event.type === 'message_delta') {
            result.finishes = [event.delta.stop_reason];
            result.usage = [input, event.usage.output_tokens];
        }
    }
    result.tools = blocks
        .filter(block => block.type === 'tool_use')
        .map(({ name, json }) => ({ name, arguments: JSON.parse(json) }));
}

const row = {
    wire: 'anthropic',
    tools: true,
    finish: { stop: 'end_turn', tool: 'tool_use', filtered: 'refusal', length: 'max_tokens' },
};
export default [
    { ...row, name: 'anthropic, events', streams: true, run: events },
    {
        ...row,
        name: 'anthropic, stream helper',
        streams: true,
        run: async (context, result) =>
            read(await connect(context).messages.stream(request(context)).finalMessage(), result),
    },
    {
        ...row,
        name: 'anthropic, whole',
        run: async (context, result) => read(await connect(context).messages.create(request(context)), result),
    },
];
