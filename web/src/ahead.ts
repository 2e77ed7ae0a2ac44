import type { QueryClient } from '@tanstack/react-query';

import { isIn, listQuery, sessionQuery } from './api/queries';
import { read } from './pages/applications/filter';

/** Where people come in, and what it leads to. */
const entrances = ['/', '/applications'];

/** ahead asks for what a visit begins with before anything is drawn: to draw the first time takes longer than the answers do. */
export async function ahead(client: QueryClient, { pathname, search }: Pick<Location, 'pathname' | 'search'>) {
  try {
    const session = await client.query(sessionQuery);
    if (!isIn(session) || !entrances.includes(pathname)) return;
    await client.query(listQuery(read(new URLSearchParams(search)), 0));
  } catch {
    // The gate and the page ask the same, and tell what came of it.
  }
}
