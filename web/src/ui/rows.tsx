import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';

import css from './rows.module.css';
import { offsetIn, scroller } from './scroller';

interface Props<T> {
  items: T[];
  keyOf: (item: T) => string;
  children: (item: T) => ReactNode;
}

/** As many are drawn as they are, so that browsers find in all of them; of more, those in sight. */
const whole = 100;

/** Rows are a list of things, of any height and number. */
export function Rows<T>(props: Props<T>) {
  const { items, keyOf, children } = props;
  if (items.length > whole) return <InSight {...props} />;
  return (
    <ul className={`card ${css.rows ?? ''}`}>
      {items.map((item) => (
        <li key={keyOf(item)}>{children(item)}</li>
      ))}
    </ul>
  );
}

/** Pixels of a row that was not measured yet. */
const height = 84;

function InSight<T>({ items, keyOf, children }: Props<T>) {
  const list = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing of it is given to memoized parts
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: scroller,
    estimateSize: () => height,
    getItemKey: (i) => {
      const item = items[i];
      return item === undefined ? i : keyOf(item);
    },
    overscan: 10,
    scrollMargin: margin,
  });
  // What is above the list grows and shrinks, not by scrolling: to look lays all of it out.
  // eslint-disable-next-line react-hooks/exhaustive-deps -- it settles: the list itself does not move the place where it begins
  useLayoutEffect(() => {
    if (!virtual.isScrolling) setMargin(offsetIn(list.current));
  });
  return (
    <ul ref={list} className={`card ${css.sight ?? ''}`} style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((v) => {
        const item = items[v.index];
        if (item === undefined) return null;
        return (
          <li
            key={v.key}
            ref={virtual.measureElement}
            data-index={v.index}
            aria-setsize={items.length}
            aria-posinset={v.index + 1}
            style={{ transform: `translateY(${v.start - margin}px)` }}
          >
            {children(item)}
          </li>
        );
      })}
    </ul>
  );
}
