import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { accessible, looks, quick, server, signedIn, someApplication, somePod, visit } from './browser';

/** someSet is the address of an ApplicationSet, with what it gives for one Application. */
async function someSet(page: Page): Promise<string> {
  const answer = await page.request.get('/api/v1/applicationsets');
  const [set] = (await answer.json()) as { namespace: string; name: string }[];
  return set ? `/applicationsets/${set.namespace}/${set.name}` : '/applicationsets';
}

/** someCommit is the address of the latest commit. */
async function someCommit(page: Page): Promise<string> {
  const answer = await page.request.get('/api/v1/changes?limit=1');
  const { items } = (await answer.json()) as { items: { repo: string; revision: string }[] };
  return items[0] ? `/changes/${items[0].repo}/${items[0].revision}` : '/changes';
}

/** fits holds a page, and what opens above it, to the width of the window. */
async function fits(page: Page): Promise<void> {
  const wide = await page.evaluate(() => {
    const wider = (e: Element) => e.scrollWidth > e.clientWidth || e.getBoundingClientRect().right > window.innerWidth;
    const above = [...document.querySelectorAll('[role="dialog"]')].filter(wider).map((e) => e.textContent);
    return document.documentElement.scrollWidth > window.innerWidth ? ['the page', ...above] : above;
  });
  expect(wide, 'wider than the window').toEqual([]);
}

const tabs = ['graph', 'table', 'diff', 'parameters', 'history', 'timeline', 'events', 'labels', 'orphans'];

/** The pages; APP, SET and COMMIT are an Application's, a set's and a commit's, CLOSED one's that waits for a sync window, LEFT one's with orphans. */
const paths = [
  '/applications',
  '/applications?view=tiles',
  '/fleet',
  '/environments',
  '/environments/compare',
  '/changes',
  'COMMIT',
  '/clusters',
  '/applicationsets',
  'SET',
  '/projects',
  '/clusters/cluster-1',
  '/new/cluster',
  '/projects/shop',
  '/new/project',
  '/repositories',
  '/repositories/repo-1',
  '/repositories/creds-github',
  '/new/repository',
  '/new/repository?kind=template',
  '/bridge',
  '/bridge?by=keys',
  '/bridge?by=keys&key=label:environment',
  '/bridge/prod-eu-west-1',
  '/bridge/prod-eu-west-1?key=label:environment',
  '/bridge/prod-eu-west-1?whatif=1&try=label:environment=dev',
  '/audit?since=own',
  '/audit?entry=1194',
  '/settings',
  '/nowhere',
  '/applications/argocd/nowhere',
  ...tabs.map((tab) => `APP?tab=${tab}`),
  'CLOSED?tab=labels',
  'LEFT?tab=orphans',
];

/** What decides about a change looks at one page of each make: a matrix, lists, an object with tabs, forms, and nothing. */
const few = [
  '/applications',
  '/fleet',
  '/changes',
  'SET',
  '/clusters/cluster-1',
  '/new/repository',
  '/bridge/prod-eu-west-1',
  '/settings',
  '/nowhere',
  'APP?tab=table',
];
const looked = quick ? paths.filter((path) => few.includes(path)) : paths;

test('the few are pages', () => expect(few.filter((path) => !paths.includes(path))).toEqual([]));

