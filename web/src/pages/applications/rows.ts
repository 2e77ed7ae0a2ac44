import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';

import type { Page, Row } from '../../api/client';
import { listQuery, pageSize, type Filter } from '../../api/queries';

/** What of the list is known: rows come by pages as they are scrolled to. */
export interface Rows {
  first: Page | undefined;
  total: number;
  stale: boolean;
  error: unknown;
  retry: () => void;
}

/** useFirst reads the first page; it has what is counted of all. */
export function useFirst(filter: Filter): Rows {
  const query = useQuery({ ...listQuery(filter, 0), placeholderData: keepPreviousData });
  return {
    first: query.data,
    total: query.data?.total ?? 0,
    stale: query.isPlaceholderData,
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  };
}

/** useRows reads the pages that are shown, and gives the row at an index as far as it has come. */
export function useRows(filter: Filter, rows: Rows, from: number, to: number): (index: number) => Row | undefined {
  const pages: number[] = [];
  for (let page = Math.floor(from / pageSize); page <= Math.floor(to / pageSize); page++)
    if (page > 0) pages.push(page);
  const later = useQueries({ queries: pages.map((page) => ({ ...listQuery(filter, page), enabled: !rows.stale })) });
  return (index) => {
    const page = Math.floor(index / pageSize);
    const data = page === 0 ? rows.first : later[pages.indexOf(page)]?.data;
    return data?.items?.[index % pageSize];
  };
}

export const idOf = (row: { namespace: string; name: string }) => `${row.namespace}/${row.name}`;
export const pathOf = (row: { namespace: string; name: string }) =>
  `/applications/${encodeURIComponent(row.namespace)}/${encodeURIComponent(row.name)}`;

/** shortRevision is a commit's first digits; versions and branches stay whole. */
export function shortRevision(revision: string | undefined): string {
  if (!revision) return '';
  return /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 7) : revision;
}

/** repoName is what people call a repository. */
export function repoName(url: string): string {
  const path = url.replace(/\.git$/, '').replace(/\/+$/, '');
  return path.split(/[/:]/).slice(-1)[0] ?? url;
}
