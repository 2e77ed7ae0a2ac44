import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '../../testing/render';
import { serve } from '../../testing/server';
import type { Address } from './address';
import Drawer from './drawer';
import { AppEvents } from './events';

const base = '/api/v1/applications/argocd/web';
const nothing = () => undefined;

const address: Address = {
  key: { namespace: 'argocd', name: 'web' },
  tab: 'events',
  object: null,
  part: 'events',
  sync: null,
  compared: [],
  compare: nothing,
  show: nothing,
  open: nothing,
};

const event = (reason: string, last: string) => ({ type: 'Warning', reason, message: 'x', count: 2, last });

test('the events of an application are those of its own, the latest first, with the command that lists them', async () => {
  const { sent } = serve({
    [`GET ${base}/events`]: () => [event('First', '2026-01-01T10:00:00Z'), event('Last', '2026-01-01T11:00:00Z')],
  });
  show(<AppEvents address={address} />);
  expect((await screen.findAllByText(/First|Last/)).map((e) => e.textContent)).toEqual(['Last', 'First']);
  expect(screen.getByText('causeway events web')).toBeDefined();
  expect(sent.find((s) => s.what.endsWith('/events'))?.url.search).toBe('');
});

test('the events of an object have its command, which names the group of its kind', async () => {
  serve({ [`GET ${base}/object`]: () => ({}), [`GET ${base}/events`]: () => [] });
  const object = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
  show(<Drawer address={address} object={object} />);
  expect(await screen.findByText('No events')).toBeDefined();
  expect(screen.getByText('causeway events web Deployment.apps/shop/web')).toBeDefined();
});
