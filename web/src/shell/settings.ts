import type { Account, APIKey } from '../api/client';
import { accountAnchor, keyAnchor, sections, type Section } from '../pages/settings/sections';
import { t } from '../text';
import { groupOf, has, most, wordsIn, type Group, type Hit } from './finds';

/** What of the settings somebody may see; what is not known is not offered. */
interface Seen {
  accounts: readonly Account[] | undefined;
  keys: readonly APIKey[] | undefined;
}

/** settingsOf are parts of the settings, accounts and API keys that are called so. */
export function settingsOf(text: string, { accounts, keys }: Seen): Group[] {
  const words = wordsIn(text);
  if (words.length === 0) return [];
  const hidden: Partial<Record<Section, boolean>> = { accounts: !accounts?.length, keys: !keys };
  const parts = Object.entries(sections).flatMap(([id, { name, words: more }]): Hit[] =>
    hidden[id as Section] || !has(`${t.nav.settings} ${name} ${more}`, words)
      ? []
      : [{ to: `/settings#${id}`, icon: 'gear', name, detail: t.nav.settings }],
  );
  return [
    ...groupOf('settings', parts),
    ...some('accounts', accounts ?? [], (a) => has(a.name, words), accountHit),
    ...some('apiKeys', keys ?? [], (k) => has(`${k.name} ${k.owner}`, words), keyHit),
  ];
}

/** some are the first that match, and the way to all. */
function some<T>(
  kind: 'accounts' | 'apiKeys',
  all: readonly T[],
  matches: (one: T) => boolean,
  hitOf: (one: T) => Hit,
): Group[] {
  const found = all.filter(matches);
  const hits = found.slice(0, most).map(hitOf);
  const to = `/settings#${kind === 'accounts' ? 'accounts' : 'keys'}`;
  if (found.length > most) hits.push({ to, icon: 'right', name: t.search.all, all: true });
  return groupOf(kind, hits);
}

const accountHit = (a: Account): Hit => ({
  to: `/settings#${accountAnchor(a.name)}`,
  icon: 'user',
  name: a.name,
  detail: a.capabilities.map((c) => t.accounts.capabilities[c] ?? c).join(', '),
  note: a.own ? t.accounts.you : undefined,
});

const keyHit = (k: APIKey): Hit => ({
  to: `/settings#${keyAnchor(k.id)}`,
  icon: 'command',
  name: k.name,
  detail: t.keys.of(k.owner),
  note: k.expired ? t.keys.expired : undefined,
});
