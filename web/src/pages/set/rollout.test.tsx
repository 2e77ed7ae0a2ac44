import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { SetDetail } from '../../api/client';
import { show } from '../../testing/render';
import { refused, serve } from '../../testing/server';
import SetPage from './page';

const path = '/api/v1/applicationsets/argocd/addons';

function set(paused: boolean, can: string[]): SetDetail {
  return {
    namespace: 'argocd',
    name: 'addons',
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
    expansion: { at: '2026-11-22T12:00:00Z', took: 3, total: 0, applications: [] },
    can,
    rollout: {
      paused,
      message: 'Step 2 of 2 waits for web-prod',
      steps: [
        { number: 1, total: 2, done: 2, atWork: 0, waiting: 0 },
        { number: 2, atOnce: '50%', total: 2, done: 0, atWork: 1, waiting: 1 },
      ],
    },
  };
}

test('a roll-out shows its steps, and is held and let go by who may', async () => {
  let paused = false;
  const { sent } = serve({
    [`GET ${path}`]: () => set(paused, ['update']),
    [`POST ${path}/pause`]: () => void (paused = true),
    [`POST ${path}/resume`]: () => void (paused = false),
  });
  show(<SetPage />, '/applicationsets/argocd/addons', '/applicationsets/:namespace/:name');
  expect((await screen.findByText('Step 2')).closest('li')?.textContent).toContain('0 of 2 done · 1 at work · 1 waits');
  await userEvent.click(screen.getByRole('button', { name: 'Pause' }));
  expect(await screen.findByText('Paused')).toBeDefined();
  await userEvent.click(screen.getByRole('button', { name: 'Resume' }));
  expect(await screen.findByRole('button', { name: 'Pause' })).toBeDefined();
  expect(sent.filter((s) => s.what.startsWith('POST')).map((s) => s.what)).toEqual([
    `POST ${path}/pause`,
    `POST ${path}/resume`,
  ]);
});

test('that there are others in the steps is said, and not how many', async () => {
  const some = set(false, []);
  serve({ [`GET ${path}`]: () => ({ ...some, rollout: some.rollout && { ...some.rollout, others: true } }) });
  show(<SetPage />, '/applicationsets/argocd/addons', '/applicationsets/:namespace/:name');
  expect(await screen.findByText(/others in the steps that you may not see/)).toBeDefined();
});

test('who may not change the set has no button, and what is refused is said', async () => {
  serve({ [`GET ${path}`]: () => set(false, []) });
  const first = show(<SetPage />, '/applicationsets/argocd/addons', '/applicationsets/:namespace/:name');
  expect(await screen.findByText('Step 1')).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Pause' })).toBeNull();
  first.unmount();
  serve({ [`GET ${path}`]: () => set(false, ['update']), [`POST ${path}/pause`]: () => refused(403, 'not you') });
  show(<SetPage />, '/applicationsets/argocd/addons', '/applicationsets/:namespace/:name');
  await userEvent.click(await screen.findByRole('button', { name: 'Pause' }));
  expect(await screen.findByText('not you')).toBeDefined();
});
