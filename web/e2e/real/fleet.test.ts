import { expect, test } from 'vitest';

import { told } from '../browser';
import { admin, at, comes, fleet, line, synced } from './person';

const all = ['hub', 'east', 'west'];

test('the cluster that differs is found among all, and is brought to what the others run', async () => {
  await fleet.west();
  const { page, complaints } = await admin();
  for (const cluster of all) await synced(page, `edge-${cluster}`);
  const matrix = page.getByRole('table', { name: 'Clusters and what runs on them' });
  const row = (cluster: string) =>
    matrix.getByRole('row').filter({ has: page.getByRole('rowheader', { name: cluster, exact: true }) });
  const cell = (cluster: string) => row(cluster).locator(`a[href$="${at(`edge-${cluster}`)}"]`);
  const differs = page.getByText('differs from most clusters');

  // A commit reaches all of them but one.
  const version = `${Date.now()}`;
  fleet.edit('repo/edge/edge.yaml', (text) => text.replace(/version: .*\}/, `version: '${version}' }`));
  await page.goto('/applications?q=edge-');
  for (const cluster of all) await line(page, `edge-${cluster}`).getByText('Out of sync', { exact: true }).waitFor();
  for (const cluster of ['hub', 'east'])
    await page.getByRole('checkbox', { name: `Select edge-${cluster}`, exact: true }).click();
  await page.getByRole('button', { name: 'Sync…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sync 2 applications' }).click();
  await told(page, 'Asked for 2 applications.');

  await page.goto('/fleet');
  for (const cluster of all) await cell(cluster).waitFor();
  await cell('west').and(page.locator('[data-odd]')).waitFor();
  for (const cluster of ['hub', 'east'])
    await cell(cluster).and(page.locator('[data-odd]')).waitFor({ state: 'detached' });
  await page.getByRole('checkbox', { name: 'Only what differs' }).click();
  await row('west').waitFor();
  await row('east').waitFor({ state: 'detached' });
  expect(await matrix.getByRole('link').and(page.locator('[data-odd]')).count()).toBe(1);
  await differs.waitFor();

  // What it says in the cell leads to why, and to the way out.
  await cell('west').click();
  await comes(page, 'edge-west', 'Out of sync');
  await page.getByRole('tab', { name: 'Diff' }).click();
  await page.getByText(version).first().waitFor();
  await page.getByRole('button', { name: 'Sync', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sync', exact: true }).click();
  await comes(page, 'edge-west', 'Synced');
  expect(
    await fleet.kubectl('west', ['-n', 'edge', 'get', 'configmap', 'edge', '-o', 'jsonpath={.data.version}']),
  ).toBe(version);
  await page.goto('/fleet');
  await cell('west').waitFor();
  await differs.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await page.context().close();
});
