import type { Repository, RepositoryWish } from '../../api/client';
import { without } from '../../ui/without';

export const secretNames = [
  'password',
  'bearerToken',
  'sshPrivateKey',
  'tlsClientCertData',
  'tlsClientCertKey',
  'githubAppPrivateKey',
  'gcpServiceAccountKey',
  'proxy',
] as const;
export type SecretName = (typeof secretNames)[number];
export type Method = 'none' | 'basic' | 'bearer' | 'ssh' | 'app' | 'google';
export type Kind = 'git' | 'helm' | 'helmOCI' | 'oci';

/** What a form has entered; null keeps what is stored. */
export interface Draft {
  fields: Omit<RepositoryWish, 'secrets'>;
  method: Method;
  secrets: Record<SecretName, string | null>;
  tryURL: string;
}

/** belongs tells which way to sign in a secret is of; others go with any. */
const belongs: Partial<Record<SecretName, Method>> = {
  password: 'basic',
  bearerToken: 'bearer',
  sshPrivateKey: 'ssh',
  githubAppPrivateKey: 'app',
  gcpServiceAccountKey: 'google',
};

/** answered is what a server tells of a repository, and takes of none. */
const answered = [
  'id',
  'credentials',
  'version',
  'managedBy',
  'problem',
  'looked',
  'lookProblem',
  'applications',
  'can',
  'used',
] as const;

/** Begin is what is known of one that is to be connected. */
export interface Begin {
  url: string;
  type: Kind;
}

/** newDraft is what a form begins with. */
export function newDraft(repository: Repository | null, template: boolean, begin?: Begin): Draft {
  const secrets = Object.fromEntries(secretNames.map((n) => [n, null])) as Draft['secrets'];
  if (!repository) {
    const fields = asKind({ url: begin?.url ?? '', template }, begin?.type ?? 'git');
    return { fields, method: 'basic', secrets, tryURL: '' };
  }
  const { credentials } = repository;
  const fields = without(repository, answered);
  const found = secretNames.find((n) => belongs[n] && credentials.includes(n));
  const method = (found && belongs[found]) ?? (fields.username ? 'basic' : 'none');
  return { fields: fields, method, secrets, tryURL: '' };
}

export const kindOf = (f: Draft['fields']): Kind => (f.type === 'helm' && f.enableOCI ? 'helmOCI' : (f.type ?? 'git'));

/** asKind changes what is in the repository. */
export const asKind = (fields: Draft['fields'], kind: Kind): Draft['fields'] => ({
  ...fields,
  type: kind === 'helmOCI' ? 'helm' : kind,
  enableOCI: kind === 'helmOCI',
});

/** wishOf is what is sent: secrets of other ways to sign in than the chosen one are taken away. */
export function wishOf({ fields, method, secrets }: Draft, stored: readonly string[]): RepositoryWish {
  const out: NonNullable<RepositoryWish['secrets']> = {};
  for (const name of secretNames) {
    const of = belongs[name];
    if (of && of !== method) {
      if (stored.includes(name)) out[name] = '';
      continue;
    }
    const value = secrets[name];
    if (value !== null) out[name] = value;
  }
  const wanted = { ...fields };
  if (method !== 'basic') delete wanted.username;
  if (method !== 'app') {
    delete wanted.githubAppID;
    delete wanted.githubAppInstallationID;
    delete wanted.githubAppBaseURL;
  }
  return { ...wanted, url: fields.url.trim(), secrets: out };
}
