import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import type { BridgeCluster, BridgePreview } from '../../api/client';
import { show } from '../../testing/render';
import { serve } from '../../testing/server';
import WhatIf from './whatif';

const cluster: BridgeCluster = { name: 'prod', server: 'https://prod', keys: [], missing: [] };
const preview: BridgePreview = {
  cluster: 'prod',
  added: 0,
  changed: 0,
  removed: 1,
  kept: 0,
  verdict: 'none',
  applications: [
    {
      namespace: 'argocd',
      name: 'web-prod',
      project: 'shop',
      applicationSet: 'webs',
      effect: 'removed',
      objects: [],
    },
  ],
  violations: [],
  failures: [],
  guarded: [],
};

function tried(told: BridgePreview) {
  serve({ 'POST /api/v1/bridge/preview': () => told });
  show(<WhatIf cluster={cluster} tried={['label:web-']} begin={undefined} run={() => null} close={() => null} />);
}

test('what the guard would hold stands before what would go', async () => {
  tried({
    ...preview,
    verdict: 'some',
    guarded: [{ namespace: 'argocd', applicationSet: 'webs', count: 1, of: 1, why: 'the limit is 0%' }],
  });
  const note = await screen.findByText('The guard would hold the deletion of 1 application of webs: the limit is 0%.');
  const first = screen.getByText(/1 to delete/);
  expect(note.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  expect(screen.getByText('causeway approve set/webs')).toBeDefined();
});

test('that the guard holds nothing is said where something is deleted', async () => {
  tried(preview);
  await screen.findByText(/1 to delete/);
  expect(screen.getByText('The guard would hold none of these deletions.')).toBeDefined();
});

test('where not all is known the rest has its verdict', async () => {
  tried({ ...preview, verdict: 'others', failures: ['asking: it asks plugins'] });
  await screen.findByText('Not known: asking: it asks plugins');
  expect(screen.getByText('Of the other ApplicationSets the guard would hold no deletion.')).toBeDefined();
});

test('nothing is said to follow only where all is known', async () => {
  tried({ ...preview, removed: 0, applications: [], verdict: 'others', failures: ['asking: it asks plugins'] });
  await screen.findByText(/^Of the other ApplicationSets no application/);
  expect(screen.queryByText('Nothing follows')).toBeNull();
  expect(screen.queryByText(/guard would hold/)).toBeNull();
});

test('where all is known it is said that nothing follows', async () => {
  tried({ ...preview, removed: 0, applications: [] });
  await screen.findByText('Nothing follows');
  expect(screen.queryByText(/guard would hold/)).toBeNull();
});

test('what is kept is not said to be deleted', async () => {
  const [app] = preview.applications ?? [];
  const note = 'until that is mended it deletes none';
  tried({
    ...preview,
    removed: 0,
    kept: 1,
    applications: app ? [{ ...app, effect: 'kept', note }] : [],
    failures: ['webs: web-: the name is not valid'],
  });
  await screen.findByText(/0 to delete, 1 kept/);
  expect(screen.getByText('Kept')).toBeDefined();
  expect(screen.queryByText('Deleted')).toBeNull();
  expect(screen.queryByText('0 objects')).toBeNull();
});

test('what Git has is not said to be no longer there', async () => {
  const [app] = preview.applications ?? [];
  const objects = [{ verb: 'prune' as const, kind: 'ConfigMap', name: 'flags' }];
  tried({ ...preview, applications: app ? [{ ...app, objects }] : [] });
  expect(await screen.findByText(/would no longer be rendered/)).toBeDefined();
  expect(screen.queryByText(/in Git/)).toBeNull();
});
