// genai.mjs - the package "@google/genai".
import { GoogleGenAI } from '@google/genai';

const connect = ({ base, key }) => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: base } });
const request = ({ model, choices, tool }) => ({
    model,
    contents: 'What is the news?',
    config: {
        ...(choices > 1 ? { candidateCount: choices } : {}),
        ...(tool
            ? {
                  tools: [
                      {
                          functionDeclarations: [
                              { name: tool.name, description: tool.description, parametersJsonSchema: tool.parameters },
                          ],
                      },
                  ],
              }
            : {}),
    },
});

function read(part, result) {
    for (const { index = 0, content, finishReason } of part.candidates ?? []) {
        const parts = content?.parts ?? [];
        result.texts[index] =
            (result.texts[index] ?? '') + parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join('');
        result.finishes[index] = finishReason ?? result.finishes[index];
        result.tools.push(
            ...parts
                .filter(({ functionCall }) => functionCall)
                .map(({ functionCall: { name, args } }) => ({ name, arguments: args })),
        );
    }
    const usage = part.usageMetadata;
    result.usage = usage ? [usage.promptTokenCount, usage.candidatesTokenCount] : result.usage;
}

const row = {
    wire: 'gemini',
    choices: true,
    tools: true,
    finish: { stop: 'STOP', tool: 'STOP', filtered: 'SPII', length: 'MAX_TOKENS' },
};
export default [
    {
        ...row,
        name: 'genai, stream',
        streams: true,
        run: async (context, result) => {
            for await (const part of await connect(context).models.generateContentStream(request(context))) {
                read(part, result);
            }
        },
    },
    {
        ...row,
        name: 'genai, whole',
        run: async (context, result) => read(await connect(context).models.generateContent(request(context)), result),
    },
];
