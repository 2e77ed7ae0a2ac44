import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import { show } from '../../testing/render';
import { hostile, page, row } from '../../testing/samples';
import { refused, serve } from '../../testing/server';
import Applications from './page';

// Nothing has a size here: the list is told that it has one.
vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);

const list = 'GET /api/v1/applications';

test('an empty installation says how to begin', async () => {
  serve({ [list]: () => page([]) });
  show(<Applications />, '/applications');
  expect(await screen.findByText('No applications yet')).toBeDefined();
});

test('a filter that nothing matches is told from an empty installation, and can be cleared', async () => {
  const { sent } = serve({ [list]: () => page([]) });
  const { router } = show(<Applications />, '/applications?health=Degraded&q=web');
  expect(await screen.findByText('Nothing matches')).toBeDefined();
  expect(sent[0]?.url.searchParams.getAll('health')).toEqual(['Degraded']);
  await userEvent.click(screen.getByText('Clear all'));
  expect(router.state.location.search).toBe('');
});

test('who may read nothing is told so', async () => {
  serve({ [list]: () => refused(403, 'reader may not get applications') });
  show(<Applications />, '/applications');
  expect(await screen.findByText('You may not see this')).toBeDefined();
  expect(screen.getByText('reader may not get applications')).toBeDefined();
});

test('a filter that the server refuses is said where it can be changed, and can be cleared', async () => {
  serve({
    [list]: (_, url) =>
      url.searchParams.has('labels')
        ? refused(422, 'validation failed', [{ location: 'query.labels', message: 'no selector: (((' }])
        : page([row('web')]),
  });
  const { router } = show(<Applications />, '/applications?labels=(((&view=tiles');
  expect(await screen.findByText('labels: no selector: (((')).toBeDefined();
  expect(screen.getByRole('heading', { name: 'Applications' })).toBeDefined();
  expect(screen.getByRole('searchbox', { name: 'Search applications' })).toBeDefined();
  expect(screen.queryByText('Try again')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Clear the filters' }));
  expect(router.state.location.search).toBe('?view=tiles');
  expect(await screen.findByText('1 application')).toBeDefined();
});

test('who may see no application is told so, and not to make the first one', async () => {
  serve({ [list]: () => page([]), 'GET /api/v1/session/rights': () => ({ rights: [] }) });
  show(<Applications />, '/applications');
  expect(await screen.findByText('You may not see applications')).toBeDefined();
  expect(screen.getByText(/the right “applications, get”/)).toBeDefined();
  expect(screen.queryByText('No applications yet')).toBeNull();
});

test('of many values of a filter it is said how many are not shown', async () => {
  const cluster = Object.fromEntries(Array.from({ length: 203 }, (_, i) => [`c${i}`, 1]));
  serve({ [list]: () => page([row('web')], { cluster }) });
  show(<Applications />, '/applications');
  await userEvent.click(await screen.findByRole('button', { name: 'Cluster' }));
  expect(await screen.findByText('and 3 more: find them by name')).toBeDefined();
  await userEvent.type(screen.getByLabelText('Find in cluster'), 'c20');
  expect(screen.queryByText(/find them by name/)).toBeNull();
});

test('values of filters are text', async () => {
  serve({ [list]: () => page([row(hostile)], { project: { [hostile]: 1 }, health: { Healthy: 1 } }) });
  show(<Applications />, `/applications?project=${encodeURIComponent(hostile)}`);
  expect(await screen.findByText(`Project: ${hostile}`)).toBeDefined();
  expect(document.querySelector('img[src="x"]')).toBeNull();
  expect(document.querySelector('#content script')).toBeNull();
});
