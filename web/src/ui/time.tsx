import { useSyncExternalStore } from 'react';

import { t } from '../text';

/** Milliseconds between two looks at the clock. */
const tick = 10_000;

// One clock for all times on the page; it ticks only while somebody reads it.
let now = Date.now();
const readers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const r of readers) r();
  }, tick);
  return () => {
    readers.delete(reader);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** clock is what the clock says; while nobody read it, it stood still, and it may have been set back. */
function clock(): number {
  if (timer === undefined && Math.abs(Date.now() - now) >= tick) now = Date.now();
  return now;
}

/** useNow is the time, a few seconds old at most. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, clock);
}

/** Units by their seconds, the largest first, with their words. */
const units: [number, (n: number) => string][] = [
  [86_400 * 365, t.time.years],
  [86_400 * 30, t.time.months],
  [86_400, t.time.days],
  [3_600, t.time.hours],
  [60, t.time.minutes],
];

/** duration tells milliseconds in one unit, as short as one reads it at a glance. */
export function duration(milliseconds: number): string {
  const seconds = Math.abs(milliseconds) / 1000;
  if (seconds < 1) return t.time.milliseconds(Math.round(Math.abs(milliseconds)));
  for (const [size, words] of units) if (seconds >= size) return words(Math.floor(seconds / size));
  return t.time.seconds(Math.floor(seconds));
}

/** relative tells how long ago something was, or when it will be. */
function relative(at: number, from: number): string {
  const age = from - at;
  if (Math.abs(age) < tick) return t.time.now;
  return age > 0 ? t.time.ago(duration(age)) : t.time.in(duration(age));
}

// To make one takes as long as all else of a line of a list.
const exactly = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

/** exact is a moment to the second, in the reader's zone. */
export function exact(at: string): string {
  const when = new Date(at);
  return Number.isNaN(when.getTime()) ? at : exactly.format(when);
}

/** Ago shows how long ago a moment was; the exact one on hover. A clock of a server that is ahead makes it now. */
export function Ago({ at, short }: { at: string | undefined | null; short?: boolean }) {
  const current = useNow();
  if (!at || at.startsWith('0001-')) return <span>{t.time.never}</span>;
  const when = new Date(at).getTime();
  return (
    <time dateTime={at} title={exact(at)}>
      {short ? duration(current - when) : relative(when, Math.max(current, when))}
    </time>
  );
}

/** Until shows in how long a moment is; the exact one on hover. */
export function Until({ at }: { at: string }) {
  const current = useNow();
  const when = new Date(at).getTime();
  return (
    <time dateTime={at} title={exact(at)}>
      {relative(when, Math.min(current, when))}
    </time>
  );
}
