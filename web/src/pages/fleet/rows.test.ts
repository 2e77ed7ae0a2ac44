import { expect, test } from 'vitest';

import type { FleetCluster } from '../../api/client';
import { allOf, foldedKeys, labelKeys, oddCells } from './rows';

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

test('switches of addons come after what a fleet is looked at by', () => {
  const fleet = [
    cluster('dev', { enable_metrics: 'true', environment: 'dev', team: 'a', enable_alerts: 'false' }),
    cluster('prod', { enable_metrics: 'true', environment: 'prod', team: 'a', enable_alerts: 'true' }),
    cluster('test', { enable_alerts: 'true', team: 'true' }),
  ];
  expect(foldedKeys(fleet)).toEqual({ first: ['environment', 'team'], rest: ['enable_alerts', 'enable_metrics'] });
});

test('the cells that differ are counted', () => {
  const cell = { namespace: 'argocd', name: 'web', health: 'Healthy', sync: 'Synced' };
  const cells = { web: { ...cell, odd: true }, dns: cell };
  expect(
    oddCells([
      { ...cluster('dev', {}), cells },
      { ...cluster('prod', {}), cells },
    ]),
  ).toBe(2);
  expect(oddCells([])).toBe(0);
});

test('a cell of several applications leads to all of them, and one of a single one to it', () => {
  const cell = { namespace: 'argocd', name: 'dev-guestbook', health: 'Healthy', sync: 'Synced' };
  expect(allOf('dev', { id: 'guestbook' }, cell)).toBe('/applications/argocd/dev-guestbook');
  expect(allOf('dev', { id: 'guestbook' }, { ...cell, more: 2 })).toBe('/applications?cluster=dev&q=guestbook');
});
