import type { KeyboardEvent } from 'react';

/** Place is a cell as tables count them for who hears: from 1, with the heads as the first row. */
interface Place {
  row: number;
  column: number;
}

const steps: Record<string, readonly [rows: number, columns: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Frames after which a cell that was scrolled to is drawn, on a machine with little to give. */
const mostFrames = 30;

/**
 * arrowsOf leads from cell to cell of a table of which only a part is drawn: reach scrolls to a place that is not.
 * Who is in none of its cells scrolls, as ever.
 */
export function arrowsOf(reach: (place: Place) => void) {
  return (event: KeyboardEvent<HTMLElement>) => {
    const step = steps[event.key];
    const from = step && placeOf(event.target);
    if (!step || !from || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    lead(event.currentTarget, from, step, reach);
  };
}

function lead(table: HTMLElement, from: Place, [down, right]: readonly [number, number], reach: (at: Place) => void) {
  const last = { row: count(table, 'rowcount'), column: count(table, 'colcount') };
  const within = (at: Place) => at.row > 1 && at.column > 0 && at.row <= last.row && at.column <= last.column;
  const next = (at: Place) => ({ row: at.row + down, column: at.column + right });
  for (let at = next(from); within(at); at = next(at)) {
    if (enter(table, at)) return;
    if (cellOf(table, at)) continue; // with nothing in it to go to
    reach(at);
    later(() => enter(table, at), mostFrames);
    return;
  }
}

/** later tries again in each frame until something is done. */
function later(act: () => boolean, frames: number) {
  requestAnimationFrame(() => {
    if (!act() && frames > 1) later(act, frames - 1);
  });
}

function placeOf(target: EventTarget): Place | null {
  const cell = target instanceof Element ? target.closest('[aria-colindex]') : null;
  const row = cell?.closest('[aria-rowindex]');
  if (!cell || !row || target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return null;
  return { row: Number(row.getAttribute('aria-rowindex')), column: Number(cell.getAttribute('aria-colindex')) };
}

const count = (table: HTMLElement, what: 'rowcount' | 'colcount') => Number(table.getAttribute(`aria-${what}`));

const cellOf = (table: HTMLElement, { row, column }: Place) =>
  table.querySelector(`[aria-rowindex="${row}"] [aria-colindex="${column}"]`) ??
  table.querySelector(`[aria-rowindex="${row}"]:not(:has([aria-colindex]))`);

function enter(table: HTMLElement, at: Place): boolean {
  const cell = cellOf(table, at);
  // A cell with nothing in it to go to may be a place itself.
  const itself = cell instanceof HTMLElement && cell.hasAttribute('tabindex') ? cell : null;
  const first = cell?.querySelector<HTMLElement>('a[href], button:not(:disabled)') ?? itself;
  first?.focus();
  return Boolean(first);
}
