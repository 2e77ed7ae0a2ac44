/** Conditions of an application in plain words, with the way out. */
export const conditions = {
  conditions: {
    title: 'What needs a look',
    sync: 'The last sync failed',
    show: 'Show them',
    known: {
      ApplicationSetError: {
        title: 'Its ApplicationSet has an error',
        way: 'Open the set: it says what is wrong. Until that is mended, what it gave before may stay as it is.',
      },
      ClusterPausedWarning: {
        title: 'Its cluster is paused',
        way: 'Nothing is synced, healed, pruned or deleted there. Take the annotation that the message names off the Secret of the cluster, and all goes on.',
      },
      ClusterUnreachable: {
        title: 'Its cluster does not answer',
        way: 'Look under Clusters since when, and why. When it answers again, so does this page.',
      },
      ComparisonError: {
        title: 'Git cannot be compared with the cluster',
        way: 'The message says where. Mend it in Git, or look whether the repository and the cluster can be reached, then refresh.',
      },
      InvalidSpecError: {
        title: 'The application itself is not valid',
        way: 'Change its spec: what the message names is wrong or missing, or its project does not allow it.',
      },
      SyncError: {
        title: 'The last sync failed',
        way: 'Look at the objects that failed under Timeline. When the cause is mended, sync again.',
      },
      DeletionError: {
        title: 'It cannot be deleted',
        way: 'An object cannot be removed, often because a finalizer waits for a controller that is gone.',
      },
      UnknownError: {
        title: 'Something went wrong',
        way: 'Refresh; if it stays, the log of the engine says more: causeway logs --engine',
      },
      OrphanedResourceWarning: {
        title: 'Objects nobody manages',
        way: 'They lie in its namespace and belong to no application. Delete them there, bring them into Git, or have the project ignore them.',
      },
      SharedResourceWarning: {
        title: 'Two applications want the same object',
        way: 'Take it out of one of them; until then they overwrite each other.',
      },
      RepeatedResourceWarning: {
        title: 'An object occurs twice in Git',
        way: 'Remove one of the two; which of them is applied is not certain.',
      },
      ExcludedResourceWarning: {
        title: 'Objects of a kind that is left out',
        way: 'The settings exclude this kind. Take it out of Git, or out of the exclusions.',
      },
      DeletionHeldError: {
        title: 'A sync would delete much, and waits for approval',
        way: 'Look at the list whether that is meant, and approve it; or bring it back in Git.',
      },
      RolledBackWarning: {
        title: 'It was rolled back, and stays so',
        way: 'What Git says is not synced by itself until Git changes. Sync to end that.',
      },
      IneffectiveOptionWarning: {
        title: 'An option means nothing as it is written',
        way: 'Correct the option, wave, hook or rule that the message names, in Git or in the spec.',
      },
      DriftWarning: {
        title: 'Somebody changed it in the cluster',
        way: 'Diff shows what. Sync to undo it, write it into Git to keep it, or switch on selfHeal.',
      },
      MergedResourceWarning: {
        title: 'An object is merged, not applied',
        way: 'A list in it has elements with equal keys. Make them unlike each other in Git; until then, what leaves Git stays in the cluster.',
      },
      SkippedManifestWarning: {
        title: 'A file is skipped',
        way: 'It looks like a manifest and cannot be read as one. Mend it, or exclude it in directory.exclude.',
      },
      ForeignResourceWarning: {
        title: 'Objects bear its mark that its project does not permit',
        way: 'They are left alone. Take the tracking id off them, or permit their kind and namespace in the project if they are its own.',
      },
      StatusShortenedWarning: {
        title: 'There are more objects than can be listed',
        way: 'All are synced; some are not shown. Split the application to see each.',
      },
      InvalidProjectWarning: {
        title: 'Rules of its project cannot be meant as they are',
        way: 'Change the project where the message says. What cannot be understood allows nothing.',
      },
      DependencyWaiting: {
        title: 'It waits for what it depends on',
        way: 'The sync begins by itself when that is healthy. Look there first.',
      },
    } as Record<string, { title: string; way: string }>,
    seen: 'since',
  },
};
