import { Button, Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

import { api, body, type Batch, type BatchResult } from '../../api/client';
import { batchQuery } from '../../api/queries';
import { t } from '../../text';
import { Failed, wordsOf } from '../../ui/state';
import { StageSign } from '../../ui/status';
import { useTell } from '../../ui/toast';
import css from './bulk.module.css';

interface Props {
  batch: Batch;
  done: () => void;
}

/** Follow shows how an operation with several applications goes, and what became of each. */
export function Follow({ batch, done }: Props) {
  const query = useQuery(batchQuery(batch.id));
  const now = query.data ?? batch;
  const stop = useStop(batch.id);
  useEnd(now, done);
  const { total, left } = now.counts;
  const running = now.state === 'running';
  if (query.isError && running) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <div className={css.confirm}>
      <p role="status">{running ? t.bulk.far(total - left, total) : endOf(now)}</p>
      <Progress value={(100 * (total - left)) / total} aria-label={t.bulk.far(total - left, total)} />
      {running && <p className="dim">{t.bulk.goesOn}</p>}
      <ul className={css.list} tabIndex={0} aria-label={t.bulk.results}>
        {inOrder(now.results ?? []).map((one) => (
          <li key={`${one.namespace}/${one.name}`}>
            <strong className="cut">{one.name}</strong>
            <StageSign value={one.stage} />
            <span className={css.why}>{one.error}</span>
          </li>
        ))}
      </ul>
      <div className={css.buttons}>
        {running && (
          <Button variant="default" loading={stop.isPending} onClick={() => stop.mutate()}>
            {t.bulk.stop}
          </Button>
        )}
        <Button onClick={done} data-autofocus>
          {t.action.close}
        </Button>
      </div>
    </div>
  );
}

/** useStop ends an operation: what was not asked for yet is left. */
function useStop(id: string) {
  const client = useQueryClient();
  const tell = useTell();
  return useMutation({
    mutationFn: () => body(api.DELETE('/api/v1/operations/{id}', { params: { path: { id } } })),
    onSuccess: (now) => client.setQueryData(batchQuery(id).queryKey, now),
    onError: (error) => tell.bad(wordsOf(error)),
  });
}

/** useEnd reads the list anew at the end; where all went well, nobody has to read what became of each. */
function useEnd(now: Batch, done: () => void) {
  const client = useQueryClient();
  const tell = useTell();
  const told = useRef(false);
  useEffect(() => {
    if (now.state === 'running' || told.current) return;
    told.current = true;
    void client.invalidateQueries({ queryKey: ['applications'] });
    if (now.counts.asked < now.counts.total) return;
    tell.good(t.bulk.asked(now.counts.total));
    done();
  }, [now, client, tell, done]);
}

function endOf({ state, counts: { asked, total } }: Batch): string {
  if (state === 'canceled') return t.bulk.canceled(asked, total);
  return state === 'interrupted' ? t.bulk.interrupted(asked, total) : t.bulk.ended(asked, total);
}

/** inOrder has first what somebody has to look at. */
function inOrder(all: BatchResult[]): BatchResult[] {
  const rank = (one: BatchResult) => (one.stage === 'failed' ? 0 : 1);
  return [...all].sort((a, b) => rank(a) - rank(b));
}
