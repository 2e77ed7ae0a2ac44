// Holds the size of what a first visit loads: the entry with all that it
// imports at once, its styles and the page. What is loaded later is listed.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

const budget = 300 * 1024;
const root = new URL('../static/app', import.meta.url).pathname;
const manifest = JSON.parse(gunzipSync(readFileSync(join(root, '.vite/manifest.json.gz'))));
const files = new Set(['scheme.js', 'favicon.svg']);
const visit = (key) => {
  const chunk = manifest[key];
  if (files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const css of chunk.css ?? []) files.add(css);
  for (const next of chunk.imports ?? []) visit(next);
};
// The list of Applications is where people come in.
visit('index.html');
visit('src/pages/applications/page.tsx');
const sizes = [...files].map((f) => [f, statSync(join(root, `${f}.gz`)).size]);
sizes.push(['index.html', gzipSync(readFileSync(join(root, 'index.html'))).length]);
const total = sizes.reduce((sum, [, n]) => sum + n, 0);
const kib = (n) => `${(n / 1024).toFixed(1)} KiB`;
console.log(`first load: ${kib(total)} gzipped of ${kib(budget)}`);
if (total > budget) {
  for (const [f, n] of sizes) console.error(`  ${kib(n).padStart(10)}  ${f}`);
  console.error('The first load is over its budget: load what is not needed at once with import().');
  process.exit(1);
}
