import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';

import { show } from '../../testing/render';
import { keep, Room, type Kept } from './room';

const at = (height: number, more: Partial<Kept> = {}): Kept => ({
  until: 'graph',
  width: 800,
  height,
  empty: height === 0,
  ...more,
});

test('room is kept until something else is shown, or the page has another width', () => {
  expect(keep(at(120), at(0)).height).toBe(120);
  expect(keep(at(120), at(200)).height).toBe(200);
  expect(keep(at(120), at(0, { until: 'diff' })).height).toBe(0);
  expect(keep(at(120), at(80, { width: 400 })).height).toBe(80);
  const same = at(120);
  expect(keep(same, at(120))).toBe(same);
});

function Page() {
  const [waits, setWaits] = useState(true);
  const [tab, setTab] = useState('graph');
  return (
    <>
      <Room until={tab}>{waits && <section>Wave 1 waits</section>}</Room>
      <button onClick={() => setWaits(false)}>come</button>
      <button onClick={() => setTab('diff')}>go</button>
    </>
  );
}

test('what vanishes by itself moves nothing, and what is chosen gets the room', async () => {
  const height = vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockImplementation(function (
    this: HTMLElement,
  ) {
    return 100 * this.childElementCount;
  });
  show(<Page />);
  const room = () => screen.getByRole('button', { name: 'come' }).previousElementSibling as HTMLElement;
  expect(room().style.minHeight).toBe('100px');
  await userEvent.click(screen.getByRole('button', { name: 'come' }));
  expect(screen.queryByText('Wave 1 waits')).toBeNull();
  expect(room().style.minHeight).toBe('100px');
  expect(screen.getByText('What was told here is over.')).toBeDefined();
  await userEvent.click(screen.getByRole('button', { name: 'go' }));
  expect(Number.parseInt(room().style.minHeight, 10)).toBe(0);
  expect(screen.queryByText('What was told here is over.')).toBeNull();
  height.mockRestore();
});

test('what grows by itself has its room, without anybody drawing what is around it', () => {
  const looks: (() => void)[] = [];
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(look: () => void) {
        looks.push(look);
      }
      observe() {}
      disconnect() {}
    },
  );
  let high = 40;
  const height = vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockImplementation(() => high);
  const { container } = show(<Room until="graph">late</Room>);
  const room = () => container.querySelector<HTMLElement>('main > div')?.style.minHeight;
  expect(room()).toBe('40px');
  high = 90;
  act(() => looks.forEach((look) => look()));
  expect(room()).toBe('90px');
  height.mockRestore();
});
