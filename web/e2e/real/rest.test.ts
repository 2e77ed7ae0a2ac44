import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';

import { told } from '../browser';
import { admin, at, comes, fleet, fresh, line, synced } from './person';

const project = 'storefront';

const source = (path: string) => ({ repoURL: 'https://git.example.com/shop', path, targetRevision: 'HEAD' });

/** generates is an ApplicationSet with an Application for each site, in a namespace of its own. */
const generates = (name: string, path: string, sites: string[], syncPolicy: object, strategy?: object) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name, namespace: 'argocd' },
  spec: {
    goTemplate: true,
    generators: [{ list: { elements: sites.map((site) => ({ site })) } }],
    ...(strategy && { strategy }),
    template: {
      metadata: { name: `${name}-{{ .site }}`, labels: { site: '{{ .site }}' } },
      spec: {
        project,
        source: source(path),
        destination: { name: 'east', namespace: `${name}-{{ .site }}` },
        syncPolicy: { ...syncPolicy, syncOptions: ['CreateNamespace=true'] },
      },
    },
  },
});

/** ofSet opens the list of what a set has made, when all of it is there. */
async function ofSet(page: Page, name: string, sites: string[]): Promise<void> {
  await page.goto(`/applications?applicationSet=${name}`);
  for (const site of sites) await line(page, `${name}-${site}`).waitFor();
}

const onHub = (...args: string[]) => fleet.kubectl('hub', ['-n', 'argocd', ...args]);

/** forgotten deletes a set, and what it has made. */
async function forgotten(set: string): Promise<void> {
  await onHub('delete', 'applicationset', set, '--ignore-not-found', '--wait=false');
}

