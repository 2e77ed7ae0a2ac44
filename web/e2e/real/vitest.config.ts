import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

import { patience, whole } from '../../patience';

/**
 * The files in their order, for all use one fleet. Each waits for what it needs and undoes what others would see, so that
 * any can run alone; where the order says something all the same, the reason stands beside it.
 * Those of the gate decide about a change: looking, and writing.
 */
const files: { name: string; gate?: boolean }[] = [
  { name: 'look', gate: true }, // comes to a fleet that nobody has touched: nobody is signed in, nothing is synced
  { name: 'text' },
  { name: 'fleet' },
  { name: 'wait' },
  { name: 'write', gate: true },
  { name: 'forms' },
  { name: 'rest' },
  { name: 'pages' },
  { name: 'people' },
  { name: 'fail' }, // a cluster and the engine go down and come back, which others need not wait for
  { name: 'accounts' }, // the operator has a password from then on
];

const path = (name: string) => `e2e/real/${name}.test.ts`;

const here = readdirSync(fileURLToPath(new URL('.', import.meta.url))).filter((name) => name.endsWith('.test.ts'));
const unlisted = here.filter((name) => !files.some((file) => `${file.name}.test.ts` === name));
if (unlisted.length > 0 || here.length !== files.length)
  throw new Error(`the list of files in their order is not that of the folder; not in it: ${unlisted.join(' ')}`);

/** InOrder is the order of the list. */
class InOrder extends BaseSequencer {
  override sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const place = (s: TestSpecification) => files.findIndex(({ name }) => s.moduleId.endsWith(`/${path(name)}`));
    return Promise.resolve([...specifications].sort((a, b) => place(a) - place(b)));
  }
}

export default defineConfig({
  test: {
    include: files.filter(({ gate }) => gate || process.env.CAUSEWAY_TIER !== 'gate').map(({ name }) => path(name)),
    globalSetup: 'e2e/real/setup.ts',
    // One fleet: what one test changes, another would see.
    fileParallelism: false,
    sequence: { sequencer: InOrder },
    // A browser that dies on a busy machine says nothing of the pages. The suite tries the whole once more.
    retry: 1,
    testTimeout: whole,
    hookTimeout: whole,
    expect: { poll: { timeout: patience } },
  },
});
