// main.mjs - runs the cases, one after the other, against one filterd; prints each, and what failed.
import {parseArgs} from 'node:util';
import {closeBrowser} from './browser.mjs';
import {cases} from './cases.mjs';
import {takeScreenshots} from './screenshots.mjs';
import {startService} from './service.mjs';

const {values: options, positionals: [bindir]} = parseArgs({
    allowPositionals: true,
    options: {only: {type: 'string'}, show: {type: 'boolean'}, screenshots: {type: 'boolean'}},
});
if (!bindir) {
    console.error('usage: tests/page/run [--only=REGEX] [--show] [--screenshots] BINDIR');
    process.exit(2);
}

async function runCases() {
    const service = await startService(bindir, ['--count', '400', '--hostile']);
    const chosen = cases.filter(({name}) => new RegExp(options.only ?? '').test(name));
    let failed = 0;
    for (const {name, run} of chosen) {
        const begun = Date.now(), problems = [];
        try {
            await run(service, (condition, what) => { if (!condition) problems.push(what); }, bindir);
        } catch (error) {
            problems.push(options.show ? error.stack : error.message.split('\n').slice(0, 3).join(' '));
        }
        failed += problems.length > 0;
        console.log(`${problems.length > 0 ? 'FAIL' : 'ok  '} ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
        for (const problem of problems.slice(0, 20)) console.log(`       ${problem}`);
        if (problems.length > 20) console.log(`       and ${problems.length - 20} more`);
    }
    await service.stop();
    console.log(`page: ${chosen.length - failed} passed, ${failed} failed`);
    return failed === 0 && chosen.length > 0 ? 0 : 1;
}

let code = 2;
try {
    code = options.screenshots ? await takeScreenshots(bindir) : await runCases();
} catch (error) {
    console.error(`tests/page: ${error.message}`);
} finally {
    await closeBrowser();
}
process.exit(code);
