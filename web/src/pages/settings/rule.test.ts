import { expect, test } from 'vitest';

import { rulesOf } from './rule';

test('rules are read a line each, and a line that is none is told', () => {
  const sync = { resource: 'applications', action: 'sync', project: 'shop-*' };
  expect(rulesOf('applications:sync:shop-*\n\n logs : get : * ')).toEqual({
    rules: [sync, { resource: 'logs', action: 'get', project: '*' }],
  });
  expect(rulesOf('applications:sync:shop\nlogs')).toEqual({ rules: [], bad: 'logs' });
  expect(rulesOf('a:b:c:d').bad).toBe('a:b:c:d');
  expect(rulesOf('')).toEqual({ rules: [] });
});
