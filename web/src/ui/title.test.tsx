import { act, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { expect, test } from 'vitest';

import { useHeading } from './title';

function Page({ name }: { name: string }) {
  return (
    <h1 ref={useHeading()} tabIndex={-1}>
      {name}
    </h1>
  );
}

test('a page that arrives takes the focus to its heading, but not from a dialog', async () => {
  const router = createMemoryRouter([
    { path: '/', element: <Page name="Fleet" /> },
    { path: '/projects', element: <Page key="projects" name="Projects" /> },
    { path: '/settings', element: <Page key="settings" name="Settings" /> },
  ]);
  render(
    <>
      <RouterProvider router={router} />
      <div role="dialog" aria-modal="true">
        <input aria-label="Search" />
      </div>
    </>,
  );
  await act(() => router.navigate('/projects'));
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Projects' }));
  screen.getByLabelText('Search').focus();
  await act(() => router.navigate('/settings'));
  screen.getByRole('heading', { name: 'Settings' });
  expect(document.activeElement).toBe(screen.getByLabelText('Search'));
});
