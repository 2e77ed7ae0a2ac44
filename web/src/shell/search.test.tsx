import { Drawer } from '@mantine/core';
import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';

import type { Found } from '../api/client';
import { searchQuery } from '../api/queries';
import { show } from '../testing/render';
import { hostile } from '../testing/samples';
import { refused, serve } from '../testing/server';
import { actionsOf, entriesOf, environmentsOf, groupsOf, viewsOf } from './finds';
import { Finder, Search } from './search';

const pages = [{ to: '/fleet', name: 'Fleet', icon: 'fleet' as const }];
const actions = [
  { name: 'Connect cluster', icon: 'plus' as const, to: '/new/cluster' },
  { name: 'Sign out', icon: 'out' as const, act: vi.fn() },
];
/** A server on which the search and nothing else finds something. */
const beside = {
  'GET /api/v1/environments': () => ({ environments: [], total: 0, items: [] }),
  'GET /api/v1/session/rights': () => ({ rights: [] }),
};
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
  serve({ ...beside, 'GET /api/v1/search': () => found });
  const close = vi.fn();
  const { router } = show(<Finder close={close} pages={pages} actions={actions} />);
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

test('a mouse at rest takes nothing from the keyboard', async () => {
  serve({ ...beside, 'GET /api/v1/search': () => found });
  show(<Finder close={() => undefined} pages={pages} actions={actions} />);
  await userEvent.type(screen.getByRole('combobox'), 'web');
  await screen.findByRole('group', { name: 'Objects' });
  await userEvent.keyboard('{ArrowDown}');
  const chosen = () => screen.getAllByRole('option').findIndex((o) => o.getAttribute('aria-selected') === 'true');
  const moved = (x: number) => {
    const event = new MouseEvent('mousemove', { bubbles: true });
    Object.defineProperties(event, { movementX: { value: x }, movementY: { value: 0 } });
    fireEvent(screen.getAllByRole('option')[0] ?? document.body, event);
  };
  moved(0);
  expect(chosen()).toBe(1);
  moved(3);
  expect(chosen()).toBe(0);
});

test('what a page opens below takes no keys from the search, and Escape closes the search alone', async () => {
  serve({ ...beside, 'GET /api/v1/search': () => found });
  const closed = { search: vi.fn(), drawer: vi.fn() };
  let arrive = () => {};
  // A page that arrives late has a drawer open, which takes the focus when it is shown.
  function Late() {
    const [there, set] = useState(false);
    arrive = () => set(true);
    return (
      <Drawer opened={there} onClose={closed.drawer} withCloseButton={false} transitionProps={{ duration: 0 }}>
        <button type="button" data-autofocus>
          in the drawer
        </button>
      </Drawer>
    );
  }
  show(
    <>
      <Late />
      <Search opened close={closed.search} pages={pages} actions={actions} />
    </>,
  );
  const taken = new Promise((resolve) => {
    document.addEventListener('focusin', ({ target }) => {
      if (target instanceof HTMLButtonElement) resolve(target);
    });
  });
  await userEvent.type(await screen.findByRole('combobox'), 'we');
  act(() => arrive());
  await taken;
  await userEvent.keyboard('b');
  expect(screen.getByRole('combobox')).toHaveProperty('value', 'web');
  await userEvent.keyboard('{Escape}');
  expect(closed.search).toHaveBeenCalledOnce();
  expect(closed.drawer).not.toHaveBeenCalled();
});

test('a search that is refused says why, and one that found nothing says so', async () => {
  let answer: unknown = refused(429, 'too many requests; try again');
  serve({ ...beside, 'GET /api/v1/search': () => answer });
  show(<Finder close={() => undefined} pages={pages} actions={actions} />);
  await userEvent.type(screen.getByRole('combobox'), 'nothing');
  await screen.findByText(/too many requests/);
  answer = { groups: [], late: [], failed: [] };
  await userEvent.type(screen.getByRole('combobox'), ' at all');
  await screen.findByText(/Nothing is called “nothing at all”/);
});

test('what could not be looked through is named, with its reason', async () => {
  serve({
    ...beside,
    'GET /api/v1/search': () => ({ groups: [], late: [], failed: [{ kind: 'repositories', reason: hostile }] }),
  });
  show(<Finder close={() => undefined} pages={pages} actions={actions} />);
  await userEvent.type(screen.getByRole('combobox'), 'web');
  const untold = await screen.findByRole('list', { name: 'Not looked through' });
  expect(untold.textContent).toBe(`Repositories ${hostile}`);
  await screen.findByText('Nothing was found in what could be looked through.');
});

