import type { Member, MemberWish } from '../../api/client';
import { t } from '../../text';
import { without } from '../../ui/without';

export type Method = 'none' | 'token' | 'cert' | 'basic' | 'aws' | 'exec';
export type SecretName = 'password' | 'bearerToken' | 'certData' | 'keyData' | 'args' | 'env' | 'proxyUrl';

/** What a form has entered; null keeps what is stored. Lists and maps are lines of text. */
export interface Draft {
  fields: Omit<MemberWish, 'secrets' | 'labels' | 'annotations' | 'namespaces' | 'aws'>;
  labels: string;
  annotations: string;
  namespaces: string;
  aws: NonNullable<MemberWish['aws']>;
  method: Method;
  secrets: Record<SecretName, string | null>;
}

const belongs: Partial<Record<SecretName, Method>> = {
  password: 'basic',
  bearerToken: 'token',
  certData: 'cert',
  keyData: 'cert',
};
export const secretNames: SecretName[] = ['password', 'bearerToken', 'certData', 'keyData', 'args', 'env', 'proxyUrl'];

/** answered is what a server tells of a cluster, and takes of none. */
const answered = [
  'id',
  'credentials',
  'version',
  'managedBy',
  'problem',
  'health',
  'applications',
  'can',
  'labels',
  'annotations',
  'namespaces',
  'aws',
] as const;

/** lines are a map as name=value, one a line. */
export const lines = (map: Record<string, string> | undefined): string =>
  Object.entries(map ?? {})
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

const rows = (text: string) =>
  text
    .split('\n')
    .map((l) => l.trim())
    .filter(Boolean);

/** mapOf reads name=value, one a line; a line without a sign is a name alone. */
export const mapOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    rows(text).map((l) => {
      const at = l.indexOf('=');
      return at < 0 ? [l, ''] : [l.slice(0, at).trim(), l.slice(at + 1).trim()];
    }),
  );

/** isPaired tells whether a line can be sent: a name and a value. */
const isPaired = (line: string) => line.trim().indexOf('=') > 0;

/** paired is a draft without the lines that cannot be sent: what a server has to say of all else. */
export const paired = (draft: Draft): Draft => {
  const kept = (text: string) => text.split('\n').filter(isPaired).join('\n');
  return { ...draft, labels: kept(draft.labels), annotations: kept(draft.annotations) };
};

/** unpaired tells of each line that is no name=value, with what to do. */
export function unpaired(text: string): string[] {
  const first = new Map<string, number>();
  return text.split('\n').flatMap((line, i) => {
    const words = line.trim();
    if (words === '') return [];
    const at = words.indexOf('=');
    if (at < 0) return [t.clusterForm.noSign(i + 1, shown(words))];
    const name = words.slice(0, at).trim();
    if (name === '') return [t.clusterForm.noName(i + 1, shown(words))];
    const before = first.get(name);
    if (before !== undefined) return [t.clusterForm.twice(i + 1, shown(name), before)];
    first.set(name, i + 1);
    return [];
  });
}

/** Characters of a line that a message repeats. */
const longest = 60;

const shown = (words: string) => (words.length > longest ? `${words.slice(0, longest - 1)}…` : words);

/** together are what several say of fields, a line each. */
export function together(...all: Record<string, string>[]): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [field, said] of all.flatMap((one) => Object.entries(one)))
    out[field] = out[field] ? `${out[field]}\n${said}` : said;
  return out;
}

/** unfitOf is what cannot be sent as it was entered, by field. */
export function unfitOf({ labels, annotations }: Draft): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ labels, annotations })
      .map(([field, text]): [string, string] => [field, unpaired(text).join('\n')])
      .filter(([, said]) => said !== ''),
  );
}

function methodOf(m: Member): Method {
  if (m.aws) return 'aws';
  if (m.command) return 'exec';
  if (m.credentials.includes('bearerToken')) return 'token';
  if (m.credentials.includes('certData')) return 'cert';
  return m.username ? 'basic' : 'none';
}

/** newDraft is what a form begins with. */
export function newDraft(member: Member | null): Draft {
  const secrets = Object.fromEntries(secretNames.map((n) => [n, null])) as Draft['secrets'];
  const empty = { labels: '', annotations: '', namespaces: '', aws: {}, secrets };
  if (!member) return { ...empty, fields: { name: '', server: '' }, method: 'token' };
  const fields = without(member, answered);
  return {
    ...empty,
    fields: fields,
    labels: lines(member.labels),
    annotations: lines(member.annotations),
    namespaces: (member.namespaces ?? []).join('\n'),
    aws: member.aws ?? {},
    method: methodOf(member),
  };
}

/** wishOf is what is sent: secrets of other ways to sign in than the chosen one are taken away. */
export function wishOf({ fields, method, secrets, aws, ...texts }: Draft, stored: readonly string[]): MemberWish {
  const out: NonNullable<MemberWish['secrets']> = {};
  for (const name of ['password', 'bearerToken', 'certData', 'keyData', 'proxyUrl'] as const) {
    const of = belongs[name];
    if (of && of !== method) {
      if (stored.includes(name)) out[name] = '';
      continue;
    }
    const value = secrets[name];
    if (value !== null) out[name] = value;
  }
  if (method === 'exec' && secrets.args !== null) out.args = rows(secrets.args);
  if (method === 'exec' && secrets.env !== null) out.env = mapOf(secrets.env);
  const wanted = { ...fields };
  if (method !== 'basic') delete wanted.username;
  if (method !== 'exec') {
    delete wanted.command;
    delete wanted.commandVersion;
  }
  return {
    ...wanted,
    name: fields.name.trim(),
    server: fields.server.trim(),
    labels: mapOf(texts.labels),
    annotations: mapOf(texts.annotations),
    namespaces: rows(texts.namespaces),
    ...(method === 'aws' && { aws }),
    secrets: out,
  };
}
