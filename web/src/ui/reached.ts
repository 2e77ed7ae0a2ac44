import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

import { isAsked } from './title';

/** useReached takes somebody to a part of a page when the address names it: it is scrolled to, and has the focus. */
export function useReached<E extends HTMLElement>(id: string) {
  const ref = useRef<E>(null);
  const { hash, key } = useLocation();
  const named = hash === `#${id}`;
  useEffect(() => {
    if (!named) return;
    ref.current?.scrollIntoView();
    if (!isAsked()) ref.current?.focus({ preventScroll: true });
  }, [named, key]);
  return ref;
}
