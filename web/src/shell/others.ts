import { keepPreviousData, useQuery } from '@tanstack/react-query';

import { auditFindsQuery, isProblem, productFindsQuery } from '../api/queries';
import { useMay } from '../ui/may';
import { wordsOf } from '../ui/state';
import { entriesOf, environmentsOf, type Group, type Kind } from './finds';

/** What is found beside the search of the server, by what its pages ask. */
interface Others {
  groups: Group[];
  failed: { kind: Kind; reason: string }[];
  busy: boolean;
}

/** A word as short as this is in every entry of the audit. */
const shortest = 3;

/** useOthers asks for environments, products and entries of the audit, these of whom may read them: to try is an entry, too. */
export function useOthers(text: string, settled: string): Others {
  const may = useMay('audit');
  const asked = settled !== '';
  const products = useQuery({ ...productFindsQuery(settled), placeholderData: keepPreviousData, enabled: asked });
  const entries = useQuery({
    ...auditFindsQuery(settled),
    placeholderData: keepPreviousData,
    enabled: settled.length >= shortest && may('get'),
  });
  const failures: [Kind, unknown][] = [
    ['products', products.error],
    ['audit', entries.error],
  ];
  return {
    groups: [
      ...environmentsOf(text, products.data),
      ...(settled.length >= shortest ? entriesOf(text, entries.data) : []),
    ],
    failed: failures.flatMap(([kind, error]) =>
      error === null || isProblem(error, 403) ? [] : [{ kind, reason: wordsOf(error) }],
    ),
    busy: products.isFetching || entries.isFetching,
  };
}
