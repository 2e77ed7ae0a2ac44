import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

import { hold } from './leash';

declare module 'vitest' {
  export interface ProvidedContext {
    server: { url: string; user: string; password: string; synthetic: boolean };
  }
}

/**
 * Tests run at the server that CAUSEWAY_URL names, with CAUSEWAY_USER and
 * CAUSEWAY_PASSWORD; or at a fixture that is built and started here.
 */
export default async function setup(project: TestProject) {
  const { CAUSEWAY_URL: url, CAUSEWAY_USER: user = 'admin', CAUSEWAY_PASSWORD: password = 'admin' } = process.env;
  if (url) {
    project.provide('server', { url, user, password, synthetic: false });
    return;
  }
  hold();
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const server = spawn(
    'go',
    ['run', './web/e2e/fixture', '-listen', '127.0.0.1:0', '-applications', '2000', '-clusters', '100'],
    {
      cwd: root,
      env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-trimpath' },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const found = await new Promise<string>((resolve, reject) => {
    let said = '';
    server.stderr.on('data', (data: Buffer) => {
      said += data.toString();
      const address = /address=(http:\S+)/.exec(said)?.[1];
      if (address) resolve(address);
    });
    server.on('exit', () => reject(new Error(`the fixture has ended: ${said}`)));
  });
  project.provide('server', { url: found, user: 'admin', password: 'admin', synthetic: true });
  return () => {
    server.removeAllListeners('exit');
    // go run and what it runs.
    if (server.pid) process.kill(-server.pid, 'SIGINT');
  };
}
