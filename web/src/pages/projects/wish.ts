import type { ProjectSpec } from '../../api/client';
import { without } from '../../ui/without';

export interface Destination {
  cluster: string;
  namespace: string;
}
export interface Role {
  name: string;
  description: string;
  policies: string;
  groups: string;
}
export interface Window {
  kind: string;
  schedule: string;
  duration: string;
  timeZone: string;
  applications: string;
  namespaces: string;
  clusters: string;
  manualSync: boolean;
}

const kinds = [
  'clusterResourceWhitelist',
  'clusterResourceBlacklist',
  'namespaceResourceWhitelist',
  'namespaceResourceBlacklist',
] as const;
export type KindList = (typeof kinds)[number];

/** What a form has entered. Lists are lines of text. */
export interface Draft {
  name: string;
  description: string;
  repos: string;
  sourceNamespaces: string;
  destinations: Destination[];
  roles: Role[];
  windows: Window[];
  kinds: Record<KindList, string>;
  orphans: boolean;
  warn: boolean;
}

const rows = (text: string) =>
  text
    .split('\n')
    .map((l) => l.trim())
    .filter(Boolean);
const words = (text: string) =>
  text
    .split(/[\s,]+/)
    .map((w) => w.trim())
    .filter(Boolean);
const isServer = (cluster: string) => cluster.includes('://') || cluster === '*' || cluster.startsWith('!http');

export const newDestination: Destination = { cluster: '', namespace: '' };
export const newRole: Role = { name: '', description: '', policies: '', groups: '' };
export const newWindow: Window = {
  kind: 'allow',
  schedule: '0 8 * * 1-5',
  duration: '8h',
  timeZone: '',
  applications: '*',
  namespaces: '',
  clusters: '',
  manualSync: false,
};

/** newDraft is what a form begins with. */
export function newDraft(name: string, spec: ProjectSpec): Draft {
  const kindLines = (list: { group: string; kind: string; name?: string }[] | null | undefined) =>
    (list ?? [])
      .map((k) =>
        k.name ? `${k.group}/${k.kind}/${k.name}` : k.group || k.kind === '*' ? `${k.group}/${k.kind}` : k.kind,
      )
      .join('\n');
  return {
    name,
    description: spec.description ?? '',
    repos: (spec.sourceRepos ?? []).join('\n'),
    sourceNamespaces: (spec.sourceNamespaces ?? []).join('\n'),
    destinations: (spec.destinations ?? []).map((d) => ({
      cluster: d.server ?? d.name ?? '',
      namespace: d.namespace ?? '',
    })),
    roles: (spec.roles ?? []).map((r) => ({
      name: r.name,
      description: r.description ?? '',
      policies: (r.policies ?? []).join('\n'),
      groups: (r.groups ?? []).join('\n'),
    })),
    windows: (spec.syncWindows ?? []).map((w) => ({
      kind: w.kind ?? 'allow',
      schedule: w.schedule ?? '',
      duration: w.duration ?? '',
      timeZone: w.timeZone ?? '',
      applications: (w.applications ?? []).join(', '),
      namespaces: (w.namespaces ?? []).join(', '),
      clusters: (w.clusters ?? []).join(', '),
      manualSync: w.manualSync ?? false,
    })),
    kinds: Object.fromEntries(kinds.map((k) => [k, kindLines(spec[k])])) as Draft['kinds'],
    orphans: spec.orphanedResources !== undefined,
    warn: spec.orphanedResources?.warn !== false,
  };
}

/** kindsOf reads GROUP/KIND, one a line; a kind of the core group stands alone. */
export function kindsOf(text: string): { group: string; kind: string; name?: string }[] {
  return rows(text).map((line) => {
    const [first = '', second, third] = line.split('/').map((w) => w.trim());
    if (second === undefined) return { group: first === '*' ? '*' : '', kind: first };
    return { group: first, kind: second, ...(third && { name: third }) };
  });
}

/** specOf is what is sent: what the form does not show stays. */
export function specOf(d: Draft, before: ProjectSpec): ProjectSpec {
  const out: ProjectSpec = {
    ...before,
    description: d.description.trim(),
    sourceRepos: rows(d.repos),
    sourceNamespaces: rows(d.sourceNamespaces),
    destinations: d.destinations
      .filter((x) => x.cluster.trim() || x.namespace.trim())
      .map((x) => ({
        ...(isServer(x.cluster.trim()) ? { server: x.cluster.trim() } : { name: x.cluster.trim() }),
        namespace: x.namespace.trim(),
      })),
    roles: d.roles.map((r) => ({
      name: r.name.trim(),
      description: r.description.trim(),
      policies: rows(r.policies),
      groups: rows(r.groups),
    })),
    syncWindows: d.windows.map((w, i) => ({
      ...before.syncWindows?.[i],
      kind: w.kind,
      schedule: w.schedule.trim(),
      duration: w.duration.trim(),
      timeZone: w.timeZone.trim(),
      applications: words(w.applications),
      namespaces: words(w.namespaces),
      clusters: words(w.clusters),
      manualSync: w.manualSync,
    })),
    ...Object.fromEntries(kinds.map((k) => [k, kindsOf(d.kinds[k])])),
  };
  if (d.orphans) out.orphanedResources = { ...before.orphanedResources, warn: d.warn };
  else delete out.orphanedResources;
  return without(
    out,
    // A list that is there and empty means something else than none: it stays.
    (['sourceNamespaces', 'roles', 'syncWindows', ...kinds] as const).filter(
      (k) => out[k]?.length === 0 && before[k]?.length !== 0,
    ),
  );
}
