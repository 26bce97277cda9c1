// palette.mjs - a screenshot as a PNG of 256 colours: a quarter of the bytes, and no program for it.
import {crc32, deflateSync, inflateSync} from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOURS = 256;

function* chunks(png) {
    for (let at = SIGNATURE.length; at < png.length;) {
        const size = png.readUInt32BE(at);
        yield {type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + size)};
        at += size + 12;
    }
}

function chunk(type, data) {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]), out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
}

const paeth = (a, b, c) => {
    const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
};

// Rows of samples without the filters of PNG: eight bits each, not interlaced, as Chromium writes.
function samples(raw, height, row, step) {
    const out = Buffer.alloc(height * row);
    for (let y = 0; y < height; y++) {
        const filter = raw[y * (row + 1)];
        for (let x = 0; x < row; x++) {
            const at = y * row + x, a = x >= step ? out[at - step] : 0, b = y > 0 ? out[at - row] : 0;
            const c = x >= step && y > 0 ? out[at - row - step] : 0;
            out[at] = raw[y * (row + 1) + 1 + x] + [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter];
        }
    }
    return out;
}

// The most frequent colours; every other becomes the nearest of them.
function makePalette(pixels, step) {
    const counts = new Map();
    for (let at = 0; at < pixels.length; at += step) {
        const colour = pixels.readUIntBE(at, 3);
        counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    const colours = [...counts].sort((a, b) => b[1] - a[1]).slice(0, COLOURS).map(([colour]) => colour);
    const distance = (a, b) => [16, 8, 0].reduce((sum, shift) => sum + ((a >> shift & 255) - (b >> shift & 255)) ** 2, 0);
    const index = new Map(colours.map((colour, i) => [colour, i]));
    for (const colour of counts.keys()) {
        if (!index.has(colour)) {
            index.set(colour, colours.reduce((best, other, i) => (distance(colour, other) < distance(colour, colours[best]) ? i : best), 0));
        }
    }
    return {colours, index};
}

export function toPalette(png) {
    const all = [...chunks(png)], head = all[0].data, width = head.readUInt32BE(0), height = head.readUInt32BE(4);
    if (head[8] !== 8 || ![2, 6].includes(head[9]) || head[12] !== 0) throw new Error('a PNG of eight bits in red, green and blue expected');
    const step = head[9] === 6 ? 4 : 3;
    const raw = inflateSync(Buffer.concat(all.filter(({type}) => type === 'IDAT').map(({data}) => data)));
    const pixels = samples(raw, height, width * step, step), {colours, index} = makePalette(pixels, step);
    const rows = Buffer.alloc(height * (width + 1));
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = index.get(pixels.readUIntBE((y * width + x) * step, 3));
    }
    const header = Buffer.from(head);
    header[9] = 3;
    const palette = Buffer.concat(colours.map((colour) => Buffer.from([colour >> 16, colour >> 8 & 255, colour & 255])));
    return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', deflateSync(rows, {level: 9})),
        chunk('IEND', Buffer.alloc(0))]);
}
