import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { Commit, CommitStep } from '../../api/client';
import { show } from '../../testing/render';
import { application, hostile, row } from '../../testing/samples';
import { refused, serve } from '../../testing/server';
import Change from './detail';
import Changes from './page';

const list = 'GET /api/v1/changes';
const stages = (['fetched', 'rendered', 'planned', 'applied', 'healthy'] as const).map((stage) => ({
  stage,
  done: 1,
  failed: stage === 'healthy' ? 1 : 0,
  tookMilliseconds: 2000,
}));
const failing: CommitStep = {
  namespace: 'argocd',
  name: 'web',
  project: 'shop',
  cluster: 'prod',
  state: 'failed',
  stage: 'healthy',
  stages: [],
  object: { group: 'apps', kind: 'Deployment', namespace: 'web', name: 'web' },
  message: hostile,
  at: '2026-11-22T12:00:00Z',
};
const commit: Commit = {
  repo: 'abcd',
  repoURL: 'https://git.example.com/shop/web.git',
  revision: 'a'.repeat(40),
  author: 'Mina',
  subject: 'Raise the memory',
  at: '2026-11-22T12:00:00Z',
  state: 'failed',
  applications: 2,
  clusters: ['prod'],
  counts: { failed: 1, healthy: 1 },
  stages,
  failing,
};

test('a commit that failed leads to the object, and what others wrote is text', async () => {
  serve({ [list]: () => ({ items: [commit] }) });
  show(<Changes />, '/changes');
  const link = await screen.findByRole('link', { name: 'Deployment web' });
  expect(link.getAttribute('href')).toBe('/applications/argocd/web?tab=table&object=apps%7E%7EDeployment%7Eweb%7Eweb');
  expect(screen.getByText(/1\/2/, { selector: 'li:last-child > span', exact: false }).textContent).toContain('failed');
  expect(document.querySelector('#content script')).toBeNull();
});

test('a state that there is not is said under the filters', async () => {
  serve({
    [list]: (_, url) => (url.searchParams.has('state') ? refused(422, 'no such state') : { items: [commit] }),
  });
  const { router } = show(<Changes />, '/changes?state=bogus');
  expect(await screen.findByText('no such state')).toBeDefined();
  expect(screen.getByRole('combobox', { name: 'State' })).toBeDefined();
  await userEvent.click(screen.getByRole('button', { name: 'Clear the filters' }));
  expect(router.state.location.search).toBe('');
  expect(await screen.findByRole('link', { name: 'Deployment web' })).toBeDefined();
});

test('filters are in the address, and older commits come on request', async () => {
  const { sent } = serve({
    [list]: (_, url) => (url.searchParams.get('before') ? { items: [] } : { items: [commit], next: 'further' }),
  });
  const { router } = show(<Changes />, '/changes?state=failed');
  await userEvent.click(await screen.findByRole('button', { name: 'Older commits' }));
  await screen.findByText('Raise the memory');
  expect(sent.filter((s) => s.what === list).map((s) => s.url.searchParams.get('before'))).toEqual([null, 'further']);
  expect(sent.find((s) => s.what === list)?.url.searchParams.get('state')).toBe('failed');
  await userEvent.selectOptions(screen.getByLabelText('State'), 'healthy');
  expect(router.state.location.search).toBe('?state=healthy');
});

test('an installation without a history says so', async () => {
  serve({ [list]: () => refused(404, 'no history is kept') });
  show(<Changes />, '/changes');
  expect(await screen.findByText('No history is kept')).toBeDefined();
});

test('a commit shows what needs a look first', async () => {
  serve({
    [`GET /api/v1/changes/abcd/${commit.revision}`]: () => ({
      ...commit,
      steps: [failing, { ...failing, name: 'dns', state: 'waiting', stage: 'applied', message: '' }],
    }),
  });
  show(<Change />, `/changes/abcd/${commit.revision}`, '/changes/:repo/:commit');
  expect(await screen.findByRole('heading', { name: 'Raise the memory' })).toBeDefined();
  expect(screen.getByText(/waits for somebody/)).toBeDefined();
  expect(screen.getByRole('link', { name: 'Deployment web' })).toBeDefined();
});

test('a step that waits says what its application waits for, with the way to it', async () => {
  const step = { ...failing, state: 'waiting' as const, stage: 'applied', message: '' };
  const one = (name: string) => `GET /api/v1/applications/argocd/${name}`;
  serve({
    [`GET /api/v1/changes/abcd/${commit.revision}`]: () => ({
      ...commit,
      steps: [
        { ...step, name: 'hold', state: 'running' },
        { ...step, name: 'byhand' },
        { ...step, name: 'pending' },
        { ...step, name: 'said', message: 'a window is closed' },
      ],
    }),
    [one('hold')]: () =>
      application('hold', {
        hold: {
          for: 'wave',
          phase: 'Sync',
          wave: 2,
          message: 'waiting',
          objects: [{ group: 'apps', kind: 'Deployment', namespace: 'web', name: 'slow', health: 'Progressing' }],
        },
      }),
    [one('byhand')]: () => application('byhand', { row: row('byhand', { automated: false }) }),
    [one('pending')]: () => application('pending', { pending: true }),
  });
  show(<Change />, `/changes/abcd/${commit.revision}`, '/changes/:repo/:commit');
  expect((await screen.findByText(/Wave 2 waits for/)).textContent).toContain('Wave 2 waits for Deployment slow');
  expect(screen.getByRole('link', { name: 'Deployment slow' }).getAttribute('href')).toBe(
    '/applications/argocd/hold?tab=table&object=apps%7E%7EDeployment%7Eweb%7Eslow',
  );
  expect(await screen.findByText(/waits for somebody to sync it/)).toBeDefined();
  expect(await screen.findByText('A sync was asked for and begins soon.')).toBeDefined();
  expect(screen.getByText('a window is closed')).toBeDefined();
});

test('a stage that took no time that could be measured has a duration, too', async () => {
  const none = stages.map((s) => ({ ...s, tookMilliseconds: 0 }));
  serve({ [list]: () => ({ items: [{ ...commit, stages: none }] }) });
  show(<Changes />, '/changes');
  await screen.findByText('Raise the memory');
  expect(screen.getAllByText('< 1 ms')).toHaveLength(3);
});
