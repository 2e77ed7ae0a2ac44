import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';

import type { Project } from '../../api/client';
import { show } from '../../testing/render';
import { hostile } from '../../testing/samples';
import { serve } from '../../testing/server';
import { states } from '../../testing/states';
import Projects from './page';

const list = 'GET /api/v1/projects';

describe('without projects', () => {
  states({
    page: <Projects />,
    address: '/projects',
    list,
    empty: [],
    resource: 'projects',
    what: 'projects',
    none: 'No projects to see',
  });
});

const shop: Project = {
  name: 'shop',
  applications: 3,
  spec: { description: hostile, sourceRepos: ['https://git.example.com/shop'], destinations: [{ name: 'prod' }] },
};
const rights = (...actions: string[]) => ({
  'GET /api/v1/session/rights': () => ({
    rights: actions.map((action) => ({ resource: 'projects', action, some: true })),
  }),
});

test('a project says what it lets its applications use, as text, and leads to them', async () => {
  serve({ ...rights('get'), [list]: () => [shop] });
  show(<Projects />, '/projects');
  expect((await screen.findByRole('link', { name: 'shop' })).getAttribute('href')).toBe('/projects/shop');
  expect(screen.getByRole('link', { name: '3 applications' }).getAttribute('href')).toBe('/applications?project=shop');
  for (const text of [hostile, 'https://git.example.com/shop', 'prod / *'])
    expect(screen.getByText(text)).toBeDefined();
  expect(document.querySelector('img[src="x"]')).toBeNull();
});

test('who may make one has the way to it, and nobody else', async () => {
  serve({ ...rights('get', 'create'), [list]: () => [] });
  const { unmount } = show(<Projects />, '/projects');
  const make = await screen.findByRole('link', { name: 'Make project' });
  expect(make.getAttribute('href')).toBe('/new/project');
  unmount();
  serve({ ...rights('get'), [list]: () => [] });
  show(<Projects />, '/projects');
  await screen.findByText('No projects to see');
  expect(screen.queryByRole('link', { name: 'Make project' })).toBeNull();
});
