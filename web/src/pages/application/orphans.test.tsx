import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { show } from '../../testing/render';
import { application, hostile } from '../../testing/samples';
import { refused, serve } from '../../testing/server';
import type { Address } from './address';
import { Conditions } from './conditions';
import Orphans from './orphans';

const path = 'GET /api/v1/applications/argocd/web/orphans';
const nothing = () => undefined;
const address: Address = {
  key: { namespace: 'argocd', name: 'web' },
  tab: 'orphans',
  object: null,
  part: 'live',
  sync: null,
  compared: [],
  compare: nothing,
  show: nothing,
  open: nothing,
};
const page = <Orphans address={address} app={application('web')} />;

const left = [
  { kind: 'ConfigMap', namespace: 'shop', name: hostile },
  { group: 'batch', kind: 'Job', namespace: 'shop', name: 'migrate' },
];

test('what no application has is listed, found by its words, and has its command', async () => {
  serve({ [path]: () => ({ asked: true, objects: left }) });
  show(page);
  expect(screen.getByRole('status', { name: 'Loading' })).toBeDefined();
  expect(await screen.findByText('2 objects')).toBeDefined();
  expect(screen.getByText(hostile)).toBeDefined();
  expect(document.querySelector('img')).toBeNull();
  expect(screen.getByText('causeway orphans web')).toBeDefined();
  await userEvent.type(screen.getByRole('searchbox'), 'job batch');
  expect(await screen.findByText('1 object')).toBeDefined();
  expect(screen.queryByText(hostile)).toBeNull();
  expect(screen.getByText('migrate')).toBeDefined();
  await userEvent.type(screen.getByRole('searchbox'), 'x');
  expect(await screen.findByText('0 objects')).toBeDefined();
});

test('that there is none is no error', async () => {
  serve({ [path]: () => ({ asked: true, objects: [] }) });
  show(page);
  expect(await screen.findByText('Nothing is left over')).toBeDefined();
});

test('what is hidden is not said to be none', async () => {
  const partial = 'cluster prod does not let ann get configmaps in namespace shop';
  let objects: typeof left = [];
  serve({ [path]: () => ({ asked: true, objects, partial }) });
  const { unmount } = show(page);
  expect(await screen.findByText(partial)).toBeDefined();
  expect(screen.queryByText('Nothing is left over')).toBeNull();
  unmount();
  objects = left;
  show(page);
  expect(await screen.findByText(/2 objects/)).toBeDefined();
  expect(screen.getByText(new RegExp(partial))).toBeDefined();
});

test('a project that does not look for them is named, with the way to it', async () => {
  serve({ [path]: () => ({ asked: false, objects: [] }) });
  show(page);
  expect(await screen.findByText('Project shop does not look for them')).toBeDefined();
  expect(screen.getByRole('link', { name: 'Project shop' }).getAttribute('href')).toBe('/projects/shop');
});

test('what may not be seen, and what did not answer, says so', async () => {
  let answer = refused(403, 'you may not get it');
  serve({ [path]: () => answer });
  const { unmount } = show(page);
  expect(await screen.findByText('you may not get it')).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  unmount();
  answer = refused(422, 'cluster prod does not answer');
  show(page);
  expect(await screen.findByText('cluster prod does not answer')).toBeDefined();
});

test('the condition that tells of them leads to them', () => {
  const conditions = [{ type: 'OrphanedResourceWarning', message: 'Application has 2 orphaned resources' }];
  show(<Conditions app={application('web', { conditions })} />, '/applications/argocd/web?tab=diff');
  expect(screen.getByRole('link', { name: 'Show them' }).getAttribute('href')).toBe(
    '/applications/argocd/web?tab=orphans',
  );
});
