import { expect, test } from 'vitest';

import { admin, at, fleet, line } from './person';

// The same at a synthetic installation decides about a change.
test('text from clusters and Git is text and nothing else', async () => {
  const { page, complaints } = await admin();
  const pod = await fleet.kubectl('east', [
    '-n',
    'hostile',
    'get',
    'pod',
    '-o',
    'jsonpath={.items[0].metadata.name} {.items[0].metadata.uid}',
  ]);
  const [name = '', uid = ''] = pod.split(' ');
  const strike = `<img src=x onerror="window.struck='event'"><script>window.struck='event'</script>`;
  await fleet.apply('east', {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'strike', namespace: 'hostile' },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'hostile', name, uid },
    type: 'Warning',
    reason: '<b>Strike</b>',
    message: strike,
    source: { component: '<i>somebody</i>' },
    count: 1,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
  });
  // It differs, so that the diff shows it, too.
  await fleet.kubectl('east', [
    '-n',
    'hostile',
    'patch',
    'configmap',
    'hostile',
    '--type=merge',
    '-p',
    JSON.stringify({ data: { 'page.html': strike } }),
  ]);
  await page.goto('/applications?q=hostile');
  await line(page, 'hostile').getByText('Out of sync').waitFor();
  for (const [tab, text] of [
    ['table', 'hostile'],
    ['graph', 'hostile'],
    ['diff', `window.struck='event'`],
    ['events', 'Sync to'],
    ['labels', `window.struck='annotation'`],
  ] as const) {
    await page.goto(`${at('hostile')}?tab=${tab}`);
    await page.getByRole('tabpanel').getByText(text).first().waitFor();
  }
  for (const part of ['live', 'desired', 'diff', 'events']) {
    await page.goto(
      `${at('hostile')}?tab=table&object=${encodeURIComponent('~v1~ConfigMap~hostile~hostile')}&part=${part}`,
    );
    await page.getByRole('dialog').getByRole('tabpanel').waitFor();
    if (part !== 'events') await page.getByRole('dialog').getByText('onerror').first().waitFor();
  }
  const onPod = `${at('hostile')}?tab=table&object=${encodeURIComponent(`~v1~Pod~hostile~${name}`)}`;
  await page.goto(`${onPod}&part=events`);
  await page.getByRole('dialog').getByText(`window.struck='event'`).first().waitFor();
  await page.goto(`${onPod}&part=logs`);
  await page.getByRole('log').getByText(`onerror="window.struck='log'"`).first().waitFor();
  expect(await page.evaluate(() => 'struck' in window)).toBe(false);
  expect(await page.locator('img[src="x"], a[href^="javascript:"]').count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.context().close();
});
