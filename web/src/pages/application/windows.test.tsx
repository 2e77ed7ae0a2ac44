import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import type { Schedule } from '../../api/client';
import { show } from '../../testing/render';
import { application, row } from '../../testing/samples';
import { Windows } from './windows';

// Three hours for half an hour: however long the test takes.
const soon = new Date(Date.now() + 3.5 * 3_600_000).toISOString();

const schedule = (more: Partial<Schedule>): Schedule => ({
  application: 'web',
  project: 'shop',
  automated: soon,
  manual: soon,
  windows: [{ index: 0, kind: 'allow', schedule: '0 22 * * *', duration: '2h', active: false, changes: soon }],
  ...more,
});

const waiting = (windows: Schedule | undefined, automated = true) =>
  application('web', { row: row('web', { sync: 'OutOfSync', automated }), ...(windows && { windows }) });

test('what differs and may not be synced now says until when, and by which window, as soon as the page is there', () => {
  show(<Windows app={waiting(schedule({}))} />);
  const told = screen.getByRole('region', { name: 'Sync windows' }).textContent;
  for (const words of ['It syncs by itself in 3 h.', 'allow at 0 22 * * * for 2h', 'causeway windows web'])
    expect(told).toContain(words);
  expect(screen.getByRole('link', { name: 'Project shop' }).getAttribute('href')).toBe('/projects/shop');
});

test('what people may sync all the same says so, and never is never', () => {
  show(<Windows app={waiting(schedule({ automated: 'never', manual: 'now' }))} />);
  expect(screen.getByText('It does not sync by itself any more.')).toBeDefined();
  expect(screen.getByText(/Whoever asks for a sync may have it now/)).toBeDefined();
});

test('nothing is told where windows are open, and where none is known', () => {
  const { unmount } = show(<Windows app={waiting(schedule({ automated: soon, manual: 'now' }), false)} />);
  expect(screen.queryByRole('region')).toBeNull();
  unmount();
  show(<Windows app={waiting(undefined)} />);
  expect(screen.queryByRole('region')).toBeNull();
});