describe.each(looks)('in $name', ({ colorScheme, viewport }) => {
  const look = { colorScheme, viewport };
  const dark = colorScheme === 'dark';

  // Each page has the whole time of a test: together they would need more than one has.
  describe('each page is accessible, fits, and complains of nothing', () => {
    let session: Awaited<ReturnType<typeof signedIn>>;
    let app: string;
    let set: string;
    let commit: string;
    let closed: string;
    let left: string;
    beforeAll(async () => {
      session = await signedIn(look);
      app = await someApplication(session.page);
      set = await someSet(session.page);
      commit = await someCommit(session.page);
      // Where none waits for its window it is one like others.
      closed = await someApplication(session.page, 'q=velero&sync=OutOfSync&operation=Failed').catch(() => app);
      left = await someApplication(session.page, 'project=shop').catch(() => app);
    });
    afterAll(() => session.page.context().close());

    test.each(looked)('%s', async (path) => {
      const { page, complaints } = session;
      const places: Record<string, string> = { APP: app, SET: set, COMMIT: commit, CLOSED: closed, LEFT: left };
      await page.goto(path.replace(/^[A-Z]+/, (word) => places[word] ?? word));
      await page.locator('h1, h2').first().waitFor();
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      await accessible(page, dark);
      await fits(page);
      expect(complaints.splice(0)).toEqual([]);
    });
  });

  test('so is what opens above them', async () => {
    const { page, complaints } = await signedIn(look);
    await page.goto('/applications');
    await page.getByRole('link', { name: /./ }).nth(3).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).getByText('In a terminal').waitFor();
    await accessible(page, dark);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill('a');
    await page.locator('[role=listbox] [role=option]').nth(2).waitFor();
    await accessible(page, dark);
    await page.goto(await someApplication(page));
    await page.getByRole('button', { name: 'Sync', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByText(/Brings the cluster|cannot be told/)
      .waitFor();
    await accessible(page, dark);
    await fits(page);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  // What is selected and gone back to has to be there: the fixture has it.
  test.runIf(server.synthetic)('so is what asks before something is done, and what opens beside', async () => {
    const { page, complaints } = await signedIn(look);
    const dialog = page.getByRole('dialog');
    const holds = async () => {
      await accessible(page, dark);
      await fits(page);
    };
    await page.goto('/applications?sync=OutOfSync');
    const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ });
    for (const i of [0, 1]) await boxes.nth(i).click();
    await page.getByRole('button', { name: 'Sync…' }).click();
    await dialog.getByRole('button', { name: 'Sync 2 applications' }).waitFor();
    await holds();
    const app = await someApplication(page, 'sync=OutOfSync');
    await page.goto(`${app}?tab=history`);
    await page.getByRole('button', { name: 'Roll back to this' }).first().click();
    await dialog.getByText('What differs from the last sync:').waitFor();
    await holds();
    if (!quick) {
      await page.goto(`${app}?tab=table`);
      await page.locator('button[title*="Deployment"]').first().click();
      await dialog.getByRole('tabpanel').waitFor();
      await holds();
      await page.goto(await somePod(page, 'logs'));
      await dialog.getByRole('log').locator('[data-index]').first().waitFor();
      await holds();
      await page.goto('/environments');
      await page.locator('td a[data-behind]').first().click();
      await dialog.getByText('image').first().waitFor();
      await holds();
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

test('the sign-in page is accessible, and lets nobody in without the password', async () => {
  const { page, complaints } = await visit();
  await page.goto('/fleet');
  await page.getByLabel('User name').fill(server.user);
  await page.getByLabel('Password', { exact: true }).fill('certainly not it');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await accessible(page);
  await page.getByLabel('Password', { exact: true }).fill(server.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  // Where somebody wanted to go is where they come to.
  await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
  await page.getByRole('button', { name: /Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('User name').waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('keys lead everywhere', async () => {
  const { page } = await signedIn();
  await page.goto('/applications');
  const first = page.locator('[data-index="0"] [data-open]');
  await first.waitFor();
  for (const [keys, name] of [
    ['f', 'Fleet'],
    ['e', 'Environments'],
    ['h', 'Changes'],
    ['c', 'Clusters'],
    ['s', 'ApplicationSets'],
    ['r', 'Repositories'],
    ['p', 'Projects'],
    ['b', 'Bridge'],
    ['u', 'Audit'],
    [',', 'Settings'],
    ['a', 'Applications'],
  ] as const) {
    const heading = page.getByRole('heading', { level: 1, name });
    // The second key counts for a second after the first, which a busy machine may miss.
    const arrives = async () => {
      await page.keyboard.press('g');
      await page.keyboard.press(keys);
      return heading.isVisible();
    };
    await expect.poll(arrives, { interval: 1000 }).toBe(true);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  }
  await first.waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Graph' }).waitFor();
  await page.keyboard.press('2');
  await expect.poll(() => page.url()).toContain('tab=table');
  await page.context().close();
});

test('arrows lead through the matrix, also to what is not drawn yet', async () => {
  const { page } = await signedIn();
  await page.goto('/fleet');
  await page.locator('[role="cell"] a').first().focus();
  const at = () =>
    page.evaluate(() => {
      const cell = document.activeElement?.closest('[aria-colindex]');
      return [cell?.closest('[aria-rowindex]'), cell].map((e, i) =>
        Number(e?.getAttribute(i === 0 ? 'aria-rowindex' : 'aria-colindex')),
      );
    });
  const [row = 0, column = 0] = await at();
  for (let n = 1; n <= 20; n++) {
    await page.keyboard.press('ArrowDown');
    await expect.poll(async () => (await at())[0]).toBeGreaterThan(row + n - 1);
  }
  const [under = 0] = await at();
  for (let n = 1; n <= 8; n++) {
    await page.keyboard.press('ArrowRight');
    await expect.poll(async () => (await at())[1]).toBeGreaterThan(column + n - 1);
  }
  expect((await at())[0]).toBe(under);
  await page.keyboard.press('ArrowUp');
  await expect.poll(async () => (await at())[0]).toBeLessThan(under);
  await page.context().close();
});

test('the search finds objects, commits and all else that has a name, by the keyboard alone', async () => {
  const { page, complaints } = await signedIn();
  await page.goto('/fleet');
  const look = async (text: string, group: string) => {
    await page.locator('h1, h2').first().waitFor();
    await page.mouse.move(680, 320); // where the list will be: a mouse at rest chooses nothing
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill(text);
    const first = page.getByRole('group', { name: group }).getByRole('option').first();
    await first.waitFor();
    // Down to the first of the group, however many lines others have.
    await expect
      .poll(async () => {
        if ((await first.getAttribute('aria-selected')) === 'true') return true;
        await page.keyboard.press('ArrowDown');
        return false;
      })
      .toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Search everything' }).waitFor({ state: 'detached' });
  };
  await look('deployment/web prod', 'Objects');
  await page.getByRole('dialog', { name: /Deployment/ }).waitFor();
  expect(page.url()).toContain('object=');
  await page.goto('/fleet');
  for (const [text, group, address] of [
    ['mina', 'Commits', /\/changes\/[^/]+\/[0-9a-f]{40}$/],
    ['charts.example', 'Repositories', /\/repositories\/repo-/],
    ['customers', 'Projects', /\/projects\/shop$/],
    ['kyverno', 'ApplicationSets', /\/applicationsets\/argocd\/kyverno$/],
    ['region=us-east', 'Clusters', /\/clusters\/cluster-/],
    ['owner', 'Labels and annotations of clusters', /\/bridge\?by=keys/],
    ['theme dark', 'Settings', /\/settings#look$/],
  ] as const) {
    await look(text, group);
    await expect.poll(() => page.url()).toMatch(address);
  }
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a repository is tried and connected, and what does not fit stands at its field', async () => {
  const { page, complaints } = await signedIn();
  await page.goto('/repositories');
  await page.getByRole('link', { name: 'Connect repository' }).click();
  await page.getByLabel(/^Address/).fill('nowhere');
  await page.getByRole('button', { name: 'Connect repository' }).click();
  await page.getByText('begin it with https://').waitFor();
  await accessible(page);
  await page.getByRole('link', { name: 'Fleet' }).click();
  await page.getByRole('button', { name: 'Stay here' }).click();
  await page.getByLabel(/^Address/).fill('https://git.example.com/shop');
  await page.getByLabel('Password or token').fill('not to be seen');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.getByText('Its default branch is main').waitFor();
  await page.getByRole('button', { name: 'Connect repository' }).click();
  await page.getByRole('heading', { level: 1, name: 'Repositories' }).waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a page whose code is away is told within the shell, and comes by itself', async () => {
  const { page } = await signedIn();
  await page.goto('/applications');
  await page.locator('[data-index="0"] [data-open]').waitFor();
  await page.route(/\/assets\/|\/$/, (route) => route.fulfill({ status: 502, body: '' }));
  await page.getByRole('link', { name: 'Changes', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor();
  await page.getByRole('link', { name: 'Fleet', exact: true }).waitFor();
  await accessible(page);
  await page.unrouteAll();
  await page.getByRole('heading', { level: 1, name: 'Changes' }).waitFor();
  await page.context().close();
});

test('“back” leads to where somebody was: the same lines, and the focus at what was opened', async () => {
  const { page } = await signedIn();
  await page.goto('/applications');
  await page.locator('[data-index="0"] [data-open]').waitFor();
  await page.locator('#content').evaluate((content) => content.scrollTo(0, 3000));
  const line = page.locator('[data-index="75"] [data-open]');
  await line.click();
  await page.getByRole('tab', { name: 'Graph' }).waitFor();
  await page.goBack();
  await expect.poll(() => page.locator('#content').evaluate((content) => content.scrollTop)).toBeGreaterThan(2900);
  await expect.poll(() => line.evaluate((link) => link === document.activeElement)).toBe(true);
  await page.context().close();
});
