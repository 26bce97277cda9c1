// cohere.mjs - the package "cohere-ai", version 2 of the API.
import { CohereClientV2 } from 'cohere-ai';

const connect = ({ base, key }) => new CohereClientV2({ token: key, environment: base });
const request = ({ model, tool }) => ({
    model,
    messages: [{ role: 'user', content: 'What is the news?' }],
    ...(tool
        ? {
              tools: [
                  {
                      type: 'function',
                      function: { name: tool.name, description: tool.description, parameters: tool.parameters },
                  },
              ],
          }
        : {}),
});
const usageOf = usage => usage && [usage.tokens.inputTokens, usage.tokens.outputTokens];

async function stream(context, result) {
    const calls = [];
    result.texts = [''];
    for await (const event of await connect(context).chatStream(request(context))) {
        const call = event.delta?.message?.toolCalls;
        if (event.type === 'content-delta') {
            result.texts[0] += event.delta.message.content.text ?? '';
        } else if (event.type === 'tool-call-start') {
            calls[event.index] = { name: call.function.name, text: call.function.arguments };
        } else if (event.type === 'tool-call-delta') {
            calls[event.index].text += call.function.arguments;
        } else if (event.type === 'message-end') {
            result.finishes = [event.delta.finishReason];
            result.usage = usageOf(event.delta.usage);
        }
    }
    result.tools = calls.filter(Boolean).map(({ name, text }) => ({ name, arguments: JSON.parse(text) }));
}

async function whole(context, result) {
    const { message, finishReason, usage } = await connect(context).chat(request(context));
    result.texts = [(message.content ?? []).map(({ text }) => text ?? '').join('')];
    result.finishes = [finishReason];
    result.tools = (message.toolCalls ?? []).map(call => ({
        name: call.function.name,
        arguments: JSON.parse(call.function.arguments),
    }));
    result.usage = usageOf(usage);
}

// This API has no word for a filtered answer: it ends as one that is not whole.
const row = {
    wire: 'cohere',
    tools: true,
    finish: { stop: 'COMPLETE', tool: 'TOOL_CALL', filtered: 'ERROR', length: 'MAX_TOKENS' },
};
export default [
    { ...row, name: 'cohere, stream', streams: true, run: stream },
    { ...row, name: 'cohere, whole', run: whole },
];
