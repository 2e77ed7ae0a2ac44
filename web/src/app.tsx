import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { RouterProvider } from 'react-router/dom';

import { ahead } from './ahead';
import { newQueryClient } from './api/queries';
import { newRouter } from './routes';
import { Gate } from './shell/gate';
import { theme } from './ui/theme';
import { Toasts } from './ui/toast';

const scheme = localStorageColorSchemeManager({ key: 'causeway.scheme' });

/** The policy takes only styles that bear the nonce of the request. */
const nonce = () => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

function begin() {
  const client = newQueryClient();
  void ahead(client, window.location);
  return client;
}

export function App() {
  const [client] = useState(begin);
  const [router] = useState(newRouter);
  return (
    <MantineProvider theme={theme} colorSchemeManager={scheme} defaultColorScheme="auto" getStyleNonce={nonce}>
      <QueryClientProvider client={client}>
        <Toasts>
          <Gate>
            <RouterProvider router={router} />
          </Gate>
        </Toasts>
      </QueryClientProvider>
    </MantineProvider>
  );
}
