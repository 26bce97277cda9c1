// litellm.mjs - the package "openai" before a LiteLLM proxy that asks filterd about what comes back
// (/beta/litellm_basic_guardrail_api). A block is an error there, of LiteLLM's making.
//
// Left out, for LiteLLM never asks: in a stream it hands on the arguments of calls before it shows
// them to the guardrail, it repeats the upstream's headers as llm_provider-…, and since 1.110 members of a whole answer that it
// does not know. Of two choices it streams the finish of one.
import { stopped } from '../expect.mjs';
import { text } from '../scenarios.mjs';
import openai from './openai.mjs';

const expectations = { soft: stopped(text.before), hard: stopped(''), toolredact: stopped(''), toolblock: stopped('') };
const unasked = /^llm_provider-.*$|"provider_note":"[^"]*"/gm;
const texts = ['clean', 'usage', 'redact', 'encoded', 'soft', 'hard', 'tool'];

const redacting = openai
    .filter(({ name }) => ['openai chat, events', 'openai chat, whole'].includes(name))
    .map(row => ({
        ...row,
        name: row.name.replace('openai chat', 'litellm'),
        litellm: 'redacting',
        expectations,
        only: row.streams ? texts : [...texts, 'toolredact', 'toolblock', 'two'],
        unasked,
    }));

// docs/operations.md's example as it stands there: what would be redacted blocks. Streams of other routes than chat
// completions end without a text then, and without an error.
const silent = ({ result }) =>
    result.texts.join('') === '' && result.tools.length === 0 ? [] : [`said: ${JSON.stringify(result.texts)}`];
const documented = openai
    .filter(({ name }) => /^openai (chat|responses), (events|whole)$/.test(name))
    .map(row => ({
        ...row,
        name: row.name.replace('openai', 'litellm, documented,'),
        litellm: 'documented',
        expectations:
            row.name === 'openai responses, events'
                ? { redact: silent, soft: silent, hard: silent }
                : { redact: stopped('Write to '), soft: stopped(text.before), hard: stopped('') },
        only: ['clean', 'redact', 'soft', 'hard'],
        unasked,
    }));

export default [...redacting, ...documented];
