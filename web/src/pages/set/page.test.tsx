import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { GeneratedApp, SetDetail } from '../../api/client';
import { show } from '../../testing/render';
import { serve } from '../../testing/server';
import { sized } from '../../testing/sizes';
import SetPage from './page';

const path = '/api/v1/applicationsets/argocd/tools';

const app = (name: string, more: Partial<GeneratedApp> = {}): GeneratedApp => ({
  name,
  exists: true,
  parameters: { zone: name },
  ...more,
});

const set = (expansion: Partial<SetDetail['expansion']>): SetDetail => ({
  namespace: 'argocd',
  name: 'tools',
  project: 'platform',
  generators: ['clusters'],
  applications: 4,
  healthy: 3,
  synced: 3,
  failed: false,
  created: '2026-11-22T12:00:00Z',
  spec: '',
  states: [],
  conditions: [],
  expansion: { at: '2026-11-22T12:00:00Z', took: 3, total: 3, applications: [], ...expansion },
  can: [],
});

test('what one answer has no room for is loaded when it is asked for', async () => {
  sized(1000, 500);
  const { sent } = serve({
    [`GET ${path}`]: (_, url) =>
      url.searchParams.get('offset') === '2'
        ? set({ applications: [app('web-2')] })
        : set({ applications: [app('web-0', { cut: true }), app('web-1')], next: 2 }),
  });
  show(<SetPage />, '/applicationsets/argocd/tools', '/applicationsets/:namespace/:name');
  expect(await screen.findByText(/2 of 3 are loaded/)).toBeDefined();
  expect(screen.getByText(/long or many parameters are cut/)).toBeDefined();
  await userEvent.click(screen.getByRole('button', { name: 'Load more' }));
  expect(await screen.findByRole('link', { name: 'web-2' })).toBeDefined();
  expect(screen.getByRole('link', { name: 'web-0' })).toBeDefined();
  expect(screen.queryByText(/are loaded/)).toBeNull();
  expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull();
  // What a page of another test still waits for is asked for here.
  expect(sent.filter((s) => s.url.pathname === path).map((s) => s.url.search)).toEqual(['', '?offset=2']);
});

test('what is not created is told of all that is loaded, and how many there are besides', async () => {
  sized(1000, 500);
  const bad = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) =>
      app(`bad-${from + i}`, { exists: false, problem: 'no cluster has that name' }),
    );
  serve({
    [`GET ${path}`]: (_, url) =>
      url.searchParams.get('offset') === '15'
        ? set({ total: 25, applications: bad(15, 10) })
        : set({ total: 25, applications: bad(0, 15), next: 15 }),
  });
  show(<SetPage />, '/applicationsets/argocd/tools', '/applicationsets/:namespace/:name');
  expect(await screen.findByText('15 applications not created')).toBeDefined();
  await userEvent.click(screen.getByRole('button', { name: 'Load more' }));
  expect(await screen.findByText('25 applications not created')).toBeDefined();
  expect(screen.getByText('and 5 more')).toBeDefined();
});

test('what the template gives is asked for by name, also of one that is not loaded', async () => {
  sized(1000, 500);
  serve({
    [`GET ${path}`]: (_, url) =>
      url.searchParams.get('application') === 'web-2'
        ? set({ total: 1, applications: [app('web-2', { manifest: 'kind: Application\n' })] })
        : set({ applications: [app('web-0')], next: 1 }),
  });
  show(<SetPage />, '/applicationsets/argocd/tools?application=web-2', '/applicationsets/:namespace/:name');
  const output = await screen.findByRole('region', { name: 'What the template gives for web-2' });
  expect(await within(output).findByText(/kind/)).toBeDefined();
});

test('a condition about placeholders that are left is told as a warning, with what it names', async () => {
  sized(1000, 500);
  const message = 'the template leaves parameters unresolved: {{metadata.annotations.region}}';
  serve({
    [`GET ${path}`]: () => ({
      ...set({}),
      states: [
        {
          type: 'ParameterWarning',
          status: 'True',
          reason: 'UnresolvedParameter',
          message,
          since: '2026-11-22T12:00:00Z',
        },
      ],
    }),
  });
  show(<SetPage />, '/applicationsets/argocd/tools', '/applicationsets/:namespace/:name');
  const told = await screen.findByText(message);
  expect(told.closest('article')?.dataset.tone).toBe('warn');
});
