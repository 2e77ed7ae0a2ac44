import type { QueryClient } from '@tanstack/react-query';

import { Problem, type Application, type Key } from './client';
import { applicationQuery, isRefreshing } from './queries';

/** Pauses between looks at an Application of which something is waited for, in milliseconds; the last one again and again. */
const pauses = [250, 500, 1_000, 2_000, 4_000];

/** looksOf gives an Application as it is, again and again; null when it is no more. It ends with the signal. */
async function* looksOf(client: QueryClient, key: Key, signal: AbortSignal): AsyncGenerator<Application | null> {
  for (let n = 0; !signal.aborted; n++) {
    try {
      yield await client.query({ ...applicationQuery(key), staleTime: 0, retry: false });
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

/** gone waits until an Application is deleted. Look is told how it is meanwhile. */
export async function gone(
  client: QueryClient,
  { uid, ...key }: Key & { uid: string },
  signal: AbortSignal,
  look: (app: Application) => void,
): Promise<void> {
  for await (const app of looksOf(client, key, signal)) {
    // Another one may have been made under its name.
    if (!app || app.row.uid !== uid) return;
    look(app);
  }
}

/** refreshed waits until the engine has looked again; null when the Application was deleted meanwhile, or nobody waits. */
export async function refreshed(client: QueryClient, key: Key, signal: AbortSignal): Promise<Application | null> {
  // The first look may be at what the server knew before it was asked.
  let looks = 0;
  for await (const app of looksOf(client, key, signal)) if (!app || (!isRefreshing(app) && looks++ > 0)) return app;
  return null;
}