test('accounts and API keys are not missed by who has not signed in', async () => {
  const own = () => refused(401, 'this is for those who have signed in');
  serve({
    ...beside,
    'GET /api/v1/session': () => ({ open: true, signIns: { password: true }, version: '1' }),
    'GET /api/v1/search': () => ({ groups: [], late: [], failed: [] }),
    'GET /api/v1/accounts': own,
    'GET /api/v1/keys': own,
  });
  const { client } = show(<Finder close={() => undefined} pages={pages} actions={actions} />);
  await userEvent.type(screen.getByRole('combobox'), 'web');
  for (const queryKey of [['accounts'], ['keys', false]])
    await expect.poll(() => client.getQueryState(queryKey)?.status).toBe('error');
  await screen.findByText(/Nothing is called “web”/);
  expect(screen.queryByRole('list', { name: 'Not looked through' })).toBeNull();
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

test('actions are found by their names, and are done at once', async () => {
  expect(actionsOf('', actions)).toEqual([]);
  expect(actionsOf('cluster connect', actions).flatMap((g) => g.hits.map((h) => h.to))).toEqual(['/new/cluster']);
  serve({ ...beside, 'GET /api/v1/search': () => ({ groups: [], late: [], failed: [] }) });
  const close = vi.fn();
  const { router } = show(<Finder close={close} pages={pages} actions={actions} />);
  await userEvent.type(screen.getByRole('combobox'), 'sign out');
  await within(await screen.findByRole('group', { name: 'Actions' })).findByRole('option');
  await userEvent.keyboard('{Enter}');
  expect(close).toHaveBeenCalled();
  expect(actions[1]?.act).toHaveBeenCalledTimes(1);
  expect(router.state.location.pathname).toBe('/');
});

test('an environment leads to what differs from the one before it, a product to its line', () => {
  const data = {
    environments: ['dev', 'prod', '-'].map((name) => ({ name, applications: 2 })),
    total: 9,
    items: [{ id: 'argocd/shop/web', name: 'web', project: 'shop', cells: {} }],
  };
  const places = (text: string) => environmentsOf(text, data).map((g) => [g.kind, ...g.hits.map((h) => h.to)]);
  const products = (text: string) => ['products', '/environments?q=web', `/environments?q=${text}`];
  expect(places('prod')).toEqual([['environments', '/environments/compare?from=dev&to=prod'], products('prod')]);
  expect(places('dev')).toEqual([['environments', '/environments/compare?from=dev&to=prod'], products('dev')]);
  expect(places('web')).toEqual([products('web')]);
  expect(places('')).toEqual([]);
});

test('entries of the audit are found by who may read them, and nobody else asks for them', async () => {
  const page = {
    items: [
      {
        sequence: 7,
        time: '2026-01-01T00:00:00Z',
        verb: 'sync',
        resource: 'applications',
        name: 'web',
        outcome: 'denied',
        who: { name: hostile },
      },
    ],
    next: 6,
  };
  expect(entriesOf('web', page as never).flatMap((g) => g.hits.map((h) => h.to))).toEqual([
    '/audit?q=web&entry=7',
    '/audit?q=web',
  ]);
  const routes = {
    ...beside,
    'GET /api/v1/search': () => ({ groups: [], late: [], failed: [] }),
    'GET /api/v1/audit': () => page,
  };
  const { sent } = serve(routes);
  const { unmount } = show(<Finder close={() => undefined} pages={pages} actions={actions} />);
  await userEvent.type(screen.getByRole('combobox'), 'web');
  await screen.findByText(/Nothing is called “web”/);
  expect(sent.some((s) => s.what === 'GET /api/v1/audit')).toBe(false);
  unmount();
  serve({
    ...routes,
    'GET /api/v1/session/rights': () => ({ rights: [{ resource: 'audit', action: 'get', some: true }] }),
  });
  show(<Finder close={() => undefined} pages={pages} actions={actions} />);
  await userEvent.type(screen.getByRole('combobox'), 'web');
  const group = await screen.findByRole('group', { name: 'Audit' });
  expect(within(group).getByText(/sync web/)).toBeDefined();
  expect(group.textContent).toContain(hostile);
});

test('saved views are found by their names', () => {
  const view = (name: string) => ({ name, search: 'health=Degraded' });
  expect(viewsOf('prod', [view('Broken in prod'), view('dev')]).flatMap((g) => g.hits)).toEqual([
    { to: '/applications?health=Degraded', icon: 'star', name: 'Broken in prod', detail: 'Degraded' },
  ]);
  expect(viewsOf('', [view('dev')])).toEqual([]);
  const many = Array.from({ length: 9 }, (_, i) => view(`v${i}`));
  expect(viewsOf('v', many).map((g) => [g.hits.length, g.narrow])).toEqual([[6, true]]);
});

test('a view is opened by the keyboard alone', async () => {
  serve({ ...beside, 'GET /api/v1/search': () => ({ groups: [], late: [], failed: [] }) });
  localStorage.setItem('causeway.views.:', JSON.stringify([{ name: `Broken ${hostile}`, search: 'health=Degraded' }]));
  onTestFinished(() => localStorage.clear());
  const { router } = show(<Finder close={() => undefined} pages={pages} actions={actions} />);
  await userEvent.type(screen.getByRole('combobox'), 'broken');
  const group = await screen.findByRole('group', { name: 'Saved views' });
  expect(within(group).getByRole('option').textContent).toContain('<img');
  await userEvent.keyboard('{Enter}');
  expect(router.state.location.pathname + router.state.location.search).toBe('/applications?health=Degraded');
});
