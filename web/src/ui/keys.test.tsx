import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';

import { show } from '../testing/render';
import { useKeys } from './keys';
import { Letters } from './letters';

afterEach(() => localStorage.clear());

function Page({ did }: { did: (what: string) => void }) {
  useKeys({ s: () => did('s'), 'g a': () => did('g a'), 'mod+k': () => did('mod+k'), Enter: () => did('Enter') });
  return <Letters />;
}

test('keys of one character are turned off, and others go on', async () => {
  const done: string[] = [];
  show(<Page did={(what) => done.push(what)} />);
  const press = () => userEvent.keyboard('sga{Control>}k{/Control}{Enter}');
  await press();
  expect(done.splice(0)).toEqual(['s', 'g a', 'mod+k', 'Enter']);
  await userEvent.click(screen.getByRole('checkbox'));
  (document.activeElement as HTMLElement).blur();
  await press();
  expect(done.splice(0)).toEqual(['mod+k', 'Enter']);
  await userEvent.click(screen.getByRole('checkbox'));
  (document.activeElement as HTMLElement).blur();
  await press();
  expect(done).toEqual(['s', 'g a', 'mod+k', 'Enter']);
});
