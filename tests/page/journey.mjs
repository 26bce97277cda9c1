// journey.mjs - the way of a question: what was blocked this week for a tenant, by whom, was it right; mark it, except it, see the
// original, hand the evidence over, prove it unaltered. By people with and without script, and by several at once.
import {execFileSync} from 'node:child_process';
import {open} from './browser.mjs';

const path = (page) => new URL(page.url()).pathname;
const records = (service) => execFileSync('cat', [`${service.dir}/state/decisions.jsonl`], {maxBuffer: 1 << 28}).toString()
    .split('\n').filter(Boolean).map((line) => JSON.parse(line));

// Fills the form whose action ends so, as far as it has those fields, and sends it by the button of that value.
export async function send(page, action, fields = {}, button = '') {
    const form = page.locator(`form[action$="${action}"]`).first();
    for (const [name, value] of Object.entries(fields)) {
        const field = form.locator(`[name="${name}"]:not([type=hidden])`);
        if (await field.count() === 0) continue;
        const [tag, type] = await field.first().evaluate((e) => [e.tagName, e.type]);
        if (tag === 'SELECT') await field.first().selectOption(value);
        else if (type === 'radio') await form.locator(`[name="${name}"][value="${value}"]`).check();
        else await field.first().fill(value);
    }
    const submit = button ? form.locator(`button[value="${button}"]`) : form.locator('button[type=submit], button:not([type])');
    await Promise.all([page.waitForLoadState('load'), submit.first().click()]);
    await page.waitForLoadState('networkidle');
}

export const journeys = [];
