import { readFileSync } from 'node:fs';

import { kib, mb, ms, quantile, row } from './table.mjs';
import { list, visit } from './visit.mjs';

const rounds = 5;

/** firstList is the time from navigation until rows of the list can be clicked, each time by a new browser. */
export async function firstList({ browser, quiet, empty }) {
  const blank = [];
  const cold = [];
  const warm = [];
  for (let i = 0; i < rounds; i++) {
    const bare = await visit(browser);
    blank.push(await usable(bare.page, empty, 'p'));
    await bare.context.close();
    const { page, context } = await visit(browser, quiet);
    cold.push(await usable(page, quiet + list.path, list.usable));
    warm.push(await usable(page, quiet + list.path, list.usable));
    await context.close();
  }
  const base = quantile(blank, 0.5);
  const to = (all) => `an empty page (${ms(base)}); slowest of ${rounds}: ${ms(quantile(all, 1))}`;
  const what = 'first list usable after navigation';
  row({ what, measured: quantile(cold, 0.5), as: ms, below: 1000, base, to: to(cold) });
  row({ what: '  loaded again', measured: quantile(warm, 0.5), as: ms, base, to: to(warm) });
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

/** memory is what the page keeps after each of its rows was in sight. */
export async function memory({ browser, quiet, empty }) {
  const bare = await visit(browser);
  await bare.page.goto(empty);
  const base = await heap(bare.page);
  const bareProcess = await resident(browser);
  await bare.context.close();
  const { page, context } = await visit(browser, quiet);
  await page.goto(quiet + list.path);
  await page.locator(list.usable).waitFor();
  const first = await heap(page);
  const { total } = await (await context.request.get(`${quiet}/api/v1/applications?limit=1`)).json();
  await page.evaluate(async () => {
    const box = document.getElementById('content');
    for (let y = 0; ; y += 2_000) {
      box.scrollTo(0, y);
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) return;
    }
  });
  await page.locator(`[data-index="${total - 1}"] [data-open]`).waitFor();
  const all = await heap(page);
  const rows = await page.locator('[data-index]').count();
  const to = `an empty page's heap (${mb(base)})`;
  const what = 'list memory in the browser: heap';
  row({ what, measured: all, as: mb, below: 150e6, base, to: `${to}; all scrolled through, ${rows} rows are there` });
  row({ what: '  before scrolling', measured: first, as: mb, base, to });
  const process = `an empty page's (${mb(bareProcess)})`;
  row({ what: '  the whole process', measured: await resident(browser), as: mb, base: bareProcess, to: process });
  await context.close();
}

async function heap(page) {
  const client = await page.context().newCDPSession(page);
  for (let i = 0; i < 3; i++) await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  await client.detach();
  return usedSize;
}

/** resident is the memory of the largest process that draws pages. */
async function resident(browser) {
  const client = await browser.newBrowserCDPSession();
  const { processInfo } = await client.send('SystemInfo.getProcessInfo');
  await client.detach();
  const sizes = processInfo
    .filter((p) => p.type === 'renderer')
    .map((p) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${p.id}/status`, 'utf8'))?.[1] ?? 0) * 1024);
  return Math.max(...sizes);
}

/** firstLoad is what comes over the wire before the list is usable, but for answers of the API. */
export async function firstLoad({ browser, quiet }) {
  const { page, context } = await visit(browser, quiet);
  const files = [];
  page.on('requestfinished', (request) => {
    if (!new URL(request.url()).pathname.startsWith('/api/')) files.push(request);
  });
  await page.goto(quiet + list.path);
  await page.locator(list.usable).waitFor();
  const sizes = await Promise.all(files.map((file) => file.sizes()));
  const sent = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  const bodies = await Promise.all(files.map(async (file) => (await (await file.response()).body()).length));
  const base = bodies.reduce((sum, n) => sum + n, 0);
  const to = `the same ${files.length} files not compressed (${kib(base)})`;
  row({ what: 'first load, gzipped', measured: sent, as: kib, below: 300 * 1024, base, to });
  await context.close();
}
