import { describe, expect, test } from 'vitest';

import { accessible, server, signedIn, someApplication, told } from './browser';

// What these need only the fixture has.
describe.runIf(server.synthetic)('at a synthetic installation', () => {
  test('names, messages, differences, events and logs are text and nothing else', async () => {
    const { page, complaints } = await signedIn();
    const app = '/applications/argocd/zz-hostile';
    for (const path of [
      '/applications?q=zz-hostile',
      '/applications?q=zz-hostile&view=tiles',
      ...['graph', 'table', 'diff', 'history', 'timeline', 'events', 'labels', 'orphans'].map(
        (tab) => `${app}?tab=${tab}`,
      ),
    ]) {
      await page.goto(path);
      await page.getByText('zz-hostile').first().waitFor();
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    }
    await page.goto(`${app}?tab=table`);
    await page.locator('button[title*="Pod "]').first().click();
    await page.getByRole('tab', { name: 'Logs' }).click();
    await page.getByRole('log').getByText('<img src=x').first().waitFor();
    expect(await page.evaluate(() => 'struck' in window)).toBe(false);
    expect(await page.locator('img[src="x"], a[href^="javascript:"]').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a long list comes by pages while one scrolls, and keeps its place when things change', async () => {
    const { page } = await signedIn();
    const offsets = new Set<string>();
    page.on('request', (request) => {
      const offset = new URL(request.url()).searchParams.get('offset');
      if (offset) offsets.add(offset);
    });
    await page.goto('/applications');
    await page.locator('[data-index="0"]').waitFor();
    expect(await page.locator('[data-index]').count()).toBeLessThan(100);
    const content = page.locator('#content');
    await content.evaluate((e) => e.scrollTo(0, 40_000));
    await page.locator('[data-index="900"]').waitFor();
    expect(offsets.has('900') || offsets.has('800')).toBe(true);
    const place = await content.evaluate((e) => e.scrollTop);
    const line = page.locator('[data-index="905"]');
    const name = await line.locator('[data-open]').innerText();
    const app = `/api/v1/applications/argocd/${name}`;
    const answer = await page.request.post(`${app}/sync`, { data: { revision: 'held' } });
    expect(answer.status()).toBe(202);
    await line.getByRole('img', { name: 'Syncing' }).waitFor();
    await page.request.post(`${app}/terminate`);
    await line.getByRole('img', { name: 'Syncing' }).waitFor({ state: 'detached' });
    expect(await content.evaluate((e) => e.scrollTop)).toBe(place);
    await page.context().close();
  });

  test('what a sync waits for gives no place away below it when it is over', async () => {
    const { page } = await signedIn();
    const app = await someApplication(page, 'health=Healthy&sync=Synced');
    await page.goto(`${app}?tab=events`);
    const tabs = page.getByRole('tablist');
    await tabs.waitFor();
    const top = async () => Math.round((await tabs.boundingBox())?.y ?? 0);
    const answer = await page.request.post(`/api/v1${app}/sync`, { data: { revision: 'held' } });
    expect(answer.status()).toBe(202);
    const waits = page.getByRole('region', { name: 'What the sync waits for' });
    await waits.waitFor();
    const before = await top();
    await page.request.post(`/api/v1${app}/terminate`);
    await waits.waitFor({ state: 'detached' });
    expect(await top()).toBe(before);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.context().close();
  });

  test('what holds an application back is told above its objects, and covers nothing', async () => {
    const { page, complaints } = await signedIn();
    await page.goto(`${await someApplication(page, 'q=velero&sync=OutOfSync&operation=Failed')}?tab=table`);
    await page.getByRole('tablist').waitFor();
    // It comes with the page: a moment later it would move what is below.
    expect(await page.getByRole('region', { name: 'Sync windows' }).count()).toBe(1);
    const between = async () => {
      const told = await page.locator('#content article').last().boundingBox();
      const tabs = await page.getByRole('tablist').boundingBox();
      return Math.round((tabs?.y ?? 0) - (told?.y ?? 0) - (told?.height ?? 0));
    };
    await expect.poll(between).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('filters are in the address, and going back takes them away', async () => {
    const { page } = await signedIn();
    await page.goto('/applications');
    await page.getByRole('button', { name: /^Degraded/ }).click();
    await expect.poll(() => page.url()).toContain('health=Degraded');
    await page.getByRole('searchbox', { name: 'Search applications' }).fill('web');
    await expect.poll(() => page.url()).toContain('q=web');
    await page.reload();
    await page.getByRole('button', { name: /^Degraded/, pressed: true }).waitFor();
    expect(await page.getByRole('searchbox', { name: 'Search applications' }).inputValue()).toBe('web');
    await page.getByRole('button', { name: 'Clear all' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await page.context().close();
  });

  test('a view is saved, opened by the search, and deleted, where there is little room', async () => {
    const { page, complaints } = await signedIn({ viewport: { width: 375, height: 812 } });
    await page.goto('/applications?health=Degraded&sort=-name');
    await page.locator('[data-index="0"]').waitFor();
    await page.keyboard.press('v');
    const menu = page.getByRole('dialog');
    await menu.getByLabel('Save what the list shows as').fill('Broken');
    await page.keyboard.press('Enter');
    await told(page, 'The view Broken is saved in this browser.');
    await page.goto('/fleet');
    await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill('broken');
    await page.getByRole('group', { name: 'Saved views' }).getByRole('option').click();
    await expect.poll(() => page.url()).toMatch(/\/applications\?health=Degraded&sort=-name$/);
    await page.getByRole('button', { name: 'View: Broken' }).click();
    await menu.getByRole('link', { name: /^Broken/ }).waitFor();
    await accessible(page);
    const box = await menu.boundingBox();
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= 375, JSON.stringify(box)).toBe(true);
    await menu.getByRole('button', { name: 'Delete Broken' }).click();
    await accessible(page);
    await menu.getByRole('button', { name: 'Delete', exact: true }).click();
    await menu.getByText('None yet').waitFor();
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a refresh of a set is followed until it is expanded', async () => {
    const { page, complaints } = await signedIn();
    await page.goto('/applicationsets/argocd/kyverno');
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    await told(page, 'The engine expands it again.');
    await told(page, 'kyverno was expanded again, and gives 99 applications.');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('an application is compared with an earlier state, rolled back, and deleted', async () => {
    const { page, complaints } = await signedIn();
    await page.goto('/applications/argocd/billing-prod-eu-west-1?tab=history');
    const choose = page.getByRole('checkbox', { name: /Choose the sync/ });
    await choose.nth(0).click();
    await choose.nth(1).click();
    await page.getByRole('region', { name: /Difference of/ }).waitFor();
    await page.getByRole('button', { name: 'Roll back to this' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }).click();
    await told(page, 'Going back.');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await dialog.getByLabel(/^Type .* to confirm$/).fill('billing-prod-eu-west-1');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('who may read nothing is told so', async () => {
    const { page } = await signedIn({}, 'stranger', 'stranger');
    await page.goto('/applications');
    await page.getByText('You may not see this').waitFor();
    await page.context().close();
  });

  test('who may only read is offered nothing that would be refused', async () => {
    const { page, complaints } = await signedIn({}, 'reader', 'reader');
    // What says that a page is there, and that its rights are known; and the buttons that others have.
    const has = async (path: string, there: string | RegExp, ...none: (string | RegExp)[]) => {
      await page.goto(path);
      await page.getByText(there).first().waitFor();
      for (const name of none) expect(await page.getByRole('button', { name }).count(), `${path}: ${name}`).toBe(0);
    };
    await has('/clusters/cluster-1', 'You may read this, and not change it.', 'Delete…', 'Save');
    await has('/projects/shop', 'You may read this, and not change it.', 'Delete…', 'Save');
    await has('/repositories/repo-1', 'You may read this, and not change it.', 'Delete…', 'Save');
    await has('/new/cluster', 'You may not connect clusters', 'Connect cluster');
    await has('/new/project', 'You may not make projects', 'Make project');
    await has('/new/repository', 'You may not connect repositories', 'Connect repository');
    await accessible(page);
    await has('/applications/argocd/catalog-prod-eu-west-1?tab=history', 'Timeline', 'Sync', 'Roll back to this');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByText('You may look at this application, and not sync it.').waitFor();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Refresh and render everything anew']);
    for (const [list, button] of [
      ['/clusters', 'Connect cluster'],
      ['/projects', 'Make project'],
      ['/repositories', 'Connect repository'],
    ] as const) {
      const rights = page.waitForResponse('**/api/v1/session/rights');
      await page.goto(list);
      await rights;
      await page.locator('li h2').first().waitFor();
      expect(await page.getByRole('link', { name: button }).count()).toBe(0);
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
