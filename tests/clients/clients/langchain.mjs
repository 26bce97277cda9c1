// langchain.mjs - the package "@langchain/openai": Chat Completions and Responses.
import { ChatOpenAI } from '@langchain/openai';

const connect = ({ base, key, model, tool }, useResponsesApi) => {
    const chat = new ChatOpenAI({ model, apiKey: key, useResponsesApi, configuration: { baseURL: `${base}/v1` } });
    return tool
        ? chat.bindTools([
              {
                  type: 'function',
                  function: { name: tool.name, description: tool.description, parameters: tool.parameters },
              },
          ])
        : chat;
};
const textOf = ({ content }) => (typeof content === 'string' ? content : content.map(part => part.text ?? '').join(''));

function read(message, result) {
    const { response_metadata: end = {}, usage_metadata: usage, tool_calls: calls = [] } = message;
    result.finishes = [end.incomplete_details?.reason ?? end.finish_reason ?? end.status];
    result.tools = calls.map(({ name, args }) => ({ name, arguments: args }));
    result.usage = usage && [usage.input_tokens, usage.output_tokens];
}

const stream = responses => async (context, result) => {
    let all = null;
    result.texts = [''];
    for await (const chunk of await connect(context, responses).stream('What is the news?')) {
        result.texts[0] += textOf(chunk);
        all = all ? all.concat(chunk) : chunk;
    }
    read(all, result);
};
const whole = responses => async (context, result) => {
    const message = await connect(context, responses).invoke('What is the news?');
    result.texts = [textOf(message)];
    read(message, result);
};

const chat = {
    wire: 'openai',
    tools: true,
    finish: { stop: 'stop', tool: 'tool_calls', filtered: 'content_filter', length: 'length' },
};
const responses = {
    wire: 'openai',
    copies: true,
    tools: true,
    finish: { stop: 'completed', tool: 'completed', filtered: 'content_filter', length: 'max_output_tokens' },
};
export default [
    { ...chat, name: 'langchain chat, stream', streams: true, run: stream(false) },
    { ...chat, name: 'langchain chat, whole', run: whole(false) },
    { ...responses, name: 'langchain responses, stream', streams: true, run: stream(true) },
    { ...responses, name: 'langchain responses, whole', run: whole(true) },
];
