import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['e2e/*.test.ts'],
    globalSetup: 'e2e/server.ts',
    // One browser and one server: what one test changes, another would see.
    fileParallelism: false,
    // A browser that dies on a busy machine says nothing of the pages.
    retry: 2,
    testTimeout: 180_000,
    hookTimeout: 300_000,
  },
});
