import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const leash = fileURLToPath(new URL('leash.ts', import.meta.url));

/** holder starts something in a session of its own, says which process that is, and waits to be killed. */
const holder = (folder: string) => `
  import { spawn } from 'node:child_process';
  import { runnerImport } from 'vite';
  const { module } = await runnerImport(${JSON.stringify(leash)});
  module.hold(${JSON.stringify(folder)});
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore', env: process.env });
  child.unref();
  console.log('started ' + child.pid);
  setInterval(() => undefined, 1000);
`;

function running(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test.runIf(existsSync('/proc/self/environ'))('what is started ends with who started it, also by force', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-leash-'));
  const parent = spawn(process.execPath, ['--input-type=module', '-e', holder(folder)], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = await new Promise<number>((resolve, reject) => {
    let said = '';
    parent.stdout.on('data', (data: Buffer) => {
      said += data.toString();
      const found = /started (\d+)/.exec(said)?.[1];
      if (found) resolve(Number(found));
    });
    parent.on('exit', () => reject(new Error(`the one who starts has ended: ${said}`)));
  });
  expect(running(pid)).toBe(true);
  parent.removeAllListeners('exit');
  parent.kill('SIGKILL');
  await expect.poll(() => running(pid) || existsSync(folder)).toBe(false);
});
