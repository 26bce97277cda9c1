// ai.mjs - the AI SDK: the package "ai" with four providers.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateObject, generateText, jsonSchema, streamObject, streamText } from 'ai';

globalThis.AI_SDK_LOG_WARNINGS = false;

const models = {
    chat: ({ base, key, model }) => createOpenAI({ baseURL: `${base}/v1`, apiKey: key }).chat(model),
    responses: ({ base, key, model }) => createOpenAI({ baseURL: `${base}/v1`, apiKey: key }).responses(model),
    compatible: ({ base, key, model }) =>
        createOpenAICompatible({ name: 'local', baseURL: `${base}/v1`, apiKey: key, includeUsage: true })(model),
    anthropic: ({ base, key, model }) => createAnthropic({ baseURL: `${base}/v1`, apiKey: key })(model),
};

const request = (kind, context) => ({
    model: models[kind](context),
    prompt: 'What is the news?',
    ...(context.tool
        ? {
              tools: {
                  [context.tool.name]: {
                      description: context.tool.description,
                      inputSchema: jsonSchema(context.tool.parameters),
                  },
              },
          }
        : {}),
});
const toolOf = ({ toolName, input }) => ({ name: toolName, arguments: input });
const usageOf = usage => [usage.inputTokens, usage.outputTokens];

// Each state of the object, as a page would show it.
async function streamedObject(kind, context, result) {
    const { partialObjectStream, finishReason, object } = streamObject({
        ...request(kind, context),
        schema: jsonSchema(context.structured.schema),
        onError: ({ error }) => (result.error ??= error),
    });
    result.values = [];
    for await (const value of partialObjectStream) {
        result.values.push(value);
    }
    result.finishes = [await finishReason];
    await object;
}

async function wholeObject(kind, context, result) {
    const answer = await generateObject({ ...request(kind, context), schema: jsonSchema(context.structured.schema) });
    result.values = [answer.object];
    result.finishes = [answer.finishReason];
}

// The error of an object that is none has the text and why it ended.
const object = play => async (kind, context, result) => {
    try {
        await play(kind, context, result);
    } catch (error) {
        result.texts = [error.text ?? ''];
        result.finishes = error.finishReason ? [error.finishReason] : result.finishes;
        throw error;
    }
};

const parts = kind => async (context, result) => {
    if (context.structured) {
        return object(streamedObject)(kind, context, result);
    }
    const { fullStream } = streamText({ ...request(kind, context), onError: () => {} });
    result.texts = [''];
    for await (const part of fullStream) {
        if (part.type === 'text-delta') {
            result.texts[0] += part.text;
        } else if (part.type === 'tool-call') {
            result.tools.push(toolOf(part));
        } else if (part.type === 'error') {
            result.error ??= part.error;
        } else if (part.type === 'finish') {
            result.finishes = [part.finishReason];
            result.usage = usageOf(part.totalUsage);
        }
    }
};

const whole = kind => async (context, result) => {
    if (context.structured) {
        return object(wholeObject)(kind, context, result);
    }
    const answer = await generateText(request(kind, context));
    result.texts = [answer.text];
    result.tools = answer.toolCalls.map(toolOf);
    result.finishes = [answer.finishReason];
    result.usage = usageOf(answer.usage);
};

const finish = { stop: 'stop', tool: 'tool-calls', filtered: 'content-filter', length: 'length' };
export default Object.keys(models).flatMap(kind => {
    const row = {
        wire: kind === 'anthropic' ? 'anthropic' : 'openai',
        copies: kind === 'responses',
        tools: true,
        structured: kind !== 'anthropic', // of models that it does not know it asks for a call
        finish,
    };
    return [
        { ...row, name: `ai ${kind}, stream`, streams: true, run: parts(kind) },
        { ...row, name: `ai ${kind}, whole`, run: whole(kind) },
    ];
});
