// sdks.mjs - the package "@openai/agents", by the Responses API as it does by itself, and by chat completions.
import { Agent, OpenAIProvider, Runner } from '@openai/agents';
import { frameworkExpectations } from '../expect.mjs';

const outputType = ({ name, schema }) => ({ type: 'json_schema', name, strict: true, schema });

async function start({ base, key, model, structured }, useResponses, stream) {
    const modelProvider = new OpenAIProvider({ apiKey: key, baseURL: `${base}/v1`, useResponses });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const agent = new Agent({ name: 'a', model, ...(structured ? { outputType: outputType(structured) } : {}) });
    return runner.run(agent, 'What is the news?', { stream });
}

const finish = ({ finalOutput }, result) => {
    const isText = typeof finalOutput === 'string';
    result.texts = isText ? [finalOutput] : [''];
    result.values = isText ? [] : [finalOutput];
};

const whole = useResponses => async (context, result) => finish(await start(context, useResponses, false), result);
const stream = useResponses => async (context, result) => {
    const answer = await start(context, useResponses, true);
    for await (const part of answer.toTextStream()) {
        result.texts[0] = (result.texts[0] ?? '') + part;
    }
    await answer.completed;
    if (answer.error) {
        throw answer.error;
    }
    finish(answer, result);
};

const row = {
    wire: 'openai',
    structured: true,
    halfValue: ['ModelBehaviorError'], // half a value is none: it says so, and nothing of why
    seconds: 90,
    finish: {},
    expectations: frameworkExpectations,
    only: Object.keys(frameworkExpectations),
};
export default [
    { ...row, name: '@openai/agents responses, stream', run: stream(true) },
    { ...row, name: '@openai/agents responses, whole', run: whole(true) },
    { ...row, name: '@openai/agents chat, stream', run: stream(false) },
    { ...row, name: '@openai/agents chat, whole', run: whole(false) },
];
