// cases.mjs - what the review page has to do in a browser.
import {axe, DESK, open, overflow, signIn, tour} from './browser.mjs';
import {journeys} from './journey.mjs';
import {passkeys} from './passkeys.mjs';
import {unlocks} from './unlock.mjs';

const PAGE_MAX = 100_000, SCREENS_MIN = 5;
const POLICY = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"];
const HOSTILE = 'script, iframe, object, embed, img, [onerror], [onfocus], [onclick], [onload], a[href^="javascript:" i]';

async function checkAnswer(page, url, answer, expect) {
    const size = (await answer.body()).length, got = answer.headers(), policy = got['content-security-policy'] ?? '';
    expect(answer.status() === 200, `${url}: status ${answer.status()}`);
    expect(size <= PAGE_MAX, `${url}: ${size} bytes`);
    for (const part of POLICY) expect(policy.includes(part), `${url}: ${part} expected`);
    expect(!policy.includes('unsafe'), `${url}: ${policy}`);
    expect(got['cache-control'] === 'no-store' && got['x-content-type-options'] === 'nosniff', `${url}: no-store and nosniff expected`);
}

async function checkShape(page, url, expect) {
    expect(await page.title() !== '' && await page.locator('h1').count() === 1, `${url}: a title and one h1 expected`);
    const ids = await page.$$eval('[id]', (all) => all.map((e) => e.id));
    expect(new Set(ids).size === ids.length, `${url}: an id is there twice`);
}

// Names of agents are text: no element is made of them, and no character that hides or turns. True when one was there.
async function checkNames(page, url, expect) {
    const made = await page.$$eval(HOSTILE, (all) => all.filter((e) => !(e.tagName === 'SCRIPT' && e.src.includes('/review/static/')))
        .map((e) => e.outerHTML.slice(0, 100)));
    for (const element of made) expect(false, `${url}: ${element}`);
    const text = await page.evaluate(() => document.body.textContent);
    expect(!/[\u202a-\u202e\u2066-\u2069\u200b-\u200f]/.test(text), `${url}: an invisible control is in the text`);
    expect(!/\p{M}{12}/u.test(text), `${url}: a pile of combining marks is in the text`);
    return text.includes('<script>fetch') || text.includes('onerror=alert(1)');
}

async function checkWidth(page, url, expect, viewport, what) {
    await page.setViewportSize(viewport);
    const wider = await overflow(page);
    await page.setViewportSize(DESK);
    expect(wider <= 0, `${url}: ${wider} px wider than the window at ${what}`);
}

async function checkAxe(page, url, expect, scheme) {
    await page.emulateMedia({colorScheme: scheme, reducedMotion: 'reduce'});
    for (const line of await axe(page)) expect(false, `${url}, ${scheme}: ${line}`);
}

const everything = {
    name: 'every screen: axe-core, light and dark; 320 px, 200 % zoom; hostile names as text; headers, size',
    run: async (service, expect) => {
        const guest = await open(service);
        await guest.page.goto(`${service.page}/login`);
        for (const scheme of ['light', 'dark']) await checkAxe(guest.page, '/review/login', expect, scheme);
        await guest.close();

        const admin = await open(service, {who: 'emil'});
        let hostile = 0;
        const seen = await tour(admin, async (page, url, answer) => {
            await checkAnswer(page, url, answer, expect);
            await checkShape(page, url, expect);
            hostile += await checkNames(page, url, expect);
            await checkWidth(page, url, expect, {width: 320, height: 640}, '320 px');
            await checkWidth(page, url, expect, {width: 640, height: 400}, '200 % zoom');
            for (const scheme of ['light', 'dark']) await checkAxe(page, url, expect, scheme);
        });
        expect(seen.length >= SCREENS_MIN, `${seen.length} screens`);
        expect(hostile > 0, 'no hostile name was seen: the case shows nothing of them');
        for (const fault of admin.faults) expect(false, fault);
        await admin.close();
    },
};

const roles = {
    name: 'every screen of every role: axe-core, light and dark; headers, size, no fault',
    run: async (service, expect) => {
        for (const who of ['anna', 'ben', 'carla', 'dora']) {
            const person = await open(service, {who});
            const seen = await tour(person, async (page, url, answer) => {
                await checkAnswer(page, `${who}, ${url}`, answer, expect);
                await checkShape(page, `${who}, ${url}`, expect);
                for (const scheme of ['light', 'dark']) await checkAxe(page, `${who}, ${url}`, expect, scheme);
            });
            expect(seen.length >= 2, `${who}: ${seen.length} screens`);
            for (const fault of person.faults) expect(false, `${who}: ${fault}`);
            await person.close();
        }
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

const german = {
    name: 'in German every screen has its language and other words',
    run: async (service, expect) => {
        const person = await open(service, {who: 'anna', language: 'de'});
        await tour(person, async (page, url) => {
            expect(await page.getAttribute('html', 'lang') === 'de', `${url}: lang="de" expected`);
            expect(!/\b(Sign out|Screens)\b/.test(await page.innerText('body')), `${url}: an English word`);
        });
        await person.close();
    },
};

// Signing in may remember where somebody wanted to go.
const isLogin = (page) => new URL(page.url()).pathname.endsWith('/login');
const strangers = {
    name: 'without a session there is nothing but signing in, and a sign-out ends it',
    run: async (service, expect) => {
        const person = await open(service);
        await signIn(person, 'anna');
        const all = await tour(person), guest = await open(service);
        for (const url of all) {
            const answer = await guest.page.goto(url);
            expect(answer.status() === 401 || isLogin(guest.page), `${url}: ${answer.status()} for a stranger`);
        }
        const cookies = await person.context.cookies();
        expect(cookies.length > 0 && cookies.every((c) => c.httpOnly && c.sameSite === 'Strict'), 'HttpOnly and SameSite=Strict expected');
        await person.page.locator('form[action$="/logout"] button').click();
        await person.page.waitForLoadState();
        await person.context.addCookies(cookies);
        const answer = await person.page.goto(all[0]);
        expect(answer.status() === 401 || isLogin(person.page), 'a session that was ended is of use');
        await person.close();
        await guest.close();
    },
};

export const cases = [...journeys, ...unlocks, ...passkeys, keyboard, everything, roles, german, strangers];
