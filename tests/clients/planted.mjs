// planted.mjs - what must never reach a client: made at run time, so that no file holds what a
// scanner would report, and shaped so that the shipped rules take it for real.
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

// Marsaglia's xorshift: the same values on every run.
let state = 0x2545f491;
function random(below) {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
}
const letters = count => Array.from({ length: count }, () => DIGITS[random(DIGITS.length)]).join('');

// A GitHub token ends with six characters that check the rest.
function githubToken() {
    const body = letters(30);
    let check = '';
    for (let rest = crc32(body), i = 0; i < 6; i++, rest = Math.floor(rest / 62)) {
        check = DIGITS[rest % 62] + check;
    }
    return ['ghp', body + check].join('_');
}

export const planted = {
    token: githubToken(), // critical, checksum right: blocked
    address: ['marta.kowalczyk', 'bluefjord-shipping.no'].join('@'), // redacted
    password: letters(12) + '#7', // redacted behind "password:"
};

// --- the search ----------------------------------------------------------------

const windows = (text, size) =>
    text.length <= size ? [text] : Array.from({ length: text.length - size + 1 }, (_, i) => text.slice(i, i + size));

// In base64 a text has three forms, by its place among the bytes before it; the characters that
// depend on neighbours are left away.
function base64Forms(secret) {
    return [0, 1, 2].map(shift => {
        const form = Buffer.from('\0'.repeat(shift) + secret)
            .toString('base64')
            .replace(/=+$/, '');
        return form.slice(shift === 0 ? 0 : shift + 1, form.length - 1);
    });
}

const needles = Object.entries(planted).flatMap(([name, secret]) => [
    ...windows(secret, 12).map(needle => ({ name, form: 'plain', needle })),
    ...base64Forms(secret)
        .flatMap(form => windows(form, 16))
        .map(needle => ({ name, form: 'base64', needle })),
    ...windows(Buffer.from(secret).toString('hex'), 24).map(needle => ({ name, form: 'hex', needle })),
    ...windows(encodeURIComponent(secret), 14).map(needle => ({ name, form: 'percent', needle })),
    ...windows([...Buffer.from(secret)].join(','), 40).map(needle => ({ name, form: 'codes', needle })),
]);

// Every string and number of a document, with the path that says to which text it belongs: an
// element's own index counts, not its place in the array, so that deltas of one text join.
function leaves(value, path, add) {
    if (Array.isArray(value)) {
        if (value.length && value.every(Number.isInteger)) {
            add(path, Buffer.from(value.map(code => code & 255)).toString('latin1'));
            return;
        }
        value.forEach((item, i) => leaves(item, `${path}/${item?.index ?? i}`, add));
    } else if (value && typeof value === 'object') {
        const index = ['index', 'output_index', 'content_index'].map(key => value[key] ?? '').join('.');
        for (const [key, item] of Object.entries(value)) {
            add('(keys)', `${key}\n`);
            leaves(item, `${path}/${index}/${key}`, add);
        }
    } else if (typeof value === 'string') {
        add(path, value);
    }
}

function documents(body) {
    const lines = body.split(/\r\n|\n|\r/);
    const found = [body, ...lines.map(line => line.replace(/^data: ?/, ''))].flatMap(text => {
        try {
            return [JSON.parse(text)];
        } catch {
            return [];
        }
    });
    return found;
}

function dechunk(text) {
    let out = '';
    for (let at = 0; at < text.length;) {
        const end = text.indexOf('\r\n', at);
        const size = end < 0 ? NaN : parseInt(text.slice(at, end), 16);
        if (!(size > 0)) {
            break;
        }
        out += text.slice(end + 2, end + 2 + size);
        at = end + 2 + size + 2;
    }
    return out;
}

// The answers on one connection, one behind the other.
function bodies(wire) {
    return wire.split(/(?=HTTP\/1\.1 \d\d\d )/).map(answer => {
        const head = answer.indexOf('\r\n\r\n');
        const body = answer.slice(head + 4);
        return /^transfer-encoding: *chunked/im.test(answer.slice(0, head)) ? dechunk(body) : body;
    });
}

// Where the planted secrets are in these bytes (latin1): as they stand, and in the texts that a reader of
// the protocol would put together from its events.
export function leaksIn(wire) {
    const places = new Map([['(wire)', wire]]);
    for (const body of bodies(wire)) {
        places.set('(bodies)', (places.get('(bodies)') ?? '') + body);
        for (const document of documents(body)) {
            leaves(document, '', (path, text) => places.set(path, (places.get(path) ?? '') + text));
        }
    }
    const found = new Map();
    for (const [path, text] of places) {
        for (const { name, form, needle } of needles) {
            const at = text.indexOf(needle);
            if (at >= 0 && !found.has(`${name} ${form} ${path}`)) {
                found.set(`${name} ${form} ${path}`, text.slice(Math.max(0, at - 30), at + 60));
            }
        }
    }
    return [...found].map(([where, text]) => `${where}: …${JSON.stringify(text)}…`);
}
