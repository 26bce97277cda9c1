// frames.mjs - a stream is a list of frames; PAUSE and CUT say what the connection does there.
export const PAUSE = { pause: true };
export const CUT = { cut: true };

// The frames of the text with the silence halfway, then those of the end, which may not come.
export function assemble(script, { before, middle, after, error }) {
    const half = Math.floor(middle.length / 2);
    const frames = [...before, ...middle.slice(0, half), ...(script.pause ? [PAUSE] : []), ...middle.slice(half)];
    if (script.ending === 'cut') {
        return [...frames, CUT];
    }
    if (script.ending === 'late') {
        return [...frames, after[0], CUT];
    }
    return script.ending === 'error' ? [...frames, ...error] : [...frames, ...after];
}

// What an upstream may put between its events.
export const chatter = script =>
    script.side
        ? [{ comment: `upstream says ${script.side}` }, { field: `id: ${script.side}` }, { field: 'retry: 7' }]
        : [];

export function interleave(lists) {
    const out = [];
    for (let i = 0; i < Math.max(...lists.map(list => list.length)); i++) {
        lists.forEach(list => i < list.length && out.push(list[i]));
    }
    return out;
}

const byteCodes = text => [...Buffer.from(text)];
export const logprob = piece => ({
    token: piece,
    logprob: -0.1,
    bytes: byteCodes(piece),
    top_logprobs: [{ token: piece, logprob: -0.1, bytes: byteCodes(piece) }],
});

// An event of a stream in bytes. JSON is written with escapes where it may be: "@" as \u0040.
export function frameBytes(frame, newline) {
    if (frame.comment !== undefined) {
        return `: ${frame.comment}${newline}${newline}`;
    }
    if (frame.field !== undefined) {
        return `${frame.field}${newline}`;
    }
    const data = typeof frame.data === 'string' ? frame.data : escaped(frame.data);
    if (frame.line) {
        return `${data}\n`;
    }
    return `${frame.event ? `event: ${frame.event}${newline}` : ''}data: ${data}${newline}${newline}`;
}
export const escaped = value => JSON.stringify(value).replaceAll('@', '\\u0040').replaceAll('/', '\\/');
