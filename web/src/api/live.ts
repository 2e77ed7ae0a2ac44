import type { QueryClient } from '@tanstack/react-query';

import type { Application, Delta, Page, Row } from './client';
import { versions } from './version';

/** How the page is connected to the server. */
export type Connection = 'connecting' | 'live' | 'lost';

const keyOf = (r: { namespace: string; name: string }) => `${r.namespace}/${r.name}`;

/** merge puts what changed into what the page has; lists keep their order until they are read again. */
export function merge(client: QueryClient, delta: Delta): void {
  const changed = new Map<string, Row>();
  for (const row of delta.changed ?? []) changed.set(keyOf(row), row);
  client.setQueriesData<Page>({ queryKey: ['applications', 'list'] }, (page) => page && mergePage(page, changed));
  for (const row of changed.values()) {
    client.setQueryData<Application>(['applications', 'one', row.namespace, row.name], (app) => app && { ...app, row });
    for (const part of ['one', 'tree', 'history', 'past', 'diff', 'events', 'object', 'actions', 'parameters'])
      void client.invalidateQueries({ queryKey: ['applications', part, row.namespace, row.name] });
  }
  for (const key of delta.gone ?? [])
    void client.invalidateQueries({ queryKey: ['applications', 'one', key.namespace, key.name] });
}

function mergePage(page: Page, changed: Map<string, Row>): Page {
  const items = page.items ?? [];
  if (!items.some((row) => changed.has(keyOf(row)))) return page;
  return { ...page, items: items.map((row) => changed.get(keyOf(row)) ?? row) };
}

/** Pauses in milliseconds. */
const relistEvery = 2_000;
const gathered = 50;
const silence = 60_000;
const longestPause = 30_000;

/** Live follows the server's changes until it is stopped, and comes back by itself. */
export class Live {
  private source: EventSource | null = null;
  private last = '';
  private tries = 0;
  private began = false;
  private relist: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private reread: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly client: QueryClient,
    private readonly tell: (connection: Connection) => void,
  ) {}

  start(): void {
    const from = this.last ? `?from=${encodeURIComponent(this.last)}` : '';
    const source = new EventSource(`/api/v1/events${from}`);
    this.source = source;
    source.addEventListener('applications', (event: MessageEvent<string>) => {
      this.heard(event);
      merge(this.client, JSON.parse(event.data) as Delta);
      this.listAgain();
    });
    source.addEventListener('reset', (event: MessageEvent<string>) => {
      this.heard(event);
      const begin = Number((JSON.parse(event.data) as { version: string }).version);
      versions.follow(begin, () => this.readAgain());
      // The first answer to a new page is one, too: what it has is fresh, but for answers from before.
      if (this.began) void this.client.invalidateQueries();
      this.began = true;
    });
    source.addEventListener('beat', (event: MessageEvent<string>) => this.heard(event));
    source.onerror = () => this.lost();
    this.watch();
  }

  stop(): void {
    this.source?.close();
    versions.stop();
    for (const timer of [this.relist, this.again, this.watchdog, this.reread]) clearTimeout(timer);
  }

  private heard(event: MessageEvent<string>): void {
    if (event.lastEventId) this.last = event.lastEventId;
    this.tries = 0;
    this.tell('live');
    this.watch();
  }

  /** watch takes a stream on which nothing comes for a lost one. */
  private watch(): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.lost(), silence);
  }

  private lost(): void {
    this.source?.close();
    clearTimeout(this.watchdog);
    // Servers end a stream now and then, and that is nothing to tell.
    if (++this.tries > 1) this.tell('lost');
    const pause = Math.min(longestPause, 500 * 2 ** this.tries) * (0.5 + Math.random() / 2);
    clearTimeout(this.again);
    this.again = setTimeout(() => {
      void this.client.invalidateQueries({ queryKey: ['session'] });
      this.start();
    }, pause);
  }

  /** readAgain reads all anew, once for answers that come together. */
  private readAgain(): void {
    this.reread ??= setTimeout(() => {
      this.reread = undefined;
      void this.client.invalidateQueries();
    }, gathered);
  }

  /** listAgain reads what is counted and sorted by the server, not more often than eyes can follow. */
  private listAgain(): void {
    this.relist ??= setTimeout(() => {
      this.relist = undefined;
      for (const key of [['applications', 'list'], ['fleet'], ['environments'], ['changes']])
        void this.client.invalidateQueries({ queryKey: key });
      // The list alone: to read one of them is to expand it, which its page does in its own time.
      void this.client.invalidateQueries({ queryKey: ['sets'], exact: true });
    }, relistEvery);
  }
}
