import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { Member, MemberDeletion } from '../../api/client';
import { show } from '../../testing/render';
import { refused, serve } from '../../testing/server';
import NewCluster from './new';
import OneCluster from './one';
import Clusters from './page';

const base = {
  'GET /api/v1/projects': () => [],
  'GET /api/v1/session/rights': () => ({ rights: [{ resource: 'clusters', action: 'create', some: true }] }),
};

/** enter is quicker than key by key: the form is a large one. */
const enter = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });

async function filled() {
  enter(await screen.findByLabelText(/^Name( \*)?$/), 'prod');
  enter(screen.getByLabelText(/^Address of the API server/), 'https://prod');
}

test('a line of labels that is no pair is told beside its field with all else that does not fit, and nothing is written', async () => {
  const { sent } = serve({
    ...base,
    'POST /api/v1/clusters/test': () =>
      refused(422, 'it does not fit', [{ location: 'body.server', message: 'begin it with https://' }]),
  });
  show(<NewCluster />, '/new/cluster');
  await filled();
  enter(screen.getByLabelText('Labels'), 'region');
  for (const button of ['Test connection', 'Connect cluster']) {
    await userEvent.click(screen.getByRole('button', { name: button }));
    expect(screen.getByText(/^Line 1: “region” has no “=”/)).toBeDefined();
    expect(await screen.findByText('begin it with https://')).toBeDefined();
  }
  const posts = () =>
    sent
      .filter((s) => s.what.startsWith('POST'))
      .map((s) => `${s.what} ${String((s.body as { check?: boolean }).check)}`);
  await expect.poll(posts).toEqual(['POST /api/v1/clusters/test true', 'POST /api/v1/clusters/test true']);
  enter(screen.getByLabelText('Labels'), 'region=eu');
  expect(screen.queryByText(/^Line 1/)).toBeNull();
  expect(screen.queryByText('begin it with https://')).toBeNull();
});

test('what was said of a save goes with what is corrected, and with a test', async () => {
  const unfit = [
    { location: 'body.labels', message: 'the value "1 2" of a' },
    { location: 'body.labels', message: 'the value "3 4" of b' },
  ];
  serve({
    ...base,
    'POST /api/v1/clusters': () => refused(422, 'it does not fit', unfit),
    'POST /api/v1/clusters/test': () => ({ ok: true, message: 'it answers', milliseconds: 3 }),
  });
  show(<NewCluster />, '/new/cluster');
  await filled();
  const save = () => userEvent.click(screen.getByRole('button', { name: 'Connect cluster' }));
  const said = () => screen.queryByText(/the value "1 2" of a/);
  await save();
  await screen.findByText(/the value "1 2" of a/);
  expect(said()?.textContent).toContain('the value "3 4" of b');
  enter(screen.getByLabelText('Labels'), 'a=1');
  expect(said()).toBeNull();
  expect(screen.queryByText('Some fields need a look.')).toBeNull();
  await save();
  await screen.findByText(/the value "1 2" of a/);
  await userEvent.click(screen.getByRole('button', { name: 'Test connection' }));
  expect(await screen.findByText(/it answers/)).toBeDefined();
  expect(said()).toBeNull();
});

const member: Member = {
  id: 'prod',
  name: 'prod',
  server: 'https://prod',
  credentials: [],
  version: '7',
  applications: 3,
  can: ['update', 'delete'],
};
const deletion: MemberDeletion = {
  confirm: 'abc',
  generated: [{ namespace: 'argocd', name: 'web-prod' }],
  left: [],
  unknown: [],
  verdict: 'none',
  guarded: [],
  failures: [],
};

/** asked opens the dialog that deletes the cluster. */
async function asked(told: MemberDeletion) {
  serve({ ...base, 'GET /api/v1/clusters/prod': () => member, 'GET /api/v1/clusters/prod/deletion': () => told });
  show(<OneCluster />, '/clusters/prod', '/clusters/:id');
  await userEvent.click(await screen.findByRole('button', { name: 'Delete…' }));
  await screen.findByRole('link', { name: 'web-prod' });
}

