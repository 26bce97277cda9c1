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

const redacting = openai
    .filter(({ name }) => ['openai chat, events', 'openai chat, whole'].includes(name))
    .map(row => ({
        ...row,
        name: row.name.replace('openai chat', 'litellm'),
        litellm: 'redacting',
        expectations,
        only: row.streams ? texts : [...texts, 'toolredact', 'toolblock', 'two'],
        unasked: /^llm_provider-.*$/gm,
    }));

// docs/operations.md's example as it stands there: what would be redacted blocks. In streams of other routes than chat
// completions LiteLLM hands on what it has not asked about yet; the page says so.
const documented = openai
    .filter(({ name }) => ['openai chat, events', 'openai chat, whole', 'openai responses, whole'].includes(name))
    .map(row => ({
        ...row,
        name: row.name.replace('openai', 'litellm, documented,'),
        litellm: 'documented',
        expectations: { redact: stopped('Write to '), soft: stopped(text.before), hard: stopped('') },
        only: ['clean', 'redact', 'soft', 'hard'],
        unasked: /^llm_provider-.*$/gm,
    }));

export default [...redacting, ...documented];
