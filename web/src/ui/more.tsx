import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';

import css from './more.module.css';
import { wordsOf } from './state';

/** More reads on in a list that comes page by page, and says why it could not. */
export function More({ query, label }: { query: UseInfiniteQueryResult; label: string }) {
  if (!query.hasNextPage) return null;
  return (
    <div className={css.more}>
      {query.isFetchNextPageError && <p role="alert">{wordsOf(query.error)}</p>}
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
}
