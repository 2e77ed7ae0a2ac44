import { useMemo, useRef, useState } from 'react';

import type { Row } from '../../api/client';
import { idOf } from './rows';

/** Selection is what was picked in the list, whatever the list shows now. */
export interface Selection {
  rows: Row[];
  has: (row: Row) => boolean;
  /** With rowAt, all between the last one picked and this one are. */
  toggle: (row: Row, index: number, rowAt?: (index: number) => Row | undefined) => void;
  toggleAll: (rows: Row[]) => void;
  clear: () => void;
}

export function useSelection(): Selection {
  const [picked, setPicked] = useState<ReadonlyMap<string, Row>>(new Map());
  const last = useRef(-1);
  return useMemo(
    () => ({
      rows: [...picked.values()],
      has: (row) => picked.has(idOf(row)),
      toggle: (row, index, rowAt) => {
        const next = new Map(picked);
        const range = rowAt && last.current >= 0;
        if (!range && next.delete(idOf(row))) {
          last.current = index;
          setPicked(next);
          return;
        }
        next.set(idOf(row), row);
        if (range)
          for (let i = Math.min(index, last.current); i <= Math.max(index, last.current); i++) {
            const between = rowAt(i);
            if (between) next.set(idOf(between), between);
          }
        last.current = index;
        setPicked(next);
      },
      toggleAll: (rows) => {
        const next = new Map(picked);
        const all = rows.every((row) => next.has(idOf(row)));
        for (const row of rows) {
          if (all) next.delete(idOf(row));
          else next.set(idOf(row), row);
        }
        setPicked(next);
      },
      clear: () => setPicked(new Map()),
    }),
    [picked],
  );
}
