import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { told } from '../browser';
import { admin, at, comes, fleet, fresh, synced } from './person';

/** removed types the name of what a page shows, and deletes it. */
async function removed(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Type .* to confirm$/).fill(name);
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await told(page, `${name} is deleted`);
}

const stored = (kind: string, args: string[]) =>
  fleet.kubectl('hub', ['-n', 'argocd', 'get', kind, '--ignore-not-found', ...args]);

/** wrong is what a field says when it cannot be as it is. */
const wrong = (field: Locator) => field.and(field.page().locator('[aria-invalid="true"]'));

test('a project is made, changed and deleted', async () => {
  const { page, complaints } = await admin();
  const name = fresh('team');
  await page.goto('/new/project');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Not A Name');
  await page.getByRole('button', { name: 'Make project' }).click();
  await wrong(page.getByRole('textbox', { name: 'Name', exact: true })).waitFor();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByLabel('Repositories', { exact: true }).fill('https://git.example.com/*');
  await page.getByRole('button', { name: 'Make project' }).click();
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();

  await page.goto(`/projects/${name}`);
  await page.getByLabel('Description', { exact: true }).fill('Of the shop');
  await page.getByRole('button', { name: 'Save' }).click();
  await told(page, `${name} is saved`);
  expect(await stored('appproject', [name, '-o', 'jsonpath={.spec.description} {.spec.sourceRepos[0]}'])).toBe(
    'Of the shop https://git.example.com/*',
  );
  await removed(page, name);
  await expect.poll(() => stored('appproject', [name, '-o', 'name'])).toBe('');
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a repository is tried before it is connected; its password is never shown again', async () => {
  const { page, complaints } = await admin();
  const url = `https://127.0.0.1:1/${fresh('shop')}.git`;
  const secret = () =>
    stored('secrets', [
      '-l',
      'argocd.argoproj.io/secret-type=repository',
      '-o',
      `go-template={{range .items}}{{if eq (.data.url|base64decode) "${url}"}}{{.data.username|base64decode}}:{{.data.password|base64decode}}{{end}}{{end}}`,
    ]);
  await page.goto('/new/repository');
  await page.getByRole('textbox', { name: 'Address' }).fill(url);
  await page.getByRole('combobox', { name: 'Sign in with' }).click();
  await page.getByRole('option', { name: 'User name and password or token' }).click();
  await page.getByLabel('User name').fill('shop');
  await page.getByLabel('Password or token', { exact: true }).fill('mightier');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.getByRole('alert').filter({ hasText: 'connect' }).waitFor();
  // Nobody answers there now; that may change, so it can be connected.
  await page.getByRole('button', { name: 'Connect repository' }).click();
  await told(page, `${url} is saved`);
  await expect.poll(secret).toBe('shop:mightier');

  await page.getByRole('link', { name: url }).first().click();
  await page.getByLabel('User name').fill('other');
  expect(await page.getByLabel('Password or token', { exact: true }).inputValue()).toBe('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(secret).toBe('other:mightier');
  expect(await page.content()).not.toContain('mightier');
  await removed(page, url);
  await expect.poll(secret).toBe('');
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a cluster is tried, connected, labelled and forgotten', async () => {
  await fleet.west();
  const { page, complaints } = await admin();
  const name = fresh('again');
  const west = fleet.access('west');
  const labels = () => stored('secrets', ['-l', `site=${name}`, '-o', 'jsonpath={.items[*].metadata.labels.tier}']);
  await page.goto('/new/cluster');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  // The same place by another address: no two clusters have one.
  await page
    .getByRole('textbox', { name: 'Address of the API server' })
    .fill(west.server.replace('127.0.0.1', 'localhost'));
  await page.getByRole('combobox', { name: 'Sign in with' }).click();
  await page.getByRole('option', { name: 'Client certificate' }).click();
  await page.getByLabel('Client certificate (PEM)').fill(west.cert);
  await page.getByLabel('Key of the certificate (PEM)').fill(west.key);
  await page.getByLabel('Certificate of the authority (PEM)').fill(west.authority);
  await page.getByLabel('Labels').fill(`site=${name}\ntier=edge`);
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.getByRole('status').filter({ hasText: 'Kubernetes v1.' }).waitFor();
  await page.getByRole('button', { name: 'Connect cluster' }).click();
  await told(page, `${name} is saved`);
  await expect.poll(labels).toBe('edge');

  await page.getByRole('link', { name }).first().click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByLabel('Labels').fill(`site=${name}\ntier=core`);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(labels).toBe('core');
  expect(await page.content()).not.toContain('PRIVATE KEY');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByText('No application goes there.').waitFor();
  await page.getByRole('dialog').getByLabel('Close').click();
  await removed(page, name);
  await expect.poll(labels).toBe('');
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('what would follow from a label is shown, and nothing is done', async () => {
  const { page, complaints } = await admin();
  const label = `site=${fresh('somewhere')}`;
  await page.goto('/bridge/east');
  await page.getByRole('button', { name: 'What if…' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Key', { exact: true }).fill('site');
  await drawer.getByLabel('Value', { exact: true }).fill('somewhere');
  await drawer.getByRole('button', { name: 'Show what would happen' }).click();
  await drawer.getByRole('status').getByText('1 application to make').waitFor();
  await drawer.getByText('sited-east').first().waitFor();
  expect(await stored('secrets', ['-l', label, '-o', 'name'])).toBe('');
  expect(await stored('applications', ['sited-east', '-o', 'name'])).toBe('');
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a set is expanded again, and an action restarts what runs', async () => {
  const { page, complaints } = await admin();
  await page.goto('/applicationsets/argocd/edge');
  await page.getByRole('button', { name: 'Refresh', exact: true }).click();
  await told(page, 'The engine expands it again.');

  await synced(page, 'hostile');
  const restarted = () =>
    fleet.kubectl('east', [
      '-n',
      'hostile',
      'get',
      'deployment',
      '-o',
      `jsonpath={.items[0].spec.template.metadata.annotations.kubectl\\.kubernetes\\.io/restartedAt}`,
    ]);
  const before = await restarted();
  const name = await fleet.kubectl('east', [
    '-n',
    'hostile',
    'get',
    'deployment',
    '-o',
    'jsonpath={.items[0].metadata.name}',
  ]);
  await page.goto(`${at('hostile')}?tab=table&object=${encodeURIComponent(`apps~v1~Deployment~hostile~${name}`)}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Restart' }).click();
  await page
    .getByRole('dialog', { name: /Restart/ })
    .getByText('restartedAt')
    .first()
    .waitFor();
  await page
    .getByRole('dialog', { name: /Restart/ })
    .getByRole('button', { name: 'Restart' })
    .click();
  await told(page, `Restart: ${name} was changed.`);
  await expect.poll(restarted).not.toBe(before);
  await comes(page, 'hostile');
  expect(complaints).toEqual([]);
  await page.context().close();
});
