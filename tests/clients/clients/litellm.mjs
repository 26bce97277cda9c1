// litellm.mjs - the package "openai" before a LiteLLM proxy that asks filterd about what comes back
// (/beta/litellm_basic_guardrail_api). A block is an error there, of LiteLLM's making.
//
// Left out, for LiteLLM never asks: in a stream it hands on the arguments of calls before it shows
// them to the guardrail, and it repeats the upstream's headers as llm_provider-…. Of two choices it
// streams the finish of one.
import { stopped } from '../expect.mjs';
import { text } from '../scenarios.mjs';
import openai from './openai.mjs';

const expectations = { soft: stopped(text.before), hard: stopped(''), toolredact: stopped(''), toolblock: stopped('') };
const texts = ['clean', 'usage', 'redact', 'encoded', 'soft', 'hard', 'tool'];

export default openai
    .filter(({ name }) => ['openai chat, events', 'openai chat, whole'].includes(name))
    .map(row => ({
        ...row,
        name: row.name.replace('openai chat', 'litellm'),
        litellm: true,
        expectations,
        only: row.streams ? texts : [...texts, 'toolredact', 'toolblock', 'two'],
        unasked: /^llm_provider-.*$/gm,
    }));
