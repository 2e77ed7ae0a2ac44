import { describe, expect, test } from 'vitest';

import { accessible, server, signedIn, told } from './browser';

describe.runIf(server.synthetic)('accounts and keys', () => {
  test('a key is made for a program, shown once, and revoked', async () => {
    const { page, complaints } = await signedIn();
    await page.goto('/settings');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What it is for').fill('nightly');
    await dialog.getByLabel('What else it may do').fill('applications:sync');
    await dialog.getByRole('button', { name: 'Make a key' }).click();
    await dialog.getByText('is not resource:action:project').waitFor();
    await dialog.getByLabel('What else it may do').fill('applications:sync:shop-*');
    await accessible(page);
    await dialog.getByRole('button', { name: 'Make a key' }).click();
    await dialog.getByText('an example of a key').waitFor();
    await accessible(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /nightly.*applications:sync:shop-\*/ }).waitFor();
    expect(await page.getByText('an example of a key').count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke nightly' }).click();
    await accessible(page);
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('row', { name: /nightly/ }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a password is set by who knows their own, and all sessions end at once', async () => {
    const { page, complaints } = await signedIn();
    await page.goto('/settings');
    await page.getByText('kept in postgres://history.example.com/causeway, for 365 days').waitFor();
    await page.getByRole('button', { name: 'Set the password of reader' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your own password').fill('another');
    await dialog.getByLabel('New password', { exact: true }).fill('a new password');
    await dialog.getByLabel('New password, once more').fill('a new passport');
    await dialog.getByText('This is another one').waitFor();
    await accessible(page);
    await dialog.getByLabel('New password, once more').fill('a new password');
    await dialog.getByRole('button', { name: 'Set password' }).click();
    await dialog.getByText('your own password is another one').waitFor();
    await dialog.getByLabel('Your own password').fill('admin');
    await dialog.getByRole('button', { name: 'Set password' }).click();
    await told(page, 'The password of reader is set.');
    await page.getByRole('button', { name: 'End all sessions of reader' }).click();
    await accessible(page);
    await dialog.getByRole('button', { name: 'End sessions' }).click();
    await told(page, 'The sessions of reader have ended.');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await accessible(page);
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(complaints.filter((text) => !/40[13]/.test(text))).toEqual([]);
    await page.context().close();
  });
});
