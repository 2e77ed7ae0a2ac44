import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';

import { show } from '../testing/render';
import { t } from '../text';
import { Ago, duration, Until } from './time';

const hour = 3_600_000;
const iso = (at: number) => new Date(at).toISOString();

test('what was and what will be are told from now, and neither turns into the other where clocks differ', () => {
  const now = Date.now();
  show(
    <>
      <p>
        was <Ago at={iso(now - 3.5 * hour)} />
      </p>
      <p>
        ahead <Ago at={iso(now + 3.5 * hour)} />
      </p>
      <p>
        will <Until at={iso(now + 30 * hour)} />
      </p>
      <p>
        over <Until at={iso(now - 3.5 * hour)} />
      </p>
    </>,
  );
  const told = ['was', 'ahead', 'will', 'over'].map((word) => screen.getByText(new RegExp(`^${word}`)).textContent);
  expect(told).toEqual(['was 3 h ago', 'ahead just now', 'will in 1 d', 'over just now']);
});

test('a duration has the words of the catalogue', () => {
  const { time } = t;
  const day = 24 * hour;
  for (const [milliseconds, words] of [
    [0, time.milliseconds(0)],
    [999, time.milliseconds(999)],
    [59_999, time.seconds(59)],
    [90_000, time.minutes(1)],
    [-3.5 * hour, time.hours(3)],
    [2 * day, time.days(2)],
    [61 * day, time.months(2)],
    [800 * day, time.years(2)],
  ] as const)
    expect(duration(milliseconds)).toBe(words);
});

test('the clock is read anew after a time in which nobody looked', () => {
  vi.useFakeTimers({ now: Date.now() });
  const began = Date.now();
  show(<Ago at={iso(began - 1.5 * hour)} />).unmount();
  vi.setSystemTime(began + 4 * hour);
  const later = show(<Ago at={iso(began - 1.5 * hour)} />);
  expect(screen.getByText('5 h ago')).toBeDefined();
  later.unmount();
  vi.useRealTimers(); // four hours are taken back
  show(<Ago at={iso(began - 1.5 * hour)} />);
  expect(screen.getByText('1 h ago')).toBeDefined();
});
