import { useMemo } from 'react';

import { t } from '../text';
import css from './sidesview.module.css';
import { sidesOf } from './sides';

interface Props {
  sides: { name: string; text: string }[];
  /** By which of them the others are aligned. */
  pivot: number;
  label: string;
}

/** Sides shows texts beside each other, with what differs marked. */
export function Sides({ sides, pivot, label }: Props) {
  const rows = useMemo(
    () =>
      sidesOf(
        sides.map((s) => s.text),
        pivot,
      ),
    [sides, pivot],
  );
  return (
    <div className={css.sides} role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {sides.map((s) => (
              <th key={s.name} scope="col">
                {s.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i} data-differs={row.differs || undefined}>
              {row.cells.map((cell, j) => (
                <td key={j} data-none={cell === undefined || undefined}>
                  {cell}
                  {cell === undefined && <span className="hear">{t.sides.none}</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
