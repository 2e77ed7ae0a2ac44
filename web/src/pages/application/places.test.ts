import { expect, test } from 'vitest';

import { placesOf } from './places';

const marked = (text: string, word: string) => placesOf(text, word).map(([from, to]) => text.slice(from, to));

test('all places of a word are found, whatever is written large', () => {
  expect(marked('Error: no error', 'ERROR')).toEqual(['Error', 'error']);
  expect(placesOf('aaaa', 'aa')).toEqual([
    [0, 2],
    [2, 4],
  ]);
  expect(placesOf('web', '')).toEqual([]);
  expect(placesOf('web', 'db')).toEqual([]);
});

test('a letter that is longer in lower case moves no mark', () => {
  expect(marked('İİ error İ Error', 'error')).toEqual(['error', 'Error']);
  expect(marked('in İzmir', 'İzmir')).toEqual(['İzmir']);
  expect(marked('in İzmir', 'i')).toEqual(['i', 'İ', 'i']);
  expect(marked('😀 İ 😀 web', 'web')).toEqual(['web']);
});
