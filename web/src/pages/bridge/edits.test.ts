import { expect, test } from 'vitest';

import { matcher, readKey } from './address';
import { editText, readEdits, wishOf, type Edit } from './edits';

test('edits come back from an address as they went', () => {
  const edits: Edit[] = [
    { in: 'label', name: 'app.example.com/tier', value: 'edge', remove: false },
    { in: 'annotation', name: 'url', value: 'https://a.example.com/?b=c-', remove: false },
    { in: 'label', name: 'spare', value: '', remove: true },
    { in: 'label', name: 'empty', value: '', remove: false },
  ];
  expect(readEdits(edits.map(editText))).toEqual(edits);
  expect(readEdits(['nonsense', 'fact:a=b', 'label:', 'label:a'])).toEqual([]);
});

test('a key that goes has no value', () => {
  expect(wishOf([{ in: 'label', name: 'a', value: 'left', remove: true }])).toEqual([
    { in: 'label', name: 'a', remove: true },
  ]);
});

test('keys of addresses are labels or annotations', () => {
  expect(readKey('label:a:b')).toEqual({ in: 'label', name: 'a:b' });
  expect(readKey('fact:a')).toBeUndefined();
  expect(readKey(null)).toBeUndefined();
});

test('all words of a search have to occur', () => {
  const matches = matcher('Prod  zone');
  expect(matches('prod-eu', 'example.com/zone')).toBe(true);
  expect(matches('prod-eu', undefined)).toBe(false);
});
