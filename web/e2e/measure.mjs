// Measures the pages and the API at a synthetic installation, and prints a table: what was measured, the target that it
// has to stay below, and how many times it is what does nothing, from the same run. Some parts alone, or a small one:
//   npm run measure -- --seconds 5 --applications 200 --clusters 12 firstList keystrokes memory frames answers firstLoad
import { parseArgs } from 'node:util';

import { build, serve, within } from './installation.mjs';
import { frames } from './measure/frames.mjs';
import { firstList, firstLoad, memory } from './measure/list.mjs';
import { answers } from './measure/readers.mjs';
import { keystrokes } from './measure/search.mjs';
import { head } from './measure/table.mjs';
import { emptyPages } from './measure/visit.mjs';

const parts = { firstList, keystrokes, memory, frames, answers, firstLoad };

const { values, positionals: only } = parseArgs({
  allowPositionals: true,
  options: {
    applications: { type: 'string', default: '10000' },
    clusters: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '20' },
  },
});
const unknown = only.filter((name) => !(name in parts));
if (unknown.length > 0)
  throw new Error(`there is no ${unknown.join(', ')}: there are ${Object.keys(parts).join(', ')}`);

await build();
await within(['--enable-precise-memory-info'], async (browser) => {
  const size = ['-applications', values.applications, '-clusters', values.clusters];
  const [quiet, busy, matrix, empty] = await Promise.all([
    serve(...size),
    serve(...size, '-changes', '200'),
    serve('-applications', '10000', '-clusters', '100', '-addons', '100'),
    emptyPages(),
  ]);
  const given = { browser, quiet, busy, matrix, empty, seconds: Number(values.seconds) };
  console.log(`${values.applications} applications on ${values.clusters} clusters, in Chromium ${browser.version()}`);
  head();
  for (const [name, measure] of Object.entries(parts))
    if (only.length === 0 || only.includes(name)) await measure(given);
});
