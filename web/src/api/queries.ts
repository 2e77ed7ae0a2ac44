import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';

import { api, body, Problem, type Application, type Commit, type Key, type Ref, type Session } from './client';

/** What a list of Applications is asked for; as addresses have it. */
export interface Filter {
  q?: string;
  sync?: string[];
  health?: string[];
  operation?: string[];
  project?: string[];
  cluster?: string[];
  namespace?: string[];
  applicationSet?: string[];
  labels?: string;
  revision?: string;
  image?: string;
  sort?: string;
}

/** Rows of a page of the list. */
export const pageSize = 100;

/** Pause between looks at an operation that is followed. */
const batchEvery = 500;

/** Pause between looks at an Application of which the end of something is waited for. */
const awaitEvery = 1_000;

/** Pause between looks at a set that is expanded anew, in milliseconds: each look expands it, too. */
const expandEvery = 3_000;

/** Pause between looks at what nobody tells the changes of, while somebody looks; in milliseconds. */
const lookEvery = 15_000;

export function newQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        gcTime: 60_000,
        retry: (failures, error) =>
          failures < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500),
      },
    },
  });
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'error') return;
    // The session has ended: the session query says so, and the sign-in page comes.
    if ((event.query.queryKey as unknown[])[0] !== 'session' && isProblem(event.action.error, 401))
      void client.invalidateQueries({ queryKey: ['session'] });
  });
  return client;
}

export function isProblem(error: unknown, status: number): error is Problem {
  return error instanceof Problem && error.status === status;
}

/** isNotForThem tells that somebody has not signed in or may not read something, or that the server is without it. */
export const isNotForThem = (error: unknown): error is Problem =>
  [401, 403, 404].some((status) => isProblem(error, status));

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/session', { signal })),
  staleTime: Infinity,
});

/** canSignIn reports whether there is a way to sign in. */
export const canSignIn = ({ signIns }: Session): boolean => Boolean(signIns.password || signIns.oidc);

/** isIn reports whether somebody may pass: who has signed in, and everybody where nobody can or needs to. */
export const isIn = (session: Session): boolean =>
  Boolean(session.user) || Boolean(session.open) || !canSignIn(session);

export const listQuery = (filter: Filter, page: number) =>
  queryOptions({
    queryKey: ['applications', 'list', filter, page],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/applications', {
          params: { query: { ...filter, offset: page * pageSize, limit: pageSize } },
          signal,
        }),
      ),
  });

/** What an Application bears until the engine has looked at Git and the cluster again. */
const refresh = 'argocd.argoproj.io/refresh';

/** isRefreshing tells that another look was asked for, which is not over. */
export const isRefreshing = (app: Application) => app.annotations?.[refresh] !== undefined;

export const applicationQuery = (key: Key) =>
  queryOptions({
    queryKey: ['applications', 'one', key.namespace, key.name],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/applications/{namespace}/{name}', { params: { path: key }, signal })),
    // Changes of it are told at once; that its cluster falls silent is no change of it, nor is what is asked of it.
    refetchInterval: ({ state: { data } }) => (data && (data.deleting || isRefreshing(data)) ? awaitEvery : lookEvery),
  });

export const treeQuery = (key: Key) =>
  queryOptions({
    queryKey: ['applications', 'tree', key.namespace, key.name],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/applications/{namespace}/{name}/tree', { params: { path: key }, signal })),
    refetchInterval: lookEvery,
  });

export const diffQuery = (key: Key) =>
  queryOptions({
    queryKey: ['applications', 'diff', key.namespace, key.name],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/applications/{namespace}/{name}/diff', { params: { path: key }, signal })),
    refetchInterval: lookEvery,
  });

export const objectQuery = (key: Key, ref: Ref) =>
  queryOptions({
    queryKey: ['applications', 'object', key.namespace, key.name, ref],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/applications/{namespace}/{name}/object', {
          params: { path: key, query: refParams(ref) },
          signal,
        }),
      ),
    refetchInterval: lookEvery,
  });

/** terminalQuery tells whether there may be a terminal in a pod; rights change, so that it is not kept. */
export const terminalQuery = (key: Key, podNamespace: string, pod: string) =>
  queryOptions({
    queryKey: ['applications', 'terminal', key.namespace, key.name, podNamespace, pod],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/applications/{namespace}/{name}/terminal', {
          params: { path: key, query: { podNamespace, pod } },
          signal,
        }),
      ),
    retry: false,
    gcTime: 0,
  });

export const eventsQuery = (key: Key, ref?: Ref) =>
  queryOptions({
    queryKey: ['applications', 'events', key.namespace, key.name, ref],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/applications/{namespace}/{name}/events', {
          params: { path: key, query: ref ? refParams(ref) : {} },
          signal,
        }),
      ),
    refetchInterval: lookEvery,
  });

