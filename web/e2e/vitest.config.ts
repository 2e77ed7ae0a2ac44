import { defineConfig } from 'vitest/config';

import { patience, whole } from '../patience';

export default defineConfig({
  test: {
    include: ['e2e/*.test.ts'],
    // What is measured and taken by commands is of the long tier: they build and start installations of their own.
    exclude: process.env.CAUSEWAY_TIER === 'gate' ? ['e2e/commands.test.ts'] : [],
    globalSetup: 'e2e/server.ts',
    // One browser and one server: what one test changes, another would see.
    fileParallelism: false,
    // A browser that dies on a busy machine says nothing of the pages. The suite tries the whole once more.
    retry: 1,
    testTimeout: whole,
    hookTimeout: whole,
    expect: { poll: { timeout: patience } },
  },
});
