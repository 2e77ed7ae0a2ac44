import { defineConfig } from 'vitest/config';

import { patience, whole } from '../patience';

/**
 * Files of the long tier: what is measured and taken by commands builds and starts installations of its own; what accounts
 * and keys do has tests of its components and of the server in the gate; and many are synced at once at a fleet there.
 */
const long = ['commands', 'accounts', 'many'].map((name) => `e2e/${name}.test.ts`);

export default defineConfig({
  test: {
    include: ['e2e/*.test.ts'],
    exclude: process.env.CAUSEWAY_TIER === 'gate' ? long : [],
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
