// screenshots.mjs - those of README and docs/review.md: docs/images/*.png, of the same made-up decisions each time.
import {mkdirSync, writeFileSync} from 'node:fs';
import {open} from './browser.mjs';
import {toPalette} from './palette.mjs';
import {startService} from './service.mjs';

const SHOTS = [
    {file: 'review-queue', path: '/queue', viewport: {width: 1280, height: 720}},
    {file: 'review-record', path: '/queue', link: /\/review\/items\/\d+$/, viewport: {width: 1280, height: 760}, dark: true},
    {file: 'review-phone', path: '/queue', viewport: {width: 360, height: 640}},
];

export async function takeScreenshots(bindir) {
    const service = await startService(bindir);
    mkdirSync('docs/images', {recursive: true});
    for (const {file, path, link, viewport, dark} of SHOTS) {
        const person = await open(service, {who: 'anna', viewport, dark});
        await person.page.goto(service.page + path);
        if (link) {
            const hrefs = await person.page.$$eval('a[href]', (all) => all.map((a) => a.getAttribute('href')));
            await person.page.goto(new URL(hrefs.find((href) => link.test(href)), service.page).href);
        }
        writeFileSync(`docs/images/${file}.png`, toPalette(await person.page.screenshot()));
        await person.close();
        console.log(`docs/images/${file}.png`);
    }
    await service.stop();
    return 0;
}
