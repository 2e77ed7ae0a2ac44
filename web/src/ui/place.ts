import { useEffect, useLayoutEffect, useRef } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';

/** Where somebody was on a page: how far down what scrolls, and at which link. */
interface Place {
  tops: Map<string, number>;
  link?: string;
}

/** Pages that are remembered, and milliseconds in which one may grow to where somebody was. */
const most = 50;
const patience = 5_000;

const nameOf = (box: Element) => box.id || (box.getAttribute('aria-label') ?? '');

const boxesIn = (content: HTMLElement) =>
  [content, ...content.querySelectorAll<HTMLElement>('[role="region"][tabindex="0"]')].filter((b) => nameOf(b) !== '');

/** usePlaces remembers where somebody was on each page, and brings them back there with “back”. */
export function usePlaces(): void {
  const { key } = useLocation();
  const kind = useNavigationType();
  const places = useRef(new Map<string, Place>());
  const here = useRef(key);
  useLayoutEffect(() => {
    here.current = key;
  }, [key]);
  useEffect(() => {
    const content = document.getElementById('content');
    if (!content) return;
    return watched(content, (change) => {
      const all = places.current;
      const place = all.get(here.current) ?? { tops: new Map() };
      change(place);
      all.delete(here.current);
      all.set(here.current, place);
      for (const old of [...all.keys()].slice(0, -most)) all.delete(old);
    });
  }, []);
  useEffect(() => {
    const content = document.getElementById('content');
    const place = kind === NavigationType.Pop ? places.current.get(key) : undefined;
    if (!content || !place) return;
    return broughtBack(content, { ...place, tops: new Map(place.tops) });
  }, [key, kind]);
}

/** watched tells where somebody goes on a page, until it is ended. */
function watched(content: HTMLElement, note: (change: (place: Place) => void) => void): () => void {
  const scrolled = ({ target }: Event) => {
    if (target instanceof HTMLElement && boxesIn(content).includes(target))
      note((place) => place.tops.set(nameOf(target), target.scrollTop));
  };
  const focused = ({ target }: Event) => {
    const link = target instanceof HTMLElement ? target.closest('a')?.getAttribute('href') : null;
    if (link) note((place) => (place.link = link));
  };
  content.addEventListener('scroll', scrolled, true);
  content.addEventListener('focusin', focused);
  return () => {
    content.removeEventListener('scroll', scrolled, true);
    content.removeEventListener('focusin', focused);
  };
}

const touches = ['wheel', 'pointerdown', 'keydown', 'touchstart'];

/** broughtBack scrolls as the page grows, until it is where somebody was or they go on by themselves. */
function broughtBack(content: HTMLElement, { tops, link }: Place): () => void {
  const grown = new MutationObserver(attempt);
  const over = setTimeout(end, patience);
  function end() {
    grown.disconnect();
    clearTimeout(over);
    for (const touch of touches) window.removeEventListener(touch, end, true);
  }
  function attempt() {
    for (const box of boxesIn(content)) {
      const top = tops.get(nameOf(box));
      if (top === undefined) continue;
      box.scrollTop = top;
      if (Math.abs(box.scrollTop - top) < 2) tops.delete(nameOf(box));
    }
    if (tops.size > 0) return;
    const found = link && content.querySelector<HTMLElement>(`a[href="${CSS.escape(link)}"]`);
    if (link && !found) return;
    if (found && !isElsewhere(content)) found.focus({ preventScroll: true });
    end();
  }
  for (const touch of touches) window.addEventListener(touch, end, true);
  grown.observe(content, { childList: true, subtree: true, attributes: true, attributeFilter: ['style'] });
  attempt();
  return end;
}

/** isElsewhere tells that the focus is at something that somebody chose, which a heading is not. */
function isElsewhere(content: HTMLElement): boolean {
  const at = document.activeElement;
  return at !== null && at !== document.body && at !== content && at.tagName !== 'H1' && content.contains(at);
}
