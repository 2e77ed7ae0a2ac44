import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { EnvironmentCell, Environments as Data, Product } from '../../api/client';
import { show } from '../../testing/render';
import { hostile } from '../../testing/samples';
import { refused, serve } from '../../testing/server';
import Compare from './compare';

const list = 'GET /api/v1/environments';
const cell = (version: string, more: Partial<EnvironmentCell> = {}): EnvironmentCell => ({
  applications: [],
  count: 1,
  version,
  versions: 1,
  health: 'Healthy',
  sync: 'Synced',
  ...more,
});
const environments = ['dev', 'stage', 'prod', '-'].map((name) => ({ name, applications: 1 }));
const product = (name: string, more: Partial<Product>): Product => ({
  id: `argocd/shop/${name}`,
  name,
  cells: {},
  ...more,
});

/** A server that has these products, and those alone differ. */
const having =
  (...items: Product[]) =>
  (_: unknown, url: URL): Data => {
    const id = url.searchParams.get('product');
    const found = items.filter((p) => (id ? p.id === id : url.searchParams.has('from')));
    return { environments, total: found.length, items: found };
  };

const web = product('web', {
  between: ['version', 'images'],
  cells: {
    stage: cell('2', { images: ['web:2', 'proxy:1'], subject: hostile, author: 'mina' }),
    prod: cell('1', { images: ['web:1', 'proxy:1'] }),
  },
});

test('each product that differs says in what, and leads to its difference', async () => {
  const { sent } = serve({
    [list]: having(web, product('batch', { between: ['place'], cells: { prod: cell('7') } })),
    'GET /api/v1/environments/diff': () => ({
      from: '1',
      to: '2',
      objects: [
        { kind: 'Deployment', name: 'web', verb: 'update', changes: [{ path: 'spec.replicas', old: 1, new: 3 }] },
      ],
    }),
  });
  const { router } = show(<Compare />, '/environments/compare?from=stage&to=prod');
  const row = (await screen.findByRole('link', { name: 'web differs: version, images' })).closest('tr');
  if (!row) throw new Error('a product is no row');
  const [stage, prod] = within(row).getAllByRole('cell');
  expect(stage?.textContent).toContain('web:2');
  expect(stage?.textContent).toContain(hostile);
  expect(prod?.textContent).toContain('web:1');
  expect(row.textContent).not.toContain('proxy:1');
  expect(screen.getByText('2 products differ')).toBeDefined();
  const alone = screen.getByRole('link', { name: 'batch differs: runs in one alone' });
  expect(alone.getAttribute('href')).toContain('environment=prod');
  expect(alone.getAttribute('href')).not.toContain('against');
  await userEvent.click(within(row).getByRole('link'));
  expect(await screen.findByText('spec.replicas')).toBeDefined();
  expect(router.state.location.search).toContain('from=stage&to=prod');
  const asked = sent.find((s) => s.what === 'GET /api/v1/environments/diff')?.url.searchParams;
  expect([asked?.get('from'), asked?.get('to')]).toEqual(['stage', 'prod']);
});

test('it begins with the last step of the promotion, and what is chosen has an address', async () => {
  const { sent } = serve({ [list]: having() });
  const { router } = show(<Compare />, '/environments/compare');
  expect(await screen.findByText('Nothing differs between stage and prod')).toBeDefined();
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Environment' }), 'dev');
  expect(await screen.findByText('Nothing differs between dev and prod')).toBeDefined();
  expect(router.state.location.search).toBe('?from=dev&to=prod');
  await userEvent.click(screen.getByRole('button', { name: 'Swap them' }));
  expect(await screen.findByText('Nothing differs between prod and dev')).toBeDefined();
  const asked = sent.filter((s) => s.url.searchParams.has('from')).map((s) => s.url.searchParams.toString());
  expect(asked).toEqual(['from=stage&to=prod&limit=100', 'from=dev&to=prod&limit=100', 'from=prod&to=dev&limit=100']);
});

test('an environment that is not there, or is compared with itself, is not asked for', async () => {
  const { sent } = serve({ [list]: having(web) });
  const { unmount } = show(<Compare />, '/environments/compare?from=qa&to=prod');
  expect(await screen.findByText('No application is in the environment “qa”')).toBeDefined();
  unmount();
  show(<Compare />, '/environments/compare?from=prod&to=prod');
  expect(await screen.findByText('An environment does not differ from itself')).toBeDefined();
  expect(sent.every((s) => !s.url.searchParams.has('from'))).toBe(true);
});

test('who may read none is told so, and so is who has a single environment', async () => {
  serve({ [list]: () => refused(403, 'reader may not get applications') });
  const { unmount } = show(<Compare />, '/environments/compare');
  expect(await screen.findByText('You may not see this')).toBeDefined();
  unmount();
  serve({ [list]: () => ({ environments: environments.slice(0, 1), total: 0, items: [] }) });
  show(<Compare />, '/environments/compare');
  expect(await screen.findByText('There are no two environments to compare')).toBeDefined();
});
