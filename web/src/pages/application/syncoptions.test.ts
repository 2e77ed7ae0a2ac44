import { expect, test } from 'vitest';

import { optionsOf } from './syncoptions';

test('what is chosen and what is typed are sent, and nothing else', () => {
  const set = { Replace: 'true', Validate: '', PrunePropagationPolicy: 'orphan' };
  expect(optionsOf({ set, text: ' Prune=confirm \n\nDelete=false' })).toEqual([
    'Replace=true',
    'PrunePropagationPolicy=orphan',
    'Prune=confirm',
    'Delete=false',
  ]);
  expect(optionsOf({ set: {}, text: '' })).toEqual([]);
});
