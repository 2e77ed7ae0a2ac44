import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { expect, test } from 'vitest';

import { newQueryClient } from '../api/queries';
import { show } from './render';
import { refused, serve } from './server';

interface List {
  page: ReactElement;
  address: string;
  /** The request for the list, and its answer where there is nothing in it. */
  list: string;
  empty: unknown;
  /** What one has to be allowed to get, what that is called, and the title of an empty list. */
  resource: string;
  what: string;
  none: string;
}

/** states are tests of what a page that is a list says when it has nothing to list. */
export function states({ page, address, list, empty, resource, what, none }: List): void {
  const rights = (...actions: string[]) => ({
    'GET /api/v1/session/rights': () => ({ rights: actions.map((action) => ({ resource, action, some: true })) }),
  });

  test('it says that it loads', async () => {
    serve({ ...rights('get'), [list]: () => new Promise(() => undefined) });
    show(page, address);
    expect((await screen.findAllByRole('status', { name: 'Loading' })).length).toBeGreaterThan(0);
  });

  test('who may not read it is told so, and by whom', async () => {
    serve({ ...rights(), [list]: () => refused(403, 'bob may not get it') });
    show(page, address);
    expect(await screen.findByRole('heading', { name: 'You may not see this' })).toBeDefined();
    expect(screen.getByText('bob may not get it')).toBeDefined();
  });

  test('what fails is told with the reason, and tried again', async () => {
    let there = false;
    serve({ ...rights('get'), [list]: () => (there ? empty : refused(502, 'the hub does not answer')) });
    const client = newQueryClient();
    client.setDefaultOptions({ queries: { retry: false } });
    show(page, address, '*', client);
    expect((await screen.findByRole('alert')).textContent).toContain('the hub does not answer');
    there = true;
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText(none)).toBeDefined();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('an empty one tells who may see what there is from who may not', async () => {
    serve({ ...rights(), [list]: () => empty });
    const { unmount } = show(page, address);
    expect(await screen.findByText(`You may not see ${what}`)).toBeDefined();
    unmount();
    serve({ ...rights('get'), [list]: () => empty });
    show(page, address);
    expect(await screen.findByText(none)).toBeDefined();
  });
}
