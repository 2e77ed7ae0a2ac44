import { apps, plural } from './count';

/** Texts of deletions that wait for somebody's word. */
export const held = {
  held: {
    objects: (n: number) => plural(n, 'object', 'objects'),
    approval: (what: string) => `${what} to be deleted: that is much, and waits for approval`,
    approvalLead:
      'They are deleted once you approve. That counts for exactly these, for an hour, and once. Bring them back in Git if that is not meant.',
    approve: 'Approve deletion',
    approved: 'The deletion is approved.',
    confirmation: (what: string) => `${what} asked to be confirmed before being deleted`,
    confirmationLead: 'They are deleted once you confirm. That counts for the sync or deletion that is under way.',
    confirm: 'Confirm deletion',
    confirmed: 'The deletion is confirmed.',
    ofSet: (n: number, others: boolean) =>
      `${n === 0 ? 'Applications that you may not see' : apps(n)}${n > 0 && others ? ', and others that you may not see,' : ''} to be deleted: that is much, and waits for approval`,
    ofSetLead:
      'They are deleted once you approve, with their objects where they say so. That counts for exactly these, for an hour, and once.',
    way: 'Look whether that is meant before you let it go.',
    mayNot: 'You may not let it go; the command is for who may.',
    guarded: (n: number, set: string) => `The guard would hold the deletion of ${apps(n)} of ${set}`,
    guardedWay: 'They are kept until somebody approves their deletion:',
    guardedHidden: 'It would hold deletions of ApplicationSets or applications that you may not see, too.',
    none: 'The guard would hold none of these deletions.',
    others: 'Of the other ApplicationSets the guard would hold no deletion.',
    failing: 'Not all is known of these ApplicationSets:',
    unknown: (text: string) => `It is not known what the guard would hold: ${text}`,
    unseen: 'and others that you may not see',
    more: (n: number) => `and ${n.toLocaleString('en')} more`,
  },
};
