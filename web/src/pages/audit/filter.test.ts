import { expect, test } from 'vitest';

import { commandOf, exportPath, isWhole, localTime, momentOf, pretty, readFilter, spanOf } from './filter';

const now = Date.parse('2026-05-01T12:00:30Z');

test('an address says what is asked for, and nothing that makes no sense', () => {
  const params = new URLSearchParams('q=a b&who=ann&outcome=denied&since=24&verb=');
  expect(readFilter(params, now)).toEqual({
    q: 'a b',
    who: 'ann',
    outcome: 'denied',
    from: '2026-04-30T12:00:00.000Z',
  });
  expect(readFilter(new URLSearchParams('outcome=odd&since=2&from=soon'), now)).toEqual({});
});

test('the export is of the same entries', () => {
  expect(exportPath({ q: 'a b', outcome: 'failed' })).toBe('/api/v1/audit/export?q=a+b&outcome=failed');
});

test('values are written over several lines where they are JSON', () => {
  expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(pretty('{"cut…')).toBe('{"cut…');
  expect(pretty(undefined)).toBe('');
});

test('begin and end of one’s own are kept in the address, to the minute', () => {
  expect(spanOf(new URLSearchParams('since=24'))).toBe('24');
  expect(spanOf(new URLSearchParams('since=own'))).toBe('own');
  expect(spanOf(new URLSearchParams('to=2026-01-02T03:04:00.000Z'))).toBe('own');
  expect(spanOf(new URLSearchParams('since=12'))).toBe('');
  expect(momentOf(localTime('2026-01-02T03:04:00.000Z'))).toBe('2026-01-02T03:04:00.000Z');
  expect([localTime('never'), localTime(null), momentOf('')]).toEqual(['', '', '']);
});

test('the command asks for the same, safe to paste', () => {
  const params = new URLSearchParams({
    who: "o'neil",
    name: 'web',
    outcome: 'denied',
    since: '24',
    q: 'a b',
    entry: '7',
  });
  expect(commandOf(params)).toBe(
    `causeway audit list --who='o'\\''neil' --app=web --outcome=denied --text='a b' --since=24h`,
  );
  expect(commandOf(new URLSearchParams())).toBe('causeway audit list');
});

test('the command is said to show more where it has no flag for what an address says', () => {
  const whole = (text: string) => isWhole(new URLSearchParams(text));
  expect([whole(''), whole('who=ann&since=24')]).toEqual([true, true]);
  expect([whole('namespace=shop'), whole('from=2026-01-02T03:04:00.000Z'), whole('since=own')]).toEqual([
    false,
    false,
    false,
  ]);
});
