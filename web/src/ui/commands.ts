import { useQuery } from '@tanstack/react-query';

import type { Key, Ref } from '../api/client';
import { sessionQuery, type ChangeFilter, type Filter } from '../api/queries';

/** quoted is safe to paste into a shell. */
export const quoted = (word: string) => (/^[\w./:@=+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The control namespace, of an installation that does not say it. */
const usual = 'argocd';

/** Flags of `causeway get apps` by the filters of the list; with several values they are separated by commas. */
const filterFlags = {
  project: 'project',
  cluster: 'cluster',
  health: 'health',
  sync: 'sync',
  operation: 'operation',
  applicationSet: 'applicationset',
  namespace: 'app-namespace',
  q: 'search',
  labels: 'selector',
  image: 'image',
  revision: 'revision',
} as const satisfies Partial<Record<keyof Filter, string>>;

/** objectName is KIND/NAME or KIND/NAMESPACE/NAME. */
const objectName = (o: Ref) => [o.kind, o.namespace, o.name].filter(Boolean).join('/');

/** objectOf is the same with the group of its kind, where it has one: KIND.GROUP/NAMESPACE/NAME. */
const objectOf = (o: Ref) => objectName({ ...o, kind: [o.kind, o.group].filter(Boolean).join('.') });

/**
 * commandsOf are the commands that pages offer, of an installation with this control namespace. All of them are in
 * commands.txt, which the tests of the command line parse.
 */
export function commandsOf(control: string) {
  const app = (k: Key) => quoted(k.namespace === control ? k.name : `${k.namespace}/${k.name}`);
  return {
    tree: (k: Key) => `causeway tree ${app(k)}`,
    diff: (k: Key) => `causeway diff ${app(k)}`,
    history: (k: Key, compared: string[] = []) =>
      ['causeway history', app(k), ...(compared.length === 2 ? ['--diff', ...compared.map(quoted)] : [])].join(' '),
    approve: (k: Key) => `causeway approve ${app(k)}`,
    values: (k: Key) => `causeway why ${app(k)} --values`,
    trace: (k: Key, sync?: number) => ['causeway trace', app(k), sync].filter((w) => w !== undefined).join(' '),
    /** The command line prunes where it is not told otherwise. */
    rollback: (k: Key, sync: number, prune: boolean) =>
      `causeway rollback ${app(k)} ${sync}${prune ? '' : ' --prune=false'}`,
    windows: (k: Key) => `causeway windows ${app(k)}`,
    orphans: (k: Key) => `causeway orphans ${app(k)}`,
    events: (k: Key, o?: Ref) => ['causeway events', app(k), ...(o ? [quoted(objectOf(o))] : [])].join(' '),
    logs: (k: Key, pod?: Ref, of: { container?: string; previous?: boolean } = {}) =>
      [
        'causeway logs',
        app(k),
        ...(pod ? [`--pod=${quoted([pod.namespace, pod.name].filter(Boolean).join('/'))}`] : []),
        ...(of.container ? [`--container=${quoted(of.container)}`] : []),
        ...(of.previous ? ['--previous'] : []),
      ].join(' '),
    sync: (k: Key, flags: string[] = []) => ['causeway sync', app(k), ...flags].join(' '),
    /** A namespace has no place in APP/KIND/NAME. */
    why: (k: Key, o?: Ref) =>
      [
        'causeway why',
        quoted(o ? `${k.name}/${objectName(o)}` : k.name),
        ...(k.namespace === control ? [] : [`--app-namespace=${quoted(k.namespace)}`]),
      ].join(' '),
    action: (k: Key, o: Ref, action: string, values: Record<string, string>) => {
      const flags = Object.entries(values).map(([name, value]) => `--param ${quoted(`${name}=${value}`)}`);
      return ['causeway actions run', app(k), quoted(objectOf(o)), quoted(action), ...flags].join(' ');
    },
    /** List applications; elsewhere tells that there are some outside the control namespace. */
    apps: (filter: Filter, elsewhere = false) => {
      const flags = Object.entries(filterFlags).flatMap(([name, flag]) => {
        const value = [filter[name as keyof typeof filterFlags] ?? []].flat().join(',');
        return value ? [`--${flag}=${quoted(value)}`] : [];
      });
      return ['causeway get apps', ...(elsewhere && !filter.namespace ? ['-A'] : []), ...flags].join(' ');
    },
    /** Namespaces with applications outside the control namespace are among these. */
    isElsewhere: (namespaces: string[]) => namespaces.some((n) => n !== control),
  };
}

/** Commands of all pages that are about no application. */
export const fixed = {
  bridge: 'causeway bridge',
  clusters: 'causeway get clusters',
  environments: 'causeway get apps -o wide',
  projects: 'causeway get projects',
  repositories: 'causeway get repos',
  sets: 'causeway get appsets',
};

/** The hub, where no Secret of a cluster gives it another name. */
const hub = 'in-cluster';

/** hasContext tells of a cluster that a context may be called like it: not the hub without a name, not an address. */
const hasContext = (cluster: string) => cluster !== hub && !cluster.includes('://');

/** shellCommand opens a shell in a pod; contexts are called as clusters are, as those of a local fleet. */
export const shellCommand = (cluster: string | undefined, pod: Ref, container: string | undefined) =>
  [
    'kubectl exec -it',
    ...(cluster && hasContext(cluster) ? [`--context=${quoted(cluster)}`] : []),
    `-n ${quoted(pod.namespace ?? '')}`,
    quoted(pod.name),
    ...(container ? [`-c ${quoted(container)}`] : []),
    '-- sh',
  ].join(' ');

/** A command for what a page shows; not the whole is said where the command line shows what the page leaves out. */
export interface Offer {
  text: string;
  whole: boolean;
}

/** As many names as a command has that somebody would copy. */
const mostNames = 20;

/** picked names what is shown of a list, where something is left out of it. */
function picked(left: boolean, names: readonly string[], by: (names: string[]) => string): Offer {
  const once = [...new Set(names)];
  const named = left && once.length > 0 && once.length <= mostNames;
  return { text: by(named ? once : []), whole: named || !left };
}

/** listCommand is a list of what a search leaves; left tells that it leaves something out. */
export const listCommand = (command: string, names: readonly string[], left: boolean): Offer =>
  picked(left, names, (shown) => [command, ...shown.map(quoted)].join(' '));

/** fleetCommand has the applications of the clusters that the matrix shows: the command line has no matrix. */
export const fleetCommand = (clusters: readonly string[], left: boolean): Offer =>
  picked(left, clusters, (shown) =>
    [fixed.environments, ...(shown.length > 0 ? [`--cluster=${quoted(shown.join(','))}`] : [])].join(' '),
  );

/** changesCommand lists the commits that a filter of the page leaves. */
export const changesCommand = ({ q, ...filter }: ChangeFilter) =>
  [
    'causeway changes',
    ...Object.entries({ search: q, ...filter }).flatMap(([flag, value]) =>
      value ? [`--${flag}=${quoted(value)}`] : [],
    ),
  ].join(' ');

export const bridgeCommand = (cluster: string) => `causeway bridge ${quoted(cluster)}`;
export const approveSetCommand = (name: string) => `causeway approve ${quoted(`set/${name}`)}`;
export const rolloutCommand = (name: string) => `causeway rollout status ${quoted(name)}`;
export const setCommand = (name: string) => `causeway get appsets ${quoted(name)}`;
export const clusterCommand = (name: string) => `causeway get clusters ${quoted(name)}`;
export const projectCommand = (name: string) => `causeway get projects ${quoted(name)}`;
export const repositoryCommand = (url: string) => `causeway get repos ${quoted(url)}`;

/** Commands about API keys, which a server alone has: it is named. */
const keys = (server: string, verb: string, words: string[]) =>
  ['causeway keys', verb, ...words, `--server=${quoted(server)}`].join(' ');
export const keysCommand = (server: string, all: boolean) => keys(server, 'list', all ? ['--all'] : []);
export const revokeKeyCommand = (server: string, id: string) => keys(server, 'revoke', [quoted(id)]);
export const makeKeyCommand = (
  server: string,
  name: string,
  scope: { reads: boolean; rules: string[]; days: number },
) =>
  keys(server, 'create', [
    quoted(name),
    ...(scope.reads ? ['--read-only'] : []),
    ...scope.rules.map((rule) => `--allow=${quoted(rule)}`),
    `--days=${scope.days}`,
  ]);

/** useControl is the control namespace; who is signed in knows it. */
export const useControl = () => useQuery({ ...sessionQuery, enabled: false }).data?.namespace ?? usual;

/** useCommands are those of this installation; who is signed in knows its control namespace. */
export const useCommands = () => commandsOf(useControl());
