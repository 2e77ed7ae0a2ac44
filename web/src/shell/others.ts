import { keepPreviousData, useQuery } from '@tanstack/react-query';

import { accountsQuery, auditFindsQuery, isNotForThem, keysQuery, productFindsQuery } from '../api/queries';
import { useSaved } from '../pages/applications/saved';
import { useMay } from '../ui/may';
import { wordsOf } from '../ui/state';
import { entriesOf, environmentsOf, viewsOf, type Group, type Kind } from './finds';
import { settingsOf } from './settings';

/** What is found beside the search of the server, by what its pages ask. */
interface Others {
  /** What is somebody's own, and known at once: saved views. */
  first: Group[];
  groups: Group[];
  failed: { kind: Kind; reason: string }[];
  busy: boolean;
}

/** A word as short as this is in every entry of the audit. */
const shortest = 3;

/**
 * useOthers asks for environments, products, accounts, API keys and entries of the audit, these of whom may read them:
 * to try is an entry, too.
 */
export function useOthers(text: string, settled: string): Others {
  const may = useMay('audit');
  const mayAccounts = useMay('accounts');
  const { views } = useSaved();
  const asked = settled !== '';
  const products = useQuery({ ...productFindsQuery(settled), placeholderData: keepPreviousData, enabled: asked });
  const entries = useQuery({
    ...auditFindsQuery(settled),
    placeholderData: keepPreviousData,
    enabled: settled.length >= shortest && may('get'),
  });
  const accounts = useQuery({ ...accountsQuery, enabled: asked });
  const keys = useQuery({ ...keysQuery(mayAccounts('update')), enabled: asked });
  const failures: [Kind, unknown][] = [
    ['products', products.error],
    ['audit', entries.error],
    ['accounts', accounts.error],
    ['apiKeys', keys.error],
  ];
  return {
    first: viewsOf(text, views),
    groups: [
      ...environmentsOf(text, products.data),
      ...settingsOf(text, { accounts: accounts.data, keys: keys.data }),
      ...(settled.length >= shortest ? entriesOf(text, entries.data) : []),
    ],
    // What is not for somebody says so on its page.
    failed: failures.flatMap(([kind, error]) =>
      error === null || isNotForThem(error) ? [] : [{ kind, reason: wordsOf(error) }],
    ),
    busy: products.isFetching || entries.isFetching || accounts.isLoading || keys.isLoading,
  };
}
