import { expect, test } from 'vitest';

import { diffLines, stretches, type DiffLine } from './diff';

const patch = (lines: DiffLine[]) => lines.map((l) => l.sign + l.text);
const sides = (lines: DiffLine[]) => ({
  before: lines.filter((l) => l.sign !== '+').map((l) => l.text),
  after: lines.filter((l) => l.sign !== '-').map((l) => l.text),
});

test.each([
  ['nothing', 'a\nb\n', 'a\nb\n', [' a', ' b']],
  ['a line in the middle', 'a\nb\nc\n', 'a\nx\nc\n', [' a', '-b', '+x', ' c']],
  ['lines at the end', 'a\n', 'a\nb\nc\n', [' a', '+b', '+c']],
  ['lines at the beginning', 'x\ny\na\n', 'a\n', ['-x', '-y', ' a']],
  ['all of it', '', 'a\nb\n', ['+a', '+b']],
])('%s differs', (_, before, after, want) => {
  expect(patch(diffLines(before, after))).toEqual(want);
});

test('both texts can be made of any difference, and no way is longer than needed', () => {
  let seed = 7;
  const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let round = 0; round < 300; round++) {
    const text = () => Array.from({ length: random(12) }, () => 'abcd'.charAt(random(4)));
    const a = text();
    const b = text();
    const lines = diffLines(a.join('\n'), b.join('\n'));
    expect(sides(lines)).toEqual({ before: a, after: b });
    expect(lines.filter((l) => l.sign === ' ')).toHaveLength(common(a, b));
  }
});

function common(a: string[], b: string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const get = (i: number, j: number) => table[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const line = table[i];
      if (line) line[j] = a[i - 1] === b[j - 1] ? get(i - 1, j - 1) + 1 : Math.max(get(i - 1, j), get(i, j - 1));
    }
  return get(a.length, b.length);
}

test('texts too long to be matched are still whole', () => {
  const a = Array.from({ length: 3000 }, (_, i) => `a${i}`);
  const b = Array.from({ length: 3000 }, (_, i) => `b${i}`);
  expect(sides(diffLines(a.join('\n'), b.join('\n')))).toEqual({ before: a, after: b });
});

test('what is far from a change is left out', () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  const after = before.with(10, 'changed');
  const parts = stretches(diffLines(before.join('\n'), after.join('\n')));
  expect(parts.map((p) => ('hidden' in p ? -p.hidden.length : p.lines.length))).toEqual([-7, 8, -6]);
});
