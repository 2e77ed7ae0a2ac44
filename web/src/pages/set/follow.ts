import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

import type { Key } from '../../api/client';
import { expanded } from '../../api/follow';
import { t } from '../../text';
import { useTell } from '../../ui/toast';
import { toEnd } from '../application/follow';

/** useFollow follows a refresh of an ApplicationSet to its end, wherever the reader goes meanwhile. */
export function useFollow() {
  const client = useQueryClient();
  const tell = useTell();
  return useCallback(
    (key: Key) =>
      toEnd(tell.busy(t.set.refreshed), async (mark) => {
        const set = await expanded(client, key, mark.signal);
        void client.invalidateQueries({ queryKey: ['sets'] });
        if (!set) return t.set.gone(key.name);
        const { problem, total, applications } = set.expansion;
        // Those that are wrong come first, also where one answer has no room for all.
        const bad = (applications ?? []).filter((a) => a.problem);
        if (!problem) return t.set.looked(key.name, total - bad.length);
        mark.bad(t.set.lookedBroken(key.name, problem));
        return null;
      }),
    [client, tell],
  );
}
