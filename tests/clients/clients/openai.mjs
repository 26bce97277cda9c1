// openai.mjs - the package "openai": Chat Completions, Completions, Responses.
import OpenAI from 'openai';

const connect = ({ base, key }) => new OpenAI({ baseURL: `${base}/v1`, apiKey: key });
const messages = [{ role: 'user', content: 'What is the news?' }];
const functionOf = ({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
});

const chatRequest = ({ model, choices, tool, structured }) => ({
    model,
    messages,
    logprobs: true,
    top_logprobs: 1,
    ...(choices > 1 ? { n: choices } : {}),
    ...(tool ? { tools: [functionOf(tool)] } : {}),
    ...(structured ? { response_format: { type: 'json_schema', json_schema: { ...structured, strict: true } } } : {}),
});

// What a program would read of a text that is JSON.
function readValue(text, result) {
    try {
        result.values = [JSON.parse(text)];
    } catch {
        result.values = [];
    }
}

function readChoices(choices, result) {
    for (const { index, message, finish_reason } of choices) {
        result.refusal = message.refusal;
        readValue(message.content, result);
        result.texts[index] = message.content ?? '';
        result.finishes[index] = finish_reason;
        result.tools.push(
            ...(message.tool_calls ?? []).map(call => ({
                name: call.function.name,
                arguments: JSON.parse(call.function.arguments),
            })),
        );
    }
}
const chatUsage = usage => usage && [usage.prompt_tokens, usage.completion_tokens];

async function chatEvents(context, result) {
    const calls = [];
    const stream = await connect(context).chat.completions.create({
        ...chatRequest(context),
        stream: true,
        stream_options: { include_usage: true },
    });
    for await (const chunk of stream) {
        for (const { index, delta, finish_reason } of chunk.choices) {
            result.texts[index] = (result.texts[index] ?? '') + (delta.content ?? '');
            result.refusal = (result.refusal ?? '') + (delta.refusal ?? '');
            result.finishes[index] = finish_reason ?? result.finishes[index];
            for (const call of delta.tool_calls ?? []) {
                calls[call.index] ??= { name: '', text: '' };
                calls[call.index].name += call.function.name ?? '';
                calls[call.index].text += call.function.arguments ?? '';
            }
        }
        result.usage = chatUsage(chunk.usage) ?? result.usage;
    }
    result.tools = calls.map(({ name, text }) => ({ name, arguments: JSON.parse(text) }));
    readValue(result.texts[0], result);
}

async function chatHelper(context, result) {
    const stream = connect(context).chat.completions.stream({
        ...chatRequest(context),
        stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    readChoices(final.choices, result);
    result.usage = chatUsage(final.usage);
}

async function chatWhole(context, result) {
    const answer = await connect(context).chat.completions.create(chatRequest(context));
    readChoices(answer.choices, result);
    result.usage = chatUsage(answer.usage);
}

const completionRequest = ({ model, choices }) => ({
    model,
    prompt: 'The news:',
    logprobs: 1,
    ...(choices > 1 ? { n: choices } : {}),
});

async function completionEvents(context, result) {
    const stream = await connect(context).completions.create({
        ...completionRequest(context),
        stream: true,
        stream_options: { include_usage: true },
    });
    for await (const chunk of stream) {
        for (const { index, text, finish_reason } of chunk.choices) {
            result.texts[index] = (result.texts[index] ?? '') + text;
            result.finishes[index] = finish_reason ?? result.finishes[index];
        }
        result.usage = chatUsage(chunk.usage) ?? result.usage;
    }
}

async function completionWhole(context, result) {
    const answer = await connect(context).completions.create(completionRequest(context));
    for (const { index, text, finish_reason } of answer.choices) {
        result.texts[index] = text;
        result.finishes[index] = finish_reason;
    }
    result.usage = chatUsage(answer.usage);
}

const responsesRequest = ({ model, tool, structured }) => ({
    model,
    input: 'What is the news?',
    include: ['message.output_text.logprobs'],
    ...(structured ? { text: { format: { type: 'json_schema', ...structured, strict: true } } } : {}),
    ...(tool
        ? {
              tools: [
                  {
                      type: 'function',
                      name: tool.name,
                      description: tool.description,
                      parameters: tool.parameters,
                      strict: false,
                  },
              ],
          }
        : {}),
});

function readResponse(response, result) {
    result.texts = [
        response.output
            .flatMap(item => item.content ?? [])
            .map(part => part.text ?? '')
            .join(''),
    ];
    result.refusal = response.output
        .flatMap(item => item.content ?? [])
        .map(part => part.refusal ?? '')
        .join('');
    readValue(result.texts[0], result);
    result.finishes = [response.incomplete_details?.reason ?? response.status];
    result.tools = response.output
        .filter(item => item.type === 'function_call')
        .map(({ name, arguments: args }) => ({ name, arguments: JSON.parse(args) }));
    result.usage = response.usage && [response.usage.input_tokens, response.usage.output_tokens];
}

// The text of the deltas, the calls and the end from the events that carry them whole.
async function responsesEvents(context, result) {
    const stream = await connect(context).responses.create({ ...responsesRequest(context), stream: true });
    result.texts = [''];
    for await (const event of stream) {
        if (event.type === 'response.output_text.delta') {
            result.texts[0] += event.delta;
        } else if (event.type === 'response.function_call_arguments.done') {
            result.tools.push({ name: event.name, arguments: JSON.parse(event.arguments) });
        } else if (event.type === 'error') {
            throw new Error(event.message);
        } else if (event.response?.status && event.response.status !== 'in_progress') {
            const last = { tools: [] };
            readResponse(event.response, last);
            result.refusal = last.refusal;
            result.values = last.values;
            result.finishes = last.finishes;
            result.usage = last.usage;
            result.copies = last.texts;
        }
    }
}

async function responsesHelper(context, result) {
    readResponse(await connect(context).responses.stream(responsesRequest(context)).finalResponse(), result);
}

async function responsesWhole(context, result) {
    readResponse(await connect(context).responses.create(responsesRequest(context)), result);
}

const chat = {
    wire: 'openai',
    choices: true,
    tools: true,
    structured: true,
    finish: { stop: 'stop', tool: 'tool_calls', filtered: 'content_filter', length: 'length' },
};
const older = {
    wire: 'openai',
    choices: true,
    finish: { stop: 'stop', filtered: 'content_filter', length: 'length' },
};
const responses = {
    wire: 'openai',
    copies: true,
    tools: true,
    structured: true,
    finish: { stop: 'completed', tool: 'completed', filtered: 'content_filter', length: 'max_output_tokens' },
};

export default [
    { ...chat, name: 'openai chat, events', streams: true, costs: true, run: chatEvents },
    { ...chat, name: 'openai chat, stream helper', streams: true, costs: true, run: chatHelper },
    { ...chat, name: 'openai chat, whole', run: chatWhole },
    { ...older, name: 'openai completions, events', streams: true, costs: true, run: completionEvents },
    { ...older, name: 'openai completions, whole', run: completionWhole },
    { ...responses, name: 'openai responses, events', streams: true, run: responsesEvents },
    { ...responses, name: 'openai responses, stream helper', streams: true, run: responsesHelper },
    { ...responses, name: 'openai responses, whole', run: responsesWhole },
];
