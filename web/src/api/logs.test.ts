import { afterEach, expect, test, vi } from 'vitest';

import { earlier, follow, timeOf, type Wanted } from './logs';

const wanted: Wanted = {
  app: { namespace: 'argocd', name: 'web' },
  namespace: 'shop',
  pod: 'web-1',
  container: '',
  previous: false,
  follow: true,
};

afterEach(() => vi.unstubAllGlobals());

/** A pod that writes: each answer of the server ends after so many lines, or breaks. */
function pod(lines: string[], cuts: (number | 'breaks')[]) {
  const asked: URLSearchParams[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    const query = new URLSearchParams(path.split('?')[1]);
    asked.push(query);
    const since = query.get('since');
    // As kubelets do: from the beginning of the second.
    const from = since === null ? 0 : lines.findIndex((l) => l.slice(0, 19) >= since.slice(0, 19));
    const cut = cuts.shift();
    if (cut === 'breaks') return Promise.reject(new TypeError('network'));
    const text = lines.slice(from, cut ?? lines.length).map((l) => `${l}\n`);
    return Promise.resolve(new Response(text.join('')));
  });
  return asked;
}

test('a log goes on where a stream ended, and no line is lost or comes twice', async () => {
  const at = (second: number, fraction: string) => `2026-01-01T10:00:0${second}.${fraction}Z`;
  const lines = [
    `${at(1, '100000001')} a`,
    `${at(1, '100000002')} b`,
    `${at(1, '100000002')} c`,
    `${at(1, '100000002')} d`,
    `${at(1, '9')} e`,
    `${at(2, '000000001')} f`,
    `${at(3, '5')} g`,
  ];
  const asked = pod(lines, [3, 4, 'breaks', 6]);
  const got: string[] = [];
  await follow(wanted, new AbortController().signal, (more) => got.push(...more));
  expect(got).toEqual(lines);
  expect(asked[0]?.get('tail')).toBe('1000');
  expect(asked[1]?.get('tail')).toBeNull();
  expect(asked[1]?.get('since')).toBe('2026-01-01T10:00:01.100000002Z');
});

test('a log that is not followed is read once', async () => {
  const asked = pod(['2026-01-01T10:00:01Z a', '2026-01-01T10:00:01Z a'], []);
  const got: string[] = [];
  await follow({ ...wanted, follow: false }, new AbortController().signal, (more) => got.push(...more));
  expect(got).toHaveLength(2);
  expect(asked).toHaveLength(1);
});

test('what cannot be read at all is told at once', async () => {
  pod([], ['breaks']);
  await expect(follow(wanted, new AbortController().signal, () => undefined)).rejects.toThrow();
});

test('lines have a time, or none', () => {
  expect(timeOf('2026-01-01T10:00:01.25Z x')).toBe('2026-01-01T10:00:01.25Z');
  expect(timeOf('2026-01-01T10:00:01+02:00 x')).toBe('2026-01-01T10:00:01+02:00');
  expect(timeOf('hello 2026-01-01T10:00:01Z')).toBe('');
});

/** A log of which the server gives the last lines that are asked for. */
function tailed(lines: string[]) {
  const asked: number[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    const tail = Number(new URLSearchParams(path.split('?')[1]).get('tail'));
    asked.push(tail);
    return Promise.resolve(
      new Response(
        lines
          .slice(-tail)
          .map((line) => `${line}\n`)
          .join(''),
      ),
    );
  });
  return asked;
}

const second = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString().replace('.000Z', 'Z');
const line = (n: number) => `${second(n)} line ${n % 7}`;
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => line(from + i));

test('older lines are those right before what is known, also while the container goes on writing', async () => {
  const asked = tailed(lines(0, 9_000));
  const known = lines(7_900, 8_900);
  const back = await earlier(wanted, known, new AbortController().signal);
  expect(asked).toEqual([4_000]);
  expect(back).toEqual({ lines: lines(5_000, 7_900) });
  const further = await earlier(wanted, [...back.lines, ...known], new AbortController().signal);
  expect(further.lines).toEqual(lines(2_100, 5_000));
});

test('a log tells where it begins, and how far back the server goes', async () => {
  tailed(lines(0, 1_500));
  expect(await earlier(wanted, lines(500, 1_500), new AbortController().signal)).toEqual({
    lines: lines(0, 500),
    end: 'begins',
  });
  tailed(lines(0, 20_000));
  expect(await earlier(wanted, lines(12_000, 20_000), new AbortController().signal)).toEqual({
    lines: lines(10_000, 12_000),
    end: 'furthest',
  });
  // What is known begins further back than that.
  expect(await earlier(wanted, lines(5_000, 18_000), new AbortController().signal)).toEqual({
    lines: [],
    end: 'furthest',
  });
});
