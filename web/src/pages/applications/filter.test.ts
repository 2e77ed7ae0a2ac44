import { describe, expect, test } from 'vitest';

import { changed } from '../../ui/search';
import { isFiltered, read } from './filter';

describe('a filter in the address', () => {
  test('is read as it was written', () => {
    const params = changed(new URLSearchParams(), {
      health: ['Degraded', 'Missing'],
      q: 'web prod',
      labels: 'team=shop',
      sort: '-name',
    });
    expect(read(params)).toEqual({
      health: ['Degraded', 'Missing'],
      q: 'web prod',
      labels: 'team=shop',
      sort: '-name',
    });
  });

  test('loses what is emptied and keeps the rest', () => {
    const params = changed(new URLSearchParams('q=a&project=shop&view=tiles'), { q: '', project: [] });
    expect(params.toString()).toBe('view=tiles');
  });

  test('is bounded and without doubles, whoever wrote the address', () => {
    const params = new URLSearchParams([...Array(300).keys()].map((i) => ['cluster', `c${i % 150}`]));
    params.set('q', 'x'.repeat(1000));
    params.set('labels', 'y'.repeat(2000));
    expect(read(params).cluster).toHaveLength(100);
    expect(read(params).q).toHaveLength(256);
    expect(read(params).labels).toHaveLength(1024);
  });

  test('an order alone narrows nothing', () => {
    expect(isFiltered({ sort: 'health' })).toBe(false);
    expect(isFiltered({ sort: 'health', q: 'a' })).toBe(true);
  });
});
