// Synthetic installations for commands, and a browser: gone with who started them, also by Ctrl-C or by force.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { runnerImport } from 'vite';

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const fixture = pathOf('../node_modules/.cache/fixture');
const servers = [];

const { module: leash } = await runnerImport(pathOf('leash.ts'));
leash.hold();

/** within does something with a browser, and ends it and what was served afterwards, however that went. */
export async function within(flags, work) {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath))
    throw new Error(`${executablePath} is not there: install Chromium, or name it with CHROMIUM`);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...flags] });
  try {
    await work(browser);
  } finally {
    await browser.close();
    await Promise.all(servers.map(({ stop }) => stop()));
  }
}

/** build builds the synthetic installation, with the pages as they were built last. */
export async function build() {
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-trimpath' };
  const go = spawn('go', ['build', '-o', fixture, './web/e2e/fixture'], {
    cwd: pathOf('../..'),
    env,
    stdio: 'inherit',
  });
  await new Promise((resolve, reject) => {
    go.on('error', reject);
    go.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`go build has ended with ${code}`))));
  });
}

/** serve starts one, and returns its address. */
export function serve(...args) {
  const server = spawn(fixture, ['-listen', '127.0.0.1:0', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = new Promise((resolve) => server.once('close', resolve));
  servers.push({ stop: () => server.kill('SIGINT') && gone });
  return new Promise((resolve, reject) => {
    let said = '';
    server.stderr.on('data', (data) => {
      said += data;
      const address = /address=(http:\S+)/.exec(said)?.[1];
      if (address) resolve(address);
    });
    server.on('error', reject);
    server.on('exit', () => reject(new Error(`the synthetic installation has ended: ${said}`)));
  });
}

/** signIn gives a browser a session. */
export async function signIn(context, url, username = 'admin', password = 'admin') {
  const answer = await context.request.post(`${url}/api/v1/session`, { data: { username, password } });
  if (answer.status() !== 200) throw new Error(`cannot sign in to ${url}: ${answer.status()}`);
}
