// cases.mjs - what the review page has to do in a browser.
import {axe, open, overflow, screens, signIn} from './browser.mjs';
import {journeys} from './journey.mjs';

const PAGE_MAX = 100_000;
const name = (url) => new URL(url).pathname.replace(/\/\d+$/, '/…');
const people = ['anna', 'ben', 'carla', 'dora', 'emil'];

// Calls `look` on each screen of a person, and asserts that the browser had nothing to complain of.
async function eachScreen(service, expect, options, look) {
    const person = await open(service, options);
    const all = await screens(person, options.who);
    expect(all.length >= 3, `${options.who}: at least three screens expected, ${all.length} found`);
    for (const url of all) {
        const answer = await person.page.goto(url);
        expect(answer.status() === 200, `${name(url)}: status ${answer.status()} for ${options.who}`);
        await look?.(person.page, url, answer);
    }
    for (const fault of person.faults) expect(false, `${options.who}: ${fault}`);
    await person.close();
}

const shown = {
    name: 'every screen of every role is shown, small, titled, without a fault',
    run: async (service, expect) => {
        for (const who of people) {
            await eachScreen(service, expect, {who}, async (page, url, answer) => {
                expect((await answer.body()).length <= PAGE_MAX, `${name(url)}: ${(await answer.body()).length} bytes`);
                expect(await page.title() !== '' && await page.locator('h1').count() === 1, `${name(url)}: a title and one h1 expected`);
                const ids = await page.$$eval('[id]', (all) => all.map((e) => e.id));
                expect(new Set(ids).size === ids.length, `${name(url)}: an id is there twice`);
            });
        }
    },
};

const headers = {
    name: 'every screen has the policy of content and is not kept or framed',
    run: async (service, expect) => {
        await eachScreen(service, expect, {who: 'anna'}, async (page, url, answer) => {
            const got = answer.headers(), policy = got['content-security-policy'] ?? '';
            for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]) {
                expect(policy.includes(part), `${name(url)}: ${part} expected`);
            }
            expect(!policy.includes('unsafe'), `${name(url)}: ${policy}`);
            expect(got['cache-control'] === 'no-store', `${name(url)}: no-store expected`);
            expect(got['x-content-type-options'] === 'nosniff', `${name(url)}: nosniff expected`);
        });
    },
};

const accessible = (dark) => ({
    name: `axe-core finds nothing on any screen, ${dark ? 'dark' : 'light'}`,
    run: async (service, expect) => {
        const look = async (page, url) => { for (const line of await axe(page)) expect(false, `${name(url)}: ${line}`); };
        const guest = await open(service, {dark});
        await guest.page.goto(`${service.page}/login`);
        await look(guest.page, guest.page.url());
        await guest.close();
        for (const who of ['anna', 'emil']) await eachScreen(service, expect, {who, dark}, look);
    },
});

const reflow = (what, options) => ({
    name: `no screen is wider than its window at ${what}`,
    run: (service, expect) => eachScreen(service, expect, {who: 'anna', ...options}, async (page, url) => {
        const wider = await overflow(page);
        expect(wider <= 0, `${name(url)}: ${wider} px wider than the window`);
    }),
});

const HOSTILE = 'script, iframe, object, embed, img, [onerror], [onfocus], [onclick], [onload], a[href^="javascript:" i]';
const hostile = {
    name: 'hostile names are text on every screen',
    run: async (service, expect) => {
        let seen = 0;
        for (const who of ['anna', 'emil']) {
            await eachScreen(service, expect, {who}, async (page, url) => {
                const made = await page.$$eval(HOSTILE, (all) => all.filter((e) => !(e.tagName === 'SCRIPT' && e.src.includes('/review/static/')))
                    .map((e) => e.outerHTML.slice(0, 100)));
                for (const element of made) expect(false, `${name(url)}: ${element}`);
                const text = await page.evaluate(() => document.body.textContent);
                seen += text.includes('<script>fetch') || text.includes('onerror=alert(1)');
                expect(!/[\u202a-\u202e\u2066-\u2069\u200b-\u200f]/.test(text), `${name(url)}: an invisible control is in the text`);
                expect(!/\p{M}{12}/u.test(text), `${name(url)}: a pile of combining marks is in the text`);
            });
        }
        expect(seen > 0, 'no hostile name was seen: the case shows nothing');
    },
};

