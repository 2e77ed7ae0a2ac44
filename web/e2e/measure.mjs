// Measures the pages in Chromium at a synthetic installation of 10,000
// Applications on 500 clusters, and prints a table; each figure is beside the
// same of something that does nothing, from the same run.
//   npm run measure [-- firstList memory keystrokes answers frames]
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));
const goEnv = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-trimpath' };
const fixture = fileURLToPath(new URL('../node_modules/.cache/fixture', import.meta.url));
const rounds = 5;
const seconds = Number(process.env.SECONDS_OF_SCROLLING ?? 20);

const row = (what, figure, beside) => console.log(`  ${what.padEnd(46)}  ${figure.padStart(10)}  ${beside}`);
const ms = (n) => `${n.toFixed(n < 10 ? 1 : 0)} ms`;
const times = (n, of) => `${(n / of).toFixed(1)} ×`;
const mb = (n) => `${(n / 2 ** 20).toFixed(1)} MiB`;
const quantile = (list, q) => [...list].sort((a, b) => a - b)[Math.round(q * (list.length - 1))];

await ended(spawn('go', ['build', '-o', fixture, './web/e2e/fixture'], { cwd: root, env: goEnv, stdio: 'inherit' }));
const servers = [];
const quiet = await serve('-applications', '10000', '-clusters', '500');
const busy = await serve('-applications', '10000', '-clusters', '500', '-changes', '200');
const matrix = await serve('-applications', '10000', '-clusters', '100', '-addons', '100');
const nothing = await emptyServer();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-precise-memory-info'],
});

console.log('10,000 applications on 500 clusters, in Chromium');
try {
  for (const [name, part] of Object.entries({ firstList, memory, keystrokes, answers, frames }))
    if (process.argv.length < 3 || process.argv.includes(name)) await part();
} finally {
  await browser.close();
  for (const server of servers) server.kill('SIGINT');
  nothing.server.close();
}

/** firstList is the time from navigation until rows of the list can be clicked, each time by a new browser. */
async function firstList() {
  const blank = [];
  const cold = [];
  const warm = [];
  for (let i = 0; i < rounds; i++) {
    const empty = await visit(nothing.url);
    blank.push(await usable(empty.page, nothing.url, 'p'));
    await empty.context.close();
    const { page, context } = await visit(quiet, true);
    cold.push(await usable(page, `${quiet}/applications`, '[data-index="0"] [data-open]'));
    warm.push(await usable(page, `${quiet}/applications`, '[data-index="0"] [data-open]'));
    await context.close();
  }
  const base = quantile(blank, 0.5);
  row('an empty page shows', ms(base), 'median of 5, a new browser each time');
  row(
    'the list is usable, nothing cached',
    ms(quantile(cold, 0.5)),
    `${times(quantile(cold, 0.5), base)}, slowest ${ms(quantile(cold, 1))}`,
  );
  row(
    'the list is usable, loaded again',
    ms(quantile(warm, 0.5)),
    `${times(quantile(warm, 0.5), base)}, slowest ${ms(quantile(warm, 1))}`,
  );
}

/** memory is what the page keeps after each of its rows was in sight. */
async function memory() {
  const empty = await visit(nothing.url);
  await empty.page.goto(nothing.url);
  const base = await heap(empty.page);
  const baseProcess = await resident(empty.page);
  await empty.context.close();
  const { page, context } = await visit(quiet, true);
  await page.goto(`${quiet}/applications`);
  await page.locator('[data-index="0"] [data-open]').waitFor();
  const first = await heap(page);
  await page.evaluate(async () => {
    const box = document.getElementById('content');
    for (let y = 0; y < box.scrollHeight; y += 2_000) {
      box.scrollTo(0, y);
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
    }
  });
  await page.locator('[data-index="10000"] [data-open]').waitFor();
  const all = await heap(page);
  const rows = await page.locator('[data-index]').count();
  row('heap of an empty page', mb(base), `process ${mb(baseProcess)}`);
  row('heap with the list', mb(first), times(first, base));
  row(
    'heap after scrolling through all',
    mb(all),
    `${times(all, base)}, process ${mb(await resident(page))}, ${rows} rows in the document`,
  );
  await context.close();
}

