import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

const sweep = fileURLToPath(new URL('../../test/leash/sweep.sh', import.meta.url));

/**
 * hold ties to this process all that it starts from now on, and all that these start, also in sessions of their own:
 * what is left when it has ended, also by being killed, is ended too, and the folder is removed, if one is named.
 * It is what test/leash does for tests in Go.
 */
export function hold(folder = ''): void {
  const name = randomUUID();
  // It must not find itself, so it has none of this environment.
  const env = { PATH: process.env.PATH };
  const watcher = spawn('sh', ['-c', readFileSync(sweep, 'utf8'), 'leash', name, folder], {
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  // The pipe ends with this process, which does not wait for it.
  watcher.unref();
  if (watcher.stdin instanceof Socket) watcher.stdin.unref();
  process.env.CAUSEWAY_LEASH = [process.env.CAUSEWAY_LEASH, name].filter(Boolean).join(' ');
}
