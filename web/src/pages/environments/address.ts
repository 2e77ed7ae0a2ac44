import type { EnvironmentFilter } from '../../api/queries';
import { changed, useSearch } from '../../ui/search';

/** Products of a page of the matrix. */
export const pageSize = 100;

/** Where somebody is on the page, as the address has it. */
export function useAddress() {
  const { params, change, go } = useSearch();
  const page = Math.max(0, Number.parseInt(params.get('page') ?? '0', 10) || 0);
  const filter: EnvironmentFilter = {
    ...(params.get('q') && { q: params.get('q') ?? '' }),
    ...(params.get('differs') === '1' && { differs: true }),
    offset: page * pageSize,
    limit: pageSize,
  };
  return {
    filter,
    page,
    product: params.get('product') ?? '',
    environment: params.get('environment') ?? '',
    against: params.get('against') ?? '',
    /** The two environments that are compared over all products. */
    pair: { from: params.get('from') ?? '', to: params.get('to') ?? '' },
    change,
    go,
    /** The address of a cell, compared with another environment where that is to be seen first. */
    to: (product: string, environment: string, against = '') => ({
      search: changed(params, { product, environment, against }).toString(),
    }),
  };
}

/** compareTo is the address where two environments are compared over all products. */
export const compareTo = (from = '', to = '') => ({
  pathname: '/environments/compare',
  search: changed(new URLSearchParams(), { from, to }).toString(),
});

export type Address = ReturnType<typeof useAddress>;
