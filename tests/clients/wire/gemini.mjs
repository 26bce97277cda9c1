// gemini.mjs - Google's generateContent and streamGenerateContent (alt=sse).
import { USAGE, pieces } from '../scenarios.mjs';
import { assemble, chatter, interleave } from './frames.mjs';

const FINISH = { stop: 'STOP', tool: 'STOP', length: 'MAX_TOKENS' };
const usageMetadata = {
    promptTokenCount: USAGE.input,
    candidatesTokenCount: USAGE.output,
    totalTokenCount: USAGE.input + USAGE.output,
};
const errorOf = script => ({ error: { code: 400, message: `Refused. ${script.side}`, status: 'INVALID_ARGUMENT' } });
const safetyRatings = [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }];

const calls = answer => (answer.tools ?? []).map(({ name, arguments: args }) => ({ functionCall: { name, args } }));
const candidate = (index, parts, more = {}) => ({ index, content: { role: 'model', parts }, ...more });

function endOf(script) {
    return {
        finishReason: FINISH[script.answers[0].finish],
        safetyRatings,
        ...(script.side
            ? {
                  citationMetadata: {
                      citations: [
                          {
                              startIndex: 0,
                              endIndex: 20,
                              uri: `https://portal.test/${encodeURIComponent(script.side)}`,
                              title: script.side,
                          },
                      ],
                  },
                  avgLogprobs: -0.1,
                  logprobsResult: {
                      chosenCandidates: pieces(script.answers[0].text).map(token => ({
                          token,
                          tokenId: 7,
                          logProbability: -0.1,
                      })),
                  },
              }
            : {}),
    };
}

export default [
    {
        name: 'gemini',
        route(method, path) {
            const found = /^\/v1(?:beta)?\/models\/([^:/]+):(generateContent|streamGenerateContent)$/.exec(path);
            return method === 'POST' && found && { model: found[1], stream: found[2] === 'streamGenerateContent' };
        },
        auth: headers => headers['x-goog-api-key'] === 'key-of-the-tests',
        stream(script, { model }) {
            const chunk = (candidates, more = {}) => ({
                data: { candidates, modelVersion: model, responseId: script.id ?? 'rEsP0nse', ...more },
            });
            const answers = script.answers.map((answer, index) => [
                ...pieces(answer.reasoning ?? '').map(text => chunk([candidate(index, [{ text, thought: true }])])),
                ...pieces(answer.text).map(text => chunk([candidate(index, [{ text }])])),
                ...calls(answer).map(part => chunk([candidate(index, [part])])),
            ]);
            return assemble(script, {
                before: chatter(script).slice(0, 1), // the vendor's package loses an event behind an id
                middle: interleave(answers),
                after: script.answers.map((_, index) =>
                    chunk([candidate(index, [{ text: '' }], endOf(script))], { usageMetadata }),
                ),
                error: [{ data: errorOf(script) }],
            });
        },
        whole: (script, { model }) => ({
            candidates: script.answers.map((answer, index) =>
                candidate(
                    index,
                    [
                        ...(answer.reasoning ? [{ text: answer.reasoning, thought: true }] : []),
                        ...(answer.text ? [{ text: answer.text }] : []),
                        ...calls(answer),
                    ],
                    endOf(script),
                ),
            ),
            usageMetadata,
            modelVersion: model,
            responseId: script.id ?? 'rEsP0nse',
        }),
        error: errorOf,
    },
];
