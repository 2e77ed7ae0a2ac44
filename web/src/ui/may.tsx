import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import { rightsQuery } from '../api/queries';
import { t } from '../text';
import { Failed, Loading, Message } from './state';

/** useMay tells of a resource's actions whether one may do them with some objects at least; nothing until it is known. */
export function useMay(resource: string): (action: string) => boolean {
  const own = useQuery(rightsQuery).data?.rights ?? [];
  return (action) => own.some((r) => r.resource === resource && r.action === action && r.some === true);
}

interface Props {
  resource: string;
  action: string;
  /** What stands there for those who may not. */
  denied: string;
  children: ReactNode;
}

/** Permitted shows a form to those who may send it, and the reason to all others. */
export function Permitted({ resource, action, denied, children }: Props) {
  const rights = useQuery(rightsQuery);
  const may = useMay(resource);
  if (rights.error && !rights.data) return <Failed error={rights.error} retry={() => void rights.refetch()} />;
  if (!rights.data) return <Loading />;
  if (may(action)) return children;
  return (
    <Message icon="user" title={denied}>
      <p>{t.state.askFor(`${resource}, ${action}`)}</p>
    </Message>
  );
}

interface EmptyProps {
  /** What one has to be allowed to get for there to be anything. */
  resource: string;
  /** What the list is of, as one says it. */
  of: string;
  /** What an empty list says to those who would see what is in it. */
  children: ReactNode;
}

/** Empty tells those who may see nothing of a kind from those for whom there is nothing yet. */
export function Empty({ resource, of, children }: EmptyProps) {
  const rights = useQuery(rightsQuery);
  const may = useMay(resource);
  if (rights.isPending) return <Loading />;
  if (rights.error || may('get')) return children;
  return (
    <Message icon="user" title={t.state.unseen(of)}>
      <p>{t.state.askFor(`${resource}, get`)}</p>
    </Message>
  );
}
