// processes.mjs - the upstream and filterd as processes of their own.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const running = [];
const here = path.dirname(new URL(import.meta.url).pathname);

function start(command, args, options = {}) {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
    running.push(child);
    return child;
}

export async function stopAll() {
    await Promise.all(
        running
            .filter(child => child.exitCode === null && child.signalCode === null)
            .map(child => {
                child.kill('SIGTERM');
                const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
                return once(child, 'exit').then(() => clearTimeout(timer));
            }),
    );
    folders.forEach(folder => fs.rmSync(folder, { recursive: true, force: true }));
}
const folders = [];

// Waits for a line on one of the child's outputs; the rest of it is kept in child.log.
function line(child, output, pattern, seconds) {
    child.log = '';
    child.stdout.on('data', chunk => (child.log += chunk));
    child.stderr.on('data', chunk => (child.log += chunk));
    return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`not ready in time: ${child.log}`)), seconds * 1000);
        child.on('exit', code => reject(new Error(`ended with ${code}: ${child.log}`)));
        child[output].on('data', () => {
            const found = pattern.exec(child.log);
            if (found) {
                clearTimeout(timer);
                resolve(found);
            }
        });
    });
}

export async function startUpstream() {
    const child = start(process.execPath, [path.join(here, 'upstream.mjs')]);
    child.stderr.pipe(process.stderr);
    const [, port] = await line(child, 'stdout', /^(\d+)\n/, 10);
    const hits = async model => Number(await (await fetch(`http://127.0.0.1:${port}/hits/${model}`)).text());
    return { host: '127.0.0.1', port: Number(port), hits };
}

export async function startService() {
    throw new Error('filterd has no proxy yet: --direct');
}
