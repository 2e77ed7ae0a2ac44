import { expect, test } from 'vitest';

import { accessible, looks, server, signedIn, somePod } from './browser';

// Pods are the fixture's: what they answer is known.
test.runIf(server.synthetic).each(looks)('a shell answers on the page, in $name', async ({ colorScheme, viewport }) => {
  const { page, complaints } = await signedIn({ colorScheme, viewport });
  await page.goto(await somePod(page, 'terminal'));
  const open = page.getByRole('button', { name: 'Open terminal' });
  await open.waitFor();
  await accessible(page, colorScheme === 'dark');
  await open.click();
  const status = page.getByRole('status').filter({ hasText: 'Connected: bash' });
  await status.waitFor();
  const screen = page.getByRole('group', { name: /^Terminal in / });
  // Whoever types is in the shell, without a click.
  await page.keyboard.type('echo said-by-the-shell');
  await page.keyboard.press('Enter');
  await screen
    .locator('.xterm-rows > div')
    .filter({ hasText: /^said-by-the-shell\s*$/ })
    .waitFor();
  await accessible(page, colorScheme === 'dark');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(wide, 'it is wider than the window').toBe(false);
  // Escape and Tab are the shell's; other keys lead out.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  expect(await screen.evaluate((e) => e.contains(document.activeElement))).toBe(true);
  await page.keyboard.press('Control+Shift+F6');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Disconnect');
  await page.keyboard.press('Shift+Tab');
  await screen.click();
  await page.keyboard.press('Enter');
  await page.keyboard.type('exit');
  await page.keyboard.press('Enter');
  await page.getByText('Ended: the shell exited with code 0').waitFor();
  await page.getByRole('button', { name: 'Open again' }).click();
  await status.waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test.runIf(server.synthetic)('who may not is told why', async () => {
  const { page, complaints } = await signedIn({}, 'reader', 'reader');
  await page.goto(await somePod(page, 'terminal'));
  await page.getByRole('heading', { name: 'You may not open a terminal here' }).waitFor();
  await page.getByText('reader may not create exec').waitFor();
  await accessible(page);
  expect(complaints).toEqual([]);
  await page.context().close();
});
