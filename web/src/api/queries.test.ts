import { QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, test, vi } from 'vitest';

import { patience } from '../../patience';
import { refused, serve } from '../testing/server';
import { accountsQuery, keysQuery, newQueryClient } from './queries';

/** look has somebody look at the keys and the accounts that a server answers with, at times that the test sets. */
function look(answer: () => unknown) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { sent } = serve({ 'GET /api/v1/keys': answer, 'GET /api/v1/accounts': answer });
  const client = newQueryClient();
  onTestFinished(new QueryObserver(client, keysQuery(false)).subscribe(() => undefined));
  onTestFinished(new QueryObserver(client, accountsQuery).subscribe(() => undefined));
  return { client, sent };
}

// Nobody tells the changes of these.
test('keys and accounts are read again while somebody looks', async () => {
  const { sent } = look(() => []);
  const asked = (what: string) => sent.filter((s) => s.what === what).length;
  for (const what of ['GET /api/v1/keys', 'GET /api/v1/accounts'])
    await vi.waitFor(
      () => {
        vi.advanceTimersByTime(15_000);
        expect(asked(what)).toBeGreaterThan(1);
      },
      { timeout: patience },
    );
});

test.each([
  [401, 0],
  [403, 0],
  [404, 0],
  [502, 2],
])('after an answer of %i, %i of keys and accounts are asked for again', async (status, again) => {
  const { client } = look(() => refused(status, 'as the server says it'));
  const failed = () =>
    client.getQueryCache().findAll({ fetchStatus: 'idle', predicate: (q) => q.state.status === 'error' }).length;
  await vi.waitFor(() => expect(failed()).toBe(2), { timeout: patience });
  vi.advanceTimersByTime(60_000);
  expect(client.isFetching()).toBe(again);
});