/** keystrokes are letters in the search of the list: until the server has answered, and until the answer is to be seen. */
async function keystrokes() {
  const { page, context } = await visit(quiet, true);
  await page.goto(`${quiet}/applications`);
  await page.locator('[data-index="0"] [data-open]').waitFor();
  const field = page.getByRole('searchbox', { name: 'Search applications' });
  await field.click();
  const onServer = [];
  const shown = [];
  for (const letter of 'web-prod-us-east-1') {
    await page.evaluate(() => {
      performance.clearResourceTimings();
      window.typed = null;
      const count = document.querySelector('h1 + [role="status"]');
      const before = count.textContent;
      addEventListener('keydown', () => (window.pressed = performance.now()), { once: true, capture: true });
      new MutationObserver((_, o) => {
        if (count.textContent === before) return;
        o.disconnect();
        requestAnimationFrame(() => (window.typed = performance.now() - window.pressed));
      }).observe(count, { childList: true, characterData: true, subtree: true });
    });
    await page.keyboard.press(letter);
    // A letter that finds as many as before changes nothing that could be seen.
    await page.waitForFunction(() => window.typed !== null, null, { timeout: 2_000 }).catch(() => undefined);
    const { typed, asked } = await page.evaluate(() => ({
      typed: window.typed,
      asked: performance
        .getEntriesByType('resource')
        .filter((e) => e.name.includes('q='))
        .map((e) => e.responseEnd - e.requestStart),
    }));
    if (typed !== null) shown.push(typed);
    onServer.push(...asked);
  }
  row(
    'a keystroke until the server has answered',
    ms(quantile(onServer, 0.5)),
    `of ${onServer.length}, slowest ${ms(quantile(onServer, 1))}`,
  );
  row(
    'a keystroke until it is to be seen',
    ms(quantile(shown, 0.5)),
    `of ${shown.length}, slowest ${ms(quantile(shown, 1))}; 120 ms of it wait for more letters`,
  );
  await context.close();
}

/** answers are the same questions without a browser. */
async function answers() {
  const { context } = await visit(quiet, true);
  const ask = async (url) => {
    const begin = performance.now();
    const answer = await context.request.get(url);
    await answer.body();
    return performance.now() - begin;
  };
  const took = { nothing: [], list: [], search: [] };
  for (let i = 0; i < 60; i++) {
    took.nothing.push(await ask(nothing.url));
    took.list.push(await ask(`${quiet}/api/v1/applications?limit=100`));
    took.search.push(
      await ask(`${quiet}/api/v1/applications?limit=100&q=${'web-prod-us-east-1'.slice(0, (i % 17) + 1)}`),
    );
  }
  const base = quantile(took.nothing, 0.5);
  row('a server that answers nothing', ms(base), `99 of 100 within ${ms(quantile(took.nothing, 0.99))}`);
  row(
    'the first page of the list',
    ms(quantile(took.list, 0.5)),
    `${times(quantile(took.list, 0.5), base)}, 99 of 100 within ${ms(quantile(took.list, 0.99))}`,
  );
  row(
    'a search',
    ms(quantile(took.search, 0.5)),
    `${times(quantile(took.search, 0.5), base)}, 99 of 100 within ${ms(quantile(took.search, 0.99))}`,
  );
  await context.close();
}

/** frames are the longest times for which nothing was drawn. */
async function frames() {
  const look = async (url, signIn, ready, scroller) => {
    const { page, context } = await visit(new URL(url).origin, signIn);
    await page.goto(url);
    await page.locator(ready).first().waitFor();
    // Of the processor, not of the clock: what others do on the machine does not count.
    const client = await page.context().newCDPSession(page);
    await client.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
    await client.send('Performance.enable');
    const before = await busyFor(client);
    const gaps = await page.evaluate(scrolled, { scroller, seconds });
    gaps.work = ((await busyFor(client)) - before) / gaps.length;
    await context.close();
    return gaps;
  };
  const base = await look(`${nothing.url}/long`, false, 'p', 'html');
  const still = await look(`${quiet}/applications`, true, '[data-index="0"] [data-open]', '#content');
  const changing = await look(`${busy}/applications`, true, '[data-index="0"] [data-open]', '#content');
  const fleet = await look(`${matrix}/fleet`, true, '[role="rowheader"]', '[role="region"]:has([role="table"])');
  const told = (gaps) => `${ms(quantile(gaps, 1))}`;
  const more = (gaps) =>
    `${ms(gaps.work)} of work each, ` +
    `${times(quantile(gaps, 1), quantile(base, 1))}, 99 of 100 within ${ms(quantile(gaps, 0.99))}, ${gaps.length} frames`;
  row(`longest gap between frames, ${seconds} s of scrolling`, '', '');
  row('  an empty page', told(base), `99 of 100 within ${ms(quantile(base, 0.99))}, ${base.length} frames`);
  row('  the list', told(still), more(still));
  row('  the list, 200 changes a second', told(changing), more(changing));
  row('  the fleet, 100 × 100 cells', told(fleet), more(fleet));
}

