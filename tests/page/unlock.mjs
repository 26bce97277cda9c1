// unlock.mjs - a granted original is opened in the browser, with an identity file that stays there.
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {axe, DESK, open, overflow} from './browser.mjs';
import {press} from './journey.mjs';

const lines = (service) => readFileSync(`${service.dir}/state/decisions.jsonl`, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
const accesses = (service, what) => lines(service).filter((line) => line.type === 'access' && line.what === what);

// What an agent wrote, with what a page should not run or turn around; blocked for the key, so it is sealed whole.
const HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script> \u202egnp.exe';
async function judge(service, text) {
    const token = readFileSync(`${service.dir}/agents.token`, 'utf8').trim(), before = lines(service).length;
    await fetch(`${service.callers}/v1/filter`, {
        method: 'POST', headers: {'Content-Type': 'application/json', Authorization: `Bearer ${token}`},
        body: JSON.stringify({text, tenant: 'acme', agent: 'unlock'}),
    });
    return lines(service).slice(before).find((line) => line.type === 'decision' && line.sealed);
}

// Asked for by anna, granted by ben; its id.
async function grant(service, page, seq) {
    for (let i = 0; i < 50; i++) { // until the index has the line
        const answer = await page.goto(`${service.page}/records/${seq}`);
        if (answer.status() === 200) break;
        await page.waitForTimeout(100);
    }
    await page.goto(`${service.page}/reveals?item=${seq}`);
    await press(page, '/reveals', 'asked', {purpose: 'incident', case: 'INC-4712'});
    const {request} = lines(service).filter((line) => line.type === 'reveal').at(-1), ben = await open(service, {who: 'ben'});
    await ben.page.goto(`${service.page}/reveals`);
    await press(ben.page, `/reveals/${request}`, 'approved');
    await ben.close();
    return request;
}

// The same original, encrypted to a second group within: to a new identity of the returned file.
function sealTwice(service, {blob}) {
    const key = (name) => `${service.dir}/${name}.key`, age = (input, ...options) => execFileSync('age', options, {input});
    execFileSync('age-keygen', ['-o', key('second')], {stdio: 'ignore'});
    const to = (name) => ['-r', execFileSync('age-keygen', ['-y', key(name)]).toString().trim()];
    const box = execFileSync('age', ['-d', '-i', key('anna'), `${service.dir}/state/seal/${blob.slice(0, 2)}/${blob}.age`]);
    writeFileSync(key('both'), readFileSync(key('anna'), 'utf8') + readFileSync(key('second'), 'utf8'));
    return age(age(box, ...to('second')), ...to('anna'));
}

const NAMES = ['identity', 'wrong', 'second', 'format', 'grant', 'gone', 'why', 'server'];
async function sentence(page) {
    const shown = [];
    for (const name of NAMES) if (await page.locator(`[data-say="${name}"]`).isVisible()) shown.push(name);
    return shown.join();
}

const WAITED = '[data-say]:not([hidden]), [data-original]:not([hidden])';
const opener = (page, id) => async (path) => {
    const form = page.locator(`form[action$="/reveals/${id}/key"]`);
    await form.locator('input[type=file]').setInputFiles(path);
    await form.locator('button').click();
    await page.waitForSelector(WAITED);
};

const twoGroups = {
    name: 'an original of two groups is opened in the browser with an identity of each; what is none, and what is gone, is said; closing ends it',
    run: async (service, expect) => {
        const anna = await open(service, {who: 'anna'}), {page} = anna, key = `AKIA${'W2E4R6T3Y5U7I2O4'}`;
        const {seq, sealed} = await judge(service, `aws_access_key_id = ${key}\n`), id = await grant(service, page, seq);
        const tryFile = opener(page, id), body = sealTwice(service, sealed), answers = {body, status: 200};
        await page.route('**/file', (route) => route.fulfill(answers));
        await page.goto(`${service.page}/reveals`);
        await tryFile(`${service.dir}/anna.key`);
        expect(await sentence(page) === 'second', `one of two identities: ${await sentence(page)}`);
        await tryFile(`${service.dir}/both.key`);
        expect((await page.innerText('[data-original]')).includes(key), `both identities: ${await sentence(page)}`);

        answers.body = execFileSync('age', ['-r', execFileSync('age-keygen', ['-y', `${service.dir}/anna.key`]).toString().trim()], {input: 'no box'});
        await page.goto(`${service.page}/reveals`);
        await tryFile(`${service.dir}/anna.key`);
        expect(await sentence(page) === 'format', `what is no original: ${await sentence(page)}`);
        await page.goto(`${service.page}/reveals`);
        answers.status = 404;
        await tryFile(`${service.dir}/anna.key`);
        expect(await sentence(page) === 'gone', `what is gone: ${await sentence(page)}`);

        Object.assign(answers, {status: 200, body});
        await tryFile(`${service.dir}/both.key`);
        expect((await page.content()).includes(key), 'shown again');
        await press(page, `/reveals/${id}`, 'closed');
        await page.waitForFunction((path) => !document.querySelector(`form[action$="${path}"]`), `/reveals/${id}/key`);
        expect(!(await page.content()).includes(key) && await sentence(page) === '', 'not once it was closed');
        for (const fault of anna.faults) expect(false, fault);
        await anna.close();
    },
};

const oneGroup = {
    name: 'an original is opened in the browser: the identity stays there, a wrong one is told apart, the text is text and ends with the grant',
    run: async (service, expect) => {
        const anna = await open(service, {who: 'anna'}), {page} = anna, sent = [];
        page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
        await page.clock.install();
        const key = `AKIA${'Q7R2T5V3X6Z4B7D2'}`, {seq} = await judge(service, `${HOSTILE}\naws_access_key_id = ${key}\n`);
        const id = await grant(service, page, seq);
        await page.goto(`${service.page}/reveals`);
        const button = page.locator(`form[action$="/reveals/${id}/key"] button`), original = page.locator('[data-original]');
        const tryFile = opener(page, id);
        expect(await button.isVisible() && !await original.isVisible(), 'the page has age: make age');
        expect(accesses(service, 'key').length === 0, 'nobody has the key yet');

        writeFileSync(`${service.dir}/none.key`, '# no identity\nAGE-SECRET-KEY-1NONSENSE\n');
        await tryFile(`${service.dir}/none.key`);
        expect(await sentence(page) === 'identity', `a file without an identity: ${await sentence(page)}`);
        expect(lines(service).every((line) => line.request !== id || line.step !== 'opened'), 'nothing was asked for with it');
        execFileSync('age-keygen', ['-o', `${service.dir}/wrong.key`], {stdio: 'ignore'});
        await tryFile(`${service.dir}/wrong.key`);
        expect(await sentence(page) === 'wrong', `another identity: ${await sentence(page)}`);
        expect(/not a recipient/.test(await page.innerText('[data-say="wrong"]')), 'it says what is wrong');
        expect(accesses(service, 'key').length === 0, 'and asks for no key');

        await tryFile(`${service.dir}/anna.key`);
        expect(await original.isVisible() && await sentence(page) === '', `anna's identity opens it: ${await sentence(page)}`);
        const shown = (await original.locator('pre').allTextContents()).join('\n');
        expect(shown.includes(key) && shown.includes('<script>alert(2)</script>'), 'the text as it was');
        expect(shown.includes('\\u{202e}gnp') && !shown.includes('\u202e'), 'what turns text is made visible');
        expect(await original.locator('img, script').count() === 0, 'no element is made of it');
        for (const width of [320, 640, DESK.width]) {
            await page.setViewportSize({width, height: DESK.height});
            expect(await overflow(page) <= 0, `${await overflow(page)} px wider than a window of ${width} px`);
            const cut = await page.$$eval('main :is(input, button, pre)', (all) => all.filter((e) => e.checkVisibility() &&
                e.getBoundingClientRect().right > e.closest('.panel').getBoundingClientRect().right).map((e) => e.outerHTML.slice(0, 80)));
            for (const control of cut) expect(false, `cut off at ${width} px: ${control}`);
        }
        for (const scheme of ['light', 'dark']) {
            await page.emulateMedia({colorScheme: scheme});
            for (const line of await axe(page)) expect(false, `${scheme}: ${line}`);
        }
        const steps = lines(service).filter((line) => line.request === id && line.type !== 'review').map((line) => line.step ?? line.what).join();
        expect(steps === 'asked,approved,reveal,opened,key', `on record: ${steps}`);
        const [{by, kek, item}] = accesses(service, 'key');
        expect(by === 'anna' && kek && item === seq, 'who has which key');

        const secret = readFileSync(`${service.dir}/anna.key`, 'utf8').match(/AGE-SECRET-KEY-\S+/)[0];
        expect(sent.length > 5 && !sent.some((line) => /AGE-SECRET/i.test(line) || line.includes(secret.slice(20))), 'the identity was sent');
        const kept = await page.evaluate(() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie]));
        expect(!kept.includes(key) && !kept.includes('AGE-SECRET'), `kept: ${kept}`);

        await page.clock.fastForward('59:00');
        expect(await original.isVisible(), 'it is there until the grant ends');
        await page.clock.fastForward('01:05');
        expect(!await original.isVisible() && !(await page.content()).includes(key), 'and gone then');
        expect(await sentence(page) === 'grant', `which the page says: ${await sentence(page)}`);
        for (const fault of anna.faults) expect(false, fault);
        await anna.close();
    },
};

export const unlocks = [oneGroup, twoGroups];
