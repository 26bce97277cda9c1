// browser.mjs - Chromium as people use it: signed in, in light or dark, with script or without; everything that the page should not do
// is gathered in `faults`.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {chromium} from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];
export const DESK = {width: 1280, height: 800};

const sessions = new Map(); // of each person: cookies
let started;
export async function browser() {
    started ??= await chromium.launch({executablePath: process.env.FILTERD_CHROMIUM, args: ['--no-sandbox', '--disable-gpu']});
    return started;
}
export async function closeBrowser() {
    await started?.close();
    started = undefined;
}

// A person's own browser. `faults` has violations of the policy of content, errors of scripts, dialogs and failed requests.
export async function open(service, {who, script = true, dark = false, viewport = DESK, scale = 1, language = 'en'} = {}) {
    const context = await (await browser()).newContext({
        javaScriptEnabled: script, viewport, deviceScaleFactor: scale, colorScheme: dark ? 'dark' : 'light',
        locale: language, reducedMotion: 'reduce',
    });
    const page = await context.newPage(), faults = [];
    page.setDefaultTimeout(10_000);
    page.on('dialog', (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
    page.on('console', (message) => { if (/Content Security Policy|Refused to|TrustedHTML/.test(message.text())) faults.push(message.text()); });
    page.on('request', (request) => {
        if (!request.url().startsWith(new URL(service.page).origin)) faults.push(`request to ${request.url()}`);
    });
    const person = {page, context, faults, service, close: () => context.close()};
    if (who && sessions.has(who)) await context.addCookies(sessions.get(who));
    else if (who) {
        await signIn(person, who);
        sessions.set(who, await context.cookies());
    }
    return person;
}

// By the form; a session of its own.
export async function signIn({page, service}, who) {
    await page.goto(`${service.page}/login`);
    await page.fill('input[name=token]', service.tokens[who]);
    await Promise.all([page.waitForNavigation(), page.press('input[name=token]', 'Enter')]);
    if (new URL(page.url()).pathname.endsWith('/login')) throw new Error(`${who} could not sign in: ${await page.innerText('main')}`);
}

// Opens each screen of this person's navigation, and one page of each kind that they link to, and calls `look` there. Returns the
// addresses.
export async function tour(person, look = () => {}) {
    const {page, service} = person, origin = new URL(service.page).origin;
    const hrefs = (selector) => page.$$eval(selector, (all) => all.map((a) => a.getAttribute('href')));
    const kind = (href) => href.replace(/[?#].*/, '').replace(/\/(\d+|[0-9a-f-]{20,})$/, '/*').replace(/\/rules\/.*/, '/rules/*');
    await page.goto(service.page);
    const waiting = (await hrefs('nav a')).filter((href) => href.startsWith('/review')), kinds = new Set(waiting.map(kind)), seen = [];
    for (let href; (href = waiting.shift()) !== undefined;) {
        const answer = await page.goto(origin + href);
        seen.push(origin + href);
        for (const link of await hrefs('main a[href^="/review/"]')) {
            if (!link.includes('?') && !link.endsWith('/file') && !kinds.has(kind(link))) { // a file is a download
                kinds.add(kind(link));
                waiting.push(link);
            }
        }
        await look(page, kind(href), answer);
    }
    return seen;
}

// What axe-core finds on the open page, as lines.
export async function axe(page) {
    if (!await page.evaluate('"axe" in window')) await page.evaluate(AXE);
    const {violations} = await page.evaluate((tags) => window.axe.run(document, {runOnly: {type: 'tag', values: tags}}), WCAG);
    return violations.flatMap(({id, nodes}) => nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.html.slice(0, 120)}`));
}

// How much wider the page is than its window.
export const overflow = (page) => page.evaluate(() => {
    const root = document.documentElement;
    return root.scrollWidth - root.clientWidth;
});
