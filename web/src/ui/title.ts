import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

import { t } from '../text';

/** useTitle names the document. */
export function useTitle(name: string): void {
  useEffect(() => {
    document.title = t.title(name);
  }, [name]);
}

/** useHeading takes the focus to a page's heading when somebody has gone there. */
export function useHeading() {
  const ref = useRef<HTMLHeadingElement>(null);
  const { key } = useLocation();
  const first = useRef(key);
  useEffect(() => {
    // The first page of a visit begins where browsers begin.
    if (first.current === 'default') return;
    ref.current?.focus({ preventScroll: true });
  }, []);
  return ref;
}
