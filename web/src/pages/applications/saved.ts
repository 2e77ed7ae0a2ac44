import { useQuery } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';

import type { Session } from '../../api/client';
import { sessionQuery } from '../../api/queries';
import { t } from '../../text';
import { facets, read, searchOf, wordOf } from './filter';

/** A view of the list under a name: what its address says after the path. */
export interface SavedView {
  name: string;
  search: string;
}

/** Bounds of what is kept: characters, but for the number of views. */
export const longestName = 60;
export const mostViews = 50;
const longestSearch = 4_000;
const longestText = 400_000;

/** Why something is not kept. */
export type Fault = 'nameless' | 'taken' | 'full' | 'long' | 'unkept';

/** named is a name as it is kept: one line without what cannot be seen or turns the rest around. */
const named = (text: string) => {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return Array.from(line).slice(0, longestName).join('').trim();
};

/** parse reads what is stored. Whoever wrote it: what is no view, or more than is kept, is left out. */
export function parse(text: string | null): SavedView[] {
  const all = listIn(text).slice(0, mostViews).flatMap(viewIn);
  const names = all.map((v) => v.name);
  return all.filter((v, i) => names.indexOf(v.name) === i);
}

function listIn(text: string | null): unknown[] {
  if (text === null || text.length > longestText) return [];
  try {
    const stored: unknown = JSON.parse(text);
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

function viewIn(stored: unknown): SavedView[] {
  if (typeof stored !== 'object' || stored === null) return [];
  const { name, search } = stored as { name?: unknown; search?: unknown };
  if (typeof name !== 'string' || typeof search !== 'string' || search.length > longestSearch) return [];
  const view = { name: named(name), search: searchOf(new URLSearchParams(search)) };
  return view.name === '' || view.search.length > longestSearch ? [] : [view];
}

/** keyOf is where the views of somebody are; each origin has a storage of its own. */
const keyOf = (session: Session | undefined) =>
  `causeway.views.${session?.user?.via ?? ''}:${session?.user?.name ?? ''}`;

const watchers = new Set<() => void>();

/** watch tells of changes by this page, and by others of this origin. */
function watch(tell: () => void): () => void {
  watchers.add(tell);
  window.addEventListener('storage', tell);
  return () => {
    watchers.delete(tell);
    window.removeEventListener('storage', tell);
  };
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // a browser that keeps nothing
  }
}

/** keep stores views in the order of their names; the fault says why it does not. */
function keep(key: string, views: SavedView[]): Fault | null {
  if (views.length > mostViews) return 'full';
  if (views.some((v) => v.search.length > longestSearch)) return 'long';
  try {
    localStorage.setItem(key, JSON.stringify([...views].sort((a, b) => a.name.localeCompare(b.name))));
  } catch {
    return 'unkept';
  }
  for (const tell of watchers) tell();
  return null;
}

/** useSaved are the views that this browser keeps for whoever is signed in, and how to change them. */
export function useSaved() {
  const key = keyOf(useQuery({ ...sessionQuery, enabled: false }).data);
  const text = useSyncExternalStore(watch, () => stored(key));
  const views = useMemo(() => parse(text), [text]);
  return useMemo(() => ({ views, ...changesOf(key) }), [views, key]);
}

/** changesOf change what is stored at that moment: another page may have changed it. */
function changesOf(key: string) {
  const now = () => parse(stored(key));
  const but = (name: string) => now().filter((v) => v.name !== name);
  return {
    /** save keeps a view, in place of the one that has the name. */
    save: (name: string, search: string): Fault | null =>
      named(name) === '' ? 'nameless' : keep(key, [...but(named(name)), { name: named(name), search }]),
    rename: (view: SavedView, name: string): Fault | null => {
      const next = named(name);
      if (next === '') return 'nameless';
      if (next !== view.name && now().some((v) => v.name === next)) return 'taken';
      return keep(key, [...but(view.name), { ...view, name: next }]);
    },
    remove: (name: string): Fault | null => keep(key, but(name)),
  };
}

/** isTaken tells whether a view has a name, however it is typed. */
export const isTaken = (views: readonly SavedView[], name: string) => views.some((v) => v.name === named(name));

/** placeOf is where a view is opened. */
export const placeOf = ({ search }: SavedView) => `/applications${search ? `?${search}` : ''}`;

/** summaryOf says in a line what a view shows. */
export function summaryOf({ search }: SavedView): string {
  const params = new URLSearchParams(search);
  const filter = read(params);
  const { sort = '' } = filter;
  const column = sort.replace(/^-/, '');
  return [
    filter.q,
    ...facets.flatMap((facet) => (filter[facet] ?? []).map((value) => wordOf(facet, value))),
    filter.labels,
    filter.image,
    filter.revision,
    column && t.views.by(wordOf('sort', column), column !== sort),
    params.get('view') === 'tiles' && t.list.tiles,
  ]
    .filter(Boolean)
    .join(' · ');
}
