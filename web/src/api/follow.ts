import type { QueryClient } from '@tanstack/react-query';

import { Problem, type Application, type Key, type SetDetail } from './client';
import { applicationQuery, isRefreshing, setQuery, setsQuery } from './queries';

/** Pauses between looks at what something is waited of, in milliseconds; the last one again and again. */
const pauses = [250, 500, 1_000, 2_000, 4_000];

/** looksOf gives what a look sees, again and again; null when it is no more. It ends with the signal. */
async function* looksOf<T>(look: () => Promise<T>, signal: AbortSignal): AsyncGenerator<T | null> {
  for (let n = 0; !signal.aborted; n++) {
    try {
      yield await look();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status === 404) yield null;
      // A server that is away comes back.
      else if (error.status !== 0 && error.status < 500) throw error;
    }
    await pause(pauses[Math.min(n, pauses.length - 1)] ?? 0, signal);
  }
}

function pause(time: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, time);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Each look asks the server. */
const anew = { staleTime: 0, retry: false } as const;

const applicationOf = (client: QueryClient, key: Key) => () => client.query({ ...applicationQuery(key), ...anew });

/** gone waits until an Application is deleted. Look is told how it is meanwhile. */
export async function gone(
  client: QueryClient,
  { uid, ...key }: Key & { uid: string },
  signal: AbortSignal,
  look: (app: Application) => void,
): Promise<void> {
  for await (const app of looksOf(applicationOf(client, key), signal)) {
    // Another one may have been made under its name.
    if (!app || app.row.uid !== uid) return;
    look(app);
  }
}

/** refreshed waits until the engine has looked again; null when the Application was deleted meanwhile, or nobody waits. */
export async function refreshed(client: QueryClient, key: Key, signal: AbortSignal): Promise<Application | null> {
  // The first look may be at what the server knew before it was asked.
  let looks = 0;
  for await (const app of looksOf(applicationOf(client, key), signal))
    if (!app || (!isRefreshing(app) && looks++ > 0)) return app;
  return null;
}

/** expanded waits until the engine has expanded an ApplicationSet again; null when it was deleted meanwhile, or nobody waits. */
export async function expanded(client: QueryClient, key: Key, signal: AbortSignal): Promise<SetDetail | null> {
  let looks = 0;
  // The list tells it, too, and nothing is expanded to read it, as one set is.
  for await (const sets of looksOf(() => client.query({ ...setsQuery, ...anew }), signal)) {
    const set = sets?.find((one) => one.namespace === key.namespace && one.name === key.name);
    if (!set) return null;
    if (!set.refreshing && looks++ > 0) {
      const { pages } = await client.infiniteQuery({ ...setQuery(key), ...anew });
      return pages[0] ?? null;
    }
  }
  return null;
}
