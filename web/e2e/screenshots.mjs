// Takes pictures of the pages of a synthetic installation. Those that the documentation shows, in both themes:
//   npm run screenshots [-- --only NAME]…
// All there are, narrow as well, into a folder, and of the server that CAUSEWAY_URL names, if one is named:
//   npm run screenshots -- --all FOLDER [--only NAME]…
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { build, serve, signIn, within } from './installation.mjs';
import { addresses, pictures } from './pictures.mjs';

const { values } = parseArgs({ options: { all: { type: 'string' }, only: { type: 'string', multiple: true } } });
const { CAUSEWAY_URL: running, CAUSEWAY_USER: user, CAUSEWAY_PASSWORD: password } = process.env;

const folder = values.all ?? fileURLToPath(new URL('../../docs/images/browser', import.meta.url));
const wanted = pictures.filter(
  ({ name, docs }) => (values.all || docs) && (!values.only || values.only.some((only) => name.startsWith(only))),
);
const wide = { width: 1280, height: 800 };
const looks = [
  { name: 'light', colorScheme: 'light', viewport: wide },
  { name: 'dark', colorScheme: 'dark', viewport: wide },
  ...(values.all ? [{ name: 'narrow', colorScheme: 'light', viewport: { width: 375, height: 812 } }] : []),
];

/** Letters stay sharp, and a picture has some 40 kB. */
const quality = 60;

mkdirSync(folder, { recursive: true });
if (!running) await build();
await within([], async (browser) => {
  const base = running ?? (await serve('-pictures', '-applications', '2000', '-clusters', '100'));
  for (const look of looks) {
    const context = await browser.newContext({ ...look, baseURL: base, reducedMotion: 'reduce' });
    context.setDefaultTimeout(120_000);
    const take = (picture, known) => taken(context, picture, known, look.name);
    for (const picture of wanted.filter(({ anonymous }) => anonymous)) await take(picture, {});
    await signIn(context, base, user, password);
    const known = await addresses(context.request, base);
    for (const picture of wanted.filter(({ anonymous }) => !anonymous)) await take(picture, known);
    await context.close();
  }
});

/** taken takes a picture on a page of its own: what one opens, the next has not open. */
async function taken(context, { name, path, act }, known, look) {
  const page = await context.newPage();
  page.on('console', (m) => m.type() === 'error' && console.error(`${look} ${page.url()}: ${m.text()}`));
  page.on('pageerror', (e) => console.error(`${look} ${page.url()}: ${e.message}`));
  await page.goto(path.replace(/^[A-Z]+/, (word) => known[word]));
  await page.locator('h1, h2').first().waitFor();
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  await act?.(page);
  writeFileSync(join(folder, `${name}-${look}.webp`), await still(page));
  await page.close();
}

/** still is the picture of a page that does not move any more: two that follow each other are the same. */
async function still(page) {
  const client = await page.context().newCDPSession(page);
  let before = '';
  for (let i = 0; i < 50; i++) {
    await page.waitForTimeout(200);
    const { data } = await client.send('Page.captureScreenshot', { format: 'webp', quality });
    if (data === before) return Buffer.from(data, 'base64');
    before = data;
  }
  throw new Error(`${page.url()} does not come to rest`);
}