test('what asks to be confirmed is deleted when somebody has seen the list, and not before', async () => {
  const { page, complaints } = await admin();
  const name = fresh('precious');
  await fleet.apply('hub', {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project,
      source: source('precious'),
      destination: { name: 'east', namespace: name },
      syncPolicy: { automated: {}, syncOptions: ['CreateNamespace=true'] },
    },
  });
  await page.goto(`/applications?q=${name}`);
  await line(page, name).getByText('Healthy', { exact: true }).waitFor();
  await page.goto(at(name));
  await comes(page, name, 'Synced', 'Healthy');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Type .* to confirm$/).fill(name);
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();

  await page.goto(at(name));
  await page.getByText('This application is being deleted.').waitFor();
  await page.getByRole('button', { name: 'Confirm deletion…' }).click();
  await dialog.getByText(`${name}/precious`).waitFor();
  expect(await fleet.kubectl('east', ['-n', name, 'get', 'configmap', 'precious', '-o', 'name'])).not.toBe('');
  await dialog.getByLabel('Why').fill('it has moved');
  await dialog.getByRole('button', { name: 'Confirm deletion', exact: true }).click();
  await told(page, 'The deletion is confirmed.');
  await fleet.awaits('east', name, 'delete', 'configmap/precious');
  await fleet.awaits('hub', 'argocd', 'delete', `application/${name}`);
  await page.goto('/audit?verb=confirm');
  await page.getByText('it has moved').first().waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('what a set would delete in bulk waits until somebody approves the list that they see', async () => {
  const { page, complaints } = await admin();
  const name = fresh('shrinks');
  const sites = ['a', 'b', 'c', 'd'];
  const going = sites.slice(1).map((site) => `${name}-${site}`);
  await fleet.apply('hub', generates(name, 'edge', sites, {}));
  onTestFinished(() => forgotten(name));
  await ofSet(page, name, sites);
  await page.goto(`/applicationsets/argocd/${name}`);
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  await fleet.apply('hub', generates(name, 'edge', ['a'], {}));
  await page.getByRole('button', { name: 'Approve deletion…' }).click();
  const dialog = page.getByRole('dialog');
  for (const one of going) await dialog.getByText(one, { exact: true }).waitFor();
  expect((await onHub('get', 'applications', ...going, '-o', 'name')).trim().split('\n')).toHaveLength(going.length);
  await dialog.getByRole('button', { name: 'Approve deletion', exact: true }).click();
  await told(page, 'The deletion is approved.');
  await fleet.awaits('hub', 'argocd', 'delete', ...going.map((one) => `application/${one}`));
  await page.getByRole('button', { name: 'Approve deletion…' }).waitFor({ state: 'detached' });
  await ofSet(page, name, ['a']);
  for (const one of going) await line(page, one).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a roll-out that is paused holds a commit, and goes on when it is resumed', async () => {
  const { page, complaints } = await admin();
  const name = fresh('rolled');
  const sites = ['first', 'second'];
  const step = (site: string) => ({ matchExpressions: [{ key: 'site', operator: 'In', values: [site] }] });
  const version = (site: string) =>
    fleet.kubectl('east', ['-n', `${name}-${site}`, 'get', 'configmap', 'rolled', '-o', 'jsonpath={.data.version}']);
  await fleet.apply(
    'hub',
    generates(
      name,
      'rolled',
      sites,
      { automated: {} },
      { type: 'RollingSync', rollingSync: { steps: sites.map(step) } },
    ),
  );
  onTestFinished(() => forgotten(name));
  await ofSet(page, name, sites);
  for (const site of sites) await line(page, `${name}-${site}`).getByText('Synced', { exact: true }).waitFor();
  const before = await version('first');

  await page.goto(`/applicationsets/argocd/${name}`);
  const rollout = page.getByRole('region', { name: 'Brings its applications up to date in steps' });
  await rollout.getByRole('button', { name: 'Pause' }).click();
  await told(page, 'Nothing more is begun; syncs that run go on.');
  await rollout.getByText('Paused', { exact: true }).waitFor();
  const after = `${Date.now()}`;
  fleet.edit('repo/rolled/rolled.yaml', (text) => text.replace(/version: .*\}/, `version: '${after}' }`));
  // The roll-out has seen the commit, and says what it would begin with.
  await rollout.getByText(`Step 1 of 2 is paused: it waits for ${name}-first`).waitFor();
  for (const site of sites) expect(await version(site)).toBe(before);

  await rollout.getByRole('button', { name: 'Resume' }).click();
  await told(page, 'The roll-out goes on.');
  for (const site of sites)
    await fleet.awaits('east', `${name}-${site}`, `jsonpath={.data.version}=${after}`, 'configmap/rolled');
  await rollout.getByText('Paused', { exact: true }).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a cluster is left alone while its metadata say so', async () => {
  await fleet.west();
  const alone = 'argocd.argoproj.io/skip-reconcile';
  const unpaused = async () => {
    await onHub('annotate', 'secret', 'west', `${alone}-`);
  };
  await unpaused(); // an earlier try may have left it so
  onTestFinished(unpaused);
  const { page, complaints } = await admin();
  const version = () =>
    fleet.kubectl('west', ['-n', 'far', 'get', 'configmap', 'far', '-o', 'jsonpath={.data.version}']);
  await page.goto(at('far'));
  await comes(page, 'far', 'Synced', 'Healthy');
  const before = await version();

  await page.goto('/clusters/west');
  const annotations = page.getByRole('textbox', { name: 'Annotations' });
  const others = await annotations.inputValue();
  await annotations.fill(`${others}\n${alone}=true`.trim());
  await page.getByRole('button', { name: 'Save' }).click();
  await told(page, 'west is saved');
  await page.getByText(/^Nothing is synced, healed, pruned or deleted there until/).waitFor();
  const after = `${Date.now()}`;
  fleet.edit('repo/far/far.yaml', (text) => text.replace(/version: .*\}/, `version: '${after}' }`));
  await page.goto(at('far'));
  await page.getByRole('heading', { name: 'Its cluster is paused' }).waitFor();
  await page.getByRole('button', { name: 'Refresh', exact: true }).click();
  await told(page, 'Looking at Git and the cluster again.');
  expect(await version()).toBe(before);
  await page.goto('/clusters');
  const west = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'west' }) });
  await west.getByText('Paused', { exact: true }).waitFor();

  await page.goto('/clusters/west');
  await annotations.fill(others);
  await page.getByRole('button', { name: 'Save' }).click();
  await told(page, 'west is saved');
  await fleet.awaits('west', 'far', `jsonpath={.data.version}=${after}`, 'configmap/far');
  await page.goto(at('far'));
  await comes(page, 'far', 'Synced');
  await page.getByRole('heading', { name: 'Its cluster is paused' }).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('everything is rendered anew for who asks for it', async () => {
  const { page, complaints } = await admin();
  await synced(page, 'settings');
  await page.goto(at('settings'));
  await comes(page, 'settings', 'Synced');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Refresh and render everything anew' }).click();
  await told(page, 'Looking at Git and the cluster again.');
  // The engine takes the question away when it has looked.
  const asked = () =>
    onHub('get', 'application', 'settings', '-o', 'jsonpath={.metadata.annotations.argocd\\.argoproj\\.io/refresh}');
  await expect.poll(asked).toBe('');
  const answer = await page.request.get('/api/v1/audit?verb=refresh&limit=20');
  const { items } = (await answer.json()) as { items: { name?: string; changes?: unknown }[] };
  expect(JSON.stringify(items.find(({ name }) => name === 'settings')?.changes)).toContain('hard');
  await comes(page, 'settings', 'Synced', 'Healthy');
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a sync is tried first: what would happen is told, and nothing does', async () => {
  const { page, complaints } = await admin();
  const colour = () =>
    fleet.kubectl('east', ['-n', 'settings', 'get', 'configmap', 'settings', '-o', 'jsonpath={.data.colour}']);
  await synced(page, 'settings');
  const before = await colour();
  await page.goto(`${at('settings')}?tab=history`);
  await comes(page, 'settings', 'Synced');
  fleet.edit('repo/settings/settings.yaml', (text) => text.replace(/colour: .*\}/, `colour: tried-${Date.now()}}`));
  await comes(page, 'settings', 'Out of sync');
  await page.getByRole('button', { name: 'Sync', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 to change').waitFor();
  await dialog.getByRole('checkbox', { name: 'Dry run: only say what would happen' }).click();
  await dialog.getByRole('button', { name: 'Try it' }).click();
  await told(page, 'settings is being synced.');
  await page.getByRole('tabpanel').getByText('Dry run', { exact: true }).first().waitFor();
  await comes(page, 'settings', 'Out of sync');
  expect(await colour()).toBe(before);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('many are asked for until somebody stops it: the rest is left, and told', async () => {
  const { page, complaints } = await admin();
  const name = fresh('many');
  const sites = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  await fleet.apply('hub', generates(name, 'edge', sites, {}));
  onTestFinished(() => forgotten(name));
  await ofSet(page, name, sites);
  for (const site of sites) await page.getByRole('checkbox', { name: `Select ${name}-${site}`, exact: true }).click();
  await page.getByRole('button', { name: 'Sync…' }).click();
  const dialog = page.getByRole('dialog');
  // Four are asked for at a time. The hub answers none of them until it is stopped, so that the others still wait.
  const goOn = fleet.halt('hub');
  onTestFinished(goOn);
  await dialog.getByRole('button', { name: 'Sync 8 applications' }).click();
  const stopped = page.waitForResponse((answer) => answer.request().method() === 'DELETE' && answer.status() === 202);
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await stopped;
  goOn();
  await dialog.getByText(/^Stopped: [0-4] of 8 applications were asked for\.$/).waitFor();
  expect(await dialog.getByRole('listitem').filter({ hasText: 'Skipped' }).count()).toBeGreaterThanOrEqual(4);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await page.context().close();
});
