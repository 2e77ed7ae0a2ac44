import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { told } from '../browser';
import { admin, at, comes, line, throughIssuer } from './person';

const asks = async (page: Page, method: 'get' | 'post' | 'delete', path: string) => {
  const data = method === 'post' ? { data: {} } : {};
  return (await page.request[method](`/api/v1${path}`, data)).status();
};

interface Entry {
  who: { name: string };
  verb: string;
  outcome: string;
  name?: string;
}

test('two people with different rights each see and do what is theirs', async () => {
  const ann = await throughIssuer('ann');
  await line(ann.page, 'billing').waitFor();
  expect(await ann.page.locator('[data-index]').count()).toBe(1);
  await ann.page.goto(at('web'));
  await ann.page.getByText(/There is no application .*, or you may not see it/).waitFor();
  for (const [method, path, status] of [
    ['get', at('billing'), 200],
    ['get', at('web'), 404],
    ['get', `${at('web')}/tree`, 404],
    ['post', `${at('billing')}/sync`, 403],
    // To look again is to read.
    ['post', `${at('billing')}/refresh`, 202],
    ['post', `${at('web')}/refresh`, 404],
    ['post', `${at('web')}/sync`, 404],
    ['delete', at('billing'), 403],
    ['delete', at('web'), 404],
  ] as const)
    expect(await asks(ann.page, method, path), `ann: ${method} ${path}`).toBe(status);

  const bob = await throughIssuer('bob');
  await line(bob.page, 'web').waitFor();
  expect(await line(bob.page, 'billing').count()).toBe(0);
  expect(await asks(bob.page, 'get', at('billing'))).toBe(404);
  expect(await asks(bob.page, 'post', `${at('billing')}/sync`)).toBe(404);
  await bob.page.goto(at('web'));
  await comes(bob.page, 'web');
  await bob.page.getByRole('button', { name: 'Sync', exact: true }).click();
  await bob.page.getByRole('dialog').getByRole('button', { name: 'Sync', exact: true }).click();
  await told(bob.page, 'web is being synced.');
  await bob.page.locator('header').getByText('by bob@example.com').waitFor();

  const { page } = await admin();
  await expect
    .poll(async () => {
      const answer = await page.request.get('/api/v1/audit?limit=200');
      const { items } = (await answer.json()) as { items: Entry[] };
      return items.map((e) => `${e.who.name} ${e.verb} ${e.name ?? ''} ${e.outcome}`);
    })
    .toEqual(
      expect.arrayContaining([
        'ann@example.com sync billing denied',
        'ann@example.com delete billing denied',
        'bob@example.com sync web allowed',
      ]),
    );
  expect([...ann.complaints, ...bob.complaints]).toEqual([]);
  for (const p of [ann.page, bob.page, page]) await p.context().close();
});
