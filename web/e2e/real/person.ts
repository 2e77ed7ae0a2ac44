import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';

import { visit, type Visit } from '../browser';
import { Fleet } from './fleet';

export const fleet = new Fleet(inject('folder'));

/** admin is who has the password that was printed at the last start. */
export async function admin(): Promise<Visit> {
  const visitor = await visit();
  const { username, password } = fleet.signIn();
  const answer = await visitor.page.request.post('/api/v1/session', { data: { username, password } });
  expect(answer.status()).toBe(200);
  return visitor;
}

/** throughIssuer signs somebody in as a person does: by the button, and at the issuer. */
export async function throughIssuer(name: string): Promise<Visit> {
  const visitor = await visit({ ignoreHTTPSErrors: true });
  const { page } = visitor;
  await page.goto('/applications');
  await page.getByRole('link', { name: 'Continue with Work' }).click();
  await page.getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();
  return visitor;
}

/** fresh names what a test makes: a second try must not find the first one's. */
export const fresh = (what: string) => `${what}-${Date.now()}`;

export const at = (name: string) => `/applications/argocd/${name}`;

/** line is that of an Application in the list. */
export const line = (page: Page, name: string) =>
  page.locator('[data-index]').filter({ has: page.locator('[data-open]').getByText(name, { exact: true }) });

/** comes waits until an Application's page says this of it, without being loaded again. */
export async function comes(page: Page, name: string, ...words: string[]): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  for (const word of words) await page.locator('header').getByText(word, { exact: true }).waitFor();
}

/** synced brings an Application to what Git says, whatever state an earlier try left it in. */
export async function synced(page: Page, name: string): Promise<void> {
  const status = async () => {
    const answer = await page.request.get(`/api/v1${at(name)}`);
    if (answer.status() !== 200) return `${answer.status()}`;
    const { row, operation } = (await answer.json()) as { row: { sync: string }; operation?: { phase: string } };
    return `${row.sync} ${operation?.phase ?? ''}`;
  };
  await expect.poll(status).not.toMatch(/Running|Terminating|^404/);
  const answer = await page.request.post(`/api/v1${at(name)}/sync`, { data: { prune: true } });
  expect([202, 409]).toContain(answer.status());
  await expect.poll(status).toBe('Synced Succeeded');
}

/** lastSync is the latest sync that was written down as successful. */
export async function lastSync(page: Page, name: string): Promise<string | undefined> {
  const answer = await page.request.get(`/api/v1${at(name)}/history`);
  const list = (await answer.json()) as { id: string; phase: string }[];
  return list.find((sync) => sync.phase === 'Succeeded')?.id;
}
