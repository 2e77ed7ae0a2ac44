import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

import { t } from '../text';

/** useTitle names the document. */
export function useTitle(name: string): void {
  useEffect(() => {
    document.title = t.title(name);
  }, [name]);
}

/** Whether a page was shown before: the first one of a visit has the key that “back” leads to, too. */
let begun = false;

/** isAsked tells that a dialog above the page has the focus: what arrives below it takes nothing from it. */
export function isAsked(): boolean {
  return document.activeElement?.closest('[aria-modal="true"]') != null;
}

/** useHeading takes the focus to a page's heading when somebody has gone there. */
export function useHeading() {
  const ref = useRef<HTMLHeadingElement>(null);
  const { key, hash } = useLocation();
  const first = useRef({ key, hash });
  useEffect(() => {
    // The first page of a visit begins where browsers begin.
    const arrived = begun || first.current.key !== 'default';
    begun = true;
    // A part that the address names has the focus already: see useReached.
    const at = first.current.hash.slice(1);
    if (!arrived || isAsked() || (at !== '' && document.activeElement?.id === at)) return;
    ref.current?.focus({ preventScroll: true });
  }, []);
  return ref;
}
