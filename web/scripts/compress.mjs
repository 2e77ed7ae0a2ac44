// Stores what was built compressed and nothing else: the binary carries it
// once, and nearly every browser takes it as it is.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const root = new URL('../static/app', import.meta.url).pathname;
for (const name of readdirSync(root, { recursive: true })) {
  const file = join(root, name);
  if (statSync(file).isDirectory() || !/\.(js|css|svg|json)$/.test(name)) continue;
  writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
  rmSync(file);
}
