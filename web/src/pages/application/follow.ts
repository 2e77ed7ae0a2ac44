import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';

import type { Row } from '../../api/client';
import { gone, refreshed } from '../../api/follow';
import { t } from '../../text';
import { wordsOf } from '../../ui/state';
import { useTell, type Mark } from '../../ui/toast';

/** useFollow follows what was asked of an Application to its end, wherever the reader goes meanwhile. */
export function useFollow() {
  const client = useQueryClient();
  const tell = useTell();
  return useMemo(() => {
    const lists = () => client.invalidateQueries({ queryKey: ['applications', 'list'] });
    return {
      deletion: ({ namespace, name, uid }: Row) =>
        toEnd(tell.busy(t.removeForm.asked(name)), async (mark) => {
          const { asked, held } = t.removeForm;
          await gone(client, { namespace, name, uid }, mark.signal, (app) =>
            mark.say(app.held ? held(name) : asked(name)),
          );
          void lists();
          return t.removeForm.gone(name);
        }),
      refresh: ({ namespace, name }: Row) =>
        toEnd(tell.busy(t.app.refreshed), async (mark) => {
          const app = await refreshed(client, { namespace, name }, mark.signal);
          void lists();
          return app ? t.app.looked(name, app.row.sync) : t.removeForm.gone(name);
        }),
    };
  }, [client, tell]);
}

/** toEnd marks something until it is over; what is wrong with looking at it is no word on how it ended. */
async function toEnd(mark: Mark, follow: (mark: Mark) => Promise<string>): Promise<void> {
  try {
    mark.good(await follow(mark));
  } catch (error) {
    mark.bad(t.app.unfollowed(wordsOf(error)));
  }
}
