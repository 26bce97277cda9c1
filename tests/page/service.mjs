// service.mjs - a filterd of its own with made-up decisions: tests/demo-review as a child process.
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';

// The line of JSON that it prints, with stop(). Throws what it says when it does not start.
export async function startService(bindir, options = []) {
    const child = spawn('tests/demo-review', ['--quiet', ...options, bindir], {stdio: ['ignore', 'pipe', 'pipe']});
    let complaints = '';
    child.stderr.on('data', (data) => { complaints += data; });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const line = await Promise.race([
        new Promise((resolve) => createInterface({input: child.stdout}).once('line', resolve)),
        ended.then(() => undefined),
    ]);
    if (line === undefined) throw new Error(`demo-review ended:\n${complaints}`);
    const service = JSON.parse(line);
    // The script waits for filterd: it goes on, and cleans up, when filterd has ended.
    return {...service, stop: async () => { try { process.kill(service.pid, 'SIGTERM'); } catch { /* it has ended */ } await ended; }};
}
