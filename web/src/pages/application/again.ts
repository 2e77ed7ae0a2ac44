import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import type { Key } from '../../api/client';
import { isProblem } from '../../api/queries';

/** useAgain asks again for past syncs that were not there, when the list of them has become another one. */
export function useAgain({ namespace, name }: Key, list: unknown): void {
  const client = useQueryClient();
  useEffect(() => {
    if (list === undefined) return;
    void client.refetchQueries({
      queryKey: ['applications', 'past', namespace, name],
      type: 'active',
      predicate: ({ state }) => isProblem(state.error, 404),
    });
  }, [client, namespace, name, list]);
}
