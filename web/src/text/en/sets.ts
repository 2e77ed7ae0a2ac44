import { apps, plural } from './count';

/** Texts of ApplicationSets. */
export const sets = {
  sets: {
    count: (n: number) => plural(n, 'ApplicationSet', 'ApplicationSets'),
    find: 'Find by name, project or generator',
    what: 'ApplicationSets',
    none: 'No ApplicationSets yet',
    noneLead: 'An ApplicationSet makes an application for each cluster, folder or entry of a list.',
    failed: 'Failed',
    healthy: (n: number, of: number) => `${n} of ${of} healthy`,
    synced: (n: number, of: number) => `${n} of ${of} synced`,
    generators: (list: string) => `Generators: ${list}`,
    project: (name: string) => `Project ${name}`,
    created: 'Created',
  },
  set: {
    made: 'What it generates',
    find: 'Find by name, cluster, parameter or value',
    nothing: 'It generates nothing',
    nothingLead: 'No cluster, folder or entry matches its generators.',
    spec: 'The ApplicationSet as it is written',
    expanded: 'expanded',
    refreshed: 'The engine expands it again.',
    refreshing: 'Being expanded again',
    looked: (name: string, n: number) => `${name} was expanded again, and gives ${apps(n)}.`,
    lookedBroken: (name: string, why: string) => `${name} was expanded again, and gives nothing: ${why}`,
    gone: (name: string) => `${name} is deleted.`,
    applications: (n: number) => `Show ${apps(n)}`,
    broken: 'It gives nothing, so nothing of it is changed',
    brokenWay: 'Mend what the message names; its applications stay as they are until then.',
    refused: (n: number) => `${apps(n)} not created`,
    refusedOne: 'Not created',
    further: (n: number) => `and ${n.toLocaleString('en')} more`,
    nameless: '(no name)',
    notYet: 'not there yet',
    warnings: 'Worth a look',
    template: 'template',
    output: (name: string) => `What the template gives for ${name}`,
    count: (n: number, of: number) => (n === of ? apps(of) : `${n} of ${apps(of)}`),
    loaded: (n: number, of: number) => `· ${n.toLocaleString('en')} of ${of.toLocaleString('en')} are loaded`,
    cut: '· long or many parameters are cut',
    more: 'Load more',
    choose: {
      open: (n: number, of: number) =>
        n === of ? `Columns: all ${of} parameters` : `Columns: ${n} of ${of} parameters`,
      label: 'Parameters that are columns',
      find: 'Find a parameter',
      all: 'All',
      differing: (n: number) => `Those that differ (${n})`,
      none: 'None',
      more: (n: number) => `${n.toLocaleString('en')} more: find them by name`,
    },
    columns: { name: 'Application', status: 'Status', cluster: 'Cluster' },
    states: {
      ErrorOccurred: {
        yes: { title: 'Something is wrong with it', way: 'Mend what the message names, then refresh.' },
      },
      ResourcesUpToDate: {
        yes: { title: 'Its applications are as it says', way: '' },
        no: {
          title: 'Its applications are not all as it says',
          way: 'The engine goes on by itself; the message says what is in the way.',
        },
      },
      RolloutProgressing: {
        yes: {
          title: 'It rolls out step by step',
          way: 'Each step waits until the applications of the one before are healthy.',
        },
      },
      ParameterWarning: {
        yes: {
          title: 'Its template leaves placeholders as they are',
          way: 'Give the clusters what the message names, or correct the name.',
        },
      },
      DeletionHeld: {
        yes: {
          title: 'It would delete much, and waits for approval',
          way: 'Look at the list above; who may change the set approves it.',
        },
      },
    } as Record<string, { yes?: { title: string; way: string }; no?: { title: string; way: string } }>,
  },
  rollout: {
    title: 'Brings its applications up to date in steps',
    paused: 'Paused',
    pause: 'Pause',
    resume: 'Resume',
    holds: 'Nothing more is begun; syncs that run go on.',
    goesOn: 'The roll-out goes on.',
    step: (n: number) => `Step ${n}`,
    none: 'In no step',
    atOnce: (most: string) => `${most} at once`,
    others: 'There are others in the steps that you may not see. They are not counted here.',
    done: (n: number, of: number) => `${n} of ${of} done`,
    atWork: (n: number) => `${n} at work`,
    waiting: (n: number) => plural(n, 'waits', 'wait'),
  },
};
