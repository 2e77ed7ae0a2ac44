import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { getCurrentTest } from 'vitest/suite';

import { patience } from '../patience';
import { keep, watched } from './evidence';

export const server = inject('server');

/** quick holds where the tests decide about a change: see test/suite. */
export const quick = process.env.CAUSEWAY_TIER === 'gate';

const light = { name: 'light', colorScheme: 'light', viewport: { width: 1360, height: 850 } } as const;

/** looks are how pages are looked at: once where the tests decide about a change. */
export const looks = quick
  ? [light]
  : [
      light,
      { name: 'dark', colorScheme: 'dark', viewport: { width: 1360, height: 850 } } as const,
      { name: 'narrow', colorScheme: 'light', viewport: { width: 375, height: 812 } } as const,
    ];

let browser: Browser | undefined;

/** begun is a browser that has begun. A busy machine may keep one from it, which says nothing of the pages. */
async function begun(tries = 3): Promise<Browser> {
  try {
    return await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
      timeout: patience / 4,
    });
  } catch (error) {
    if (tries <= 1) throw error;
    console.warn('the browser has not begun, and is tried again:', error);
    return begun(tries - 1);
  }
}

/** running is the file's browser, or another one after it died. */
async function running(): Promise<Browser> {
  if (!browser?.isConnected()) browser = await begun();
  return browser;
}

beforeAll(running);

afterEach(({ task }) => keep(task, browser));

afterAll(() => browser?.close());

/** What a page complained about: errors of scripts, and what the policy kept out. */
export type Complaints = string[];

export interface Visit {
  page: Page;
  complaints: Complaints;
}

/** visit opens a browser of somebody's own. */
export async function visit(options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await (await running()).newContext({ baseURL: server.url, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(patience);
  await watched(context, getCurrentTest());
  await context.addInitScript(listen);
  const page = await context.newPage();
  const complaints: Complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Answers that are problems are part of what is tested.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return { page, complaints };
}

/** listen keeps what a page told: it is taken away after seconds, which a busy machine may need to look. */
function listen(): void {
  const told: string[] = [];
  Object.assign(window, { told });
  const added = (node: Node) => {
    if (node instanceof HTMLElement && node.matches('[role="status"] > [data-tone]')) told.push(node.textContent);
  };
  // What is followed to its end is told in one place.
  const said = (text: Node) => {
    const toast = text.parentElement?.closest('[role="status"] > [data-tone]');
    if (toast) told.push(toast.textContent);
  };
  new MutationObserver((changes) => {
    for (const change of changes) {
      if (change.type === 'characterData') said(change.target);
      change.addedNodes.forEach(added);
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });
}

/** told waits until a page has told something since it was loaded, or since the same was waited for before. */
export async function told(page: Page, text: string): Promise<void> {
  const hears = (wanted: string) => {
    const { told } = window as unknown as { told: string[] };
    const at = told.findIndex((one) => one.includes(wanted));
    if (at >= 0) told.splice(0, at + 1);
    return at >= 0;
  };
  await expect.poll(() => page.evaluate(hears, text), { message: `the page tells: ${text}` }).toBe(true);
}

/** signedIn is a visit of somebody who has signed in. */
export async function signedIn(
  options: BrowserContextOptions = {},
  user = server.user,
  password = server.password,
): Promise<Visit> {
  const visitor = await visit(options);
  const answer = await visitor.page.request.post('/api/v1/session', { data: { username: user, password } });
  expect(answer.status()).toBe(200);
  return visitor;
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * axe looks at a page from within it, and says in full only what is wrong: to carry the rest out of it, and to put it
 * together on a page of its own, costs more than to look. That needs pages without frames of others, which ours are.
 */
const axe = (page: Page, rules: Record<string, { enabled: boolean }> = {}) =>
  new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'], rules });

const size = 'target-size';

/** looked is what axe finds on a page. */
async function looked(page: Page, dark: boolean) {
  // Only colours depend on the theme: the rest was looked at in the light one.
  if (dark) return (await axe(page).withRules(['color-contrast', 'link-in-text-block']).analyze()).violations;
  const { violations } = await axe(page, { [size]: { enabled: false } })
    .withTags(tags)
    .analyze();
  // A graph may come while axe looks: sizes are a look of their own, which never enters one.
  const sizes = await axe(page).withRules([size]).exclude('.react-flow').analyze();
  return [...violations, ...sizes.violations];
}

/**
 * accessible holds a page to WCAG 2.2 AA, as far as a program can. Of the graph the size of what one clicks is left
 * out: it shrinks with the graph, and the tab of resources beside it does the same with controls of full size, which
 * is the exception that 2.5.8 makes for equivalents.
 */
export async function accessible(page: Page, dark = false): Promise<void> {
  const violations = await looked(page, dark);
  expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`).join('\n')).toBe('');
}

/** somePod is the address of a part of a pod that an Application has. */
export async function somePod(page: Page, part: string): Promise<string> {
  interface Node {
    kind: string;
    namespace?: string;
    name: string;
    children?: Node[];
  }
  const flat = (nodes: Node[]): Node[] => nodes.flatMap((n) => [n, ...flat(n.children ?? [])]);
  const app = await someApplication(page, 'health=Healthy');
  const answer = await page.request.get(`/api/v1${app}/tree`);
  const pod = flat(((await answer.json()) as { nodes: Node[] }).nodes).find((n) => n.kind === 'Pod');
  if (!pod) throw new Error(`${app} has no pod`);
  return `${app}?tab=table&object=${encodeURIComponent(`~v1~Pod~${pod.namespace ?? ''}~${pod.name}`)}&part=${part}`;
}

/** someApplication is the path of one that a query finds. */
export async function someApplication(page: Page, query = ''): Promise<string> {
  const answer = await page.request.get(`/api/v1/applications?limit=1&${query}`);
  const { items } = (await answer.json()) as { items: { namespace: string; name: string }[] };
  const first = items[0];
  if (!first) throw new Error(`no application has ${query}`);
  return `/applications/${first.namespace}/${first.name}`;
}
