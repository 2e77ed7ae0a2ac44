// Takes a picture of each page in both themes, and narrow, from a server that
// runs: CAUSEWAY_URL, CAUSEWAY_USER, CAUSEWAY_PASSWORD; into the folder named.
//   npm run screenshots -- FOLDER [NAME …]
// Those of the docs are of the fixture: go run ./web/e2e/fixture -pictures -applications 2000 -clusters 100
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [folder = 'e2e/shots', ...only] = process.argv.slice(2);
const base = process.env.CAUSEWAY_URL ?? 'http://127.0.0.1:8080';
mkdirSync(folder, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1360, height: 850 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1360, height: 850 } },
  { name: 'narrow', colorScheme: 'light', viewport: { width: 375, height: 812 } },
];
const pick = async (page, query) => {
  const answer = await page.request.get(`${base}/api/v1/applications?limit=1&${query}`);
  const { items } = await answer.json();
  return items[0] && `/applications/${items[0].namespace}/${items[0].name}`;
};
for (const look of looks) {
  const context = await browser.newContext(look);
  const page = await context.newPage();
  page.on('console', (m) => m.type() === 'error' && console.error(`${look.name} ${page.url()}: ${m.text()}`));
  page.on('pageerror', (e) => console.error(`${look.name} ${page.url()}: ${e.message}`));
  const take = async (name, path, act) => {
    if (only.length > 0 && !only.some((o) => name.startsWith(o))) return;
    if (path) await page.goto(base + path);
    await page.waitForFunction(
      () => !document.querySelector('[aria-label="Loading"]') && document.querySelector('h1, h2'),
    );
    await act?.();
    await page.waitForTimeout(600);
    await page.screenshot({ path: join(folder, `${name}-${look.name}.png`) });
  };
  await take('sign-in', '/');
  await page.request.post(`${base}/api/v1/session`, {
    data: { username: process.env.CAUSEWAY_USER ?? 'admin', password: process.env.CAUSEWAY_PASSWORD ?? 'admin' },
  });
  await take('applications', '/applications');
  await take('tiles', '/applications?view=tiles&sort=health');
  await take('filter', '/applications?health=Degraded&project=shop', () =>
    page.getByRole('button', { name: 'Cluster' }).first().click(),
  );
  await take('bulk', '/applications?sort=health', async () => {
    for (const i of [0, 1, 2])
      await page
        .getByRole('checkbox', { name: /^Select (?!all)/ })
        .nth(i)
        .click();
    await page.getByRole('button', { name: 'Sync…' }).click();
  });
  await take('search', '/applications', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('web');
    await page.locator('[role=listbox] [role=option]').nth(2).waitFor();
  });
  await take('help', '/applications', () => page.keyboard.press('?'));
  await take('menu', '/applications', async () => {
    const button = page.getByRole('button', { name: 'Open navigation' });
    if (await button.isVisible()) await button.click();
  });
  const bad = (await pick(page, 'sync=OutOfSync&health=Healthy')) ?? (await pick(page, ''));
  const worst = (await pick(page, 'health=Degraded&project=shop')) ?? bad;
  await take('application', worst, () =>
    page
      .locator('.react-flow__node')
      .first()
      .waitFor()
      .catch(() => undefined),
  );
  const waits = (await pick(page, 'operation=Running')) ?? bad;
  await take('application-waits', `${waits}?tab=table`);
  await take('application-table', `${worst}?tab=table`);
  await take('application-diff', `${bad}?tab=diff`);
  await take('application-parameters', `${worst}?tab=parameters`, async () => {
    await page
      .getByRole('button', { name: /^Expand/ })
      .first()
      .click({ timeout: 5_000 })
      .catch(() => undefined);
  });
  await take('application-history', `${bad}?tab=history`);
  await take('application-timeline', `${bad}?tab=timeline`);
  await take('application-events', `${bad}?tab=events`);
  await take('application-sync', bad, () => page.getByRole('button', { name: /^Sync/ }).first().click());
  await take('object', `${worst}?tab=table`, async () => {
    await page.locator('button[title*="Deployment"]').first().click();
  });
  await take('object-action', `${worst}?tab=table`, async () => {
    await page.locator('button[title*="Deployment"]').first().click();
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Restart' }).click();
    await page.getByRole('dialog').getByText('is changed').waitFor();
  });
  const tree = await (await page.request.get(`${base}/api/v1${worst}/tree`)).json();
  const flat = (nodes) => nodes.flatMap((n) => [n, ...flat(n.children ?? [])]);
  const pod = flat(tree.nodes).find((n) => n.kind === 'Pod');
  if (pod) {
    const at = encodeURIComponent(`~v1~Pod~${pod.namespace ?? ''}~${pod.name}`);
    await take('terminal', `${worst}?tab=table&object=${at}&part=terminal`, async () => {
      const open = page.getByRole('button', { name: 'Open terminal' });
      if (!(await open.isVisible())) return;
      await open.click();
      await page
        .getByRole('status')
        .filter({ hasText: /^Connected/ })
        .waitFor({ timeout: 5_000 })
        .catch(() => undefined);
    });
  }
  await take('object-sides', `${bad}?tab=table`, async () => {
    await page.locator('button[title*="Deployment"]').first().click();
    await page.getByRole('tab', { name: 'Side by side' }).click();
    await page.getByRole('columnheader', { name: 'After a sync' }).waitFor();
  });
  await take('fleet', '/fleet');
  await take('environments', '/environments');
  await take('environment', '/environments', () => page.locator('td a[data-behind]').first().click());
  await take('changes', '/changes');
  await take('change', '/changes', async () => {
    await page.locator('li article a').first().click();
    await page.waitForURL('**/changes/*/*');
  });
  await take('clusters', '/clusters');
  await take('sets', '/applicationsets');
  const sets = await (await page.request.get(`${base}/api/v1/applicationsets`)).json();
  if (sets[0]) {
    const set = `/applicationsets/${sets[0].namespace}/${sets[0].name}`;
    await take('set', set);
    await take('set-template', set, () =>
      page
        .getByRole('button', { name: /^template/ })
        .first()
        .click(),
    );
  }
  await take('projects', '/projects');
  await take('cluster', '/clusters/cluster-1');
  await take('cluster-new', '/new/cluster');
  await take('project', '/projects/shop');
  await take('repositories', '/repositories');
  await take('repository', '/repositories/repo-1', () =>
    page.getByRole('button', { name: 'Test connection' }).click({ timeout: 5_000 }),
  );
  await take('repository-new', '/new/repository');
  await take('bridge', '/bridge');
  await take('bridge-keys', '/bridge?by=keys');
  await take('bridge-key', '/bridge?by=keys&key=label:environment');
  await take('bridge-cluster', '/bridge/prod-eu-west-1');
  await take('bridge-detail', '/bridge/prod-eu-west-1?key=label:environment');
  await take('bridge-whatif', '/bridge/prod-eu-west-1?whatif=1&try=label:environment=dev');
  await take('audit', '/audit');
  await take('audit-entry', '/audit?entry=1194');
  await take('settings', '/settings');
  await take('key', '/settings', () => page.getByRole('button', { name: 'Make a key' }).click());
  await take('password', '/settings', () =>
    page.getByRole('button', { name: 'Set the password of admin' }).click({ timeout: 5_000 }),
  );
  await take('missing', '/nowhere');
  await context.close();
}
await browser.close();
