import type { AuditPage, Environments, Find, FindKind, Found } from '../api/client';
import { refText } from '../pages/application/address';
import { t } from '../text';
import type { IconName } from '../ui/icons';

/** A page that the navigation has. */
export interface Page {
  to: string;
  name: string;
  icon: IconName;
}

/** Something that can be done from everywhere: a place to go to, or what happens at once. */
export interface Action {
  name: string;
  icon: IconName;
  to?: string;
  act?: () => void;
}

/** A line that can be chosen. */
export interface Hit {
  /** Where it leads; what it does instead is act. */
  to: string;
  act?: (() => void) | undefined;
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

/** Kinds of what is found: by the search of the server, by other questions to it, and here. */
export type Kind = FindKind | 'pages' | 'actions' | 'environments' | 'products' | 'audit';

export interface Group {
  kind: Kind;
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

const wordsIn = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean);
const has = (name: string, words: string[]) => words.every((w) => name.toLowerCase().includes(w));

/** groupOf is a group where there is something in it. */
const groupOf = (kind: Kind, hits: Hit[], narrow = false): Group[] => (hits.length > 0 ? [{ kind, hits, narrow }] : []);

/** groupsOf are the lines of what a server found, below the pages that are called so. */
export function groupsOf(text: string, pages: Page[], found: Found | undefined): Group[] {
  const words = wordsIn(text);
  const out = groupOf(
    'pages',
    pages.filter((p) => has(p.name, words)),
  );
  if (words.length === 0) return out;
  for (const g of found?.groups ?? []) {
    const hits = g.items.map(kinds[g.kind]);
    const list = g.more ? lists[g.kind] : undefined;
    if (list) hits.push({ to: address(list, { q: text.trim() }), icon: 'right', name: t.search.all, all: true });
    out.push({ kind: g.kind, hits, narrow: g.more === true && !list });
  }
  return out;
}

/** actionsOf are what can be done that is called so; nothing without words: pages come first. */
export function actionsOf(text: string, actions: Action[]): Group[] {
  const words = wordsIn(text);
  if (words.length === 0) return [];
  const named = actions.filter((a) => has(a.name, words));
  return groupOf(
    'actions',
    named.map(({ name, icon, to = '', act }) => ({ name, icon, to, act })),
  );
}

/** environmentsOf are environments that are called so, each with the step of the promotion to it, and products. */
export function environmentsOf(text: string, found: Environments | undefined): Group[] {
  const words = wordsIn(text);
  if (words.length === 0 || !found) return [];
  const steps = (found.environments ?? []).filter((e) => e.name !== '-');
  const named = steps.flatMap((e, i): Hit[] => {
    if (!has(e.name, words)) return [];
    const other = steps[i === 0 ? 1 : i - 1]?.name;
    const [from, to] = i === 0 ? [e.name, other] : [other, e.name];
    return [
      {
        to: from && to ? address('/environments/compare', { from, to }) : '/environments',
        icon: 'environments',
        name: e.name,
        detail: t.apps(e.applications),
        note: from && to ? t.environments.two.between(from, to) : undefined,
      },
    ];
  });
  const items = found.items ?? [];
  const products = items.map((p): Hit => ({
    to: address('/environments', { q: p.name }),
    icon: 'environments',
    name: p.name,
    detail: [p.project, Object.keys(p.cells).join(' · ')].filter(Boolean).join(' · '),
  }));
  if (found.total > items.length)
    products.push({ to: address('/environments', { q: text.trim() }), icon: 'right', name: t.search.all, all: true });
  return [...groupOf('environments', named), ...groupOf('products', products)];
}

/** entriesOf are entries of the audit. */
export function entriesOf(text: string, found: AuditPage | undefined): Group[] {
  const q = text.trim();
  if (q === '' || !found) return [];
  const hits = (found.items ?? []).map((e): Hit => ({
    to: address('/audit', { q, entry: String(e.sequence) }),
    icon: 'history',
    name: [e.verb, e.resource === 'applications' ? '' : e.resource, e.name].filter(Boolean).join(' '),
    detail: [e.who.name || t.audit.nobody, e.message ?? e.reason].filter(Boolean).join(' · '),
    note: e.outcome === 'allowed' ? undefined : (t.audit.outcomes[e.outcome] ?? e.outcome),
    at: e.time,
  }));
  if (found.next) hits.push({ to: address('/audit', { q }), icon: 'right', name: t.search.all, all: true });
  return groupOf('audit', hits);
}
