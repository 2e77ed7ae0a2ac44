import { expect, inject, test } from 'vitest';

import { told, visit } from '../browser';
import { admin, fleet } from './person';

const { url } = inject('server');

test('a program gets a key for what it needs, until it is taken away', async () => {
  const { page, complaints } = await admin();
  const name = `ci ${Date.now()}`;
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What it is for').fill(name);
  await dialog.getByRole('button', { name: 'Make a key' }).click();
  await dialog.getByText('It is shown this once.').waitFor();
  const key = (await dialog.getByLabel('Key', { exact: true }).textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Done' }).click();
  const asks = (path: string, body?: object) =>
    fetch(`${url}/api/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  expect((await asks('/applications')).status).toBe(200);
  expect((await asks('/applications/argocd/settings/sync', {})).status).toBe(403);
  await page.getByRole('button', { name: `Revoke ${name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await told(page, `${name} is revoked.`);
  expect((await asks('/applications')).status).toBe(401);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('an account gets a password, signs in with it, and is signed out by others and by itself', async () => {
  const { page, complaints } = await admin();
  const password = `long enough ${Date.now()}`;
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Set the password of operator' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your own password').fill(fleet.signIn().password);
  await dialog.getByLabel('New password', { exact: true }).fill(password);
  await dialog.getByLabel('New password, once more').fill('another one');
  await dialog.getByText('This is another one').waitFor();
  await dialog.getByLabel('New password, once more').fill(password);
  await dialog.getByRole('button', { name: 'Set password' }).click();
  await told(page, 'The password of operator is set.');

  const other = await visit();
  const signsIn = async () => {
    await other.page.goto('/settings');
    await other.page.getByLabel('User name').fill('operator');
    await other.page.getByLabel('Password', { exact: true }).fill(password);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  };
  await signsIn();
  await page.getByRole('button', { name: 'End all sessions of operator' }).click();
  await dialog.getByRole('button', { name: 'End sessions' }).click();
  await told(page, 'The sessions of operator have ended.');
  expect((await other.page.request.get('/api/v1/applications')).status()).toBe(401);

  await signsIn();
  await other.page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await other.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await other.page.getByLabel('User name').waitFor();
  expect((await other.page.request.get('/api/v1/applications')).status()).toBe(401);
  expect([...complaints, ...other.complaints]).toEqual([]);
  for (const p of [page, other.page]) await p.context().close();
});
