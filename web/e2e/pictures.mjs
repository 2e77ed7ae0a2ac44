/**
 * pictures are what is taken: a name, the address (APP is an Application that is not healthy, DIFFERS one that is out of
 * sync, WAITS one whose sync waits, CLOSED one that waits for a sync window, SET an ApplicationSet, POD the address of a
 * pod's drawer), what is done there first, and whether the documentation shows it.
 */
export const pictures = [
  { name: 'sign-in', path: '/', docs: true, anonymous: true },
  { name: 'applications', path: '/applications', docs: true },
  { name: 'tiles', path: '/applications?view=tiles&sort=health' },
  { name: 'filter', path: '/applications?health=Degraded&project=shop', act: press('Cluster') },
  { name: 'views', path: '/applications?q=velero&health=Degraded', docs: true, act: openViews },
  { name: 'bulk', path: '/applications?sort=health', docs: true, act: selectThree },
  { name: 'search', path: '/applications', docs: true, act: searchEverything },
  { name: 'search-settings', path: '/applications', act: searchSettings },
  { name: 'help', path: '/applications', act: (page) => page.keyboard.press('?') },
  { name: 'menu', path: '/applications', act: openMenu },
  { name: 'application', path: 'APP', docs: true, act: (page) => page.locator('.react-flow__node').first().waitFor() },
  { name: 'application-waits', path: 'WAITS?tab=table', docs: true },
  { name: 'application-windows', path: 'CLOSED?tab=table', act: (page) => page.getByText('Sync windows').waitFor() },
  { name: 'application-table', path: 'APP?tab=table' },
  { name: 'application-diff', path: 'DIFFERS?tab=diff', docs: true },
  { name: 'application-parameters', path: 'APP?tab=parameters', docs: true, act: expand },
  { name: 'application-history', path: 'DIFFERS?tab=history', docs: true, act: compareTwo },
  { name: 'application-timeline', path: 'DIFFERS?tab=timeline', docs: true },
  { name: 'application-events', path: 'DIFFERS?tab=events' },
  { name: 'application-orphans', path: 'APP?tab=orphans' },
  { name: 'application-sync', path: 'DIFFERS', docs: true, act: askToSync },
  { name: 'application-rollback', path: 'DIFFERS?tab=history', docs: true, act: askToRollBack },
  { name: 'object', path: 'APP?tab=table', act: openDeployment },
  { name: 'object-action', path: 'APP?tab=table', docs: true, act: askToRestart },
  { name: 'object-sides', path: 'DIFFERS?tab=table', docs: true, act: sideBySide },
  {
    name: 'logs',
    path: 'POD&part=logs',
    act: (page) => page.getByRole('log').locator('*').first().waitFor(),
  },
  { name: 'terminal', path: 'POD&part=terminal', docs: true, act: openTerminal },
  { name: 'fleet', path: '/fleet', docs: true },
  { name: 'environments', path: '/environments', docs: true },
  { name: 'environment', path: '/environments', docs: true, act: openBehind },
  { name: 'changes', path: '/changes', docs: true },
  { name: 'change', path: '/changes', docs: true, act: openCommit },
  { name: 'clusters', path: '/clusters', docs: true },
  { name: 'cluster', path: '/clusters/cluster-1', docs: true },
  { name: 'cluster-new', path: '/new/cluster', docs: true },
  { name: 'sets', path: '/applicationsets' },
  { name: 'set', path: 'SET', docs: true },
  {
    name: 'set-template',
    path: 'SET',
    act: (page) =>
      page
        .getByRole('button', { name: /^template/ })
        .first()
        .click(),
  },
  { name: 'rollout', path: '/applicationsets/argocd/accounts', docs: true },
  { name: 'projects', path: '/projects', docs: true },
  { name: 'project', path: '/projects/shop', docs: true },
  { name: 'repositories', path: '/repositories', docs: true },
  { name: 'repository', path: '/repositories/repo-1', docs: true, act: testConnection },
  { name: 'repository-new', path: '/new/repository' },
  { name: 'bridge', path: '/bridge', docs: true },
  { name: 'bridge-keys', path: '/bridge?by=keys', docs: true },
  { name: 'bridge-key', path: '/bridge?by=keys&key=label:environment' },
  { name: 'bridge-cluster', path: '/bridge/prod-eu-west-1', docs: true },
  { name: 'bridge-detail', path: '/bridge/prod-eu-west-1?key=label:environment' },
  { name: 'bridge-whatif', path: '/bridge/prod-eu-west-1?whatif=1&try=label:environment=dev', docs: true },
  { name: 'audit', path: '/audit', docs: true },
  { name: 'audit-entry', path: '/audit?entry=1194', docs: true },
  { name: 'settings', path: '/settings', docs: true },
  { name: 'key', path: '/settings', act: press('Make a key') },
  { name: 'password', path: '/settings', act: press('Set the password of admin') },
  { name: 'settings-keys', path: '/settings#keys', act: (page) => page.getByText('causeway keys list').waitFor() },
  { name: 'settings-account', path: '/settings#accounts', act: (page) => page.locator('h2#accounts:focus').waitFor() },
  { name: 'missing', path: '/nowhere' },
];

