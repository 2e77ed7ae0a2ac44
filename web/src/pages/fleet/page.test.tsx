import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';

import type { Fleet } from '../../api/client';
import { show } from '../../testing/render';
import { hostile } from '../../testing/samples';
import { serve } from '../../testing/server';
import { sized } from '../../testing/sizes';
import { states } from '../../testing/states';
import FleetPage from './page';

const list = 'GET /api/v1/fleet';

describe('without clusters', () => {
  states({
    page: <FleetPage />,
    address: '/fleet',
    list,
    empty: { clusters: [], columns: [] },
    resource: 'clusters',
    what: 'clusters',
    none: 'No clusters yet',
  });
});

const cluster = { server: 'https://dev:6443', latencyMilliseconds: 1, inFlight: 0, kinds: 3, labels: {} };
const cell = { namespace: 'argocd', name: 'web', health: 'Healthy', sync: 'Synced', version: '1.2.3' };
const fleet: Fleet = {
  columns: [{ id: 'web', count: 2, common: '1.2.3' }],
  clusters: [
    { ...cluster, name: 'dev', reachable: true, cells: { web: { ...cell, version: '1.3.0', odd: true } } },
    { ...cluster, name: hostile, reachable: false, problem: 'it does not answer', cells: { web: cell } },
  ],
};

test('clusters are lines, with what keeps one from being seen, as text', async () => {
  sized(1000, 600);
  serve({ [list]: () => fleet });
  show(<FleetPage />, '/fleet');
  expect(await screen.findByRole('link', { name: hostile })).toBeDefined();
  expect(screen.getByText('2 clusters × 1 application · 1 differs')).toBeDefined();
  expect(screen.getByTitle('it does not answer')).toBeDefined();
  expect(document.querySelector('img[src="x"]')).toBeNull();
});

test('an address leaves the clusters that have its words, and the command names them', async () => {
  sized(1000, 600);
  serve({ [list]: () => fleet });
  show(<FleetPage />, '/fleet?q=dev');
  expect(await screen.findByRole('link', { name: 'dev' })).toBeDefined();
  expect(screen.queryByRole('link', { name: hostile })).toBeNull();
  expect(screen.getByText('causeway get apps -o wide --cluster=dev')).toBeDefined();
});
