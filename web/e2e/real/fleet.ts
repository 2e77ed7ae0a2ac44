import { execFile, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { patience } from '../../patience';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const bin = (name: string) => process.env[name === 'causeway-kube' ? 'CAUSEWAY_KUBE' : ''] ?? join(root, 'bin', name);
const run = promisify(execFile);

/** Ended is a process that is not there any more: nothing comes of it. */
class Ended extends Error {}

/** until waits for something to be there; what it says last is why it was not. */
export async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const end = Date.now() + patience;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      if (error instanceof Ended) throw error;
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${what} did not come`, { cause: last });
}

export interface SignIn {
  url: string;
  username: string;
  password: string;
}

interface Issuer {
  issuer: string;
  ca: string;
  clientID: string;
  clientSecret: string;
}

/**
 * Fleet is the real binary with its control planes, in a folder. What runs is
 * written down there by process id, so that whoever opens the folder, a test or
 * what is around all of them, can end it and start it again.
 */
export class Fleet {
  constructor(readonly folder: string) {}

  /** make copies what is deployed, which tests then change. */
  make(): void {
    cpSync(fileURLToPath(new URL('fleet', import.meta.url)), this.folder, { recursive: true });
    cpSync(join(root, 'examples/fleet/workloads'), join(this.folder, 'workloads'), { recursive: true });
    mkdirSync(this.home, { recursive: true });
  }

  get home(): string {
    return join(this.folder, 'state', 'e2e');
  }

  /** file of what is deployed from. */
  file(path: string): string {
    return join(this.folder, path);
  }

  /** edit changes a file that is deployed from, at once: the engine looks at it all the time. */
  edit(path: string, change: (text: string) => string): void {
    const written = this.file('written');
    writeFileSync(written, change(readFileSync(this.file(path), 'utf8')));
    renameSync(written, this.file(path));
  }

  /** up starts the hub, the spoke east and the engine, and returns when the pages are served. */
  async up(listen = '127.0.0.1:0'): Promise<SignIn> {
    const file = join(this.home, 'sign-in.json');
    rmSync(file, { force: true });
    const args = [
      'up',
      '--file',
      this.file('causeway.yaml'),
      '--state-dir',
      join(this.folder, 'state'),
      '--serve',
      listen,
    ];
    this.start('up', bin('causeway'), args);
    return until('the address of the pages', () => {
      this.alive('up');
      return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SignIn) : undefined;
    });
  }

  /** signIn is what the last start printed. */
  signIn(): SignIn {
    return JSON.parse(readFileSync(join(this.home, 'sign-in.json'), 'utf8')) as SignIn;
  }

  /** west starts the spoke that tests let go down, unless it runs. */
  async west(): Promise<void> {
    if (running(this.pid('west'))) return;
    const folder = this.file('west');
    const config = join(folder, 'kubeconfig');
    this.start('west', bin('causeway-kube'), ['--name', 'west', '--data-dir', folder, '--kubeconfig-out', config]);
    await until('the spoke west', async () => {
      this.alive('west');
      await this.kubectl('west', ['get', 'namespace', 'default']);
      return true;
    });
  }

  /** access is how one signs in to a cluster: its address, and certificates in PEM. */
  access(cluster: string): { server: string; authority: string; cert: string; key: string } {
    const config = readFileSync(this.kubeconfig(cluster), 'utf8');
    const field = (name: string) => new RegExp(`\\b${name}: *"?([^"\\s]+)`).exec(config)?.[1] ?? '';
    const pem = (name: string) => Buffer.from(field(name), 'base64').toString();
    return {
      server: field('server'),
      authority: pem('certificate-authority-data'),
      cert: pem('client-certificate-data'),
      key: pem('client-key-data'),
    };
  }

  /** addWest tells the hub of it. */
  async addWest(): Promise<void> {
    const { server, authority, cert, key } = this.access('west');
    const encoded = (pem: string) => Buffer.from(pem).toString('base64');
    await this.apply('hub', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'west', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
      stringData: {
        name: 'west',
        server,
        config: JSON.stringify({
          tlsClientConfig: { caData: encoded(authority), certData: encoded(cert), keyData: encoded(key) },
        }),
      },
    });
  }

  /** issuer starts an OpenID Connect issuer. */
  async issuer(callback: string): Promise<Issuer> {
    const built = this.file('issuer');
    await run('go', ['build', '-o', built, './web/e2e/real/issuer'], {
      cwd: root,
      env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-trimpath' },
    });
    this.start('issuer', built, ['-callback', callback]);
    return until('the issuer', () => {
      this.alive('issuer');
      const said = readFileSync(this.file('issuer.log'), 'utf8');
      return said.includes('\n') ? (JSON.parse(said) as Issuer) : undefined;
    });
  }

  private start(name: string, command: string, args: string[]): void {
    const log = openSync(this.file(`${name}.log`), 'w');
    const child = spawn(command, args, {
      cwd: this.folder,
      env: { ...process.env, CAUSEWAY_KUBE: bin('causeway-kube') },
      detached: true,
      stdio: ['ignore', log, log],
    });
    if (!child.pid) throw new Error(`${command} cannot be started: is it built?`);
    child.unref();
    writeFileSync(this.file(`${name}.pid`), String(child.pid));
  }

  private pid(name: string): number {
    const file = this.file(`${name}.pid`);
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  }

  private alive(name: string): void {
    if (running(this.pid(name))) return;
    throw new Ended(`${name} has ended: ${readFileSync(this.file(`${name}.log`), 'utf8').slice(-2000)}`);
  }

  /** kill ends what was started, and waits until it has. */
  async kill(name: 'up' | 'west' | 'issuer', signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const pid = this.pid(name);
    if (!running(pid)) return;
    process.kill(pid, signal);
    await until(`the end of ${name}`, () => (running(pid) ? undefined : true));
  }

  /** halt lets the control plane of a cluster answer nothing until what it returns is called. */
  halt(cluster: string): () => void {
    const folder = join(this.home, 'clusters', cluster);
    const args = (pid: string) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      } catch {
        return []; // it has ended meanwhile
      }
    };
    const found = readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && args(pid).includes(`--data-dir=${folder}`));
    if (!found) throw new Error(`the control plane of ${cluster} does not run`);
    process.kill(Number(found), 'SIGSTOP');
    return () => process.kill(Number(found), 'SIGCONT');
  }

  /** leave lets nothing run on, without waiting for its end. */
  leave(): void {
    for (const name of ['up', 'west', 'issuer']) if (running(this.pid(name))) process.kill(this.pid(name), 'SIGTERM');
  }

  /** end ends all. */
  async end(): Promise<void> {
    for (const name of ['up', 'west', 'issuer'] as const) await this.kill(name);
    if (!process.env.CAUSEWAY_KEEP) rmSync(this.folder, { recursive: true, force: true });
  }

  private kubeconfig(cluster: string): string {
    return cluster === 'west' ? this.file('west/kubeconfig') : join(this.home, 'clusters', cluster, 'kubeconfig');
  }

  /** kubectl of the control plane's own release. */
  async kubectl(cluster: string, args: string[]): Promise<string> {
    const env = { ...process.env, KUBECONFIG: this.kubeconfig(cluster) };
    return (await run(bin('causeway-kube'), ['kubectl', ...args], { env, timeout: patience })).stdout;
  }

  /** awaits something of objects in a namespace, as one program that watches: to ask again and again starts one each time. */
  async awaits(cluster: string, namespace: string, what: string, ...objects: string[]): Promise<void> {
    const within = `--timeout=${String(patience / 1000)}s`;
    await this.kubectl(cluster, ['-n', namespace, 'wait', `--for=${what}`, within, ...objects]);
  }

  async apply(cluster: string, object: object): Promise<void> {
    const file = this.file('apply.json');
    writeFileSync(file, JSON.stringify(object));
    await this.kubectl(cluster, ['apply', '--server-side', '--force-conflicts', '-f', file]);
  }
}

function running(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // One that has ended stays until its parent asks how.
  return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}
