import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { api, body } from '../../api/client';
import { t } from '../../text';
import type { Reason } from '../../ui/why';
import { Confirm } from './confirm';

/** Everywhere ends all sessions of who reads the page. */
export function Everywhere() {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const leave = useMutation({
    mutationFn: (headers: Reason) =>
      body(api.DELETE('/api/v1/session', { params: { query: { everywhere: true } }, headers })),
    onSuccess: () => client.resetQueries(),
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {t.accounts.everywhere}
      </Button>
      {asking && (
        <Confirm
          title={t.accounts.everywhereTitle}
          lead={t.accounts.everywhereLead}
          act={t.accounts.everywhere}
          doing={leave}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
