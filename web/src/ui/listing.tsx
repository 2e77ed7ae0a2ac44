import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';

import { t } from '../text';
import { listCommand } from './commands';
import { Find } from './find';
import { Command } from './copy';
import { type IconName } from './icons';
import css from './listing.module.css';
import { Empty } from './may';
import { useSearch } from './search';
import { Failed, Loading, Message } from './state';
import { useHeading, useTitle } from './title';

interface Props<T> {
  title: string;
  icon: IconName;
  query: UseQueryResult<T[] | null>;
  /** What a search looks through. */
  words: (item: T) => string;
  find: string;
  /** What those may get who see what is in it. */
  resource: string;
  none: { what: string; title: string; lead: string };
  count: (n: number) => string;
  /** The same on the command line, and the names that it takes. */
  command: string;
  nameOf: (item: T) => string;
  /** What stands at the end of the heading. */
  actions?: ReactNode;
  children: (items: T[]) => ReactNode;
}

/** Listing is a page that is one list, with what such a page says when there is nothing to list. */
export function Listing<T>({
  title,
  icon,
  query,
  words,
  find,
  resource,
  none,
  count,
  command,
  nameOf,
  actions,
  children,
}: Props<T>) {
  useTitle(title);
  const heading = useHeading();
  const { params, put } = useSearch();
  const text = params.get('q') ?? '';
  const items = useMemo(() => {
    const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
    return (query.data ?? []).filter((item) => wanted.every((w) => words(item).toLowerCase().includes(w)));
  }, [query.data, text, words]);
  const total = query.data?.length ?? 0;
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {query.data && (
          <span className="dim" role="status">
            {count(items.length)}
          </span>
        )}
        <span className={css.actions}>
          <Command {...listCommand(command, items.map(nameOf), items.length < total)} />
          {actions}
        </span>
      </header>
      {query.data === undefined &&
        (query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading />)}
      {query.data !== undefined && total === 0 && (
        <Empty resource={resource} of={none.what}>
          <Message icon={icon} title={none.title}>
            <p>{none.lead}</p>
          </Message>
        </Empty>
      )}
      {(total > 1 || text !== '') && (
        <Find label={find} className={css.find ?? ''} value={text} change={(text) => put('q', text)} />
      )}
      {total > 0 && items.length === 0 && <Message icon="search" title={t.list.noMatch} />}
      {items.length > 0 && children(items)}
    </div>
  );
}
