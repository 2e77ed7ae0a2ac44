import { expect, test } from 'vitest';

import { told } from '../browser';
import { admin, at, comes, fleet, line } from './person';

test('several are looked at again', async () => {
  const { page } = await admin();
  await page.goto('/applications');
  for (const name of ['settings', 'web']) {
    await line(page, name).waitFor();
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click();
  }
  await page.getByRole('button', { name: 'Refresh…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Refresh 2 applications' }).click();
  await told(page, 'Asked for 2 applications.');
  await page.context().close();
});

test('why a wave waits is on the page, and the sync that waits is ended', async () => {
  const { page, complaints } = await admin();
  await page.goto(at('waves'));
  await comes(page, 'waves', 'Out of sync');
  await page.getByRole('button', { name: 'Sync', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sync', exact: true }).click();
  await comes(page, 'waves', 'Syncing');
  await page
    .getByText(/wait(ing|s) for .*Deployment.*stuck/i)
    .first()
    .waitFor();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.getByRole('region', { name: 'Waves of the sync in time' }).getByText('still running').first().waitFor();
  expect(await fleet.kubectl('east', ['-n', 'waves', 'get', 'configmap', 'later', '--ignore-not-found'])).toBe('');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'End the sync that runs' }).click();
  await told(page, 'The sync is being ended.');
  await page.getByRole('region', { name: 'What needs a look' }).getByText('The last sync failed').waitFor();
  expect(await fleet.kubectl('east', ['-n', 'waves', 'get', 'configmap', 'later', '--ignore-not-found'])).toBe('');
  expect(complaints).toEqual([]);
  await page.context().close();
});
