import { createServer } from 'node:http';

import { signIn } from '../installation.mjs';

/** visit opens a browser of somebody's own, signed in where that is an installation. */
export async function visit(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 850 } });
  // What is measured is told, however long it took.
  context.setDefaultTimeout(120_000);
  if (url) await signIn(context, url);
  return { context, page: await context.newPage() };
}

/** list is where people come in, and what of it can be clicked when it is usable. */
export const list = { path: '/applications', usable: '[data-index="0"] [data-open]' };

/** emptyPages answers with pages that do nothing. */
export async function emptyPages() {
  const server = createServer((request, answer) => {
    answer.setHeader('Content-Type', 'text/html');
    answer.end(
      request.url === '/long'
        ? `<!doctype html><title>long</title>${'<p>a line</p>'.repeat(500)}`
        : '<!doctype html><title>empty</title><p>empty</p>',
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${server.address().port}`;
}
