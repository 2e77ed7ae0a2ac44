import { elementScroll, useVirtualizer } from '@tanstack/react-virtual';
import { useElementSize, useMediaQuery } from '@mantine/hooks';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';

import type { Row } from '../../api/client';
import type { Filter } from '../../api/queries';
import { t } from '../../text';
import { useKeys } from '../../ui/keys';
import { offsetIn, scroller } from '../../ui/scroller';
import type { View } from './filter';
import css from './list.module.css';
import { idOf, useRows, type Rows } from './rows';
import type { Selection } from './selection';
import { Bones, Heads, Line } from './table';
import { Tile } from './tiles';

interface Props {
  filter: Filter;
  rows: Rows;
  view: View;
  selection: Selection;
}

const tileWidth = 280;
const tileHeight = 176;

/** List shows what is in sight of the list, however long it is. */
export function List({ filter, rows, view, selection }: Props) {
  const narrow = useMediaQuery('(max-width: 720px)', false, { getInitialValueInEffect: false });
  const { ref: sizer, width } = useElementSize();
  const top = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const tiles = view === 'tiles';
  const columns = tiles ? Math.max(1, Math.floor(width / tileWidth)) : 1;
  const height = tiles ? tileHeight : narrow ? 68 : 44;
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing of it is given to memoized parts
  const virtual = useVirtualizer({
    count: Math.ceil(rows.total / columns),
    getScrollElement: scroller,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: margin,
    scrollToFn: elementScroll,
  });
  useLayoutEffect(() => virtual.measure(), [virtual, height, columns]);
  // What is above the list grows and shrinks with the filters, not by scrolling: to look lays all of it out.
  // eslint-disable-next-line react-hooks/exhaustive-deps -- it settles: the list itself does not move the place where it begins
  useLayoutEffect(() => {
    if (!virtual.isScrolling) setMargin(offsetIn(top.current));
  });
  const lines = virtual.getVirtualItems();
  const from = (lines[0]?.index ?? 0) * columns;
  const to = ((lines.at(-1)?.index ?? 0) + 1) * columns - 1;
  const rowAt = useRows(filter, rows, from, Math.min(to, rows.total - 1));
  const toggle = useStable((row: Row, index: number, range: boolean) =>
    selection.toggle(row, index, range ? rowAt : undefined),
  );
  useCursor(rows.total, (index) => virtual.scrollToIndex(Math.floor(index / columns)), rowAt, toggle);
  const loaded: Row[] = [];
  for (let i = from; i <= to; i++) {
    const row = rowAt(i);
    if (row) loaded.push(row);
  }
  const picked = loaded.filter((row) => selection.has(row)).length;
  const shown = (index: number) => {
    if (index >= rows.total) return null;
    const row = rowAt(index);
    if (!row) return tiles ? <div key={index} className={css.blank} /> : <Bones key={index} index={index} />;
    const props = { row, index, selected: selection.has(row), toggle };
    return tiles ? <Tile key={idOf(row)} {...props} /> : <Line key={idOf(row)} {...props} />;
  };
  return (
    <div
      className={tiles ? css.tiles : `card ${css.table ?? ''}`}
      data-stale={rows.stale || undefined}
      {...(tiles ? {} : { role: 'table', 'aria-label': t.list.title, 'aria-rowcount': rows.total + 1 })}
    >
      {!tiles && (
        <Heads
          selected={loaded.length > 0 && picked === loaded.length}
          some={picked > 0}
          toggle={() => selection.toggleAll(loaded)}
        />
      )}
      <div ref={sizer}>
        <div
          ref={top}
          className={css.space}
          style={{ height: virtual.getTotalSize() }}
          {...(tiles ? {} : { role: 'rowgroup' })}
        >
          {lines.map((line) => (
            <div
              key={line.key}
              className={css.slot}
              style={{
                transform: `translateY(${line.start - margin}px)`,
                gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
              }}
              role="presentation"
            >
              {Array.from({ length: columns }, (_, i) => shown(line.index * columns + i))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

/** useStable is a function that stays the same, so that lines that do not change are not drawn again, and does what the last one does. */
function useStable<A extends unknown[]>(does: (...args: A) => void): (...args: A) => void {
  const latest = useRef(does);
  useLayoutEffect(() => {
    latest.current = does;
  });
  return useCallback((...args: A) => latest.current(...args), []);
}

/** useCursor goes through the list by keys; the focus is the cursor. */
function useCursor(
  total: number,
  reveal: (index: number) => void,
  rowAt: (index: number) => Row | undefined,
  toggle: (row: Row, index: number, range: boolean) => void,
) {
  const at = () => {
    const line = document.activeElement?.closest('[data-index]');
    return line ? Number(line.getAttribute('data-index')) : -1;
  };
  const focus = (index: number) => {
    const wanted = Math.max(0, Math.min(index, total - 1));
    const link = () => document.querySelector<HTMLElement>(`[data-index="${wanted}"] [data-open]`);
    const there = link();
    if (there) {
      there.focus();
      return;
    }
    reveal(wanted);
    requestAnimationFrame(() => link()?.focus());
  };
  useKeys({
    j: () => focus(at() + 1),
    k: () => focus(at() - 1),
    x: () => {
      const row = rowAt(at());
      if (row) toggle(row, at(), false);
    },
  });
}