/** addresses are those that the names in paths stand for. */
export async function addresses(request, base) {
  const read = async (path) => (await request.get(base + path)).json();
  const pick = async (query) => {
    const { items } = await read(`/api/v1/applications?limit=1&${query}`);
    return items[0] && `/applications/${items[0].namespace}/${items[0].name}`;
  };
  const DIFFERS = (await pick('sync=OutOfSync&health=Healthy')) ?? (await pick(''));
  const APP = (await pick('health=Degraded&project=shop')) ?? DIFFERS;
  const WAITS = (await pick('operation=Running')) ?? DIFFERS;
  const CLOSED = (await pick('q=velero&sync=OutOfSync&operation=Failed')) ?? DIFFERS;
  const [set] = await read('/api/v1/applicationsets');
  const SET = set ? `/applicationsets/${set.namespace}/${set.name}` : '/applicationsets';
  const flat = (nodes) => nodes.flatMap((n) => [n, ...flat(n.children ?? [])]);
  const pod = flat((await read(`/api/v1${APP}/tree`)).nodes).find((n) => n.kind === 'Pod');
  const POD = `${APP}?tab=table&object=${encodeURIComponent(`~v1~Pod~${pod?.namespace ?? ''}~${pod?.name ?? ''}`)}`;
  return { APP, DIFFERS, WAITS, CLOSED, SET, POD };
}

function press(name) {
  return (page) => page.getByRole('button', { name }).first().click();
}

async function selectThree(page) {
  const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ });
  for (const i of [0, 1, 2]) await boxes.nth(i).click();
  await press('Sync…')(page);
  await page.getByRole('dialog').getByRole('listitem').nth(2).waitFor();
}

async function searchEverything(page) {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('web');
  await page.locator('[role=listbox] [role=option]').nth(2).waitFor();
}

async function openViews(page) {
  const save = async (name) => {
    await page.keyboard.press('v');
    await page.getByLabel('Save what the list shows as').fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name }).waitFor();
  };
  await save('Broken backups');
  await page.goto('/applications?project=shop&sync=OutOfSync&view=tiles');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await save('Shop, out of sync');
  await page.goBack();
  await page.getByRole('button', { name: 'Broken backups' }).waitFor();
  await page.keyboard.press('v');
  await page.getByRole('list', { name: 'Saved views' }).waitFor();
}

async function searchSettings(page) {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('key');
  await page
    .getByRole('option', { name: /API keys/ })
    .first()
    .waitFor();
}

async function openMenu(page) {
  const button = page.getByRole('button', { name: 'Open navigation' });
  if (await button.isVisible()) await button.click();
}

async function expand(page) {
  await page.getByText('adminPassword').first().waitFor();
  await press('Expand image.tag')(page);
}

async function compareTwo(page) {
  const choose = page.getByRole('checkbox', { name: /Choose the sync/ });
  for (const i of [0, 1]) await choose.nth(i).click();
  await page.getByRole('region', { name: /Difference of/ }).waitFor();
}

async function askToSync(page) {
  await page.getByRole('button', { name: 'Sync', exact: true }).click();
  await page.getByRole('dialog').getByText('Brings the cluster').waitFor();
}

async function askToRollBack(page) {
  await press('Roll back to this')(page);
  await page.getByRole('dialog').getByText('What differs from the last sync:').waitFor();
}

async function openDeployment(page) {
  await page.locator('button[title*="Deployment"]').first().click();
  await page.getByRole('dialog').getByRole('tabpanel').waitFor();
}

async function askToRestart(page) {
  await openDeployment(page);
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Restart' }).click();
  await page.getByRole('dialog').getByText('is changed').waitFor();
}

async function sideBySide(page) {
  await openDeployment(page);
  await page.getByRole('tab', { name: 'Side by side' }).click();
  await page.getByRole('columnheader', { name: 'After a sync' }).waitFor();
}

async function openTerminal(page) {
  await press('Open terminal')(page);
  await page
    .getByRole('status')
    .filter({ hasText: /^Connected/ })
    .waitFor();
  await page.keyboard.type('ls');
}

async function openBehind(page) {
  await page.locator('td a[data-behind]').first().click();
  await page.getByRole('dialog').getByText('image').first().waitFor();
}

async function openCommit(page) {
  await page.locator('li article a').first().click();
  await page.waitForURL('**/changes/*/*');
  await page.getByRole('heading', { level: 1 }).waitFor();
}

async function testConnection(page) {
  await press('Test connection')(page);
  await page.getByText('default branch').first().waitFor();
}
