import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';

import type { BridgeOverview } from '../../api/client';
import { show } from '../../testing/render';
import { hostile } from '../../testing/samples';
import { serve } from '../../testing/server';
import { sized } from '../../testing/sizes';
import { states } from '../../testing/states';
import BridgePage from './page';

const list = 'GET /api/v1/bridge';
const at = '2026-01-01T10:00:00Z';

describe('without clusters', () => {
  states({
    page: <BridgePage />,
    address: '/bridge',
    list,
    empty: { at, clusters: [], keys: [] },
    resource: 'clusters',
    what: 'clusters',
    none: 'No clusters to see',
  });
});

const bridge: BridgeOverview = {
  at,
  clusters: [
    { name: 'dev', server: 'https://dev:6443', keys: 4, unread: 1, missing: ['vpc'], wrong: [] },
    { name: 'prod', server: 'https://prod:6443', keys: 5, unread: 0, missing: [], wrong: [] },
  ],
  keys: [{ in: 'label', name: hostile, clusters: 2, values: 2, missing: 0, wrong: 0, readers: ['webs'] }],
  failures: ['names: the template has no end'],
};

test('clusters say which keys are missing, and sets that cannot be read are told', async () => {
  sized(1000, 600);
  serve({ [list]: () => bridge });
  const { unmount } = show(<BridgePage />, '/bridge');
  expect((await screen.findByRole('link', { name: 'dev' })).getAttribute('href')).toBe('/bridge/dev');
  expect(screen.getByText('vpc')).toBeDefined();
  expect(screen.getByText('names: the template has no end')).toBeDefined();
  unmount();
  show(<BridgePage />, '/bridge?q=prod');
  expect(await screen.findByRole('link', { name: 'prod' })).toBeDefined();
  expect(screen.queryByRole('link', { name: 'dev' })).toBeNull();
});

test('keys are listed with who reads them, as text', async () => {
  sized(1000, 600);
  serve({ [list]: () => bridge });
  show(<BridgePage />, '/bridge?by=keys');
  expect(await screen.findByRole('button', { name: hostile })).toBeDefined();
  expect(screen.getByText('webs')).toBeDefined();
  expect(document.querySelector('img[src="x"]')).toBeNull();
});
