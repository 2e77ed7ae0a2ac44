import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { Repository } from '../../api/client';
import { show } from '../../testing/render';
import { hostile } from '../../testing/samples';
import { serve } from '../../testing/server';
import NewRepository from './new';
import OneRepository from './one';
import Repositories from './page';
import { newDraft, wishOf } from './wish';

const sample: Repository = {
  id: 'repo-1',
  url: 'https://git.example.com/apps',
  type: 'git',
  username: 'me',
  credentials: ['password'],
  version: '7',
  applications: 2,
  can: ['update', 'delete'],
};
const projects = {
  'GET /api/v1/projects': () => [],
  'GET /api/v1/session/rights': () => ({ rights: [{ resource: 'repositories', action: 'create', some: true }] }),
};
const one = { ...projects, 'GET /api/v1/repositories/repo-1': () => sample };

test('the list says how repositories fare, as text', async () => {
  serve({
    'GET /api/v1/repositories': () => [{ ...sample, url: hostile, lookProblem: 'cannot look up the repository' }],
  });
  show(<Repositories />, '/repositories');
  expect(await screen.findByText('Does not answer')).toBeDefined();
  expect(screen.getByText('cannot look up the repository')).toBeDefined();
  expect(screen.getByRole('link', { name: hostile })).toBeDefined();
  expect(document.querySelector('img[src="x"]')).toBeNull();
});

test('a repository that is used alone is marked, and who may connects it', async () => {
  const used = { ...sample, id: '', url: 'https://charts.example.com', type: 'helm', credentials: [], used: true };
  serve({
    'GET /api/v1/repositories': () => [
      { ...used, can: ['create'] },
      { ...used, url: 'https://git.example.com/x', can: [] },
    ],
  });
  show(<Repositories />, '/repositories');
  const connect = await screen.findByRole('link', { name: 'Add credentials… to https://charts.example.com' });
  expect(connect.getAttribute('href')).toBe('/new/repository?url=https%3A%2F%2Fcharts.example.com&type=helm');
  expect(screen.getAllByText('Not connected')).toHaveLength(2);
  expect(screen.getAllByRole('link', { name: /Add credentials/ })).toHaveLength(1);
  expect(screen.queryByRole('link', { name: 'https://git.example.com/x' })).toBeNull();
});

test('one that is used alone is connected by its address', async () => {
  serve(projects);
  show(<NewRepository />, '/new/repository?url=https%3A%2F%2Fcharts.example.com&type=helm');
  expect(await screen.findByDisplayValue('https://charts.example.com')).toBeDefined();
  expect(screen.getByDisplayValue('Helm charts over HTTPS')).toBeDefined();
});

test('an empty list tells who may see repositories from who may not', async () => {
  const list = { 'GET /api/v1/repositories': () => [] };
  serve({ ...list, 'GET /api/v1/session/rights': () => ({ rights: [] }) });
  const { unmount } = show(<Repositories />, '/repositories');
  expect(await screen.findByText('You may not see repositories')).toBeDefined();
  unmount();
  serve({
    ...list,
    'GET /api/v1/session/rights': () => ({ rights: [{ resource: 'repositories', action: 'get', some: true }] }),
  });
  show(<Repositories />, '/repositories');
  expect(await screen.findByText('No repositories are connected')).toBeDefined();
});

test('what does not fit stands beside its field', async () => {
  const unfit = { status: 422, errors: [{ location: 'body.secrets.password', message: 'enter it again' }] };
  const { sent } = serve({
    ...projects,
    'POST /api/v1/repositories': () => new Response(JSON.stringify(unfit), { status: 422 }),
  });
  show(<NewRepository />, '/new/repository');
  await userEvent.type(await screen.findByLabelText(/^Address/), 'https://git.example.com/apps');
  await userEvent.type(screen.getByLabelText('Password or token'), 'hunter2');
  await userEvent.click(screen.getByRole('button', { name: 'Connect repository' }));
  expect(await screen.findByText('enter it again')).toBeDefined();
  expect(sent.at(-1)?.body).toMatchObject({ url: 'https://git.example.com/apps', secrets: { password: 'hunter2' } });
});

