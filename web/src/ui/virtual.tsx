import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, type ReactNode } from 'react';

import { arrowsOf } from './arrows';
import css from './virtual.module.css';

interface Props<T> {
  label: string;
  items: T[];
  keyOf: (item: T) => string;
  /** Class of the heads and of each row: the grid that they share. */
  grid: string;
  heads: string[];
  row: (item: T) => ReactNode[];
  /** Pixels of a row that was not measured yet. */
  height?: number;
  /** The row that is open beside the table. */
  chosen?: string | undefined;
}

/** VirtualTable draws the rows in sight of a table of any length. */
export function VirtualTable<T>({ label, items, keyOf, grid, heads, row, height = 48, chosen }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing of it is given to memoized parts
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    getItemKey: (i) => {
      const item = items[i];
      return item === undefined ? i : keyOf(item);
    },
    overscan: 8,
  });
  const reach = arrowsOf(({ row }) => rows.scrollToIndex(row - 2));
  return (
    <div ref={box} className={`card ${css.box ?? ''}`} tabIndex={0} role="region" aria-label={label}>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={items.length + 1}
        aria-colcount={heads.length}
        onKeyDown={reach}
      >
        <div role="row" aria-rowindex={1} className={`${css.heads ?? ''} ${grid}`}>
          {heads.map((head, i) => (
            <span key={head} role="columnheader" aria-colindex={i + 1}>
              {head}
            </span>
          ))}
        </div>
        <div role="rowgroup" className={css.body} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((v) => {
            const item = items[v.index];
            if (item === undefined) return null;
            return (
              <div
                key={v.key}
                ref={rows.measureElement}
                data-index={v.index}
                data-chosen={keyOf(item) === chosen || undefined}
                role="row"
                aria-rowindex={v.index + 2}
                className={`${css.row ?? ''} ${grid}`}
                style={{ transform: `translateY(${v.start}px)` }}
              >
                {row(item).map((cell, i) => (
                  <span key={i} role="cell" aria-colindex={i + 1} className={css.cell}>
                    {cell}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
