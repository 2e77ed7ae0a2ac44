/** Texts of saved views of the list of applications. */
export const views = {
  views: {
    title: 'Saved views',
    at: (name: string) => `View: ${name}`,
    none: 'None yet. Filter and sort the list, then save it under a name.',
    all: 'All applications',
    by: (sort: string, reversed: boolean) => `by ${sort.toLowerCase()}${reversed ? ', reversed' : ''}`,
    name: 'Save what the list shows as',
    newName: 'New name',
    save: 'Save view',
    replace: 'Replace view',
    saved: (name: string) => `The view ${name} is saved in this browser.`,
    copy: (name: string) => `Copy the link of ${name}`,
    rename: 'Rename',
    renameOf: (name: string) => `Rename ${name}`,
    remove: 'Delete',
    removeOf: (name: string) => `Delete ${name}`,
    removeAsk: (name: string) => `Delete the view ${name}?`,
    where: 'Views are kept in this browser, for your account. To share one, copy its link.',
    faults: {
      nameless: 'Give it a name.',
      taken: 'Another view has this name.',
      full: 'There is no room for another view. Delete one first.',
      long: 'That is more than a view can have. Choose fewer values of filters.',
      unkept: 'This browser does not keep it: its storage is full, or switched off for this page.',
    },
  },
};
