import { expect, test } from 'vitest';

import { sidesOf } from './sides';

test('three texts stand beside each other, line by line', () => {
  const rows = sidesOf(['a\nold\nc\nd\n', 'a\nnew\nc\n', 'a\nnew\nc\ne\n'], 1);
  expect(rows.map((r) => r.cells)).toEqual([
    ['a', 'a', 'a'],
    [undefined, 'new', 'new'],
    ['old', undefined, undefined],
    ['c', 'c', 'c'],
    ['d', undefined, 'e'],
  ]);
  expect(rows.map((r) => r.differs)).toEqual([false, true, true, false, true]);
});

test('what the cluster has and keeps is no difference where Git alone leaves it out', () => {
  const rows = sidesOf(['a\ndefault\n', 'a\ndefault\n', 'a\n'], 1);
  expect(rows.map((r) => r.differs)).toEqual([false, false]);
  expect(rows[1]?.cells).toEqual(['default', 'default', undefined]);
});

test('every text is whole in its column', () => {
  let seed = 11;
  const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let round = 0; round < 200; round++) {
    const texts = Array.from({ length: 3 }, () => Array.from({ length: random(10) }, () => 'abcd'.charAt(random(4))));
    const rows = sidesOf(
      texts.map((x) => x.join('\n')),
      round % 3,
    );
    texts.forEach((text, i) => expect(rows.map((r) => r.cells[i]).filter((c) => c !== undefined)).toEqual(text));
  }
});
