import { expect, test } from 'vitest';

import { show } from '../testing/render';
import { useTell, type Mark } from './toast';

test('where there is nobody to tell, nobody waits for what goes on', () => {
  const marks: Mark[] = [];
  function Begins() {
    const tell = useTell();
    return <button onClick={() => marks.push(tell.busy('It goes on.'))}>Begin</button>;
  }
  const { getByRole, unmount } = show(<Begins />);
  getByRole('button', { name: 'Begin' }).click();
  expect(marks.map(({ signal }) => signal.aborted)).toEqual([false]);
  unmount();
  expect(marks.map(({ signal }) => signal.aborted)).toEqual([true]);
});
