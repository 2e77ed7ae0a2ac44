import { expect, test } from 'vitest';

import { changed } from './search';

test('parameters are changed, taken out where they are empty, and others stay', () => {
  const now = new URLSearchParams('q=shop&edit=a&edit=b&page=2');
  expect(changed(now, { q: 'dns', page: '' }).toString()).toBe('q=dns&edit=a&edit=b');
  expect(changed(now, { edit: ['c', '', 'd'], page: null }).toString()).toBe('q=shop&edit=c&edit=d');
  expect(changed(now, { edit: [] }).toString()).toBe('q=shop&page=2');
  expect(now.toString()).toBe('q=shop&edit=a&edit=b&page=2');
});
