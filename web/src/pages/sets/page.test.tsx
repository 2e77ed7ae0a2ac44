import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';

import type { AppSet } from '../../api/client';
import { show } from '../../testing/render';
import { hostile } from '../../testing/samples';
import { serve } from '../../testing/server';
import { states } from '../../testing/states';
import Sets from './page';

const list = 'GET /api/v1/applicationsets';

describe('without sets', () => {
  states({
    page: <Sets />,
    address: '/applicationsets',
    list,
    empty: [],
    resource: 'applicationsets',
    what: 'ApplicationSets',
    none: 'No ApplicationSets yet',
  });
});

const set = (name: string, more: Partial<AppSet> = {}): AppSet => ({
  namespace: 'argocd',
  name,
  project: 'shop',
  generators: ['clusters'],
  applications: 4,
  healthy: 3,
  synced: 4,
  conditions: [],
  ...more,
});

test('sets say how their applications fare, and the one that fails is first, with the reason as text', async () => {
  const failed = set('webs', { failed: true, conditions: [{ type: 'ErrorOccurred', message: hostile }] });
  serve({ [list]: () => [set('addons'), failed] });
  show(<Sets />, '/applicationsets');
  const titles = (await screen.findAllByRole('heading', { level: 2 })).map((h) => h.textContent);
  expect(titles).toEqual(['webs', 'addons']);
  expect(screen.getByText(hostile)).toBeDefined();
  expect(document.querySelector('img[src="x"]')).toBeNull();
  const [filtered] = screen.getAllByRole('link', { name: /^3 of 4/ });
  expect(filtered?.getAttribute('href')).toBe('/applications?applicationSet=webs');
});
