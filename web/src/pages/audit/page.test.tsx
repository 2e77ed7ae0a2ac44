import { screen } from '@testing-library/react';
import { expect, onTestFinished, test, vi } from 'vitest';

import { show } from '../../testing/render';
import { serve } from '../../testing/server';
import AuditPage from './page';

test('new entries come by themselves, until somebody reads on', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const entry = { sequence: 2, time: '2026-01-01T00:00:00Z', who: { name: 'mina' }, verb: 'sync', outcome: 'allowed' };
  const { sent } = serve({
    'GET /api/v1/audit': (_, url) => ({ items: [entry], next: url.searchParams.has('before') ? 0 : 2 }),
  });
  const asked = () => sent.filter((s) => s.what === 'GET /api/v1/audit').length;
  show(<AuditPage />, '/audit');
  const more = await screen.findByRole('button', { name: /^More/ });
  expect(asked()).toBe(1);
  await vi.advanceTimersByTimeAsync(16_000);
  expect(asked()).toBe(2);
  more.click();
  await expect.poll(asked).toBe(3);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked()).toBe(3);
});
