import { afterEach, expect, test, vi } from 'vitest';

import { follow, timeOf, type Wanted } from './logstream';

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
