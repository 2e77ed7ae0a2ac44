import { useMemo } from 'react';

import type { Filter } from '../../api/queries';
import { t } from '../../text';
import { changed, useSearch } from '../../ui/search';

/** Filters that have several values, each with counts from the server. */
export const facets = ['health', 'sync', 'project', 'cluster', 'applicationSet', 'namespace', 'operation'] as const;
export type Facet = (typeof facets)[number];

/** Filters that are one text. */
export const texts = ['q', 'labels', 'image', 'revision', 'sort'] as const;

/** longest is how many characters of a filter the server takes. */
export const longest = (name: (typeof texts)[number]) => (name === 'labels' ? 1024 : 256);

export type View = 'table' | 'tiles';

/** read takes a filter out of an address. */
export function read(params: URLSearchParams): Filter {
  const filter: Filter = {};
  for (const name of facets) {
    const values = params.getAll(name).filter(Boolean);
    if (values.length > 0) filter[name] = [...new Set(values)].sort().slice(0, 100);
  }
  for (const name of texts) {
    const value = params.get(name)?.trim();
    if (value) filter[name] = value.slice(0, longest(name));
  }
  return filter;
}

/** searchOf is what an address says of the list, and nothing else, in one form. */
export function searchOf(params: URLSearchParams): string {
  const view = viewOf(params) === 'tiles' ? 'tiles' : null;
  return changed(new URLSearchParams(), { ...read(params), view }).toString();
}

const said: Partial<Record<Facet | 'sort', Record<string, string>>> = {
  health: t.health,
  sync: t.sync,
  operation: t.list.filters.operations,
  sort: t.list.sorts,
};

/** wordOf is a value of a filter, or what the list is sorted by, as people say it; addresses may have any. */
export function wordOf(name: Facet | 'sort', value: string): string {
  const words = said[name] ?? {};
  return Object.hasOwn(words, value) ? (words[value] ?? value) : value;
}

/** What of a filter changes; empty values go. */
type Change = Partial<Record<keyof Filter | 'view', string | string[]>>;

/** useFilter is the filter that the address has, and how to change it. */
export function useFilter() {
  const { params, change } = useSearch();
  const address = params.toString();
  const filter = useMemo(() => read(new URLSearchParams(address)), [address]);
  return {
    filter,
    view: viewOf(params),
    change: (to: Change) => change(to),
    clear: () => change(Object.fromEntries([...facets, ...texts].map((name) => [name, '']))),
  };
}

const viewOf = (params: URLSearchParams): View => (params.get('view') === 'tiles' ? 'tiles' : 'table');

export const isFiltered = (filter: Filter) => Object.keys(filter).some((name) => name !== 'sort');
