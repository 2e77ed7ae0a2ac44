import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { GeneratedApp } from '../../api/client';
import { show } from '../../testing/render';
import { hostile } from '../../testing/samples';
import { sized } from '../../testing/sizes';
import { useSearch } from '../../ui/search';
import { Generated } from './generated';

const parameters = (n: number, zone: string): Record<string, string> => {
  const out: Record<string, string> = { zone };
  for (let i = 0; i < n; i++) out[`p${String(i).padStart(3, '0')}`] = String(i);
  return out;
};

const made: GeneratedApp[] = Array.from({ length: 400 }, (_, i) => ({
  name: `web-${i}`,
  cluster: `c${i}`,
  exists: i !== 1,
  health: 'Healthy',
  sync: 'Synced',
  parameters: parameters(120, i === 0 ? hostile : `z${i}`),
}));

/** The part as the page has it: the search is in the address. */
function Part() {
  const { params } = useSearch();
  return (
    <Generated
      namespace="argocd"
      made={made}
      total={made.length}
      text={params.get('find') ?? ''}
      shown=""
      show={() => undefined}
    />
  );
}

test('of many parameters and applications only what is in sight is drawn, and the table says how many there are', () => {
  sized(1000, 500);
  show(<Part />, '/set');
  const table = screen.getByRole('table');
  expect(table.getAttribute('aria-colcount')).toBe('124');
  expect(table.getAttribute('aria-rowcount')).toBe('401');
  expect(within(table).getAllByRole('cell').length).toBeLessThan(400);
  // What differs comes first.
  expect(within(table).getAllByRole('columnheader')[3]?.textContent).toBe('zone');
  expect(within(table).getByText(hostile)).toBeDefined();
  expect(document.querySelector('#content script')).toBeNull();
});

test('columns are chosen by keyboard, and the address has them', async () => {
  sized(1000, 500);
  const { router } = show(<Part />, '/set');
  const heads = () => screen.getAllByRole('columnheader').map((h) => h.textContent);
  screen.getByRole('button', { name: 'Columns: all 121 parameters' }).focus();
  await userEvent.keyboard('{Enter}');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Find a parameter' }), 'p09');
  await userEvent.click(screen.getByRole('button', { name: 'None' }));
  await userEvent.click(screen.getByRole('checkbox', { name: 'p095' }));
  await userEvent.click(screen.getByRole('checkbox', { name: 'p097' }));
  expect(router.state.location.search).toBe('?only=p095&only=p097');
  expect(heads()).toEqual(['Application', 'Status', 'Cluster', 'p095', 'p097']);
  await userEvent.click(screen.getByRole('button', { name: 'Those that differ (1)' }));
  expect(heads()).toEqual(['Application', 'Status', 'Cluster', 'zone']);
  await userEvent.click(screen.getByRole('button', { name: 'All' }));
  expect(router.state.location.search).toBe('');
});

test('the arrows lead into values, which are then seen whole', async () => {
  sized(1000, 500);
  show(<Part />, '/set?only=zone');
  screen.getByRole('link', { name: 'web-0' }).focus();
  await userEvent.keyboard('{ArrowRight}{ArrowRight}{ArrowRight}');
  expect(document.activeElement?.textContent).toBe(hostile);
  await userEvent.keyboard('{ArrowDown}');
  expect(document.activeElement?.textContent).toBe('z1');
});

test('a search looks through parameters that are no columns', () => {
  sized(1000, 500);
  show(<Part />, '/set?without=zone&find=zone%3Dz399');
  expect(screen.getByText('1 of 400 applications')).toBeDefined();
  expect(screen.getByRole('link', { name: 'web-399' })).toBeDefined();
});
