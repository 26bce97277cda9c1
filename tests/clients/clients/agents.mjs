// agents.mjs - programs that people talk to: Codex, Claude Code, opencode. What counts is what they print.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { noticed, reads } from '../expect.mjs';
import { text } from '../scenarios.mjs';

const QUESTION = 'What is the news?';
const modules = 'agents/node_modules';

// Without the request for a session's title, which is a second one for the same answer.
function opencodeConfig(base, key, model) {
    const provider = {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${base}/v1`, apiKey: key },
        models: { [model]: { name: model } },
    };
    return { model: `f/${model}`, share: 'disabled', agent: { title: { disable: true } }, provider: { f: provider } };
}

function programs({ base, key, model }, home) {
    const provider = { name: 'f', base_url: `${base}/v1`, env_key: 'PROVIDER_KEY', wire_api: 'responses' };
    const toml = Object.entries(provider).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    return {
        codex: {
            file: `${modules}/.bin/codex`,
            args: ['exec', '--skip-git-repo-check', '-m', model, '-c', 'model_provider=f']
                .concat('-c', `model_providers.f={${toml.join(',')}}`, QUESTION),
            env: { CODEX_HOME: home, PROVIDER_KEY: key },
        },
        claude: {
            file: `${modules}/@anthropic-ai/claude-code-linux-x64/claude`,
            args: ['-p', QUESTION, '--model', model],
            env: {
                ANTHROPIC_BASE_URL: base,
                ANTHROPIC_API_KEY: key,
                CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
            },
        },
        opencode: {
            file: `${modules}/opencode-linux-x64/bin/opencode`,
            args: ['run', QUESTION],
            env: {
                OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(base, key, model)),
                OPENCODE_DISABLE_AUTOUPDATE: '1',
                OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
                OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
                OPENCODE_DISABLE_MODELS_FETCH: '1',
            },
        },
    };
}

const run = name => async (context, result) => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'filterd-agent.'));
    const { file, args, env } = programs(context, home)[name];
    const child = spawn(path.join(context.build, file), args, {
        cwd: home,
        env: { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: home, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    child.stdout.on('data', chunk => (out += chunk));
    child.stderr.resume();
    context.onTimeout(() => child.kill('SIGKILL'));
    const code = await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
    fs.rmSync(home, { recursive: true, force: true });
    result.texts = [out.trim()];
    if (code !== 0) {
        throw new Error(`ended with ${code}: ${out.slice(-150)}`);
    }
};

const expectations = {
    clean: reads(text.clean),
    redact: reads(text.redact),
    auto: seen => [...(seen.result.error ? ['an error'] : []), ...noticed(seen, seen.result.texts[0] ?? '')],
};
const row = { only: Object.keys(expectations), expectations, seconds: 240, finish: {} };

export default [
    { ...row, name: 'Codex', wire: 'openai', run: run('codex') },
    { ...row, name: 'Claude Code', wire: 'anthropic', run: run('claude') },
    { ...row, name: 'opencode', wire: 'openai', run: run('opencode') },
];
