import { describe, expect, test } from 'vitest';

import { hostile } from '../../testing/samples';
import { searchOf } from './filter';
import { longestName, mostViews, parse, placeOf, summaryOf } from './saved';

const text = (...all: unknown[]) => JSON.stringify(all);

describe('what a browser has stored', () => {
  test.each([
    ['nothing', null, []],
    ['no JSON', '[{', []],
    ['another thing', '{"name":"a","search":""}', []],
    [
      'values that are no views',
      text(1, null, 'a', [], {}, { name: 'a' }, { search: '' }, { name: 1, search: '' }),
      [],
    ],
    ['names of nothing', text({ name: ' \u202e\n ', search: '' }), []],
    ['a view', text({ name: 'Broken', search: 'health=Degraded' }), [{ name: 'Broken', search: 'health=Degraded' }]],
    [
      'what is no part of the list’s address, twice the same, and more than one line',
      text({ name: ' a\nb\u202e ', search: '?to=//evil&view=tiles&view=x&sync=Synced&sync=Synced', more: 1 }),
      [{ name: 'a b', search: 'sync=Synced&view=tiles' }],
    ],
    [
      'two of one name',
      text({ name: 'a', search: 'q=1' }, { name: 'a ', search: 'q=2' }),
      [{ name: 'a', search: 'q=1' }],
    ],
    ['a long address', text({ name: 'a', search: `project=${'x'.repeat(4_000)}` }), []],
    ['an address that grows', text({ name: 'a', search: `project=${'ü'.repeat(2_000)}` }), []],
    ['more than anybody saved', text({ name: 'a', search: '', more: 'x'.repeat(400_000) }), []],
  ])('%s', (_, stored, want) => {
    expect(parse(stored)).toEqual(want);
  });

  test('is bounded', () => {
    const many = Array.from({ length: 2 * mostViews }, (_, i) => ({ name: `${i} ${'n'.repeat(100)}`, search: '' }));
    const views = parse(JSON.stringify(many));
    expect(views).toHaveLength(mostViews);
    expect(views[0]?.name).toHaveLength(longestName);
  });
});

test('a view has the filters, the order and the layout of an address, however they were written', () => {
  const written = new URLSearchParams('view=tiles&sort=-health&project=b&q=%20web%20&project=a&find=other&health=');
  expect(searchOf(written)).toBe('project=a&project=b&q=web&sort=-health&view=tiles');
  expect(placeOf({ name: 'a', search: searchOf(written) })).toBe(`/applications?${searchOf(written)}`);
  expect(placeOf({ name: 'a', search: '' })).toBe('/applications');
});

test('what a view shows is said in a line', () => {
  const search = new URLSearchParams({ sync: 'OutOfSync', project: hostile, labels: 'team=shop', sort: '-health' });
  expect(summaryOf({ name: 'a', search: search.toString() })).toBe(
    `Out of sync · ${hostile} · team=shop · by health, worst first, reversed`,
  );
  expect(summaryOf({ name: 'a', search: 'sort=nothing&view=tiles' })).toBe('by nothing · Tiles');
  expect(summaryOf({ name: 'a', search: 'sort=constructor&health=toString' })).toBe('toString · by constructor');
  expect(summaryOf({ name: 'a', search: '' })).toBe('');
});
