import { useEffect } from 'react';
import { useLocation, useParams } from 'react-router';

import type { Key, Ref } from '../../api/client';
import { changed, useSearch, type Changes } from '../../ui/search';

export const tabs = [
  'graph',
  'table',
  'diff',
  'parameters',
  'history',
  'timeline',
  'events',
  'labels',
  'orphans',
] as const;
export type Tab = (typeof tabs)[number];

export const parts = ['live', 'desired', 'diff', 'sides', 'events', 'logs', 'terminal'] as const;
export type Part = (typeof parts)[number];

/** refText is a reference as one word of an address. */
export const refText = (r: Ref) => [r.group ?? '', r.version ?? '', r.kind, r.namespace ?? '', r.name].join('~');

/** refOf reads such a word. */
export function refOf(text: string | null): Ref | null {
  const [group, version, kind, namespace, name, ...rest] = (text ?? '').split('~');
  if (!kind || !name || rest.length > 0) return null;
  return { kind, name, ...(group && { group }), ...(version && { version }), ...(namespace && { namespace }) };
}

export const refKey = (r: Ref) => `${r.group ?? ''}/${r.kind}/${r.namespace ?? ''}/${r.name}`;

/** Where somebody is on the page of an Application. */
export interface Address {
  key: Key;
  tab: Tab;
  object: Ref | null;
  part: Part;
  sync: string | null;
  /** Past syncs that are compared, at most two. */
  compared: string[];
  compare: (syncs: string[]) => void;
  show: (tab: Tab, sync?: string) => void;
  open: (object: Ref | null, part?: Part) => void;
}

/** What is looked for among the objects belongs to their table. */
const noSearch = { q: null, problems: null };

/** What of a log is shown belongs to one object. */
const noLogs = { container: null, previous: null, find: null };

export function useAddress(): Address {
  const { namespace = '', name = '' } = useParams();
  const { params, change, turn, go } = useSearch();
  return {
    key: { namespace, name },
    tab: oneOf(tabs, params.get('tab')),
    object: refOf(params.get('object')),
    part: oneOf(parts, params.get('part')),
    sync: params.get('sync'),
    compared: (params.get('compare') ?? '').split('~').filter(Boolean).slice(0, 2),
    compare: (syncs) => turn({ compare: syncs.join('~') }),
    show: (tab, sync) =>
      go({
        tab: tab === 'graph' ? null : tab,
        sync: sync ?? null,
        object: null,
        part: null,
        compare: null,
        ...noSearch,
        ...noLogs,
      }),
    open: (object, part) =>
      (part ? change : go)({
        object: object && refText(object),
        part: part && part !== 'live' ? part : null,
        ...noLogs,
      }),
  };
}

/** useKnown takes tabs out of the address that there are none of: what is shown is what the address says. */
export function useKnown() {
  const { params, change } = useSearch();
  const isUnknown = (name: string, known: readonly string[]) => {
    const value = params.get(name);
    return value !== null && !known.includes(value);
  };
  const [tab, part] = [isUnknown('tab', tabs), isUnknown('part', parts)];
  useEffect(() => {
    if (tab || part) change({ ...(tab && { tab: null }), ...(part && { part: null }) });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- change is another one each time, and does the same
  }, [tab, part]);
}

/** useHere makes addresses on the page that one is at. */
export function useHere(): (changes: Changes) => string {
  const { params } = useSearch();
  const { pathname } = useLocation();
  return (changes) => `${pathname}?${changed(params, changes).toString()}`;
}

function oneOf<T extends string>(known: readonly [T, ...T[]], value: string | null): T {
  return known.find((k) => k === value) ?? known[0];
}
