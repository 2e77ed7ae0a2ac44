import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { Application } from '../../api/client';
import { show } from '../../testing/render';
import { application, row } from '../../testing/samples';
import { refused, serve } from '../../testing/server';
import { Head } from './head';

const path = '/api/v1/applications/argocd/web';
const asked = { annotations: { 'argocd.argoproj.io/refresh': 'normal' } };

/** looks answers with one after the other; the last one again and again. */
const looks = (...all: unknown[]) => {
  let n = 0;
  return () => all[Math.min(n++, all.length - 1)];
};

/** A page with an application, which the reader deletes. */
async function remove(app: Application) {
  show(<Head app={app} />, '/applications/argocd/web');
  await userEvent.click(screen.getByRole('button', { name: 'More actions' }));
  await userEvent.click(await screen.findByText('Delete…'));
  await userEvent.type(await screen.findByLabelText('Type web to confirm'), 'web');
  await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
}

test('a deletion is followed until the application is gone, also past what it waits for', async () => {
  const app = application('web');
  serve({
    [`DELETE ${path}`]: () => undefined,
    [`GET ${path}`]: looks(
      { ...app, deleting: true },
      { ...app, deleting: true, held: { confirmation: { count: 1, objects: [], digest: 'd' } } },
      refused(503, 'the server is starting'),
      refused(404, 'no application web'),
    ),
  });
  await remove(app);
  await screen.findByText('web is being deleted.');
  await screen.findByText(/^The deletion of web waits for somebody’s word/);
  await screen.findByText('web is deleted.');
});

test('an application that was made again under the name is another one', async () => {
  serve({
    [`DELETE ${path}`]: () => undefined,
    [`GET ${path}`]: () => ({ ...application('web'), row: row('web', { uid: 'another' }) }),
  });
  await remove(application('web'));
  await screen.findByText('web is deleted.');
});

test('a refresh is followed until the engine has looked, also when the server tells of it late', async () => {
  const app = application('web');
  const { sent } = serve({
    [`POST ${path}/refresh`]: () => undefined,
    [`GET ${path}`]: looks(app, { ...app, ...asked }, { ...app, ...asked }, app),
  });
  show(<Head app={app} />, '/applications/argocd/web');
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  await screen.findByText('Looking at Git and the cluster again.');
  await screen.findByText('web was looked at again, and is synced.');
  expect(sent.filter((s) => s.what === `GET ${path}`).length).toBeGreaterThan(3);
});

test('an application that is looked at says so, whoever asked', () => {
  serve({});
  show(<Head app={application('web', asked)} />, '/applications/argocd/web');
  expect(screen.getByText('Being looked at again')).toBeDefined();
});

test('who takes the mark away asks no more', async () => {
  const app = application('web');
  const { sent } = serve({ [`POST ${path}/refresh`]: () => undefined, [`GET ${path}`]: () => ({ ...app, ...asked }) });
  show(<Head app={app} />, '/applications/argocd/web');
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  await screen.findByText('Looking at Git and the cluster again.');
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(screen.queryByText('Looking at Git and the cluster again.')).toBeNull();
  const before = sent.length;
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  await screen.findByText('Looking at Git and the cluster again.');
  // The second one is followed, and the first one is not any more.
  await expect.poll(() => sent.slice(before).filter((s) => s.what.startsWith('GET')).length).toBeGreaterThan(1);
});

test('what keeps the reader from seeing how it ends is said', async () => {
  serve({ [`POST ${path}/refresh`]: () => undefined, [`GET ${path}`]: () => refused(403, 'you may not get it') });
  show(<Head app={application('web')} />, '/applications/argocd/web');
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  await screen.findByText('How it goes on could not be seen. you may not get it');
});
