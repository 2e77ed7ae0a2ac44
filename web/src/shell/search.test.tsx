import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import type { Found } from '../api/client';
import { searchQuery } from '../api/queries';
import { show } from '../testing/render';
import { hostile } from '../testing/samples';
import { refused, serve } from '../testing/server';
import { groupsOf } from './finds';
import { Finder } from './search';

const pages = [{ to: '/fleet', name: 'Fleet', icon: 'fleet' as const }];
const found: Found = {
  late: [],
  failed: [],
  groups: [
    {
      kind: 'applications',
      more: true,
      items: [{ name: 'web-prod', namespace: 'argocd', cluster: 'prod', sync: 'Synced', health: 'Degraded' }],
    },
    {
      kind: 'objects',
      more: true,
      items: [
        {
          name: 'web',
          of: { namespace: 'argocd', name: 'web-prod' },
          object: { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
        },
      ],
    },
    { kind: 'commits', items: [{ name: 'a'.repeat(40), id: 'abcd', text: hostile, author: 'Mina' }] },
    { kind: 'clusters', items: [{ name: 'unnamed', server: 'https://10.0.0.1' }] },
    { kind: 'keys', items: [{ name: 'example.com/zone', in: 'annotation' }] },
  ],
};

test('each find leads to its place, and a list to all of its kind', () => {
  expect(groupsOf('web', pages, found).flatMap((g) => g.hits.map((h) => h.to))).toEqual([
    '/applications/argocd/web-prod',
    '/applications?q=web',
    '/applications/argocd/web-prod?object=apps%7Ev1%7EDeployment%7Eshop%7Eweb',
    `/changes/abcd/${'a'.repeat(40)}`,
    '/applications?cluster=unnamed',
    '/bridge?by=keys&key=annotation%3Aexample.com%2Fzone',
  ]);
  expect(
    groupsOf('web', pages, found)
      .filter((g) => g.narrow)
      .map((g) => g.kind),
  ).toEqual(['objects']);
  expect(groupsOf('fle', pages, undefined).map((g) => g.kind)).toEqual(['pages']);
});

test('the keyboard goes through all groups, and opens what is chosen', async () => {
  serve({ 'GET /api/v1/search': () => found });
  const close = vi.fn();
  const { router } = show(<Finder close={close} pages={pages} />);
  const field = screen.getByRole('combobox');
  await userEvent.type(field, 'web');
  const objects = await screen.findByRole('group', { name: 'Objects' });
  expect(document.querySelector('#content script')).toBeNull();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect(within(objects).getByRole('option').getAttribute('aria-selected')).toBe('true');
  expect(field.getAttribute('aria-activedescendant')).toBe(within(objects).getByRole('option').id);
  await userEvent.keyboard('{Enter}');
  expect(close).toHaveBeenCalled();
  expect(router.state.location.search).toContain('object=apps');
});

test('a search that is refused says why, and one that found nothing says so', async () => {
  let answer: unknown = refused(429, 'too many requests; try again');
  serve({ 'GET /api/v1/search': () => answer });
  show(<Finder close={() => undefined} pages={pages} />);
  await userEvent.type(screen.getByRole('combobox'), 'nothing');
  await screen.findByText(/too many requests/);
  answer = { groups: [], late: [], failed: [] };
  await userEvent.type(screen.getByRole('combobox'), ' at all');
  await screen.findByText(/Nothing is called “nothing at all”/);
});

test('what could not be looked through is named, with its reason', async () => {
  serve({
    'GET /api/v1/search': () => ({ groups: [], late: [], failed: [{ kind: 'repositories', reason: hostile }] }),
  });
  show(<Finder close={() => undefined} pages={pages} />);
  await userEvent.type(screen.getByRole('combobox'), 'web');
  const untold = await screen.findByRole('list', { name: 'Not looked through' });
  expect(untold.textContent).toBe(`Repositories ${hostile}`);
  await screen.findByText('Nothing was found in what could be looked through.');
});

test.each([
  ['late', { groups: [], late: ['keys'], failed: [] }, [1_000, 2_000, 4_000, 8_000, 16_000, false, false]],
  [
    'failed',
    { groups: [], late: [], failed: [{ kind: 'keys', reason: 'gone' }] },
    [1_000, 2_000, 4_000, 8_000, 16_000, false, false],
  ],
  ['known', { groups: [], late: [], failed: [] }, [false, false, false, false, false, false, false]],
])('what is %s is asked for again, each time later, and not for ever', (_, data, want) => {
  const again = searchQuery('web').refetchInterval;
  if (typeof again !== 'function') throw new Error('a search has one interval for all times');
  const asked = want.map((_, i) => again({ state: { data, dataUpdateCount: i + 1, errorUpdateCount: 0 } } as never));
  expect(asked).toEqual(want);
});
