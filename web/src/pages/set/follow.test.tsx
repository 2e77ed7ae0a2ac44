import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { AppSet, Expansion, GeneratedApp, SetDetail } from '../../api/client';
import { show } from '../../testing/render';
import { refused, serve } from '../../testing/server';
import SetPage from './page';

const list = '/api/v1/applicationsets';
const path = `${list}/argocd/addons`;

const set: AppSet = {
  namespace: 'argocd',
  name: 'addons',
  project: 'platform',
  generators: ['clusters'],
  applications: 1,
  healthy: 1,
  synced: 1,
  conditions: [],
};

const made = (name: string): GeneratedApp => ({ name, parameters: {}, exists: true });

const detail = (expansion: Partial<Expansion> = {}, more: Partial<SetDetail> = {}): SetDetail => ({
  ...set,
  spec: '',
  states: [],
  expansion: {
    at: '2026-11-22T12:00:00Z',
    took: 3,
    applications: [made('dns'), { ...made('web'), problem: 'no project' }],
    total: 2,
    ...expansion,
  },
  can: [],
  ...more,
});

/** looks answers with one after the other; the last one again and again. */
const looks = (...all: unknown[]) => {
  let n = 0;
  return () => all[Math.min(n++, all.length - 1)];
};

/** What a server answers whose engine has not taken up the refresh at once. */
const late = () => [set, { ...set, refreshing: true }].map((s) => [s]);

async function refresh(routes: Record<string, () => unknown>) {
  const { sent } = serve({ [`GET ${path}`]: () => detail(), [`POST ${path}/refresh`]: () => undefined, ...routes });
  const { unmount } = show(<SetPage />, '/applicationsets/argocd/addons', '/applicationsets/:namespace/:name');
  await userEvent.click(await screen.findByRole('button', { name: 'Refresh' }));
  return { sent, unmount };
}

test('a refresh is followed until the engine has expanded the set, also past a server that is away', async () => {
  const { sent } = await refresh({ [`GET ${list}`]: looks(...late(), refused(503, 'it is starting'), [set]) });
  await screen.findByText('The engine expands it again.');
  await screen.findByText('addons was expanded again, and gives 1 application.');
  expect(sent.filter((s) => s.what === `GET ${list}`).length).toBeGreaterThan(3);
});

test('a set that gives nothing any more says why', async () => {
  await refresh({
    [`GET ${path}`]: () => detail({ applications: [], problem: 'repository https://git.example.com is away' }),
    [`GET ${list}`]: () => [set],
  });
  const end = await screen.findByText(
    'addons was expanded again, and gives nothing: repository https://git.example.com is away',
  );
  expect(end.closest('[data-tone]')?.getAttribute('data-tone')).toBe('bad');
});

test('a set that is deleted meanwhile is told of, and so is what keeps the reader from seeing how it ends', async () => {
  const { unmount } = await refresh({ [`GET ${list}`]: looks(...late(), []) });
  await screen.findByText('addons is deleted.');
  unmount();
  await refresh({ [`GET ${list}`]: () => refused(403, 'you may not list them') });
  await screen.findByText('How it goes on could not be seen. you may not list them');
});

test('a set that is being expanded says so, whoever asked', async () => {
  serve({ [`GET ${path}`]: () => detail({}, { refreshing: true }) });
  show(<SetPage />, '/applicationsets/argocd/addons', '/applicationsets/:namespace/:name');
  await screen.findByText('Being expanded again');
});