test('what is stored is kept, and the version goes along', async () => {
  let version: string | null = null;
  const { sent } = serve({
    ...one,
    'PUT /api/v1/repositories/repo-1': (request) => {
      version = request.headers.get('If-Match');
      return sample;
    },
  });
  show(<OneRepository />, '/repositories/repo-1', 'repositories/:id');
  await userEvent.type(await screen.findByLabelText('Name'), 'apps');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(version).toBe('7'));
  expect(sent.find((s) => s.what.startsWith('PUT'))?.body).toMatchObject({ name: 'apps', secrets: {} });
});

test('what was saved does not hold anybody back', async () => {
  serve({ ...projects, 'POST /api/v1/repositories': () => sample });
  const { router } = show(<NewRepository />, '/new/repository');
  await userEvent.type(await screen.findByLabelText(/^Address/), 'https://git.example.com/apps');
  await userEvent.click(screen.getByRole('button', { name: 'Connect repository' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/repositories'));
  expect(screen.queryByText('There are unsaved changes')).toBeNull();
});

test('a test tells what was answered', async () => {
  serve({
    ...one,
    'POST /api/v1/repositories/test': () => ({ ok: false, message: 'check the password', milliseconds: 3 }),
  });
  show(<OneRepository />, '/repositories/repo-1', 'repositories/:id');
  await userEvent.click(await screen.findByRole('button', { name: 'Test connection' }));
  expect(await screen.findByText('check the password')).toBeDefined();
});

test('what is not saved is not lost by a click', async () => {
  serve(one);
  const { router } = show(<OneRepository />, '/repositories/repo-1', 'repositories/:id');
  await userEvent.type(await screen.findByLabelText('Name'), 'x');
  await router.navigate('/fleet');
  expect(await screen.findByText('There are unsaved changes')).toBeDefined();
  expect(router.state.location.pathname).toBe('/repositories/repo-1');
});

test('a repository is deleted when its name was typed', async () => {
  const { sent } = serve({ ...one, 'DELETE /api/v1/repositories/repo-1': () => undefined });
  show(<OneRepository />, '/repositories/repo-1', 'repositories/:id');
  await userEvent.click(await screen.findByRole('button', { name: 'Delete…' }));
  const submit = await screen.findByRole('button', { name: 'Delete' });
  expect(submit).toHaveProperty('disabled', true);
  await userEvent.type(screen.getByLabelText(/^Type https/), sample.url);
  await userEvent.click(submit);
  await waitFor(() => expect(sent.some((s) => s.what.startsWith('DELETE'))).toBe(true));
});

test('who may not write has no form', async () => {
  serve({ ...projects, 'GET /api/v1/repositories/repo-1': () => ({ ...sample, can: [] }) });
  show(<OneRepository />, '/repositories/repo-1', 'repositories/:id');
  expect(await screen.findByText('You may read this, and not change it.')).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
});

test('who may connect none is told so, and the list offers none', async () => {
  const rights = () => ({ rights: [{ resource: 'repositories', action: 'get', some: true }] });
  serve({ 'GET /api/v1/session/rights': rights, 'GET /api/v1/repositories': () => [] });
  const { unmount } = show(<NewRepository />, '/new/repository');
  expect(await screen.findByText('You may not connect repositories')).toBeDefined();
  expect(screen.queryByLabelText(/^Address/)).toBeNull();
  unmount();
  const { client } = show(<Repositories />, '/repositories');
  await waitFor(() => expect(client.getQueryState(['rights'])?.status).toBe('success'));
  expect(screen.queryByRole('link', { name: 'Connect repository' })).toBeNull();
});

test('another way to sign in takes the stored one away', () => {
  const draft = { ...newDraft(sample, false), method: 'bearer' as const };
  draft.secrets.bearerToken = 'token';
  expect(wishOf(draft, ['password']).secrets).toEqual({ password: '', bearerToken: 'token' });
  expect(wishOf(newDraft(sample, false), ['password']).secrets).toEqual({});
});
