import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '../testing/render';
import { sized } from '../testing/sizes';
import { Rows } from './rows';

const names = (n: number) => Array.from({ length: n }, (_, i) => `cluster-${i}`);

test('a list of a size that people read is there as a whole', () => {
  show(
    <Rows items={names(100)} keyOf={(n) => n}>
      {(n) => n}
    </Rows>,
  );
  expect(screen.getAllByRole('listitem')).toHaveLength(100);
});

test('of a long list what is in sight is drawn, and who hears it knows how long it is', () => {
  sized(1000, 600, 84);
  show(
    <Rows items={names(5_000)} keyOf={(n) => n}>
      {(n) => n}
    </Rows>,
  );
  const rows = screen.getAllByRole('listitem');
  expect(rows.length).toBeLessThan(100);
  expect(rows[0]?.textContent).toBe('cluster-0');
  expect(rows[0]?.getAttribute('aria-setsize')).toBe('5000');
  expect(screen.getByRole('list').style.height).toBe(`${5_000 * 84}px`);
});
