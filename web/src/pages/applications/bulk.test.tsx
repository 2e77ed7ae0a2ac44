import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, onTestFinished, test, vi } from 'vitest';

import type { Batch } from '../../api/client';
import { show } from '../../testing/render';
import { hostile, row } from '../../testing/samples';
import { refused, serve } from '../../testing/server';
import { Bulk } from './bulk';

const rows = [row('web'), row(hostile)];
const key = (name: string) => ({ namespace: 'argocd', name });

function batch(change: Partial<Batch> = {}): Batch {
  return {
    id: 'op',
    verb: 'sync',
    state: 'running',
    started: '2026-01-01T00:00:00Z',
    counts: { total: 2, asked: 0, failed: 0, skipped: 0, left: 2 },
    results: rows.map(({ name }) => ({ ...key(name), stage: 'waiting' })),
    ...change,
  };
}

const half: Partial<Batch> = {
  state: 'done',
  counts: { total: 2, asked: 1, failed: 1, skipped: 0, left: 0 },
  results: [
    { ...key('web'), stage: 'asked', mark: 'mark' },
    { ...key(hostile), stage: 'failed', error: `you may not sync ${hostile}` },
  ],
};

function ask(action: 'sync' | 'refresh', routes: Parameters<typeof serve>[0]) {
  const done = vi.fn();
  const { sent } = serve(routes);
  show(<Bulk action={action} rows={rows} close={() => undefined} done={done} />);
  return { done, sent };
}

const begin = 'POST /api/v1/applications/sync';
const follow = 'GET /api/v1/operations/op';
const go = () => userEvent.click(screen.getByRole('button', { name: /^(Sync|Refresh) 2 applications$/ }));

test('what became of each is told, what failed first, as text', async () => {
  let looks = 0;
  const { done, sent } = ask('sync', {
    [begin]: () => batch(),
    [follow]: () => (looks++ === 0 ? batch() : batch(half)),
  });
  await userEvent.click(screen.getByLabelText('Delete objects that are no longer in Git'));
  await go();
  expect(sent[0]?.body).toEqual({ applications: rows.map(({ name }) => key(name)), prune: true, dryRun: false });
  expect(await screen.findByText('1 of 2 applications were asked for.')).toBeDefined();
  const [first, second] = within(screen.getByRole('list')).getAllByRole('listitem');
  expect(first?.textContent).toContain(`you may not sync ${hostile}`);
  expect(second?.textContent).toContain('Asked for');
  expect(document.querySelector('img[src="x"]')).toBeNull();
  expect(done).not.toHaveBeenCalled();
  await userEvent.click(screen.getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement);
  expect(done).toHaveBeenCalledTimes(1);
});

test('where all went well the dialog goes by itself', async () => {
  const { done, sent } = ask('refresh', {
    'POST /api/v1/applications/refresh': () => batch({ verb: 'refresh' }),
    [follow]: () => batch({ state: 'done', counts: { total: 2, asked: 2, failed: 0, skipped: 0, left: 0 } }),
  });
  await go();
  expect(await screen.findByText('Asked for 2 applications.')).toBeDefined();
  expect(done).toHaveBeenCalledTimes(1);
  expect(sent[0]?.body).toEqual({ applications: rows.map(({ name }) => key(name)), how: 'normal' });
});

test('it can be stopped, and says what was left', async () => {
  const { done, sent } = ask('sync', {
    [begin]: () => batch(),
    [follow]: () => batch(),
    'DELETE /api/v1/operations/op': () =>
      batch({ state: 'canceled', counts: { total: 2, asked: 1, failed: 0, skipped: 1, left: 0 } }),
  });
  await go();
  await userEvent.click(await screen.findByRole('button', { name: 'Stop' }));
  expect(await screen.findByText('Stopped: 1 of 2 applications were asked for.')).toBeDefined();
  expect(sent.some(({ what }) => what === 'DELETE /api/v1/operations/op')).toBe(true);
  expect(done).not.toHaveBeenCalled();
});

test('who may not begin is told, and an operation that is gone, too', async () => {
  const routes: Parameters<typeof serve>[0] = { [begin]: () => refused(429, 'too many tries; wait a little') };
  ask('sync', routes);
  await go();
  expect(await screen.findByText('too many tries; wait a little')).toBeDefined();
  routes[begin] = () => batch();
  routes[follow] = () => refused(404, 'you have no operation "op"');
  await go();
  expect(await screen.findByText(/you have no operation/)).toBeDefined();
});

test('an operation that is gone is not asked for any more', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const { sent } = ask('sync', { [begin]: () => batch(), [follow]: () => refused(404, 'you have no operation "op"') });
  await go();
  expect(await screen.findByText(/you have no operation/)).toBeDefined();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent.filter(({ what }) => what === follow)).toHaveLength(1);
});
