import { t } from '../../text';

/** Parts of the settings: how each is called, and by what else it is looked for. */
export const sections = {
  you: { name: t.settings.you, words: t.settings.words.you },
  look: { name: t.settings.look, words: t.settings.words.look },
  keys: { name: t.keys.title, words: t.settings.words.keys },
  accounts: { name: t.accounts.title, words: t.settings.words.accounts },
  rights: { name: t.settings.rights, words: t.settings.words.rights },
  installation: { name: t.settings.installation, words: t.settings.words.installation },
};
export type Section = keyof typeof sections;

/** What an address names after the # for an account, and for an API key. */
export const accountAnchor = (name: string) => `account-${name}`;
export const keyAnchor = (id: string) => `key-${id}`;
