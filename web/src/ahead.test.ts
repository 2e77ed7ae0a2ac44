import { expect, test } from 'vitest';

import { ahead } from './ahead';
import { listQuery, newQueryClient, sessionQuery } from './api/queries';
import { page, row } from './testing/samples';
import { serve } from './testing/server';

const session = (user?: string) => ({
  signIns: { password: true },
  version: '1',
  ...(user && { user: { name: user, via: 'local' } }),
});

const visit = async (user: string | undefined, pathname: string, search = '') => {
  const { sent } = serve({
    'GET /api/v1/session': () => session(user),
    'GET /api/v1/applications': () => page([row('web')]),
  });
  const client = newQueryClient();
  await ahead(client, { pathname, search });
  return { client, asked: sent.map((s) => s.what) };
};

const asked = ['GET /api/v1/session', 'GET /api/v1/applications'];

test('the session and the first rows are there before the pages are', async () => {
  const { client, asked: sent } = await visit('mina', '/applications', '?health=Degraded&q=web');
  expect(sent).toEqual(asked);
  expect(client.getQueryData(sessionQuery.queryKey)?.user?.name).toBe('mina');
  expect(client.getQueryData(listQuery({ health: ['Degraded'], q: 'web' }, 0).queryKey)?.total).toBe(1);
});

test.each([
  ['who has not signed in', undefined, '/applications'],
  ['who goes elsewhere', 'mina', '/fleet'],
])('%s is asked nothing of the list', async (_, user, pathname) => {
  expect((await visit(user, pathname)).asked).toEqual(asked.slice(0, 1));
});

test('where people come in is the list, too', async () => {
  expect((await visit('mina', '/')).asked).toEqual(asked);
});
