import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';

import { entryOf, servedEntry } from '../api/code';
import { t } from '../text';
import { Message } from '../ui/state';

/** Pauses in milliseconds: between looks for the server, and between loads of the document that nobody asked for. */
const lookEvery = 3_000;
const reloadEvery = 60_000;
const reloadedAt = 'causeway.reloaded';

/** NotLoaded stands where code did not come, and loads the document anew as soon as the server gives code again. */
export function NotLoaded({ heading }: { heading: 'h1' | 'h2' }) {
  const served = useQuery({
    queryKey: ['code'],
    queryFn: ({ signal }) => servedEntry(signal),
    retry: false,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: lookEvery,
  });
  const { data, isError, dataUpdatedAt } = served;
  const there = data !== undefined && !isError;
  useEffect(() => {
    if (there && mayReload()) window.location.reload();
  }, [there, dataUpdatedAt]);
  const upgraded = there && data !== entryOf(document);
  return (
    <Message
      icon="warning"
      title={upgraded ? t.code.upgraded : t.code.title}
      alert
      heading={heading}
      action={
        <Button onClick={() => (there ? window.location.reload() : void served.refetch())} loading={served.isLoading}>
          {there ? t.state.reload : t.state.retry}
        </Button>
      }
    >
      <p>{upgraded ? t.code.upgradedLead : there ? t.code.missingLead : t.code.awayLead}</p>
    </Message>
  );
}

/** mayReload keeps a document whose code stays away from being loaded over and over. */
function mayReload(): boolean {
  const now = Date.now();
  if (now - Number(sessionStorage.getItem(reloadedAt) ?? 0) < reloadEvery) return false;
  sessionStorage.setItem(reloadedAt, String(now));
  return true;
}
