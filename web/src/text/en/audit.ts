import { plural } from './count';

/** Texts of the audit. */
export const audit = {
  audit: {
    none: 'Nothing has happened yet',
    noneLead: 'Who syncs, rolls back, deletes or signs in is here from then on, and so is what was denied.',
    find: 'Find words in names, reasons and messages',
    fields: { who: 'Who', verb: 'What was done', name: 'Application', project: 'Project' },
    columns: { time: 'When', who: 'Who', what: 'What', outcome: 'Result', why: 'Why' },
    outcomes: { allowed: 'Allowed', denied: 'Denied', failed: 'Failed' } as Record<string, string>,
    anyOutcome: 'Any result',
    anyTime: 'Any time',
    own: 'From … to …',
    from: 'From',
    to: 'Until',
    span: (hours: number) =>
      hours < 48 ? `Last ${plural(hours, 'hour', 'hours')}` : `Last ${plural(hours / 24, 'day', 'days')}`,
    export: 'Export as JSON lines',
    more: (n: number) => `More (${n.toLocaleString('en')} shown)`,
    nobody: 'nobody known',
    via: (how: string) => `by ${how}`,
    times: (n: number) => `${n.toLocaleString('en')} times`,
    entry: (n: number) => `Entry ${n}`,
    noEntry: 'There is no such entry; old ones are deleted by age and size',
    facts: {
      object: 'Object',
      project: 'Project',
      cluster: 'Cluster',
      reason: 'Reason given',
      message: 'Message',
      from: 'From',
      operation: 'Operation',
      trace: 'Trace',
      of: 'Belongs to',
      count: 'Attempts',
      checkpoint: 'Checkpoint',
      gaps: 'Deleted',
      digest: 'Digest of the changes',
      subject: 'Known to the issuer as',
      hash: 'Hash',
    },
    checkpoint: (n: number, through: number) => `${n.toLocaleString('en')} old entries were deleted, up to ${through}`,
    gaps: (all: { from: number; through: number }[]) =>
      all.map((g) => (g.from === g.through ? String(g.from) : `${g.from} to ${g.through}`)).join(', '),
    masked: 'It changed; values are not kept, as a secret may be among them.',
    moreChanges: (n: number) => `${n.toLocaleString('en')} more changes are not kept.`,
    prove: 'Verify the chain',
    unproved: 'Each entry has the hash of the one before it: whether that holds can be verified.',
    holds: (n: number, last: number) =>
      `Verified: ${plural(n, 'entry', 'entries')} up to ${last} are as they were written.`,
    broken: (at: number, why: string) => `Broken at entry ${at}: ${why}.`,
  },
};