// Where the focus is, and whether it can be seen there.
const focus = (page) => page.evaluate(() => {
    const e = document.activeElement, r = e.getBoundingClientRect(), s = getComputedStyle(e);
    const top = document.elementFromPoint(r.left + r.width / 2, r.top + Math.min(r.height / 2, 12));
    return {
        tag: e.tagName, name: e.getAttribute('name'), href: e.getAttribute('href'), text: (e.textContent ?? '').trim().slice(0, 40),
        isMarked: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== 'none',
        isCovered: r.width > 0 && top !== null && !e.contains(top) && !top.contains(e) && !top.closest('label'),
    };
});

const keyboard = {
    name: 'by keyboard alone: signing in, all controls, focus that is seen',
    run: async (service, expect) => {
        const {page, close} = await open(service);
        await page.goto(`${service.page}/login`);
        for (let i = 0; i < 20 && (await focus(page)).name !== 'token'; i++) await page.keyboard.press('Tab');
        await page.keyboard.type(service.tokens.anna);
        await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
        await page.goto(`${service.page}/queue`);
        const wanted = await page.$$eval('a[href], button, input:not([type=hidden]), select, textarea, summary',
            (all) => all.filter((e) => e.checkVisibility({checkVisibilityCSS: true}) && !e.disabled && e.tabIndex >= 0).length);
        const reached = new Set();
        for (let i = 0; i < wanted + 5; i++) {
            await page.keyboard.press('Tab');
            const at = await focus(page);
            if (at.tag === 'BODY') break;
            expect(at.isMarked, `${at.tag} "${at.text || at.name}": focus is not marked`);
            expect(!at.isCovered, `${at.tag} "${at.text || at.name}": focus is hidden behind something`);
            reached.add(`${i}`);
        }
        expect(reached.size >= wanted * 0.9, `${reached.size} of ${wanted} controls reached`);
        await close();
    },
};

const targets = {
    name: 'targets are at least 24 pixels high and wide, or have room around',
    run: (service, expect) => eachScreen(service, expect, {who: 'anna'}, async (page, url) => {
        const small = await page.$$eval('button, input:not([type=hidden]), select, summary', (all) => all
            .filter((e) => e.checkVisibility()).map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
            .filter(([, r]) => r.width > 0 && (r.width < 23.5 || r.height < 23.5)).map(([html, r]) => `${html}: ${r.width} x ${r.height}`));
        for (const line of small) expect(false, `${name(url)}: ${line}`);
    }),
};

const german = {
    name: 'in German every screen has its language and other words',
    run: async (service, expect) => {
        await eachScreen(service, expect, {who: 'anna', language: 'de'}, async (page, url) => {
            expect(await page.getAttribute('html', 'lang') === 'de', `${name(url)}: lang="de" expected`);
            expect(!/\b(Sign out|Screens)\b/.test(await page.innerText('body')), `${name(url)}: an English word`);
        });
    },
};

const strangers = {
    name: 'without a session there is nothing but signing in, and a sign-out ends it',
    run: async (service, expect) => {
        const person = await open(service), all = await screens(await open(service, {who: 'anna'}), 'anna');
        await signIn(person, 'anna');
        const guest = await open(service);
        for (const url of all) {
            const answer = await guest.page.goto(url);
            expect(answer.status() === 401 || guest.page.url().endsWith('/login'), `${name(url)}: ${answer.status()} for a stranger`);
        }
        const cookies = await person.context.cookies();
        expect(cookies.length > 0 && cookies.every((c) => c.httpOnly && c.sameSite === 'Strict'), 'HttpOnly and SameSite=Strict expected');
        await person.page.goto(service.page);
        await person.page.locator('form[action$="/logout"] button').click();
        await person.context.addCookies(cookies);
        const answer = await person.page.goto(all[0]);
        expect(answer.status() === 401 || person.page.url().endsWith('/login'), 'a session that was ended is of use');
        await person.close();
        await guest.close();
    },
};

export const cases = [
    shown, headers, strangers, hostile, ...journeys, keyboard, german, targets,
    accessible(false), accessible(true),
    reflow('320 px', {viewport: {width: 320, height: 640}}),
    reflow('200 % zoom', {viewport: {width: 640, height: 400}, scale: 2}),
];
