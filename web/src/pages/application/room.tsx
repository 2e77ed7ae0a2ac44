import { useEffect, useLayoutEffect, useReducer, useRef, useState, type ReactNode } from 'react';

import { t } from '../../text';
import css from './room.module.css';

/** Kept is the room that is kept, in pixels: for as long as something else is not shown, at a width of the page. */
export interface Kept {
  until: string;
  width: number;
  height: number;
  /** There is nothing in it now. */
  empty: boolean;
}

const none: Kept = { until: '', width: -1, height: 0, empty: true };

/** keep is as much room as there was at most since what is below was chosen, or the page got another width. */
export function keep(before: Kept, now: Kept): Kept {
  const anew = before.until !== now.until || before.width !== now.width;
  const height = anew ? now.height : Math.max(before.height, now.height);
  return !anew && height === before.height && now.empty === before.empty ? before : { ...now, height };
}

interface Props {
  /** What is shown below; with another one nobody is looking at a place that moves. */
  until: string;
  children: ReactNode;
}

/** Room keeps the place of what comes and goes by itself, so that nothing below it jumps. */
export function Room({ until, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const [kept, setKept] = useState(none);
  const [, look] = useReducer((times: number) => times + 1, 0);
  // What is in it asks for more by itself, and comes and goes without a word.
  useEffect(() => {
    if (!inner.current) return;
    const watch = new ResizeObserver(look);
    watch.observe(inner.current);
    return () => watch.disconnect();
  }, []);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- it settles: the room that is kept changes neither width nor content
  useLayoutEffect(() => {
    if (!box.current || !inner.current) return;
    const height = inner.current.offsetHeight;
    const now = { until, width: box.current.clientWidth, height, empty: height === 0 };
    setKept((before) => keep(before, now));
  });
  return (
    <div ref={box} className={css.room} data-none={kept.height === 0 || undefined} style={{ minHeight: kept.height }}>
      <div ref={inner} className={css.inner}>
        {children}
      </div>
      {kept.empty && kept.height > 0 && <p className={css.over}>{t.app.over}</p>}
    </div>
  );
}
