import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { show } from '../../testing/render';
import { refused, serve } from '../../testing/server';
import SettingsPage from './page';

const account = {
  name: 'ci',
  enabled: true,
  capabilities: ['apiKey'],
  password: false,
  tokens: 2,
  own: false,
  may: [],
};
const apiKey = {
  id: 'k1',
  name: 'nightly',
  owner: 'mina',
  via: 'local',
  scope: { readOnly: true },
  created: '2026-01-01T00:00:00Z',
  expires: '2026-04-01T00:00:00Z',
  own: true,
};

const at = (address: string) => {
  serve({
    'GET /api/v1/session/rights': () => ({ rights: [] }),
    'GET /api/v1/accounts': () => [account],
    'GET /api/v1/keys': () => [apiKey],
  });
  return show(<SettingsPage />, address);
};

const focused = () => document.activeElement?.textContent ?? '';

test('an address leads to a part of the page, and another one from there to the next', async () => {
  const { router } = at('/settings#accounts');
  expect(focused()).toBe('Accounts');
  await router.navigate('/settings#rights');
  await expect.poll(focused).toBe('What you may do');
});

test('API keys have the commands that do the same at this server', async () => {
  at('/settings#keys');
  expect(await screen.findByText(/^causeway keys list --server=/)).toBeDefined();
  await userEvent.click(screen.getByRole('button', { name: 'Make a key' }));
  await userEvent.type(await screen.findByLabelText('What it is for'), 'ci of shop');
  await userEvent.type(screen.getByLabelText('What else it may do'), 'applications:sync:shop-*');
  expect(
    screen.getByText(
      /^causeway keys create 'ci of shop' --read-only --allow='applications:sync:shop-\*' --days=90 --server=/,
    ),
  ).toBeDefined();
});

test('an address leads to an account and to a key as soon as they are there', async () => {
  const first = at('/settings#account-ci');
  await screen.findByText('nightly');
  await expect.poll(focused).toMatch(/^ci/);
  first.unmount();
  at('/settings#key-k1');
  await expect.poll(focused).toMatch(/^nightly/);
});

test('who has not signed in is told what is not for them, and is not asked to try again', async () => {
  const own = () => refused(401, 'this is for those who have signed in');
  serve({
    'GET /api/v1/session': () => ({ open: true, signIns: { password: true }, version: '1' }),
    'GET /api/v1/session/rights': () => ({ rights: [] }),
    'GET /api/v1/accounts': own,
    'GET /api/v1/keys': own,
  });
  show(<SettingsPage />, '/settings');
  await expect.poll(() => screen.queryAllByText('this is for those who have signed in').length).toBe(2);
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});
