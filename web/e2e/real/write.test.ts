import { expect, test } from 'vitest';

import { told } from '../browser';
import { admin, at, comes, fleet, lastSync, line, synced } from './person';

const colour = (cluster = 'east', namespace = 'settings') =>
  fleet.kubectl(cluster, ['-n', namespace, 'get', 'configmap', 'settings', '-o', 'jsonpath={.data.colour}']);

test('a commit is seen, synced, and gone back from', async () => {
  const { page, complaints } = await admin();
  await synced(page, 'settings');
  const before = await colour();
  const last = await lastSync(page, 'settings');
  const after = `violet-${Date.now()}`;
  await page.goto(at('settings'));
  await comes(page, 'settings', 'Synced');
  fleet.edit('repo/settings/settings.yaml', (text) => text.replace(/colour: .*\}/, `colour: ${after}}`));
  await page.getByRole('button', { name: 'Refresh', exact: true }).click();
  await told(page, 'Looking at Git and the cluster again.');
  await comes(page, 'settings', 'Out of sync');
  await page.getByRole('button', { name: 'Sync', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 to change').waitFor();
  await dialog.getByRole('button', { name: 'Sync', exact: true }).click();
  await comes(page, 'settings', 'Synced');
  expect(await colour()).toBe(after);

  await expect.poll(() => lastSync(page, 'settings')).not.toBe(last);
  await page.goto(`${at('settings')}?tab=history`);
  await page.getByRole('button', { name: 'Roll back to this' }).first().click();
  await dialog.getByText('What differs from the last sync:').waitFor();
  await dialog.getByText(before, { exact: true }).first().waitFor();
  await dialog.getByLabel('Why').fill('zu grün: 5 % der Besucher');
  await dialog.getByRole('button', { name: 'Roll back', exact: true }).click();
  await told(page, 'Going back.');
  await comes(page, 'settings', 'Out of sync');
  await fleet.awaits('east', 'settings', `jsonpath={.data.colour}=${before}`, 'configmap/settings');
  await page.getByText('Rollback').first().waitFor();
  await page.goto('/audit?verb=rollback');
  await page.getByText('zu grün: 5 % der Besucher').first().waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('what a commit deletes in bulk waits until somebody approves the list that they see', async () => {
  const { page, complaints } = await admin();
  const file = 'repo/crowd/crowd.yaml';
  const one = (i: number) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: crowd-${i} }\n`;
  const crowd = (n: number) => Array.from({ length: n }, (_, i) => one(i)).join('---\n');
  const there = () => fleet.kubectl('east', ['-n', 'crowd', 'get', 'configmap', '-o', 'name']);
  fleet.edit(file, () => crowd(6));
  await page.goto(at('crowd'));
  await comes(page, 'crowd', 'Synced', 'Healthy');
  await fleet.awaits('east', 'crowd', 'create', 'configmap/crowd-5');
  fleet.edit(file, () => crowd(1));
  await page.getByRole('button', { name: 'Refresh', exact: true }).click();
  await page.getByRole('button', { name: 'Approve deletion…' }).click();
  const dialog = page.getByRole('dialog');
  for (const i of [1, 2, 3, 4, 5]) await dialog.getByText(`crowd/crowd-${i}`).waitFor();
  expect(await there()).toContain('crowd-5');
  await dialog.getByRole('button', { name: 'Approve deletion', exact: true }).click();
  await told(page, 'The deletion is approved.');
  await comes(page, 'crowd', 'Synced', 'Healthy');
  await fleet.awaits('east', 'crowd', 'delete', ...[1, 2, 3, 4, 5].map((i) => `configmap/crowd-${i}`));
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('what is deleted was confirmed by its name, and takes its objects along', async () => {
  const { page, complaints } = await admin();
  const there = await fleet.kubectl('hub', [
    '-n',
    'argocd',
    'get',
    'applications',
    'doomed',
    '--ignore-not-found',
    '-o',
    'name',
  ]);
  if (there !== '') {
    await page.goto(at('doomed'));
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await dialog.getByLabel(/^Type .* to confirm$/).fill('dome');
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await dialog.getByLabel(/^Type .* to confirm$/).fill('doomed');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();
  } else {
    await page.goto('/applications');
  }
  await line(page, 'web').waitFor();
  await line(page, 'doomed').waitFor({ state: 'detached' });
  await fleet.awaits('east', 'doomed', 'delete', 'configmap/doomed');
  expect(complaints).toEqual([]);
  await page.context().close();
});