/** orphansQuery are objects in an Application's namespace that no Application has. */
export const orphansQuery = (key: Key) =>
  queryOptions({
    queryKey: ['applications', 'orphans', key.namespace, key.name],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/applications/{namespace}/{name}/orphans', { params: { path: key }, signal })),
    refetchInterval: lookEvery,
  });

export const refParams = (ref: Ref) => ({
  ...(ref.group ? { group: ref.group } : {}),
  ...(ref.version ? { version: ref.version } : {}),
  kind: ref.kind,
  ...(ref.namespace ? { objectNamespace: ref.namespace } : {}),
  objectName: ref.name,
});

export const parametersQuery = (key: Key) =>
  queryOptions({
    queryKey: ['applications', 'parameters', key.namespace, key.name],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/applications/{namespace}/{name}/parameters', { params: { path: key }, signal })),
  });

export const parameterKeysQuery = (key: Key) =>
  queryOptions({
    queryKey: ['applications', 'parameter keys', key.namespace, key.name],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/applications/{namespace}/{name}/parameters/keys', { params: { path: key }, signal })),
    staleTime: 60_000,
  });

export const actionsQuery = (key: Key, ref: Ref) =>
  queryOptions({
    queryKey: ['applications', 'actions', key.namespace, key.name, ref],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/applications/{namespace}/{name}/objects/actions', {
          params: { path: key, query: refParams(ref) },
          signal,
        }),
      ),
    refetchInterval: lookEvery,
  });

/** historyQuery gives past syncs, the latest first, as many of them at a time as an answer has. */
export const historyQuery = (key: Key) =>
  infiniteQueryOptions({
    queryKey: ['applications', 'history', key.namespace, key.name],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => {
      const asked = api.GET('/api/v1/applications/{namespace}/{name}/history', {
        params: { path: key, query: { limit: 100, ...(pageParam && { before: pageParam }) } },
        signal,
      });
      const syncs = (await body(asked)) ?? [];
      return { syncs, next: (await asked).response.headers.get('X-Causeway-Next') };
    },
    getNextPageParam: ({ next }) => next,
    // What is written down of a sync comes a moment after the change that is told of. Who reads on is left alone: all pages
    // would be asked for again.
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) > 1 ? false : lookEvery),
  });

/** Phases of a sync that has ended. */
const ended = new Set(['Succeeded', 'Failed', 'Error']);

export const pastSyncQuery = (key: Key, id: string) =>
  queryOptions({
    queryKey: ['applications', 'past', key.namespace, key.name, id],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/applications/{namespace}/{name}/history/{id}', { params: { path: { ...key, id } }, signal }),
      ),
    // One that has ended stays as it is, and one that is not there comes with another list of syncs.
    refetchInterval: ({ state }) =>
      isProblem(state.error, 404) || (state.data && ended.has(state.data.sync.phase)) ? false : lookEvery,
  });

export const compareQuery = (key: Key, id: string, other: string) =>
  queryOptions({
    queryKey: ['applications', 'compare', key.namespace, key.name, id, other],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/applications/{namespace}/{name}/history/{id}/compare/{other}', {
          params: { path: { ...key, id, other } },
          signal,
        }),
      ),
    staleTime: Infinity,
  });

/** batchQuery follows an operation with several applications to its end. */
export const batchQuery = (id: string) =>
  queryOptions({
    queryKey: ['operations', id],
    queryFn: ({ signal }) => body(api.GET('/api/v1/operations/{id}', { params: { path: { id } }, signal })),
    // One that is not there any more does not come back.
    refetchInterval: ({ state }) =>
      isProblem(state.error, 404) || (state.data && state.data.state !== 'running') ? false : batchEvery,
  });

