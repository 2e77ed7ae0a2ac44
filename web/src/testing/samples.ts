import type { Application, Page, Row } from '../api/client';

export const row = (name: string, more: Partial<Row> = {}): Row => ({
  namespace: 'argocd',
  name,
  uid: name,
  project: 'shop',
  cluster: 'prod',
  sync: 'Synced',
  health: 'Healthy',
  automated: true,
  sources: [
    { repoURL: 'https://git.example.com/shop/web.git', path: 'deploy', target: 'main', revision: 'a'.repeat(40) },
  ],
  ...more,
});

export const page = (items: Row[], facets: Page['facets'] = {}): Page => ({ total: items.length, items, facets });

export const application = (name: string, more: Partial<Application> = {}): Application => ({
  row: row(name),
  spec: { project: 'shop', destination: { name: 'prod' } },
  resources: [],
  conditions: [],
  can: ['sync', 'override', 'delete'],
  ...more,
});

/** What would run if anything of it were taken for markup. */
export const hostile = '<img src=x onerror="window.struck=1"><script>window.struck=1</script>';
