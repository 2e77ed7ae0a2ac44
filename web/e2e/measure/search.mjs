import { ms, quantile, row } from './table.mjs';
import { list, visit } from './visit.mjs';

const typed = 'web-prod-us-east-1';

/** keystrokes are letters in the search of the list: until the server has answered, and until the answer is to be seen. */
export async function keystrokes({ browser, quiet }) {
  const { page, context } = await visit(browser, quiet);
  await page.goto(quiet + list.path);
  await page.locator(list.usable).waitFor();
  const raw = await asked(page, async () => {
    for (let i = 0; i < typed.length; i++) await page.evaluate((i) => fetch(`/nothing?q=${i}`), i);
  });
  await page.getByRole('searchbox', { name: 'Search applications' }).click();
  const onServer = [];
  const shown = [];
  for (const letter of typed) {
    await page.evaluate(watchCount);
    const took = await asked(page, async () => {
      await page.keyboard.press(letter);
      // A letter that finds as many as before changes nothing that could be seen.
      await page.waitForFunction(() => window.shown !== null, null, { timeout: 2_000 }).catch(() => undefined);
    });
    onServer.push(...took);
    const seen = await page.evaluate(() => window.shown);
    if (seen !== null) shown.push(seen);
  }
  const base = quantile(raw, 0.5);
  const slowest = (all) => `slowest of ${all.length}: ${ms(quantile(all, 1))}`;
  row({
    what: 'filter keystroke to result on the server',
    measured: quantile(onServer, 0.5),
    as: ms,
    below: 100,
    base,
    to: `a raw request of the browser (${ms(base)}); ${slowest(onServer)}`,
  });
  row({
    what: '  until it is to be seen',
    measured: quantile(shown, 0.5),
    as: ms,
    base,
    to: `the same; ${slowest(shown)}; 120 ms of it wait for more letters`,
  });
  await context.close();
}

/** watchCount runs in the page: it notes how long after the next key the count of what was found is another one. */
function watchCount() {
  window.shown = null;
  const count = document.querySelector('h1 + [role="status"]');
  const before = count.textContent;
  addEventListener('keydown', () => (window.pressed = performance.now()), { once: true, capture: true });
  new MutationObserver((_, o) => {
    if (count.textContent === before) return;
    o.disconnect();
    requestAnimationFrame(() => (window.shown = performance.now() - window.pressed));
  }).observe(count, { childList: true, characterData: true, subtree: true });
}

/** asked are how long the questions took that a page asked meanwhile, from their first byte to the last of the answer. */
async function asked(page, meanwhile) {
  await page.evaluate(() => performance.clearResourceTimings());
  await meanwhile();
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter((e) => e.name.includes('q=') && e.responseEnd > 0)
      .map((e) => e.responseEnd - e.requestStart),
  );
}
