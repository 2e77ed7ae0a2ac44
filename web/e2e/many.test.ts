import { describe, expect, test } from 'vitest';

import { server, signedIn, told } from './browser';

describe.runIf(server.synthetic)('many at once', () => {
  test('several are synced at once, after one has read which', async () => {
    const { page } = await signedIn();
    await page.goto('/applications?sync=OutOfSync');
    await page.locator('[data-index="1"]').waitFor();
    const names = await page.locator('[data-open]').allInnerTexts();
    for (const i of [0, 1]) await page.getByRole('checkbox', { name: `Select ${names[i]}`, exact: true }).click();
    await page.getByRole('button', { name: 'Sync…' }).click();
    const dialog = page.getByRole('dialog');
    for (const i of [0, 1]) await dialog.getByText(names[i] ?? '', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Sync 2 applications' }).click();
    await told(page, 'Asked for 2 applications.');
    await expect
      .poll(async () => {
        const answer = await page.request.get(`/api/v1/applications/argocd/${names[0]}`);
        return ((await answer.json()) as { row: { sync: string } }).row.sync;
      })
      .toBe('Synced');
    await page.context().close();
  });

  test('a thousand objects are drawn', async () => {
    const { page, complaints } = await signedIn();
    await page.goto('/applications/argocd/accounts-prod-eu-west-1');
    await page.getByRole('button', { name: 'Expand 980 × Pod' }).click();
    // The worker takes its time to lay them out: until then all there is to show is what was there before.
    const shown = async () => {
      await page.getByRole('button', { name: 'Show all' }).click();
      return page.locator('.react-flow__node').count();
    };
    await expect.poll(shown, { interval: 1000 }).toBeGreaterThan(300);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
