import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

import { patience, whole } from '../../patience';

/** ByName is the order of the names of files: the first comes to a fleet that nobody has touched. */
class ByName extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve([...files].sort((a, b) => a.moduleId.localeCompare(b.moduleId)));
  }
}

/** journeys are those that decide about a change: looking, and writing. */
const journeys = ['e2e/real/1-look.test.ts', 'e2e/real/2-write.test.ts'];

export default defineConfig({
  test: {
    include: process.env.CAUSEWAY_TIER === 'gate' ? journeys : ['e2e/real/*.test.ts'],
    globalSetup: 'e2e/real/setup.ts',
    // One fleet: what one test changes, another would see.
    fileParallelism: false,
    sequence: { sequencer: ByName },
    // A browser that dies on a busy machine says nothing of the pages. The suite tries the whole once more.
    retry: 1,
    testTimeout: whole,
    hookTimeout: whole,
    expect: { poll: { timeout: patience } },
  },
});
