// ollama.mjs - the package "ollama": chat and generate.
import { Ollama } from 'ollama';

const connect = ({ base }) => new Ollama({ host: base });
const chatRequest = ({ model, tool }) => ({
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

function read(part, result) {
    result.texts[0] = (result.texts[0] ?? '') + (part.message?.content ?? part.response ?? '');
    result.tools.push(
        ...(part.message?.tool_calls ?? []).map(call => ({
            name: call.function.name,
            arguments: call.function.arguments,
        })),
    );
    if (part.done) {
        result.finishes = [part.done_reason];
        result.usage = [part.prompt_eval_count, part.eval_count];
    }
}

async function readAll(stream, result) {
    for await (const part of stream) {
        read(part, result);
    }
}

const finish = { stop: 'stop', tool: 'stop', filtered: 'content_filter', length: 'length' };
const chat = { wire: 'ollama', tools: true, finish };
const generate = { wire: 'ollama', finish };
const prompt = ({ model }) => ({ model, prompt: 'What is the news?' });
export default [
    {
        ...chat,
        name: 'ollama chat, stream',
        streams: true,
        run: async (context, result) =>
            readAll(await connect(context).chat({ ...chatRequest(context), stream: true }), result),
    },
    {
        ...chat,
        name: 'ollama chat, whole',
        run: async (context, result) => read(await connect(context).chat(chatRequest(context)), result),
    },
    {
        ...generate,
        name: 'ollama generate, stream',
        streams: true,
        run: async (context, result) =>
            readAll(await connect(context).generate({ ...prompt(context), stream: true }), result),
    },
    {
        ...generate,
        name: 'ollama generate, whole',
        run: async (context, result) => read(await connect(context).generate(prompt(context)), result),
    },
];
