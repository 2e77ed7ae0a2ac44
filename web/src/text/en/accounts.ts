import { plural } from './count';

/** Texts of accounts, passwords and the end of sessions. */
export const accounts = {
  accounts: {
    title: 'Accounts',
    lead: 'Accounts of the installation, as argocd-cm declares them.',
    columns: { name: 'Name', enabled: 'On', capabilities: 'For', password: 'Password', tokens: 'Tokens' },
    you: 'you',
    on: 'yes',
    off: 'no',
    capabilities: { login: 'signing in', apiKey: 'tokens' } as Record<string, string>,
    nothing: 'nothing',
    isSet: 'set',
    unset: 'none',
    set: 'Set password',
    setOf: (name: string) => `Set the password of ${name}`,
    setLead:
      'All sessions and API keys of the account end. Argo CD takes the new password where it took the one before.',
    current: 'Your own password',
    next: 'New password',
    again: 'New password, once more',
    differs: 'This is another one',
    done: (name: string) => `The password of ${name} is set.`,
    end: 'End sessions',
    endOf: (name: string) => `End all sessions of ${name}`,
    endTitle: (name: string) => `End all sessions of ${name}?`,
    endLead: 'Whoever is signed in with the account has to sign in again. Its API keys stay.',
    ended: (name: string) => `The sessions of ${name} have ended.`,
    everywhere: 'Sign out everywhere',
    everywhereTitle: 'Sign out everywhere?',
    everywhereLead:
      'All sessions of yours end: this one, those in other browsers, and those of programs that signed in as you. API keys stay.',
    where: (place: string, days: number, size: string) =>
      `kept in ${place}, for ${plural(days, 'day', 'days')} and up to ${size}`,
  },
};