export const fleetQuery = queryOptions({
  queryKey: ['fleet'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/fleet', { signal })),
  refetchInterval: lookEvery,
});

/** What of the environments is asked for. */
export interface EnvironmentFilter {
  q?: string;
  product?: string;
  differs?: boolean;
  /** Only what differs between these two; each needs the other. */
  from?: string;
  to?: string;
  offset?: number;
  limit?: number;
}

export const environmentsQuery = (filter: EnvironmentFilter) =>
  queryOptions({
    queryKey: ['environments', 'list', filter],
    queryFn: ({ signal }) => body(api.GET('/api/v1/environments', { params: { query: filter }, signal })),
  });

export const betweenQuery = (product: string, from: string, to: string) =>
  queryOptions({
    queryKey: ['environments', 'diff', product, from, to],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/environments/diff', { params: { query: { product, from, to } }, signal })),
    retry: false,
  });

/** What of the changes is asked for. */
export interface ChangeFilter {
  q?: string;
  repo?: string;
  project?: string;
  cluster?: string;
  state?: Commit['state'];
}

export const changesQuery = (filter: ChangeFilter) =>
  infiniteQueryOptions({
    queryKey: ['changes', 'list', filter],
    queryFn: ({ signal, pageParam }) =>
      body(
        api.GET('/api/v1/changes', {
          params: { query: { ...filter, ...(pageParam && { before: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
  });

export const changeQuery = (repo: string, commit: string) =>
  queryOptions({
    queryKey: ['changes', 'one', repo, commit],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/changes/{repo}/{commit}', { params: { path: { repo, commit } }, signal })),
  });

export const clustersQuery = queryOptions({
  queryKey: ['clusters'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/fleet/clusters', { signal })),
  refetchInterval: 10_000,
});

/** Milliseconds after which a search asks again for what it was not told, each time longer; then no more. */
const searchAgain = [1_000, 2_000, 4_000, 8_000, 16_000];

/** How many of each kind a search brings. */
const finds = 6;

export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ['search', q],
    queryFn: ({ signal }) => body(api.GET('/api/v1/search', { params: { query: { q, limit: finds } }, signal })),
    enabled: q !== '',
    // What was not known in time, or could not be looked through, is asked for again.
    refetchInterval: ({ state }) => {
      const untold = (state.data?.late.length ?? 0) + (state.data?.failed.length ?? 0);
      return untold > 0 ? (searchAgain[state.dataUpdateCount + state.errorUpdateCount - 1] ?? false) : false;
    },
    staleTime: 5_000,
  });

/** auditFindsQuery are the newest entries of the audit that have all words. */
export const auditFindsQuery = (q: string) =>
  queryOptions({
    queryKey: ['search', 'audit', q],
    queryFn: ({ signal }) => body(api.GET('/api/v1/audit', { params: { query: { q, limit: finds } }, signal })),
    retry: false,
    staleTime: 5_000,
  });

/** productFindsQuery are products that have all words, and all environments. */
export const productFindsQuery = (q: string) =>
  queryOptions({
    queryKey: ['search', 'products', q],
    queryFn: ({ signal }) => body(api.GET('/api/v1/environments', { params: { query: { q, limit: finds } }, signal })),
    retry: false,
    staleTime: 5_000,
  });

export const setsQuery = queryOptions({
  queryKey: ['sets'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/applicationsets', { signal })),
  refetchInterval: lookEvery,
});

/** setQuery gives a set with what it generates, as much of it at a time as an answer has. */
export const setQuery = (key: Key) =>
  infiniteQueryOptions({
    queryKey: ['sets', key.namespace, key.name],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      body(
        api.GET('/api/v1/applicationsets/{namespace}/{name}', {
          params: { path: key, query: pageParam ? { offset: pageParam } : {} },
          signal,
        }),
      ),
    getNextPageParam: (last) => last.expansion.next,
    // Each page is an expansion: who looks at more than one asks anew by hand.
    refetchInterval: ({ state: { data } }) =>
      (data?.pages.length ?? 0) > 1 ? false : data?.pages[0]?.refreshing ? expandEvery : lookEvery,
  });

/** generatedQuery gives one Application of a set, with what the template gives for it. */
export const generatedQuery = (key: Key, application: string) =>
  queryOptions({
    queryKey: ['sets', key.namespace, key.name, 'application', application],
    queryFn: async ({ signal }) => {
      const set = await body(
        api.GET('/api/v1/applicationsets/{namespace}/{name}', {
          params: { path: key, query: { application } },
          signal,
        }),
      );
      return set.expansion.applications?.[0] ?? null;
    },
    refetchInterval: lookEvery,
  });

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/projects', { signal })),
  refetchInterval: lookEvery,
});

export const repositoriesQuery = queryOptions({
  queryKey: ['repositories'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/repositories', { signal })),
  refetchInterval: lookEvery,
});

export const repositoryQuery = (id: string) =>
  queryOptions({
    queryKey: ['repositories', id],
    queryFn: ({ signal }) => body(api.GET('/api/v1/repositories/{id}', { params: { path: { id } }, signal })),
  });

/** What is stored of a cluster; its key is not that of the list, which is read again and again. */
export const clusterQuery = (id: string) =>
  queryOptions({
    queryKey: ['cluster', id],
    queryFn: ({ signal }) => body(api.GET('/api/v1/clusters/{id}', { params: { path: { id } }, signal })),
    refetchOnWindowFocus: false,
  });

export const clusterDeletionQuery = (id: string) =>
  queryOptions({
    queryKey: ['cluster', id, 'deletion'],
    queryFn: ({ signal }) => body(api.GET('/api/v1/clusters/{id}/deletion', { params: { path: { id } }, signal })),
    staleTime: 0,
  });

export const projectQuery = (name: string) =>
  queryOptions({
    queryKey: ['projects', name],
    queryFn: ({ signal }) => body(api.GET('/api/v1/projects/{name}', { params: { path: { name } }, signal })),
  });

/** How often the bridge is worked out anew while somebody looks, in milliseconds. */
const bridgeEvery = 20_000;

export const bridgeQuery = queryOptions({
  queryKey: ['bridge', 'all'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/bridge', { signal })),
  refetchInterval: bridgeEvery,
});

export const bridgeClusterQuery = (cluster: string) =>
  queryOptions({
    queryKey: ['bridge', 'cluster', cluster],
    queryFn: ({ signal }) => body(api.GET('/api/v1/bridge/{cluster}', { params: { path: { cluster } }, signal })),
    refetchInterval: bridgeEvery,
  });

export const bridgeFactsQuery = (cluster: string) =>
  queryOptions({
    queryKey: ['bridge', 'facts', cluster],
    queryFn: ({ signal }) => body(api.GET('/api/v1/bridge/{cluster}/facts', { params: { path: { cluster } }, signal })),
    refetchInterval: bridgeEvery,
  });

export const bridgeKeyQuery = (key: { in: 'label' | 'annotation'; name: string }) =>
  queryOptions({
    queryKey: ['bridge', 'key', key.in, key.name],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/bridge-key', { params: { query: { in: key.in, name: key.name } }, signal })),
    refetchInterval: bridgeEvery,
  });

type Wish = { in: 'label' | 'annotation'; name: string; value?: string; remove?: boolean };

export const previewQuery = (cluster: string, edits: Wish[]) =>
  queryOptions({
    queryKey: ['preview', cluster, edits],
    queryFn: ({ signal }) => body(api.POST('/api/v1/bridge/preview', { body: { cluster, edits }, signal })),
    retry: false,
    refetchOnWindowFocus: false,
  });

/** What the audit is asked for; as addresses have it. */
export interface AuditFilter {
  q?: string;
  who?: string;
  verb?: string;
  outcome?: 'allowed' | 'denied' | 'failed';
  project?: string;
  namespace?: string;
  name?: string;
  from?: string;
  to?: string;
}

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', 'list', filter],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      body(
        api.GET('/api/v1/audit', {
          params: { query: { ...filter, ...(pageParam ? { before: pageParam } : {}), limit: pageSize } },
          signal,
        }),
      ),
    getNextPageParam: (last) => last.next || undefined,
    // Who reads on is left alone: what came meanwhile would move what they read.
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) > 1 ? false : lookEvery),
  });

/** auditEntryQuery finds one entry by its place. */
export const auditEntryQuery = (sequence: number) =>
  queryOptions({
    queryKey: ['audit', 'one', sequence],
    queryFn: async ({ signal }) => {
      const page = await body(
        api.GET('/api/v1/audit', { params: { query: { before: sequence + 1, limit: 1 } }, signal }),
      );
      return (page.items ?? []).find((e) => e.sequence === sequence) ?? null;
    },
    staleTime: Infinity,
  });

export const auditProofQuery = queryOptions({
  queryKey: ['audit', 'proof'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/audit/verify', { signal })),
  retry: false,
});

export const rightsQuery = queryOptions({
  queryKey: ['rights'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/session/rights', { signal })),
  staleTime: 60_000,
});

/** What is not for somebody does not become theirs by being asked for again. */
const lookWhileTheirs = ({ state }: { state: { error: unknown } }) => (isNotForThem(state.error) ? false : lookEvery);

/** The API keys that one made; with all, also those of others that one may end. */
export const keysQuery = (all: boolean) =>
  queryOptions({
    queryKey: ['keys', all],
    queryFn: async ({ signal }) => (await body(api.GET('/api/v1/keys', { params: { query: { all } }, signal }))) ?? [],
    retry: false,
    refetchInterval: lookWhileTheirs,
  });

/** The accounts of the installation that one may see. */
export const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: async ({ signal }) => (await body(api.GET('/api/v1/accounts', { signal }))) ?? [],
  retry: false,
  refetchInterval: lookWhileTheirs,
});

/** Where the audit is kept. */
export const auditPlaceQuery = queryOptions({
  queryKey: ['audit-place'],
  queryFn: async ({ signal }) => body(api.GET('/api/v1/audit/place', { signal })),
  retry: false,
});
