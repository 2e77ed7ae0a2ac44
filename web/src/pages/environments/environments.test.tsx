import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { EnvironmentCell, Environments as Data } from '../../api/client';
import { show } from '../../testing/render';
import { refused, serve } from '../../testing/server';
import Environments from './page';

const list = 'GET /api/v1/environments';
const cell = (version: string, more: Partial<EnvironmentCell> = {}): EnvironmentCell => ({
  applications: [
    { namespace: 'argocd', name: `web-${version}`, cluster: 'c', version, health: 'Healthy', sync: 'Synced' },
  ],
  count: 1,
  version,
  versions: 1,
  health: 'Healthy',
  sync: 'Synced',
  synced: '2026-11-22T12:00:00Z',
  ...more,
});
const data: Data = {
  environments: [
    { name: 'dev', applications: 1 },
    { name: 'prod', applications: 1 },
    { name: '-', applications: 0 },
  ],
  total: 1,
  items: [
    {
      id: 'argocd/shop/web',
      name: 'web',
      differs: true,
      cells: { dev: cell('2', { by: 'mina' }), prod: cell('1', { behind: 'dev' }) },
    },
  ],
};

test('a cell that is behind says of what, without colour', async () => {
  serve({ [list]: () => data });
  show(<Environments />, '/environments');
  const behind = await screen.findByRole('link', { name: /≠ dev/ });
  expect(behind.textContent).toContain('1');
  expect(behind.getAttribute('href')).toContain('environment=prod&against=dev');
  expect(screen.getByText(/by mina/)).toBeDefined();
  expect(screen.getByText('No environment')).toBeDefined();
});

test('two environments are compared in a drawer that has an address', async () => {
  const { sent } = serve({
    [list]: () => data,
    'GET /api/v1/environments/diff': () => ({
      from: '1',
      to: '2',
      objects: [
        { kind: 'Deployment', name: 'web', verb: 'update', changes: [{ path: 'spec.replicas', old: 1, new: 3 }] },
      ],
    }),
  });
  const { router } = show(<Environments />, '/environments?product=argocd/shop/web&environment=prod');
  await userEvent.selectOptions(await screen.findByLabelText('Compare with'), 'dev');
  expect(await screen.findByText('spec.replicas')).toBeDefined();
  expect(router.state.location.search).toContain('against=dev');
  const asked = sent.find((s) => s.what === 'GET /api/v1/environments/diff')?.url.searchParams;
  expect([asked?.get('from'), asked?.get('to')]).toEqual(['dev', 'prod']);
});

test('an empty installation and one that may not be read say so', async () => {
  serve({ [list]: () => ({ environments: [], total: 0, items: [] }) });
  const { unmount } = show(<Environments />, '/environments');
  expect(await screen.findByText('No environments yet')).toBeDefined();
  unmount();
  serve({ [list]: () => refused(403, 'reader may not get applications') });
  show(<Environments />, '/environments');
  expect(await screen.findByText('You may not see this')).toBeDefined();
});
