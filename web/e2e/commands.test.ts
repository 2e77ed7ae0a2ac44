import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** command starts a command of the pages, with a name that all have which it starts. */
function command(file: string, ...args: string[]) {
  const name = randomUUID();
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, CAUSEWAY_COMMAND: name },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', error: '' };
  child.stdout.on('data', (data: Buffer) => (said.out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (said.error += data.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, said, ended, left: () => left(name) };
}

/** left are the processes that have a name in their environment. */
const left = (name: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(name);
    } catch {
      return false; // it has ended meanwhile
    }
  });

const small = ['--applications', '200', '--clusters', '12', '--seconds', '2'];

test('what has a target is measured, beside it and beside what does nothing, and nothing is left running', async () => {
  const { said, ended, left } = command('measure.mjs', ...small);
  expect(await ended, said.error).toBe(0);
  for (const [what, target] of [
    ['first list usable after navigation', '1000 ms'],
    ['filter keystroke to result on the server', '100 ms'],
    ['list memory in the browser: heap', '150 MB'],
    ['longest gap of frames at 200 changes a second', '100 ms'],
    ['API p99, 50 readers, two looks a second each', '50 ms'],
    ['first load, gzipped', '300 KiB'],
  ] as const)
    expect(said.out).toMatch(new RegExp(`^ +${what} +[\\d.]+ [A-Za-z]+ +${target} +[\\d.]+ × `, 'm'));
  await expect.poll(left).toEqual([]);
});

test('who interrupts a command leaves nothing running', async () => {
  const { child, said, ended, left } = command('measure.mjs', ...small);
  await expect.poll(() => said.out).toContain('first list usable');
  child.kill('SIGINT');
  expect(await ended).not.toBe(0);
  await expect.poll(left).toEqual([]);
});

test('a picture is taken in each look, and is small', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-pictures-'));
  const { said, ended, left } = command('screenshots.mjs', '--all', folder, '--only', 'sign-in', '--only', 'projects');
  expect(await ended, said.error).toBe(0);
  expect(said.error).toBe('');
  const names = readdirSync(folder).sort();
  expect(names).toEqual(
    ['projects', 'sign-in'].flatMap((name) => ['dark', 'light', 'narrow'].map((look) => `${name}-${look}.webp`)),
  );
  for (const name of names) expect(statSync(join(folder, name)).size).toBeLessThan(60_000);
  rmSync(folder, { recursive: true });
  await expect.poll(left).toEqual([]);
});
