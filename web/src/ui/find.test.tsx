import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';

import { show } from '../testing/render';
import { Find } from './find';

function Page() {
  const [text, setText] = useState('');
  return <Find label="Find clusters" value={text} change={setText} />;
}

test('Escape leaves the search of a page, and what was looked for stays', async () => {
  show(<Page />);
  const field = screen.getByRole<HTMLInputElement>('searchbox');
  await userEvent.keyboard('/');
  await userEvent.type(field, 'prod{Escape}');
  expect(document.activeElement).not.toBe(field);
  expect(field.value).toBe('prod');
});
