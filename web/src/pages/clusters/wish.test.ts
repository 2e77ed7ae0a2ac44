import { expect, test } from 'vitest';

import type { Member } from '../../api/client';
import { mapOf, newDraft, paired, together, unfitOf, unpaired, wishOf } from './wish';

const member: Member = {
  id: 'cluster-1',
  name: 'prod',
  server: 'https://prod',
  labels: { region: 'eu', tier: 'a=b' },
  credentials: ['bearerToken'],
  version: '7',
  applications: 2,
  can: ['update', 'delete'],
};

test('what is not changed is sent as it was, and secrets stay', () => {
  expect(wishOf(newDraft(member), member.credentials)).toEqual({
    name: 'prod',
    server: 'https://prod',
    labels: member.labels,
    annotations: {},
    namespaces: [],
    secrets: {},
  });
});

test('another way to sign in takes the stored one away', () => {
  const draft = { ...newDraft(member), method: 'aws' as const, aws: { clusterName: 'prod' } };
  expect(wishOf(draft, member.credentials)).toMatchObject({
    aws: { clusterName: 'prod' },
    secrets: { bearerToken: '' },
  });
});

test('lines are names and values', () => {
  expect(mapOf('a=1\n\n b = 2=3 \nc')).toEqual({ a: '1', b: '2=3', c: '' });
});

test('lines that cannot be sent keep a server from nothing else', () => {
  const draft = paired({ ...newDraft(member), labels: 'region\na=1\n =x\nb=', annotations: 'note' });
  expect(wishOf(draft, [])).toMatchObject({ labels: { a: '1', b: '' }, annotations: {} });
  expect(together({ labels: 'line 1' }, { labels: 'line 2', server: 'no' })).toEqual({
    labels: 'line 1\nline 2',
    server: 'no',
  });
});

test('each line that is no pair is told with its number and what to do', () => {
  expect(unpaired('a=1\n\n b = 2=3 \nempty=')).toEqual([]);
  expect(unpaired(`region\na=1\n=x\n${'y'.repeat(500)}\na=2`)).toEqual([
    'Line 1: “region” has no “=”. Write name=value, or name= for an empty value.',
    'Line 3: “=x” has no name before the “=”. Write name=value.',
    `Line 4: “${'y'.repeat(59)}…” has no “=”. Write name=value, or name= for an empty value.`,
    'Line 5: a is in line 2 already. Keep one of them.',
  ]);
  expect(unfitOf({ ...newDraft(member), annotations: 'note' })).toEqual({
    annotations: 'Line 1: “note” has no “=”. Write name=value, or name= for an empty value.',
  });
});
