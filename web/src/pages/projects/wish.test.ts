import { expect, test } from 'vitest';

import type { ProjectSpec } from '../../api/client';
import { kindsOf, newDraft, specOf } from './wish';

test('a project that is not changed is sent as it was', () => {
  const spec: ProjectSpec = {
    description: 'the shop',
    sourceRepos: ['*', '!https://evil'],
    destinations: [
      { server: 'https://prod', namespace: 'shop-*' },
      { name: 'dev', namespace: '*' },
    ],
    roles: [
      {
        name: 'ci',
        description: '',
        policies: ['p, proj:shop:ci, applications, sync, shop/*, allow'],
        groups: ['ops'],
      },
    ],
    syncWindows: [
      {
        kind: 'deny',
        schedule: '0 8 * * *',
        duration: '1h',
        timeZone: 'UTC',
        applications: ['*'],
        namespaces: [],
        clusters: ['prod'],
        manualSync: true,
        syncOverrun: true,
      },
    ],
    clusterResourceWhitelist: [{ group: '', kind: 'Namespace' }],
    namespaceResourceBlacklist: [{ group: 'batch', kind: 'Job' }],
    orphanedResources: { warn: false, ignore: [{ kind: 'ConfigMap' }] },
    permitOnlyProjectScopedClusters: true,
  };
  expect(specOf(newDraft('shop', spec), spec)).toEqual(spec);
});

test('a list that permits nothing stays', () => {
  const spec: ProjectSpec = { namespaceResourceWhitelist: [] };
  expect(specOf(newDraft('x', spec), spec).namespaceResourceWhitelist).toEqual([]);
  expect(specOf(newDraft('x', {}), {}).namespaceResourceWhitelist).toBeUndefined();
});

test('kinds are read as people write them', () => {
  expect(kindsOf('Secret\napps/Deployment\n*\n*/*\n/Namespace/kube-*')).toEqual([
    { group: '', kind: 'Secret' },
    { group: 'apps', kind: 'Deployment' },
    { group: '*', kind: '*' },
    { group: '*', kind: '*' },
    { group: '', kind: 'Namespace', name: 'kube-*' },
  ]);
});

test('a core kind with a name keeps its empty group', () => {
  const spec: ProjectSpec = { clusterResourceWhitelist: [{ group: '', kind: 'Namespace', name: 'kube-*' }] };
  expect(specOf(newDraft('x', spec), spec).clusterResourceWhitelist).toEqual(spec.clusterResourceWhitelist);
});
