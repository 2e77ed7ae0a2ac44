import { plural } from './count';

/** Texts of API keys. */
export const keys = {
  keys: {
    title: 'API keys',
    lead: 'A program signs in with a key of its own, which never gives more than you may yourself.',
    create: 'Make a key',
    none: 'You have made no keys.',
    columns: { name: 'Name', scope: 'For', created: 'Made', expires: 'Ends', used: 'Last used' },
    of: (owner: string) => `of ${owner}`,
    readOnly: 'reading everything',
    expired: 'ended',
    revoke: 'Revoke',
    revokeKey: (name: string) => `Revoke ${name}`,
    revokeTitle: (name: string) => `Revoke the key ${name}?`,
    revokeLead: 'The next request that it is sent with is refused. That cannot be undone.',
    revoked: (name: string) => `${name} is revoked.`,
    name: 'What it is for',
    nameHint: 'Such as “ci of shop”',
    days: 'It counts',
    day: (n: number) => plural(n, 'day', 'days'),
    reads: 'Read everything that you may read',
    rules: 'What else it may do',
    rulesHint:
      'resource:action:project, one a line; * is for all. To do something to what is in a project is to see it, too.',
    rulesExample: 'applications:sync:shop-*',
    badRule: (line: string) => `“${line}” is not resource:action:project`,
    nothing: 'Say what it is for: to read everything, or a rule.',
    made: (name: string) => `The key ${name} is made`,
    once: 'It is shown this once. Keep it where the program finds it; who has it may do what it is for.',
    token: 'Key',
  },
};
