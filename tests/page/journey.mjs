// journey.mjs - the way of a question: what was blocked this week for a tenant, by whom, was it right; mark it, except it, see the
// original, hand the evidence over, prove it unaltered. By people with and without script, and by several at once.
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {open} from './browser.mjs';

// What the made-up answers are full of; no page may have any of it.
const SECRET = /gh[ps]_[A-Za-z0-9]{36}|AKIA[A-Z2-7]{16}|hooks\.slack\.com\/services\/T|eyJ[A-Za-z0-9_-]{20,}\.eyJ/;
const lines = (service) => readFileSync(`${service.dir}/state/decisions.jsonl`, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
const last = (service, type) => lines(service).filter((line) => line.type === type).at(-1) ?? {};
const text = (page) => page.innerText('main');
const status = (answer) => answer?.status() ?? 0;

// Presses the button of that value in the form whose action ends so, after filling the fields that it has.
export async function press(page, action, value, fields = {}) {
    const form = page.locator(`form[action$="${action}"]`).filter({has: page.locator(`button[value="${value}"]`)}).first();
    for (const [name, wanted] of Object.entries(fields)) {
        const field = form.locator(`[name="${name}"]:not([type=hidden])`).first();
        const kind = await field.evaluate((e) => e.type);
        if (kind === 'radio') await form.locator(`[name="${name}"][value="${wanted}"]`).check();
        else if (kind === 'select-one') await field.selectOption(wanted);
        else await field.fill(wanted);
    }
    const button = form.locator(`button[value="${value}"]`).first();
    if (!await button.isVisible()) await form.locator('summary').first().click();
    await button.click();
    await page.waitForLoadState('networkidle');
}

// Open items of the queue, as addresses. `skip`: those that another case took.
async function openItems(page, service, rule = '') {
    await page.goto(`${service.page}/queue`);
    const hrefs = await page.$$eval('a[href^="/review/items/"]', (all) => all.map((a) => [a.getAttribute('href'), a.textContent]));
    return hrefs.filter(([href, name]) => /\/\d+$/.test(href) && name.includes(rule)).map(([href]) => new URL(href, service.page).href);
}

const journey = (script) => ({
    name: `a reviewer finds, takes, answers, takes back and answers again, ${script ? 'with script' : 'without script'}`,
    run: async (service, expect) => {
        const person = await open(service, {who: 'anna', script}), {page} = person;
        await page.goto(`${service.page}/records?query=${encodeURIComponent('action:block tenant:acme since:7d')}`);
        const found = await text(page);
        expect(/acme/.test(found) && !/globex|initech/.test(found), 'records: acme alone expected');
        expect(/support-\d+/.test(found), 'records: the agents expected');
        expect(last(service, 'access').by === 'anna', 'the look is on record');

        const [item] = await openItems(page, service);
        await page.goto(item);
        const seq = Number(item.split('/').at(-1)), action = `/items/${seq}`;
        expect(!SECRET.test(await page.content()), 'the item shows a secret');
        await press(page, action, 'claim');
        let line = last(service, 'review');
        expect(line.by === 'anna' && (line.item === seq || line.items?.includes(seq)), `claim: on record, ${JSON.stringify(line)}`);
        await page.goto(item);
        expect(/anna/.test(await text(page)), 'claim: the item says who has it');
        await press(page, action, 'true_positive', {note: 'Seen in the ticket.'});
        line = last(service, 'review');
        expect(line.disposition === 'true_positive', `answer: on record, ${JSON.stringify(line)}`);
        await page.goto(item);
        expect(await page.locator('button[value="reopen"]').count() === 1, 'answer: the item is closed');
        await press(page, action, 'reopen');
        await page.goto(item);
        await press(page, action, 'benign');
        expect(last(service, 'review').disposition === 'benign', 'a second answer: on record');
        for (const fault of person.faults) expect(false, fault);
        await person.close();
    },
});

const chosen = {
    name: 'two items are chosen in the queue and answered by one step, without script',
    run: async (service, expect) => {
        const person = await open(service, {who: 'anna', script: false}), {page} = person;
        await openItems(page, service);
        const boxes = page.locator('input[name="item"]');
        const numbers = [Number(await boxes.nth(0).getAttribute('value')), Number(await boxes.nth(1).getAttribute('value'))];
        await boxes.nth(0).check();
        await boxes.nth(1).check();
        await press(page, '/queue', 'false_positive');
        const line = last(service, 'review');
        expect(JSON.stringify((line.items ?? []).toSorted()) === JSON.stringify(numbers.toSorted()), `both in one line: ${JSON.stringify(line)}`);
        await person.close();
    },
};

const faster = {
    name: 'of two who answer the same item the second is told who was faster',
    run: async (service, expect) => {
        const one = await open(service, {who: 'anna', script: false}), two = await open(service, {who: 'emil', script: false});
        const [item] = await openItems(one.page, service);
        const action = `/items/${item.split('/').at(-1)}`;
        await Promise.all([one.page.goto(item), two.page.goto(item)]);
        await press(one.page, action, 'true_positive');
        const before = lines(service).filter((line) => line.type === 'review').length;
        await press(two.page, action, 'false_positive');
        expect(lines(service).filter((line) => line.type === 'review').length === before, 'nothing of the second is on record');
        expect(/anna|faster/i.test(await text(two.page)), 'the second learns of it');
        await one.close();
        await two.close();
    },
};

const keys = {
    name: 'items are answered by keys, and not while somebody types',
    run: async (service, expect) => {
        const person = await open(service, {who: 'anna'}), {page} = person;
        const count = () => lines(service).filter((line) => line.type === 'review' && line.disposition === 'policy_gap').length;
        const before = count();
        const [item] = await openItems(page, service);
        await page.goto(item);
        await page.focus('textarea[name="note"]');
        await page.keyboard.type('gap');
        await page.waitForTimeout(200);
        expect(count() === before, 'a key in a text field answered');
        await page.fill('textarea[name="note"]', '');
        await page.locator('main').focus();
        await page.keyboard.press('g');
        for (let i = 0; i < 50 && count() === before; i++) await page.waitForTimeout(100);
        expect(count() === before + 1, 'g: a policy gap');
        for (const fault of person.faults) expect(false, fault);
        await person.close();
    },
};

const evidence = {
    name: 'an auditor sees who looked, answers nothing, gets evidence and verifies it, and the record',
    run: async (service, expect) => {
        const person = await open(service, {who: 'carla', script: false}), {page} = person;
        await page.goto(`${service.page}/access`);
        expect(/anna/.test(await text(page)), 'anna looked');
        await page.goto(`${service.page}/queue`);
        expect(await page.locator('button[value="true_positive"]').count() === 0, 'an auditor has no answers');
        await page.goto(`${service.page}/record`);
        await page.locator('form[action$="/record/verify"] button').click();
        await page.waitForLoadState('networkidle');
        for (let i = 0; i < 50 && !/\d+ lines|verified/i.test(await text(page)); i++) {
            await page.waitForTimeout(200);
            await page.reload();
        }
        expect(!/not what was signed|differs/i.test(await text(page)), 'the record is what was signed');
        const query = 'action:block tenant:acme since:7d', ctl = (...words) => execFileSync(`${process.argv.at(-1)}/filterctl`, words).toString();
        await page.goto(`${service.page}/exports?query=${encodeURIComponent(query)}&purpose=INC-4711`);
        expect(/filterctl record export --query/.test(await text(page)), 'the command for evidence is shown');
        const {host} = new URL(service.page), bundle = `${service.dir}/evidence.tar`, policy = `${service.dir}/auditor.policy`;
        ctl('record', 'export', '--query', query, '--why', 'INC-4711', '--out', bundle, '--operators', host, '--token', `${service.dir}/carla.token`);
        const answer = await fetch(`http://${host}/v1/record/policy`, {headers: {Authorization: `Bearer ${service.tokens.carla}`}});
        writeFileSync(policy, await answer.text());
        ctl('record', 'verify-bundle', bundle, '--policy', policy); // throws unless all of it holds
        expect(/are what was signed/.test(ctl('record', 'verify', `${service.dir}/state`)), 'record verify');
        await person.close();
    },
};

const made = {
    name: 'an auditor has the service make the evidence, with and without script',
    run: async (service, expect) => {
        for (const script of [true, false]) {
            const person = await open(service, {who: 'carla', script}), {page} = person;
            await page.goto(`${service.page}/exports`);
            const form = page.locator('form[method="post"][action$="/review/exports"]');
            await form.locator('[name="query"]').fill('action:block tenant:acme');
            await form.locator('[name="purpose"]').fill('INC-4711');
            await form.locator('button').click();
            const file = page.locator('#export a[href$="/file"]'), again = page.locator('#export[data-refresh] a');
            for (let i = 0; i < 100 && await file.count() === 0; i++) {
                await page.waitForTimeout(200);
                if (!script && await again.count() === 1) await again.click();
            }
            const [download] = await Promise.all([page.waitForEvent('download'), file.click()]), bundle = `${service.dir}/made.tar`;
            await download.saveAs(bundle);
            execFileSync(`${process.argv.at(-1)}/filterctl`, ['record', 'verify-bundle', bundle]); // throws unless all of it holds
            for (const fault of person.faults) expect(false, fault);
            await person.close();
        }
    },
};

// Both press at once; how many lines of that type and step came of it.
async function race(service, people, path, action, value, type) {
    const count = () => lines(service).filter((line) => line.type === type && line.step === value).length;
    const before = count(), all = await Promise.all(people.map((who) => open(service, {who, script: false})));
    await Promise.all(all.map(({page}) => page.goto(service.page + path)));
    await Promise.all(all.map(({page}) => press(page, action, value)));
    const made = count() - before, faults = all.flatMap((person) => person.faults);
    await Promise.all(all.map((person) => person.close()));
    return {made, faults};
}

const exception = (script) => ({
    name: `an exception is proposed from an item, and of two approvals at once one counts, ${script ? 'with script' : 'without script'}`,
    run: async (service, expect) => {
        const anna = await open(service, {who: 'anna', script}), {page} = anna;
        const [item] = await openItems(page, service);
        await page.goto(item);
        await Promise.all([page.waitForNavigation(), page.locator('a[href*="/exceptions?item="]').first().click()]);
        await page.check('input[name="width"][value="value"]');
        await page.fill('input[name="until"][type="date"]', new Date(Date.now() + 30 * 86400e3).toISOString().slice(0, 10));
        await page.press('input[name="until"][type="date"]', 'Enter');
        await page.waitForSelector('button[value="propose"]');
        await page.fill('input[name="why"]', 'Account of the tests.');
        await page.click('button[value="propose"]');
        await page.waitForLoadState('networkidle');
        const line = last(service, 'exception');
        expect(line.step === 'proposed' && line.by === 'anna' && line.until, `proposed: ${JSON.stringify(line)}`);
        await page.goto(`${service.page}/exceptions`);
        expect(await page.locator(`form[action$="/exceptions/${line.id}"] button[value="approved"]`).count() === 0, 'anna may not approve her own');
        const {made, faults} = await race(service, ['ben', 'emil'], '/exceptions', `/exceptions/${line.id}`, 'approved', 'exception');
        expect(made === 1, `${made} approvals on record`);
        for (const fault of [...faults, ...anna.faults]) expect(false, fault);
        await anna.close();
    },
});

const reveal = {
    name: 'an original is asked for, approved by one of two at once, downloaded, and opened with the key; the look is on record first',
    run: async (service, expect) => {
        const anna = await open(service, {who: 'anna', script: false}), {page} = anna;
        const [item] = await openItems(page, service, 'aws-access-key-id');
        const seq = Number(item.split('/').at(-1));
        await page.goto(`${service.page}/reveals?item=${seq}`);
        await press(page, '/reveals', 'asked', {purpose: 'incident', case: 'INC-4711', why: 'Was it in the ticket?'});
        const line = last(service, 'reveal');
        expect(line.step === 'asked' && line.by === 'anna' && line.item === seq, `asked: ${JSON.stringify(line)}`);
        await page.goto(`${service.page}/reveals`);
        expect(await page.locator(`form[action$="/reveals/${line.request}"] button[value="approved"]`).count() === 0, 'anna may not approve her own');
        const {made, faults} = await race(service, ['ben', 'emil'], '/reveals', `/reveals/${line.request}`, 'approved', 'reveal');
        expect(made === 1, `${made} approvals on record`);
        await page.goto(`${service.page}/reveals`);
        const button = page.locator(`form[action$="/reveals/${line.request}/file"] button`).first();
        const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
        expect(last(service, 'access').what === 'reveal' || last(service, 'reveal').step === 'opened', 'the look is on record');
        const box = execFileSync('age', ['-d', '-i', `${service.dir}/anna.key`, await download.path()]);
        const plain = execFileSync(`${process.argv.at(-1)}/filterctl`, ['seal', 'open', '--shred', `${service.dir}/state/shred/shred.db`], {input: box});
        expect(/AKIA|ASIA/.test(plain.toString()), 'the original is what was withheld');
        for (const fault of [...faults, ...anna.faults]) expect(false, fault);
        await anna.close();
    },
};

export const journeys = [journey(true), journey(false), chosen, faster, keys, exception(true), exception(false), reveal, evidence, made];
