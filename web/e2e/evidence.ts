import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext } from 'playwright-core';
import type { RunnerTestCase } from 'vitest';

/** folder keeps what a failure looked like: beside the logs of the suite. */
const folder = fileURLToPath(new URL('../../bin/suite/browser', import.meta.url));

const tries = (test?: Readonly<RunnerTestCase>) => test?.result?.retryCount ?? 0;

/** watched records what happens from here on, where a test is tried again: each test would be slower for it. */
export async function watched(context: BrowserContext, test?: Readonly<RunnerTestCase>): Promise<void> {
  if (tries(test) > 0) await context.tracing.start({ screenshots: true, snapshots: true });
}

/** keep writes what a test that failed saw last: a picture of each page that is open, and a trace where there is one. */
export async function keep(test: Readonly<RunnerTestCase>, browser?: Browser): Promise<void> {
  if (test.result?.state !== 'fail' || !browser?.isConnected()) return;
  mkdirSync(folder, { recursive: true });
  const name = `${test.name.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 80)}-${String(tries(test) + 1)}`;
  const files: string[] = [];
  for (const [i, context] of browser.contexts().entries()) {
    for (const [j, page] of context.pages().entries()) {
      const path = join(folder, `${name}-${String(i)}${String(j)}.png`);
      await page.screenshot({ path, timeout: 30_000 }).then(() => files.push(path), console.warn);
    }
    if (tries(test) === 0) continue;
    const path = join(folder, `${name}-${String(i)}-trace.zip`);
    await context.tracing.stop({ path }).then(() => files.push(path), console.warn);
  }
  console.warn(`what it looked like: ${files.join(' ')}`);
}
