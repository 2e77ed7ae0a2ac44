import { expect, test } from 'vitest';

import { writeFileSync } from 'node:fs';

import { server } from '../browser';
import { admin, at, comes, fleet, line } from './person';

test('a cluster that goes down is told, and that it is back', async () => {
  const { page, complaints } = await admin();
  await fleet.west();
  await page.goto('/clusters');
  const west = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'west' }) });
  await west.getByText('Reachable', { exact: true }).first().waitFor();
  // The matrix is open, too, and nobody loads it again.
  const matrix = await page.context().newPage();
  await matrix.goto('/fleet');
  const row = (cluster: string) =>
    matrix.getByRole('row').filter({ has: matrix.getByRole('rowheader', { name: cluster, exact: true }) });
  const far = row('west').locator(`a[href$="${at('far')}"]`);
  const silent = matrix.getByRole('img', { name: 'Does not answer' });
  await far.waitFor();
  await silent.waitFor({ state: 'detached' });
  const shown = await far.innerText();

  await fleet.kill('west', 'SIGKILL');
  await west.getByText('Does not answer', { exact: true }).first().waitFor();
  await west.getByText('Its applications stay as they were').first().waitFor();
  await matrix.getByRole('rowheader', { name: /^west/ }).getByRole('img', { name: 'Does not answer' }).waitFor();
  // One alone is silent; what was known of it stays, and its cell leads on.
  expect(await silent.count()).toBe(1);
  const kept = matrix.locator(`[role="cell"] a[href$="${at('far')}"]`);
  expect(await kept.innerText()).toBe(shown);
  await kept.click();
  await comes(matrix, 'far');
  await matrix.getByRole('heading', { name: 'Its cluster does not answer' }).waitFor();
  await matrix.goBack();
  await silent.waitFor();

  await fleet.west();
  await west.getByText('Reachable', { exact: true }).first().waitFor();
  await silent.waitFor({ state: 'detached' });
  await far.waitFor();
  await matrix.close();
  // What is deployed there goes on, too.
  await page.goto(at('far'));
  const version = `${Date.now()}`;
  fleet.edit('repo/far/far.yaml', (text) => text.replace(/version: .*\}/, `version: "${version}"}`));
  await comes(page, 'far', 'Synced');
  await expect
    .poll(() => fleet.kubectl('west', ['-n', 'far', 'get', 'configmap', 'far', '-o', 'jsonpath={.data.version}']))
    .toBe(version);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('an open page comes back when the server does, with what changed meanwhile', async () => {
  const { page } = await admin();
  await page.goto('/applications?project=storefront');
  await line(page, 'settings').waitFor();
  const live = page.locator('#navigation').getByText('Live', { exact: true });
  await live.waitFor();
  await page.evaluate(() => Object.assign(window, { opened: true }));
  const name = `meanwhile-${Date.now()}`;
  await fleet.kill('up');
  await page.getByText('Connection lost. What you see may be old; reconnecting…').waitFor();
  writeFileSync(
    fleet.file(`apply/${name}.yaml`),
    `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: argocd}
spec:
  project: storefront
  source: {repoURL: https://git.example.com/shop, path: doomed, targetRevision: HEAD}
  destination: {name: east, namespace: ${name}}
  syncPolicy: {automated: {}, syncOptions: [CreateNamespace=true]}
`,
  );
  await fleet.up(new URL(server.url).host);
  await live.waitFor();
  await line(page, name).getByText('Healthy', { exact: true }).waitFor();
  await page.getByText('Connection lost. What you see may be old; reconnecting…').waitFor({ state: 'detached' });
  expect(await page.evaluate(() => 'opened' in window)).toBe(true);
  await page.context().close();
});
