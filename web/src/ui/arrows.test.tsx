import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';

import { arrowsOf } from './arrows';

/** Grid is a table of three rows, of which the last is drawn when it is asked for; the second has nothing to go to. */
function Grid() {
  const [drawn, setDrawn] = useState(false);
  const cell = (row: number, column: number) => (
    <span role="cell" aria-colindex={column}>
      <a href={`#${row}${column}`}>
        {row}/{column}
      </a>
    </span>
  );
  return (
    <div role="table" aria-rowcount={4} aria-colcount={2} onKeyDown={arrowsOf(({ row }) => setDrawn(row === 4))}>
      <div role="row" aria-rowindex={2}>
        {cell(2, 1)}
        {cell(2, 2)}
      </div>
      <div role="row" aria-rowindex={3}>
        <span role="rowheader">A group</span>
      </div>
      {drawn && (
        <div role="row" aria-rowindex={4}>
          {cell(4, 1)}
          {cell(4, 2)}
        </div>
      )}
    </div>
  );
}

test('arrows lead from cell to cell, past what cannot be opened, and to what is drawn only then', async () => {
  render(<Grid />);
  const link = (name: string) => screen.findByRole('link', { name });
  (await link('2/1')).focus();
  await userEvent.keyboard('{ArrowRight}');
  expect(document.activeElement).toBe(await link('2/2'));
  await userEvent.keyboard('{ArrowRight}{ArrowUp}');
  expect(document.activeElement).toBe(await link('2/2'));
  await userEvent.keyboard('{ArrowDown}');
  const below = await link('4/2');
  await expect.poll(() => document.activeElement).toBe(below);
  await userEvent.keyboard('{ArrowLeft}{ArrowUp}');
  expect(document.activeElement).toBe(await link('2/1'));
});
