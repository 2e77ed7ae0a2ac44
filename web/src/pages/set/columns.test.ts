import { expect, test } from 'vitest';

import type { GeneratedApp } from '../../api/client';
import { changed } from '../../ui/search';
import { changeTo, columnsOf, shownOf } from './columns';

const app = (name: string, parameters: Record<string, string>): GeneratedApp => ({ name, parameters, exists: true });

test('parameters that differ come first, and those that some have not are among them', () => {
  const made = [app('a', { same: '1', zone: 'a', odd: '1' }), app('b', { same: '1', zone: 'b' })];
  expect(columnsOf(made)).toEqual({ all: ['odd', 'zone', 'same'], differing: 2 });
  expect(columnsOf([])).toEqual({ all: [], differing: 0 });
});

test.each([
  ['all', ['a', 'b', 'c', 'd'], ''],
  ['few', ['d', 'b'], 'only=d&only=b'],
  ['all but one', ['a', 'b', 'd'], 'without=c'],
  ['none', [], 'without=a&without=b&without=c&without=d'],
])('%s of the columns have an address, and come back from it', (_, shown, address) => {
  const all = ['a', 'b', 'c', 'd'];
  const params = changed(new URLSearchParams('only=a&without=b'), changeTo(all, new Set(shown)));
  expect(params.toString()).toBe(address);
  expect(shownOf(all, params)).toEqual(all.filter((name) => shown.includes(name)));
});

test('an address that asks for columns which are gone shows all', () => {
  expect(shownOf(['a', 'b'], new URLSearchParams('only=gone'))).toEqual(['a', 'b']);
});
