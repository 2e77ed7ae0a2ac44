import { expect, test } from 'vitest';

import type { FleetCluster } from '../../api/client';
import { allOf, labelKeys } from './rows';

const cluster = (name: string, labels: Record<string, string>): FleetCluster => ({
  name,
  server: `https://${name}`,
  reachable: true,
  latencyMilliseconds: 1,
  inFlight: 0,
  kinds: 0,
  labels,
  cells: {},
});

test('environment and region are offered wherever a cluster has them, with another value on each, too', () => {
  const fleet = [
    cluster('dev', { environment: 'dev', 'topology.kubernetes.io/region': 'eu', team: 'a', id: '1', tier: 'edge' }),
    cluster('prod', { environment: 'prod', 'topology.kubernetes.io/region': 'us', team: 'a', id: '2' }),
    cluster('stage', { environment: 'stage', team: 'b', id: '3' }),
  ];
  expect(labelKeys(fleet)).toEqual(['environment', 'topology.kubernetes.io/region', 'team']);
  expect(labelKeys([cluster('dev', { region: 'eu', id: '1' })])).toEqual(['region']);
  expect(labelKeys([])).toEqual([]);
});

test('a cell of several applications leads to all of them, and one of a single one to it', () => {
  const cell = { namespace: 'argocd', name: 'dev-guestbook', health: 'Healthy', sync: 'Synced' };
  expect(allOf('dev', { id: 'guestbook' }, cell)).toBe('/applications/argocd/dev-guestbook');
  expect(allOf('dev', { id: 'guestbook' }, { ...cell, more: 2 })).toBe('/applications?cluster=dev&q=guestbook');
});
