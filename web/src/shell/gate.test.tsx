import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { expect, onTestFinished, test, vi } from 'vitest';

import { show } from '../testing/render';
import { refused, serve } from '../testing/server';
import { Gate, SignInPage } from './gate';
import { Shell, ToSignIn } from './shell';

const session = (user?: string) => ({
  signIns: { password: true },
  version: '1',
  ...(user && { user: { name: user, via: 'local' } }),
});

test('nobody sees anything before they have signed in, and then what they came for', async () => {
  let user: string | undefined;
  const { sent } = serve({
    'GET /api/v1/session': () => session(user),
    'POST /api/v1/session': () => {
      user = 'mina';
      return { token: 't' };
    },
  });
  show(<Gate>inside</Gate>);
  await userEvent.type(await screen.findByLabelText('User name'), 'mina');
  expect(screen.queryByText('inside')).toBeNull();
  await userEvent.type(screen.getByLabelText('Password'), 'secret{Enter}');
  expect(await screen.findByText('inside')).toBeDefined();
  expect(sent.find((s) => s.what.startsWith('POST'))?.body).toEqual({ username: 'mina', password: 'secret' });
});

test('the issuer sends back to what somebody came for, to the part of a page', async () => {
  window.history.replaceState(null, '', '/settings?a=b+c#keys');
  onTestFinished(() => window.history.replaceState(null, '', '/'));
  serve({ 'GET /api/v1/session': () => ({ signIns: { oidc: 'Work' }, version: '1' }) });
  show(<Gate>inside</Gate>);
  const link = await screen.findByRole('link', { name: 'Continue with Work' });
  const to = new URL(link.getAttribute('href') ?? '', window.location.origin);
  expect([to.pathname, to.searchParams.get('return_url')]).toEqual(['/auth/login', '/settings?a=b+c#keys']);
});

/** What there is besides the gate: the page to sign in, and one with a link to it. */
function Pages() {
  if (useLocation().pathname === '/sign-in') return <SignInPage />;
  return (
    <>
      <ToSignIn />
      <p>inside</p>
    </>
  );
}

test('who may read without signing in is in, and comes back from signing in to where they were', async () => {
  let user: string | undefined;
  serve({
    'GET /api/v1/session': () => ({ ...session(user), open: !user, signIns: { password: true, oidc: 'Work' } }),
    'POST /api/v1/session': () => {
      user = 'mina';
      return { token: 't' };
    },
  });
  const pages = (
    <Gate>
      <Pages />
    </Gate>
  );
  const { router } = show(pages, '/fleet?q=a');
  expect(await screen.findByText('inside')).toBeDefined();
  await userEvent.click(screen.getByRole('link', { name: 'Sign in' }));
  const issuer = await screen.findByRole('link', { name: 'Continue with Work' });
  const to = new URL(issuer.getAttribute('href') ?? '', window.location.origin);
  expect(to.searchParams.get('return_url')).toBe('/fleet?q=a');
  await userEvent.type(screen.getByLabelText('User name'), 'mina');
  await userEvent.type(screen.getByLabelText('Password'), 'secret{Enter}');
  expect(await screen.findByText('inside')).toBeDefined();
  expect(router.state.location.pathname + router.state.location.search).toBe('/fleet?q=a');
});

test('Ctrl-K leads to the page to sign in, and from there to where one was', async () => {
  vi.stubGlobal(
    'EventSource',
    class extends EventTarget {
      close() {
        // Nothing was opened.
      }
    },
  );
  serve({
    'GET /api/v1/session': () => ({ ...session(), open: true }),
    'GET /api/v1/session/rights': () => ({ rights: [] }),
  });
  const { router } = show(<Shell />, '/fleet?q=a#b');
  await screen.findByRole('link', { name: 'Sign in' });
  await userEvent.keyboard('{Control>}k{/Control}');
  await userEvent.type(await screen.findByRole('combobox'), 'sign in');
  await within(await screen.findByRole('group', { name: 'Actions' })).findByRole('option', { name: 'Sign in' });
  await userEvent.keyboard('{Enter}');
  expect(router.state.location.pathname).toBe('/sign-in');
  expect(router.state.location.state).toEqual({ from: '/fleet?q=a#b' });
});

test('where nobody can sign in, the page to sign in leads on', async () => {
  serve({ 'GET /api/v1/session': () => ({ signIns: {}, version: '1' }) });
  const pages = (
    <Gate>
      <Pages />
    </Gate>
  );
  const { router } = show(pages, '/sign-in');
  expect(await screen.findByText('inside')).toBeDefined();
  expect(router.state.location.pathname).toBe('/');
});

test.each([
  [401, 'User name or password is wrong.'],
  [429, 'Too many tries. Wait a little, then try again.'],
])('an answer of %i is told in plain words', async (status, words) => {
  serve({
    'GET /api/v1/session': () => session(),
    'POST /api/v1/session': () => refused(status, 'as the server says it'),
  });
  show(<Gate>inside</Gate>);
  await userEvent.type(await screen.findByLabelText('User name'), 'mina');
  await userEvent.type(screen.getByLabelText('Password'), 'wrong{Enter}');
  expect((await screen.findByRole('alert')).textContent).toBe(words);
});
