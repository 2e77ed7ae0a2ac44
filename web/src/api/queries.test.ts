import { QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, test, vi } from 'vitest';

import { patience } from '../../patience';
import { serve } from '../testing/server';
import { accountsQuery, keysQuery, newQueryClient } from './queries';

// Nobody tells the changes of these.
test('keys and accounts are read again while somebody looks', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { sent } = serve({ 'GET /api/v1/keys': () => [], 'GET /api/v1/accounts': () => [] });
  const client = newQueryClient();
  const stops = [
    new QueryObserver(client, keysQuery(false)).subscribe(() => undefined),
    new QueryObserver(client, accountsQuery).subscribe(() => undefined),
  ];
  const asked = (what: string) => sent.filter((s) => s.what === what).length;
  for (const what of ['GET /api/v1/keys', 'GET /api/v1/accounts'])
    await vi.waitFor(
      () => {
        vi.advanceTimersByTime(15_000);
        expect(asked(what)).toBeGreaterThan(1);
      },
      { timeout: patience },
    );
  stops.forEach((stop) => stop());
});
