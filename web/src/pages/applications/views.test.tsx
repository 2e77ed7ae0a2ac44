import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { newQueryClient } from '../../api/queries';
import { show } from '../../testing/render';
import { hostile, page } from '../../testing/samples';
import { serve } from '../../testing/server';
import Applications from './page';
import { mostViews } from './saved';
import { Views } from './views';

/** Where the views are of whom the tests of pages know nothing of. */
const key = 'causeway.views.:';

const stored = (at = key) => JSON.parse(localStorage.getItem(at) ?? '[]') as unknown;
const store = (...views: { name: string; search: string }[]) => localStorage.setItem(key, JSON.stringify(views));

beforeEach(() =>
  serve({ 'GET /api/v1/applications': () => page([]), 'GET /api/v1/session/rights': () => ({ rights: [] }) }),
);
afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

const open = async () => {
  await userEvent.click(screen.getByRole('button', { name: /^(Saved views|View: )/ }));
  return screen.findByRole('dialog');
};

test('what the list shows is saved under a name, and found again beside the filters', async () => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  const { router } = show(<Applications />, '/applications?health=Degraded&sort=-name&view=tiles&unknown=1');
  expect(within(await open()).getByText(/^None yet/)).toBeDefined();
  await userEvent.type(screen.getByLabelText('Save what the list shows as'), 'Broken{Enter}');
  await screen.findByText('The view Broken is saved in this browser.');
  expect(stored()).toEqual([{ name: 'Broken', search: 'health=Degraded&sort=-name&view=tiles' }]);
  expect(screen.getByRole('button', { name: 'View: Broken' })).toBeDefined();
  await userEvent.click(screen.getByRole('button', { name: 'Clear all' }));
  const dialog = await open();
  const link = within(dialog).getByRole('link', { name: /^Broken/ });
  expect(link.textContent).toBe('BrokenDegraded · by name, reversed · Tiles');
  await userEvent.click(link);
  expect(router.state.location.search).toBe('?health=Degraded&sort=-name&view=tiles');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(router.state.historyAction).toBe('PUSH');
});

test('a view is renamed, replaced and deleted by the keyboard, and no two have one name', async () => {
  store({ name: 'a', search: 'q=a' }, { name: 'b', search: 'q=b' });
  show(<Views />, '/applications?q=c');
  await userEvent.keyboard('v');
  const dialog = await screen.findByRole('dialog');
  within(dialog).getByRole('button', { name: 'Rename a' }).focus();
  await userEvent.keyboard('{Enter}');
  const name = within(dialog).getByLabelText('New name');
  expect(document.activeElement).toBe(name);
  await userEvent.clear(name);
  await userEvent.type(name, 'b{Enter}');
  expect(within(dialog).getByText('Another view has this name.')).toBeDefined();
  await userEvent.type(name, ' c{Enter}');
  expect(stored()).toEqual([
    { name: 'b', search: 'q=b' },
    { name: 'b c', search: 'q=a' },
  ]);
  expect(dialog.contains(document.activeElement)).toBe(true);
  await userEvent.type(within(dialog).getByLabelText('Save what the list shows as'), 'b');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Replace view' }));
  expect(stored()).toEqual([
    { name: 'b', search: 'q=c' },
    { name: 'b c', search: 'q=a' },
  ]);
  await open();
  screen.getByRole('button', { name: 'Delete b c' }).focus();
  await userEvent.keyboard('{Enter}');
  expect(document.activeElement?.textContent).toBe('Cancel');
  await userEvent.keyboard('{Tab}{Enter}');
  expect(stored()).toEqual([{ name: 'b', search: 'q=c' }]);
});

test('views are each account’s own', async () => {
  const client = newQueryClient();
  client.setQueryData(['session'], { user: { name: 'mina', via: 'oidc' }, signIns: { password: true }, version: '1' });
  store({ name: 'of nobody', search: '' });
  show(<Views />, '/applications?q=a', '*', client);
  expect(within(await open()).queryByText('of nobody')).toBeNull();
  await userEvent.type(screen.getByLabelText('Save what the list shows as'), 'mine{Enter}');
  expect(stored('causeway.views.oidc:mina')).toEqual([{ name: 'mine', search: 'q=a' }]);
  expect(stored()).toEqual([{ name: 'of nobody', search: '' }]);
});

test('what another page of this browser changes is there at once, and is kept', async () => {
  show(<Views />, '/applications?q=a');
  const dialog = await open();
  store({ name: 'elsewhere', search: 'q=b' });
  window.dispatchEvent(new StorageEvent('storage', { key }));
  await within(dialog).findByRole('link', { name: /^elsewhere/ });
  store({ name: 'later', search: 'q=c' });
  await userEvent.type(within(dialog).getByLabelText('Save what the list shows as'), 'here{Enter}');
  expect(stored()).toEqual([
    { name: 'here', search: 'q=a' },
    { name: 'later', search: 'q=c' },
  ]);
});

test('what cannot be kept is said', async () => {
  store(...Array.from({ length: mostViews }, (_, i) => ({ name: `v${i}`, search: '' })));
  const { unmount } = show(<Views />, '/applications?q=a');
  const field = async () => within(await open()).getByLabelText('Save what the list shows as');
  await userEvent.type(await field(), '{Enter}');
  expect(screen.getByText('Give it a name.')).toBeDefined();
  await userEvent.type(screen.getByLabelText('Save what the list shows as'), 'one more{Enter}');
  expect(screen.getByText(/^There is no room for another view/)).toBeDefined();
  unmount();
  localStorage.clear();
  show(<Views />, `/applications?project=${'x'.repeat(5_000)}`);
  await userEvent.type(await field(), 'long{Enter}');
  expect(screen.getByText(/^That is more than a view can have/)).toBeDefined();
});

test('a browser that keeps nothing says so, and has no views', async () => {
  vi.stubGlobal('localStorage', undefined);
  show(<Views />, '/applications?q=a');
  await userEvent.type(within(await open()).getByLabelText('Save what the list shows as'), 'a{Enter}');
  expect(screen.getByText(/^This browser does not keep it/)).toBeDefined();
});

test('names and values of views are text', async () => {
  store({ name: hostile, search: `project=${encodeURIComponent(hostile)}` });
  show(<Views />, '/applications');
  const dialog = await open();
  expect(within(dialog).getByRole('link').textContent).toContain('<img src=x');
  expect(document.querySelector('img[src="x"]')).toBeNull();
});
