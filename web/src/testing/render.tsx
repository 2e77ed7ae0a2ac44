import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';

import { newQueryClient } from '../api/queries';
import { theme } from '../ui/theme';
import { Toasts } from '../ui/toast';

/** show renders a page at an address, as the application does. */
export function show(element: ReactNode, address = '/', path = '*', client: QueryClient = newQueryClient()) {
  const router = createMemoryRouter([{ path, element: <main id="content">{element}</main> }], {
    initialEntries: [address],
  });
  const result = render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <Toasts>
          <RouterProvider router={router} />
        </Toasts>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { ...result, router, client };
}
