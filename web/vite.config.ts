import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

import { patience, whole } from './patience';

const server = process.env.CAUSEWAY_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  // The server puts a nonce of its own in place of this at each request.
  html: { cspNonce: 'CSP-NONCE' },
  build: {
    outDir: 'static/app',
    emptyOutDir: true,
    target: 'es2022',
    // data: addresses would need a weaker policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    manifest: true,
  },
  server: { proxy: { '/api': server } },
  test: {
    environment: 'happy-dom',
    setupFiles: ['src/testing/setup.ts'],
    // To load React and all controls anew costs each file more than its tests: only the long tier shows that none needs others.
    isolate: process.env.CAUSEWAY_TIER === 'all',
    include: ['src/**/*.test.{ts,tsx}'],
    css: { modules: { classNameStrategy: 'non-scoped' } },
    testTimeout: whole,
    hookTimeout: whole,
    expect: { poll: { timeout: patience } },
  },
});