/** busyFor is how long the page has worked, in milliseconds. */
async function busyFor(client) {
  const { metrics } = await client.send('Performance.getMetrics');
  return (metrics.find((m) => m.name === 'TaskDuration')?.value ?? 0) * 1000;
}

/** scrolled runs in the page: it scrolls as a wheel does, and returns the gaps between frames. */
async function scrolled({ scroller, seconds }) {
  const box = document.querySelector(scroller);
  const across = box.scrollWidth > box.clientWidth + 100;
  const gaps = [];
  let last = await new Promise(requestAnimationFrame);
  const end = last + seconds * 1000;
  let step = 40;
  while (last < end) {
    box.scrollBy(across ? step : 0, step);
    if (box.scrollTop <= 0 || box.scrollTop + box.clientHeight >= box.scrollHeight - 1) step = -step;
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last);
    last = now;
  }
  return gaps;
}

async function visit(url, signIn = false) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 850 } });
  if (signIn) {
    const answer = await context.request.post(`${url}/api/v1/session`, {
      data: { username: 'admin', password: 'admin' },
    });
    if (answer.status() !== 200) throw new Error(`cannot sign in: ${answer.status()}`);
  }
  return { context, page: await context.newPage() };
}

/** usable is the time from navigation until an element is there and drawn. */
async function usable(page, url, selector) {
  await page.addInitScript((wanted) => {
    const look = () => {
      if (!document.querySelector(wanted)) return false;
      requestAnimationFrame(() => (window.usable = performance.now()));
      return true;
    };
    new MutationObserver((_, o) => look() && o.disconnect()).observe(document, { childList: true, subtree: true });
  }, selector);
  await page.goto(url);
  return (await page.waitForFunction(() => window.usable)).jsonValue();
}

async function heap(page) {
  const client = await page.context().newCDPSession(page);
  for (let i = 0; i < 3; i++) await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  await client.detach();
  return usedSize;
}

/** resident is the memory of the largest process that draws pages. */
async function resident() {
  const client = await browser.newBrowserCDPSession();
  const { processInfo } = await client.send('SystemInfo.getProcessInfo');
  await client.detach();
  const sizes = processInfo
    .filter((p) => p.type === 'renderer')
    .map((p) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${p.id}/status`, 'utf8'))?.[1] ?? 0) * 1024);
  return Math.max(...sizes);
}

/** serve starts a synthetic installation, and returns its address. */
function serve(...args) {
  const server = spawn(fixture, ['-listen', '127.0.0.1:0', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  servers.push(server);
  return new Promise((resolve, reject) => {
    let said = '';
    server.stderr.on('data', (data) => {
      said += data;
      const address = /address=(http:\S+)/.exec(said)?.[1];
      if (address) resolve(address);
    });
    server.on('exit', () => reject(new Error(`the fixture has ended: ${said}`)));
  });
}

/** emptyServer answers with next to nothing. */
async function emptyServer() {
  const server = createServer((request, answer) => {
    answer.setHeader('Content-Type', 'text/html');
    answer.end(
      request.url === '/long'
        ? `<!doctype html><title>long</title>${'<p>a line</p>'.repeat(500)}`
        : '<!doctype html><title>empty</title><p>empty</p>',
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

function ended(child) {
  return new Promise((resolve, reject) =>
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${child.spawnfile} ended with ${code}`)))),
  );
}
