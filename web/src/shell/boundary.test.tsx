import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Suspense } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { show } from '../testing/render';
import { refused, serve } from '../testing/server';
import { part } from '../ui/part';
import { Boundary } from './boundary';

const reload = vi.fn();

beforeEach(() => {
  sessionStorage.clear();
  reload.mockClear();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.spyOn(window.location, 'reload').mockImplementation(reload);
  // What comes as text is not run.
  document.body.insertAdjacentHTML('beforeend', '<script type="module" src="/assets/index-1.js"></script>');
});

afterEach(() => vi.restoreAllMocks());

const index = (entry: string) => new Response(`<script type="module" crossorigin src="${entry}"></script>`);

/** A part whose code the server does not give. */
const away = () => part<object>(() => Promise.reject(new Error('Unable to preload CSS for /assets/page-1.css')));

function shown() {
  const Page = away();
  show(
    <Boundary heading="h1">
      <Suspense fallback="comes">
        <Page />
      </Suspense>
    </Boundary>,
  );
}

test('a page whose code does not come says so, and comes by itself when the server gives code again', async () => {
  let there = false;
  serve({
    'GET /': () => (there ? index('/assets/index-1.js') : refused(502, 'away')),
    'GET /assets/index-1.js': () => new Response('code'),
  });
  shown();
  expect(await screen.findByRole('heading', { level: 1, name: 'This page could not be loaded' })).toBeDefined();
  await userEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(reload).not.toHaveBeenCalled();
  there = true;
  await waitFor(() => expect(reload).toHaveBeenCalledOnce());
});

test('a server without the code with which its pages begin is not there yet', async () => {
  const { sent } = serve({ 'GET /': () => index('/assets/index-2.js') });
  shown();
  await waitFor(() => expect(sent.map((s) => s.what)).toContain('GET /assets/index-2.js'));
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeDefined();
  expect(reload).not.toHaveBeenCalled();
});

test('a page from before an upgrade says that, and is not loaded over and over', async () => {
  sessionStorage.setItem('causeway.reloaded', String(Date.now()));
  serve({
    'GET /': () => index('/assets/index-2.js'),
    'GET /assets/index-2.js': () => new Response('code'),
  });
  shown();
  expect(await screen.findByRole('heading', { name: 'Causeway has been upgraded' })).toBeDefined();
  expect(reload).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Reload' }));
  expect(reload).toHaveBeenCalledOnce();
});

test('what fails for another reason is a defect', async () => {
  const Broken = () => {
    throw new Error('of this page');
  };
  show(
    <Boundary>
      <Broken />
    </Boundary>,
  );
  expect(await screen.findByRole('heading', { name: 'This page has failed' })).toBeDefined();
});
