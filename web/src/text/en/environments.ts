import { apps, plural } from './count';

/** Texts of environments. */
export const environments = {
  environments: {
    label: 'Products by environment, in the order of promotion',
    size: (products: number, n: number) =>
      `${plural(products, 'product', 'products')} × ${plural(n, 'environment', 'environments')}`,
    product: 'Product',
    find: 'Find by name or project',
    differs: 'Only what differs',
    allSame: 'Nothing differs: each product runs one version everywhere',
    what: 'environments',
    none: 'No environments yet',
    noneLead:
      'An application is in the environment that its label, or that of its cluster, names: environment=dev, test, staging, prod.',
    without: 'No environment',
    notThere: 'It does not run there',
    noVersion: 'no version',
    never: 'Not synced yet',
    versions: (n: number) => plural(n, 'version', 'versions'),
    by: (who: string) => `by ${who}`,
    byItself: 'by itself',
    facts: {
      version: 'Version',
      target: 'Asked for',
      source: 'Source',
      values: 'Values',
      commit: 'Commit',
      promoted: 'Brought there',
      images: 'Images',
    },
    more: (n: number) => `and ${apps(n)} more`,
    compare: 'Compare with',
    objects: (n: number, from: string, to: string) =>
      n === 0
        ? `No object differs between ${from} and ${to}`
        : `What ${to} has in place of ${from}: ${plural(n, 'object', 'objects')}`,
    omitted: (n: number) => `${plural(n, 'object more differs', 'objects more differ')}.`,
    choose: 'Choose an environment',
    later:
      'Causeway cannot promote from here yet. To bring a version on, change its revision in Git, or sync the application to it.',
    two: {
      open: 'Compare two…',
      title: 'Compare two environments',
      between: (from: string, to: string) => `${from} ≠ ${to}`,
      from: 'Environment',
      to: 'compared with',
      swap: 'Swap them',
      label: (from: string, to: string) => `What differs between ${from} and ${to}`,
      size: (n: number) => plural(n, 'product differs', 'products differ'),
      same: (from: string, to: string) => `Nothing differs between ${from} and ${to}`,
      sameLead: 'Each product has the same versions, values and images in both.',
      unknown: (name: string) => `No application is in the environment “${name}”`,
      unknownLead: 'Choose another one above.',
      few: 'There are no two environments to compare',
      itself: 'An environment does not differ from itself',
      differs: (what: string) => `differs: ${what}`,
      aspects: { place: 'runs in one alone', version: 'version', values: 'values', images: 'images' } as Record<
        string,
        string
      >,
    },
    pages: 'Pages of products',
    pageOf: (page: number, of: number) => `Page ${page} of ${of}`,
    before: 'Previous',
    after: 'Next',
  },
};
