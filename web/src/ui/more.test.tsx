import { useInfiniteQuery } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { changesQuery } from '../api/queries';
import { show } from '../testing/render';
import { refused, serve } from '../testing/server';
import { More } from './more';

function Page() {
  const query = useInfiniteQuery(changesQuery({}));
  return (
    <>
      <p>{query.data?.pages.length ?? 0} pages</p>
      <More query={query} label="Older" />
    </>
  );
}

test('a page that cannot be read says why, what there was stays, and it can be asked for again', async () => {
  let away = true;
  serve({
    'GET /api/v1/changes': (_, url) =>
      !url.searchParams.has('before')
        ? { items: [], next: 'a' }
        : away
          ? refused(429, 'too many look at once')
          : { items: [] },
  });
  show(<Page />);
  await userEvent.click(await screen.findByRole('button', { name: 'Older' }));
  expect((await screen.findByRole('alert')).textContent).toBe('too many look at once');
  expect(screen.getByText('1 pages')).toBeDefined();
  away = false;
  await userEvent.click(screen.getByRole('button', { name: 'Older' }));
  expect(await screen.findByText('2 pages')).toBeDefined();
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Older' })).toBeNull();
});
