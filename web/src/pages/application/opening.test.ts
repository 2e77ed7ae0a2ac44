import { expect, test } from 'vitest';

import { nodeHeight, nodeWidth, opening, type Places } from './opening';

/** tree has a root and two objects in a column beside it. */
const tree = (columns: number): Places =>
  new Map([
    ['root', { x: 0, y: 36 }],
    ...Array.from({ length: columns }, (_, i): [string, { x: number; y: number }] => [
      `o${i}`,
      { x: (i + 1) * (nodeWidth + 50), y: 0 },
    ]),
    ['last', { x: nodeWidth + 50, y: 72 }],
  ]);

/** seen tells whether a node is in a window. */
const seen = (at: { x: number; y: number }, v: { x: number; y: number; zoom: number }, width: number, height: number) =>
  at.x * v.zoom + v.x >= 0 &&
  (at.x + nodeWidth) * v.zoom + v.x <= width &&
  at.y * v.zoom + v.y >= 0 &&
  (at.y + nodeHeight) * v.zoom + v.y <= height;

test('a small graph is seen whole in a narrow window', () => {
  const places = tree(1);
  const view = opening(places, 'root', 350, 440);
  for (const [id, at] of places) expect(seen(at, view, 350, 440), id).toBe(true);
  expect(view.zoom).toBeLessThanOrEqual(1);
});

test('a wide graph is seen from where it begins, and as large as can be read', () => {
  const places = tree(9);
  const view = opening(places, 'root', 350, 440);
  expect(seen(places.get('root') ?? { x: NaN, y: NaN }, view, 350, 440)).toBe(true);
  expect(view.zoom).toBeGreaterThan(0.4);
});

test('what is smaller than the window is not made larger', () => {
  expect(opening(new Map([['root', { x: 0, y: 0 }]]), 'root', 2000, 1000).zoom).toBe(1);
});
