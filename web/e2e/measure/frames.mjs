import { ms, quantile, row } from './table.mjs';
import { list, visit } from './visit.mjs';

/** frames are the longest times for which nothing was drawn while somebody scrolls. */
export async function frames({ browser, quiet, busy, matrix, empty, seconds }) {
  const look = async (installation, url, ready, scroller) => {
    const { page, context } = await visit(browser, installation);
    await page.goto(url);
    await page.locator(ready).first().waitFor();
    // Of the processor, not of the clock: what others do on the machine does not count.
    const client = await context.newCDPSession(page);
    await client.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
    await client.send('Performance.enable');
    const before = await worked(client);
    const gaps = await page.evaluate(scrolled, { scroller, seconds });
    const work = ((await worked(client)) - before) / gaps.length;
    await context.close();
    return { gaps, work, longest: quantile(gaps, 1) };
  };
  const base = await look(undefined, `${empty}/long`, 'p', 'html');
  const changing = await look(busy, busy + list.path, list.usable, '#content');
  const still = await look(quiet, quiet + list.path, list.usable, '#content');
  const fleet = await look(matrix, `${matrix}/fleet`, '[role="rowheader"]', '[role="region"]:has([role="table"])');
  const to = ({ gaps, work }) =>
    `an empty page that scrolls (${ms(base.longest)}); ` +
    `99 of 100 within ${ms(quantile(gaps, 0.99))}, ${ms(work)} of work each, ${gaps.length} frames`;
  const told = (what, look, below) =>
    row({ what, measured: look.longest, as: ms, below, base: base.longest, to: to(look) });
  told('longest gap of frames at 200 changes a second', changing, 100);
  told('  without changes', still);
  told('  of the fleet, 100 × 100 cells', fleet);
}

/** worked is how long the page has worked, in milliseconds. */
async function worked(client) {
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
