import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { Account, APIKey } from '../api/client';
import { show } from '../testing/render';
import { refused, serve } from '../testing/server';
import { settingsOf } from './settings';
import { Finder } from './search';

const account = (name: string, more: Partial<Account> = {}): Account => ({
  name,
  enabled: true,
  capabilities: ['login'],
  password: true,
  tokens: 0,
  own: false,
  may: [],
  ...more,
});

const apiKey = (name: string, more: Partial<APIKey> = {}): APIKey => ({
  id: `id-${name}`,
  name,
  owner: 'mina',
  via: 'local',
  scope: { readOnly: true },
  created: '2026-01-01T00:00:00Z',
  expires: '2026-04-01T00:00:00Z',
  own: true,
  ...more,
});

/** A server that knows nobody and finds nothing. */
const nothing = {
  'GET /api/v1/environments': () => ({ environments: [], total: 0, items: [] }),
  'GET /api/v1/search': () => ({ groups: [], late: [], failed: [] }),
  'GET /api/v1/session/rights': () => ({ rights: [] }),
};

const places = (text: string, accounts?: Account[], keys?: APIKey[]) =>
  settingsOf(text, { accounts, keys }).map((g) => [g.kind, ...g.hits.map((h) => h.to)]);

test('parts of the settings are found by their names, and by what is done there', () => {
  expect(places('dark')).toEqual([['settings', '/settings#look']]);
  expect(places('settings may')).toEqual([['settings', '/settings#rights']]);
  expect(places('')).toEqual([]);
});

test('accounts and keys lead to their lines, and their parts are found by who may see them', () => {
  expect(places('password', [account('ci')], [])).toEqual([['settings', '/settings#accounts']]);
  expect(places('password', [])).toEqual([]);
  expect(places('api keys')).toEqual([]);
  expect(places('api keys', undefined, [])).toEqual([['settings', '/settings#keys']]);
  expect(places('ci', [account('ci'), account('reader')], [apiKey('ci of shop'), apiKey('nightly')])).toEqual([
    ['accounts', '/settings#account-ci'],
    ['apiKeys', '/settings#key-id-ci of shop'],
  ]);
  const many = Array.from({ length: 9 }, (_, i) => account(`robot${i}`));
  expect(places('robot', many)[0]?.slice(6)).toEqual(['/settings#account-robot5', '/settings#accounts']);
});

test('accounts and keys are asked for once, and those of others by who may end them', async () => {
  const { sent } = serve({
    ...nothing,
    'GET /api/v1/session/rights': () => ({ rights: [{ resource: 'accounts', action: 'update', some: true }] }),
    'GET /api/v1/accounts': () => [account('nightly')],
    'GET /api/v1/keys': (_, url) => (url.searchParams.get('all') === 'true' ? [apiKey('nightly', { own: false })] : []),
  });
  show(<Finder close={() => undefined} pages={[]} actions={[]} />);
  expect(sent.some((s) => s.what.endsWith('/accounts') || s.what.endsWith('/keys'))).toBe(false);
  await userEvent.type(screen.getByRole('combobox'), 'night');
  await screen.findByRole('group', { name: 'Accounts' });
  expect((await screen.findByRole('group', { name: 'API keys' })).textContent).toContain('of mina');
  await userEvent.type(screen.getByRole('combobox'), 'ly');
  await screen.findByText('2 results');
  expect(sent.filter((s) => s.what === 'GET /api/v1/accounts')).toHaveLength(1);
});

test('who may see neither is told nothing of them; what went wrong is said', async () => {
  serve({
    ...nothing,
    'GET /api/v1/accounts': () => refused(502, 'argocd-cm cannot be read'),
    'GET /api/v1/keys': () => refused(403, 'sign in as a person'),
  });
  show(<Finder close={() => undefined} pages={[]} actions={[]} />);
  await userEvent.type(screen.getByRole('combobox'), 'api keys');
  const untold = await screen.findByRole('list', { name: 'Not looked through' });
  expect(untold.textContent).toBe('Accounts argocd-cm cannot be read');
  expect(screen.queryByRole('option')).toBeNull();
});
