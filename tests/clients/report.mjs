// report.mjs - what a person sees, client by client: the table of docs/clients.md, made of what the matrix saw.
import fs from 'node:fs';

const page = new URL('../../../docs/clients.md', import.meta.url);
const BEGIN = '<!-- matrix -->\n';
const END = '<!-- end -->\n';
const COLUMNS = [
    ['redact', 'redacted'],
    ['auto', 'blocked'],
    ['autotool', 'blocked call'],
    ['jsonblock', 'JSON, blocked within'],
    ['jsonfirst', 'JSON, blocked at its start'],
];

// One cell.
export function outcomeOf({ scenario }, { result, judged, driver }) {
    const [said = ''] = result.texts;
    const [finish = ''] = result.finishes;
    const mark = finish && finish !== driver.finish.stop ? `, ${finish}` : '';
    if (result.error) {
        const told = result.error.message.includes(judged.notice) ? ' with the notice' : '';
        return `${result.error.name}${told}${finish ? mark : ''}`;
    }
    if (scenario === 'redact') {
        return said.includes('[email-address]') ? 'labels' : said ? 'other' : 'no text';
    }
    if (result.refusal?.includes(judged.notice)) {
        return `refusal${mark}`;
    }
    return said.includes(judged.notice) ? `notice${mark}` : `no notice${mark}`;
}

function tableOf(outcomes) {
    const clients = [...new Set(outcomes.map(({ driver }) => driver.name))].sort();
    const cell = (name, column) =>
        outcomes.find(({ driver, scenario }) => driver.name === name && scenario === column)?.outcome ?? '-';
    return clients
        .map(name => [name, COLUMNS.map(([column]) => cell(name, column))])
        .filter(([, cells]) => cells.some(each => each !== '-'))
        .map(([name, cells]) => `| ${[name, ...cells].join(' | ')} |`);
}

// How many rows are not those of the page. Clients that were not there to be asked are passed over.
export function compareReport(outcomes, writes) {
    const rows = tableOf(outcomes);
    const text = fs.readFileSync(page, 'utf8');
    const [from, to] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
    if (writes) {
        const head = `| client | ${COLUMNS.map(([, title]) => title).join(' | ')} |\n|${'---|'.repeat(COLUMNS.length + 1)}\n`;
        const names = rows.map(row => row.split('|')[1]);
        const others = text
            .slice(from, to)
            .split('\n')
            .slice(2)
            .filter(row => row && !names.includes(row.split('|')[1]));
        const all = [...rows, ...others].sort();
        fs.writeFileSync(page, `${text.slice(0, from)}${head}${all.join('\n')}\n${text.slice(to)}`);
        return 0;
    }
    const shown = text.slice(from, to).split('\n');
    const wrong = rows.filter(row => !shown.includes(row));
    wrong.forEach(row => console.log(`FAILED  docs/clients.md has another row than\n        ${row}`));
    return wrong.length;
}