test('who deletes a cluster is told what the guard would hold, and how it is approved', async () => {
  await asked({
    ...deletion,
    guarded: [
      { namespace: 'argocd', applicationSet: 'webs', count: 3, of: 4, why: '3 of 4, where the limit is 50% min 3' },
    ],
    verdict: 'some',
    guardedHidden: true,
    failures: ['plugged: it asks plugins'],
  });
  expect(
    screen.getByText(
      'The guard would hold the deletion of 3 applications of webs: 3 of 4, where the limit is 50% min 3.',
    ),
  ).toBeDefined();
  expect(screen.getByText('causeway approve set/webs')).toBeDefined();
  expect(
    screen.getByText('It would hold deletions of ApplicationSets or applications that you may not see, too.'),
  ).toBeDefined();
  expect(screen.getByText('Not all is known of these ApplicationSets:')).toBeDefined();
  expect(screen.getByText('plugged: it asks plugins')).toBeDefined();
  expect(screen.queryByText(/It is not known what the guard/)).toBeNull();
  await userEvent.type(screen.getByLabelText('Type prod to confirm'), 'prod');
  expect(screen.getByRole('button', { name: 'Delete' }).hasAttribute('disabled')).toBe(false);
});

test('that others are concerned is said, and not how many', async () => {
  await asked({ ...deletion, others: true });
  expect(screen.getByText('Applications that you may not see are concerned, too.')).toBeDefined();
});

test('that the guard holds nothing is said where that is known', async () => {
  await asked(deletion);
  expect(screen.getByText('The guard would hold none of these deletions.')).toBeDefined();
});

test('one set that fails takes nothing from what is known of the others', async () => {
  await asked({ ...deletion, verdict: 'others', failures: ['plugged: it asks plugins'] });
  expect(screen.getByText('plugged: it asks plugins')).toBeDefined();
  expect(screen.getByText('Of the other ApplicationSets the guard would hold no deletion.')).toBeDefined();
});

test('where nothing could be found out nothing is said to go', async () => {
  const unknown = [{ namespace: 'argocd', name: 'web-prod' }];
  await asked({ ...deletion, generated: [], unknown, verdict: 'unknown', failures: ['it took too long'] });
  expect(screen.getByText('It is not known what the guard would hold: it took too long')).toBeDefined();
  expect(screen.getByText('Of these it is not known whether their ApplicationSets delete them')).toBeDefined();
  expect(screen.queryByText(/none of these/)).toBeNull();
});

test('what is deployed elsewhere and goes is told, and what stays without its cluster', async () => {
  const generated = [...deletion.generated, { namespace: 'argocd', name: 'platform-prod', cluster: 'hub' }];
  await asked({ ...deletion, generated, left: [{ namespace: 'argocd', name: 'own' }] });
  expect(screen.getByRole('link', { name: 'platform-prod' }).parentElement?.textContent).toBe(
    'platform-prod deployed to hub',
  );
  expect(screen.getByText('These stay, lose their cluster, and cannot be synced any more')).toBeDefined();
  expect(screen.getByRole('link', { name: 'own' })).toBeDefined();
});

test('a cluster that its Secret has left alone says so, and how that ends', async () => {
  const health = {
    name: 'prod',
    server: 'https://prod',
    reachable: true,
    paused: true,
    latencyMilliseconds: 3,
    inFlight: 0,
    kinds: 1,
  };
  serve({ ...base, 'GET /api/v1/clusters/prod': () => ({ ...member, health }) });
  show(<OneCluster />, '/clusters/prod', '/clusters/:id');
  expect(await screen.findByText(/until the annotation argocd.argoproj.io\/skip-reconcile is taken off/)).toBeDefined();
});

test('a cluster that answers, and whose kinds are not taken, says so', async () => {
  const prod = {
    name: 'prod',
    secret: 'prod',
    server: 'https://prod',
    reachable: true,
    problem: 'the kinds of cluster prod are not taken',
    latencyMilliseconds: 3,
    inFlight: 0,
    kinds: 0,
  };
  serve({ ...base, 'GET /api/v1/fleet/clusters': () => [prod] });
  show(<Clusters />, '/clusters');
  expect(await screen.findByText(prod.problem)).toBeDefined();
});
