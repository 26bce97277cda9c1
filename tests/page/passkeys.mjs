// passkeys.mjs - passkeys with Chromium's virtual authenticator, before a filterd of its own, as they are bound to an origin.
import {readFileSync} from 'node:fs';
import {axe, DESK, open, overflow} from './browser.mjs';
import {startService} from './service.mjs';

const AUTHENTICATOR = {
    protocol: 'ctap2', transport: 'usb', hasResidentKey: false, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true,
};
const lines = (service) => readFileSync(`${service.dir}/state/decisions.jsonl`, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
const passkeyLines = (service) => lines(service).filter((line) => line.type === 'access' && line.what === 'passkey');
const last = (service) => passkeyLines(service).at(-1) ?? {};
const path = (page) => new URL(page.url()).pathname.replace('/review', '');
const text = (page) => page.innerText('main');

// A person with an authenticator of their own.
async function openWithKey(service, options = {}) {
    const person = await open(service, options), cdp = await person.context.newCDPSession(person.page);
    await cdp.send('WebAuthn.enable');
    const {authenticatorId} = await cdp.send('WebAuthn.addVirtualAuthenticator', {options: AUTHENTICATOR});
    return {...person, cdp, authenticatorId};
}

async function enterToken({page, service}, who) {
    await page.goto(`${service.page}/login`);
    await page.fill('input[name=token]', service.tokens[who]);
    await Promise.all([page.waitForNavigation(), page.press('input[name=token]', 'Enter')]);
}

const pressIn = async (page, action) => {
    const button = page.locator(`main form[action$="${action}"] button`);
    await Promise.all([page.waitForNavigation(), button.first().click()]);
};

async function register({page, service}, name) {
    await page.goto(`${service.page}/passkeys`);
    await page.fill('input[name=name]', name);
    await pressIn(page, '/passkeys/add');
}

async function checkLook(page, what, expect) {
    for (const scheme of ['light', 'dark']) {
        await page.emulateMedia({colorScheme: scheme, reducedMotion: 'reduce'});
        for (const line of await axe(page)) expect(false, `${what}, ${scheme}: ${line}`);
    }
    for (const width of [320, 640, DESK.width]) {
        await page.setViewportSize({width, height: DESK.height});
        expect(await overflow(page) <= 0, `${what}: wider than ${width} px`);
    }
}

// What a script of the page would send with this session.
const send = (page, action, fields) => page.evaluate(async ([to, values]) => {
    const answer = await fetch(to, {method: 'POST', body: new URLSearchParams(values), redirect: 'manual'});
    return answer.type === 'opaqueredirect' ? 303 : answer.status;
}, [action, fields]);

const cookies = async (person) => (await person.context.cookies()).filter(({name}) => name.endsWith('filterd')).map(({value}) => value).join();

async function checkSecondFactor(service, expect, anna) {
    const {page} = anna;
    await enterToken(anna, 'anna');
    expect(path(page) === '/queue', `without a passkey the token is enough: ${page.url()}`);
    await page.goto(`${service.page}/passkeys`);
    await checkLook(page, 'passkeys', expect);
    await register(anna, 'laptop');
    expect(/laptop/.test(await text(page)), `registered: ${await text(page)}`);
    const {step, by, role, person} = last(service);
    expect(`${step} ${by} ${role} ${person}` === 'added anna reviewer anna', 'the registration is on record');

    await anna.context.clearCookies();
    await enterToken(anna, 'anna');
    expect(path(page) === '/confirm', `with one it is not: ${page.url()}`);
    for (const screen of ['queue', 'records', 'passkeys']) {
        await page.goto(`${service.page}/${screen}`);
        expect(path(page) === '/confirm', `no screen before the second factor: ${page.url()}`);
    }
    await checkLook(page, 'confirm', expect);
    const pending = await cookies(anna);
    let sent;
    page.once('request', (request) => { sent = request.postData(); });
    await pressIn(page, '/confirm');
    expect(path(page) === '/passkeys', `the passkey opens the screen that was asked for: ${page.url()}`);
    const confirmed = await cookies(anna);
    expect(pending !== confirmed, 'fixation: the session has another id then');
    return {sent, pending};
}

async function checkRefusals(service, expect, anna, {sent, pending}) {
    const {page} = anna, fields = Object.fromEntries(new URLSearchParams(sent));
    expect(fields.signature?.length > 40, 'a response was seen');
    await page.goto(`${service.page}/confirm`);
    const csrf = await page.inputValue('main form[action$="/confirm"] [name=csrf]');
    expect(await send(page, '/review/confirm', {...fields, csrf}) === 403, 'a response of another challenge is refused');
    const after = await page.goto(`${service.page}/queue`);
    expect(after.status() === 200, 'which ends nothing');

    const origin = new URL(service.page).origin;
    const withOld = await fetch(`${service.page}/queue`, {headers: {Cookie: `filterd=${pending}`}, redirect: 'manual'});
    expect(withOld.status === 303, `the id from before: ${withOld.status}`);
    for (const address of ['/v1/records', '/v1/items', '/review/queue']) {
        const {status} = await fetch(origin + address, {headers: {Authorization: `Bearer ${service.tokens.anna}`}, redirect: 'manual'});
        expect(status === 401 || status === 303, `her token alone at ${address}: ${status}`);
    }
    const other = await fetch(`${origin}/v1/records`, {headers: {Authorization: `Bearer ${service.tokens.carla}`}});
    expect(other.status === 200, 'a token of somebody without a passkey goes on');
}

async function checkAuthenticator(service, expect, anna) {
    const {page, cdp, authenticatorId} = anna;
    await cdp.send('WebAuthn.setUserVerified', {authenticatorId, isUserVerified: false});
    await page.goto(`${service.page}/confirm`);
    await page.locator('main form[action$="/confirm"] button').click();
    await page.waitForSelector('[data-say="passkey"]:not([hidden])');
    await cdp.send('WebAuthn.setUserVerified', {authenticatorId, isUserVerified: true});

    const {credentials: [key]} = await cdp.send('WebAuthn.getCredentials', {authenticatorId});
    await cdp.send('WebAuthn.removeCredential', {authenticatorId, credentialId: key.credentialId});
    await cdp.send('WebAuthn.addCredential', {authenticatorId, credential: {...key, signCount: 0}});
    await page.goto(`${service.page}/confirm`);
    await pressIn(page, '/confirm');
    expect(/counter went back/.test(await text(page)), `a copy of the key: ${await text(page)}`);
    expect(last(service).step === 'refused' && last(service).person === 'anna', 'which is on record');
}

async function checkReset(service, expect, anna) {
    const emil = await open(service, {who: undefined});
    await enterToken(emil, 'emil');
    await emil.page.goto(`${service.page}/access`);
    expect(/laptop/.test(await text(emil.page)), 'the screen of accesses lists passkeys');
    await checkLook(emil.page, 'access', expect);
    await emil.page.fill('input[name=person]', 'anna');
    await emil.page.fill('input[name=why]', 'lost on a train');
    await pressIn(emil.page, '/passkeys/reset');
    const {step, by, person, purpose} = last(service);
    expect(`${step} ${by} ${person} ${purpose}` === 'reset emil anna lost on a train', 'the reset is on record');
    await emil.close();
    await anna.context.clearCookies();
    await enterToken(anna, 'anna');
    expect(path(anna.page) === '/queue', `after it the token is enough: ${anna.page.url()}`);
    const {status} = await fetch(`${service.page}/passkeys`, {redirect: 'manual'});
    expect(status === 303, 'a stranger sees no passkeys');
}

const optional = {
    name: 'passkeys: registered, demanded, replayed, without user verification, copied, reset; each on record',
    run: async (ignored, expect, bindir) => {
        const service = await startService(bindir, ['--count', '20', '--passkeys', 'optional']);
        try {
            const anna = await openWithKey(service);
            await checkRefusals(service, expect, anna, await checkSecondFactor(service, expect, anna));
            await checkAuthenticator(service, expect, anna);
            await checkReset(service, expect, anna);
            for (const fault of anna.faults) expect(false, fault);
            await anna.close();
        } finally {
            await service.stop();
        }
    },
};

const required = {
    name: 'passkeys that are required: the first one at sign-in, a second one, removal; German; the sentence without script',
    run: async (ignored, expect, bindir) => {
        const service = await startService(bindir, ['--count', '20', '--passkeys', 'required']);
        try {
            const ben = await openWithKey(service, {language: 'de'}), {page} = ben;
            await enterToken(ben, 'ben');
            expect(path(page) === '/confirm', `not without a passkey: ${page.url()}`);
            expect(/Passkeys sind vorgeschrieben/.test(await text(page)), `in German: ${await text(page)}`);
            await page.fill('input[name=name]', 'Schlüssel');
            await pressIn(page, '/passkeys/add');
            expect(path(page) === '/passkeys' && /Schlüssel/.test(await text(page)), `registered and in: ${page.url()}`);
            await pressIn(page, '/passkeys/remove');
            expect(/den letzten entfernen/.test(await text(page)), `the last one stays: ${await text(page)}`);

            await ben.cdp.send('WebAuthn.removeVirtualAuthenticator', {authenticatorId: ben.authenticatorId});
            await ben.cdp.send('WebAuthn.addVirtualAuthenticator', {options: AUTHENTICATOR});
            await register(ben, 'zweiter');
            expect(/zweiter/.test(await text(page)), `a second one: ${await text(page)}`);
            await pressIn(page, '/passkeys/remove');
            expect(path(page) === '/passkeys' && !/Schlüssel/.test(await text(page)), 'then the first one goes');
            expect(passkeyLines(service).map(({step}) => step).join() === 'added,added,removed', 'on record');
            for (const fault of ben.faults) expect(false, fault);
            await ben.close();

            const plain = await open(service, {script: false});
            await enterToken(plain, 'carla');
            expect(/require JavaScript/.test(await text(plain.page)), `without script: ${await text(plain.page)}`);
            expect(!await plain.page.locator('main input[name=name]').isVisible(), 'the form is hidden');
            await plain.close();
        } finally {
            await service.stop();
        }
    },
};

export const passkeys = [optional, required];
