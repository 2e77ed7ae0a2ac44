import { expect, test } from 'vitest';

import { server, told, visit } from '../browser';
import { admin, at, comes, fleet, line } from './person';

test('one signs in with what was printed, and with nothing else', async () => {
  const { page, complaints } = await visit();
  await page.goto('/applications');
  await page.getByLabel('User name').fill(server.user);
  await page.getByLabel('Password', { exact: true }).fill('not what was printed');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('User name or password is wrong.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(fleet.signIn().password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('the list fills, several are synced at once, and all become healthy', async () => {
  const { page, complaints } = await admin();
  await page.goto('/applications');
  for (const name of ['billing', 'crowd', 'doomed', 'far', 'healing', 'hostile', 'settings', 'waves', 'web'])
    await line(page, name).waitFor();
  for (const name of ['web', 'settings', 'doomed', 'hostile'])
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click();
  await page.getByRole('button', { name: 'Sync…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sync 4 applications' }).click();
  await told(page, 'Asked for 4 applications.');
  for (const name of ['web', 'settings', 'doomed', 'billing', 'healing', 'hostile', 'far']) {
    await line(page, name).getByText('Healthy', { exact: true }).waitFor();
    await line(page, name).getByText('Synced', { exact: true }).waitFor();
  }
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('what differs in a cluster is seen at once, shown, and mended where that is asked for', async () => {
  const { page, complaints } = await admin();
  await page.goto(at('settings'));
  await comes(page, 'settings', 'Synced');
  await fleet.kubectl('east', [
    '-n',
    'settings',
    'patch',
    'configmap',
    'settings',
    '--type=merge',
    '-p',
    '{"data":{"colour":"blue"}}',
  ]);
  await comes(page, 'settings', 'Out of sync');
  await page.getByRole('tab', { name: 'Diff' }).click();
  await page.getByText('colour: blue').first().waitFor();
  await page.getByText('colour: red').first().waitFor();
  // Only the object that differs is synced.
  await page.getByRole('button', { name: 'Sync', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('checkbox', { name: /^Only some objects/ }).click();
  await dialog.getByText('Only some objects: 1 of 2 objects').waitFor();
  await dialog.getByRole('button', { name: 'Sync', exact: true }).click();
  await comes(page, 'settings', 'Synced');
  expect(
    await fleet.kubectl('east', ['-n', 'settings', 'get', 'configmap', 'settings', '-o', 'jsonpath={.data.colour}']),
  ).toBe('red');

  await page.goto(`${at('healing')}?tab=history`);
  await comes(page, 'healing', 'Synced');
  await fleet.kubectl('east', [
    '-n',
    'healing',
    'patch',
    'configmap',
    'settings',
    '--type=merge',
    '-p',
    '{"data":{"colour":"green"}}',
  ]);
  await page.getByText('The cluster had drifted').first().waitFor();
  await fleet.awaits('east', 'healing', 'jsonpath={.data.colour}=red', 'configmap/settings');
  await comes(page, 'healing', 'Synced');
  expect(complaints).toEqual([]);
  await page.context().close();
});
