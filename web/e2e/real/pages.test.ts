import { expect, test } from 'vitest';

import { admin, at, lastSync, synced } from './person';

// What the pages say is tested where it is synthetic; here that the real engine has all of it.
test('each page comes with what the engine has', async () => {
  const { page, complaints } = await admin();
  await synced(page, 'settings');
  await expect.poll(() => lastSync(page, 'settings')).toBeTruthy();
  for (const [path, heading, text] of [
    ['/fleet', 'Fleet', 'east'],
    ['/applications?view=tiles', 'Applications', 'settings'],
    ['/environments', 'Environments', 'settings'],
    ['/bridge', 'Bridge', 'east'],
    ['/bridge/east', 'east', 'Key'],
    ['/changes', 'Changes', 'shop'],
    ['/applicationsets', 'ApplicationSets', 'edge'],
    ['/applicationsets/argocd/edge', 'edge', 'edge-east'],
    ['/projects', 'Projects', 'storefront'],
    ['/repositories', 'Repositories', 'Connect repository'],
    ['/clusters', 'Clusters', 'east'],
    ['/audit', 'Audit', 'sync'],
    ['/settings', 'Settings', 'What you may do'],
  ] as const) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    await page.getByRole('main').getByText(text).filter({ visible: true }).first().waitFor();
  }
  for (const [tab, text] of [
    ['graph', 'settings'],
    ['table', 'ConfigMap'],
    ['diff', 'Nothing differs'],
    ['parameters', 'It has no parameters'],
    ['history', 'Asked for'],
    ['events', 'Sync to'],
    ['orphans', 'does not look for them'],
  ] as const) {
    await page.goto(`${at('settings')}?tab=${tab}`);
    await page.getByRole('tabpanel').getByText(text).first().waitFor();
  }
  await page.goto(`${at('settings')}?tab=timeline`);
  await page.getByRole('region', { name: 'Waves of the sync in time' }).getByText('settings').first().waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});
