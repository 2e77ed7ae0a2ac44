import type { Find, FindKind, Found } from '../api/client';
import { refText } from '../pages/application/address';
import { t } from '../text';
import type { IconName } from '../ui/icons';

/** A page that the navigation has. */
export interface Page {
  to: string;
  name: string;
  icon: IconName;
}

/** A line that can be chosen. */
export interface Hit {
  to: string;
  icon: IconName;
  name: string;
  mono?: boolean;
  detail?: string | undefined;
  /** What stands at the end of the line. */
  note?: string | undefined;
  at?: string | undefined;
  health?: string | undefined;
  sync?: string | undefined;
  /** It leads to a list, and is none of what was found. */
  all?: boolean;
}

export interface Group {
  kind: FindKind | 'pages';
  hits: Hit[];
  /** There are more, and no page has them. */
  narrow?: boolean;
}

const address = (path: string, params: Record<string, string>) => `${path}?${new URLSearchParams(params).toString()}`;
const of = (...parts: (string | undefined)[]) => parts.map((p) => `/${encodeURIComponent(p ?? '')}`).join('');

/** How finds of each kind look, and where they lead. */
const kinds: Record<FindKind, (f: Find) => Hit> = {
  applications: (f) => ({
    to: `/applications${of(f.namespace, f.name)}`,
    icon: 'apps',
    name: f.name,
    detail: f.cluster,
    health: f.health,
    sync: f.sync,
  }),
  clusters: (f) => ({
    to: f.id ? `/clusters${of(f.id)}` : address('/applications', { cluster: f.name }),
    icon: 'cluster',
    name: f.name,
    detail: f.server,
    note: f.unreachable ? t.search.unreachable : undefined,
  }),
  applicationSets: (f) => ({
    to: `/applicationsets${of(f.namespace, f.name)}`,
    icon: 'set',
    name: f.name,
    detail: f.project,
  }),
  projects: (f) => ({ to: `/projects${of(f.name)}`, icon: 'project', name: f.name, detail: f.text }),
  repositories: (f) => ({
    to: `/repositories${of(f.id)}`,
    icon: 'branch',
    name: f.name,
    detail: f.text,
    note: f.template ? t.search.template : undefined,
  }),
  commits: (f) => ({
    to: `/changes${of(f.id, f.name)}`,
    icon: 'changes',
    name: f.text ?? f.name.slice(0, 12),
    detail: [f.name.slice(0, 8), f.author].filter(Boolean).join(' · '),
    at: f.at,
  }),
  objects: (f) => ({
    to: f.object
      ? address(`/applications${of(f.of?.namespace, f.of?.name)}`, { object: refText(f.object) })
      : '/applications',
    icon: 'list',
    name: `${f.object?.kind ?? ''}/${f.name}`,
    detail: [f.object?.namespace, f.of?.name].filter(Boolean).join(' · '),
    health: f.health,
    sync: f.sync,
  }),
  keys: (f) => ({
    to: address('/bridge', { by: 'keys', key: `${f.in ?? 'label'}:${f.name}` }),
    icon: 'bridge',
    name: f.name,
    mono: true,
    detail: f.clusters ? t.search.onClusters(f.clusters) : t.search.missing,
    note: f.in === 'annotation' ? t.search.annotation : t.search.label,
  }),
};

/** Pages that show all of a kind that match. */
const lists: Partial<Record<FindKind, string>> = {
  applications: '/applications',
  clusters: '/clusters',
  applicationSets: '/applicationsets',
  projects: '/projects',
  repositories: '/repositories',
  commits: '/changes',
};

/** groupsOf are the lines of what a server found, below the pages that are called so. */
export function groupsOf(text: string, pages: Page[], found: Found | undefined): Group[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const named = pages.filter((p) => words.every((w) => p.name.toLowerCase().includes(w)));
  const out: Group[] = named.length > 0 ? [{ kind: 'pages', hits: named }] : [];
  if (words.length === 0) return out;
  for (const g of found?.groups ?? []) {
    const hits = g.items.map(kinds[g.kind]);
    const list = g.more ? lists[g.kind] : undefined;
    if (list) hits.push({ to: address(list, { q: text.trim() }), icon: 'right', name: t.search.all, all: true });
    out.push({ kind: g.kind, hits, narrow: g.more === true && !list });
  }
  return out;
}
