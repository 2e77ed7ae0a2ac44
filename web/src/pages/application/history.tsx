import { Button, Checkbox, Modal } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { api, body, type Application, type Key, type PastSync, type Row } from '../../api/client';
import { compareQuery, historyQuery, isProblem, pastSyncQuery } from '../../api/queries';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { More } from '../../ui/more';
import { Failed, Loading, Message, wordsOf } from '../../ui/state';
import { OperationSign } from '../../ui/status';
import { Ago, duration, exact } from '../../ui/time';
import { useTell } from '../../ui/toast';
import { useWhy } from '../../ui/why';
import { shortRevision } from '../applications/rows';
import type { Address } from './address';
import { useAgain } from './again';
import { Differences } from './diff';
import forms from './form.module.css';
import css from './history.module.css';

/** History lists past syncs; two can be compared, and one gone back to. */
export default function History({ address, app: { row, can } }: { address: Address; app: Application }) {
  const query = useInfiniteQuery(historyQuery(address.key));
  const known = query.data?.pages.flatMap((p) => p.syncs);
  const pair = usePair(address, known);
  useAgain(address.key, query.data);
  const commands = useCommands();
  const { compared: chosen, compare: setChosen } = address;
  const [back, setBack] = useState<PastSync | null>(null);
  if (isProblem(query.error, 404))
    return (
      <Message icon="history" title={t.history.notKept}>
        <p>{query.error.message}</p>
      </Message>
    );
  if (query.error && !query.data) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (!known) return <Loading />;
  if (known.length === 0)
    return (
      <Message icon="history" title={t.history.none}>
        <p>{t.history.noneLead}</p>
      </Message>
    );
  const latest = known.find(isWhole);
  // To go back is to sync to something else than what the application says.
  const mayGoBack = can.includes('sync') && can.includes('override');
  return (
    <>
      <div className={css.tools}>
        {pair.length < 2 && <p className="dim">{t.history.compareHint}</p>}
        {chosen.length > 0 && (
          <Button size="compact-sm" variant="subtle" onClick={() => setChosen([])}>
            {t.action.clear}
          </Button>
        )}
        <Command text={commands.history(address.key, pair.map(nameOf).reverse())} />
      </div>
      {pair[0] && pair[1] && <Compare app={address.key} from={pair[1]} to={pair[0]} />}
      <ol className={`card ${css.list ?? ''}`}>
        {known.map((sync) => (
          <li key={sync.id}>
            <Checkbox
              size="xs"
              aria-label={t.history.choose(exact(sync.started))}
              checked={chosen.includes(sync.id)}
              disabled={!sync.rendering}
              title={sync.rendering ? undefined : t.history.notComparable}
              onChange={() =>
                setChosen(
                  chosen.includes(sync.id) ? chosen.filter((id) => id !== sync.id) : [...chosen, sync.id].slice(-2),
                )
              }
            />
            <Entry sync={sync} current={sync === latest} />
            <span className={css.buttons}>
              <Button size="compact-sm" variant="subtle" onClick={() => address.show('timeline', sync.id)}>
                {t.history.timeline}
              </Button>
              {mayGoBack && isWhole(sync) && sync !== latest && (
                <Button size="compact-sm" variant="default" onClick={() => setBack(sync)}>
                  {t.history.rollback}
                </Button>
              )}
            </span>
          </li>
        ))}
      </ol>
      <More query={query} label={t.history.older} />
      <Modal
        opened={back !== null}
        onClose={() => setBack(null)}
        title={t.history.back.title(row.name)}
        size="xl"
        closeButtonProps={{ 'aria-label': t.action.close }}
      >
        {back && (
          <Back app={address.key} row={row} sync={back} {...(latest ? { latest } : {})} close={() => setBack(null)} />
        )}
      </Modal>
    </>
  );
}

/** usePair are the syncs that the address compares, the later one first; one that is not in the list yet is asked for. */
function usePair({ key, compared }: Address, known: readonly PastSync[] | undefined): PastSync[] {
  const isLacking = (id: string) => known?.some((s) => s.id === id) === false;
  const asked = useQueries({ queries: compared.map((id) => ({ ...pastSyncQuery(key, id), enabled: isLacking(id) })) });
  const pair = compared.flatMap((id, i) => known?.find((s) => s.id === id) ?? asked[i]?.data?.sync ?? []);
  return pair.sort((a, b) => new Date(b.started).getTime() - new Date(a.started).getTime());
}

/** nameOf is a sync as the command line names it: by its number, or by its trace where it has none. */
const nameOf = (s: PastSync) => (s.history === undefined ? s.id : String(s.history));

/** isWhole tells whether one can go back to a sync. */
const isWhole = (s: PastSync) => s.phase === 'Succeeded' && !s.dryRun && Boolean(s.rendering);

function Entry({ sync, current }: { sync: PastSync; current: boolean }) {
  const { created = 0, changed = 0, pruned = 0, failed = 0 } = sync.changed;
  const commit = sync.commits?.[0];
  const took = sync.finished ? new Date(sync.finished).getTime() - new Date(sync.started).getTime() : null;
  return (
    <div className={css.entry}>
      <p className={css.first}>
        <OperationSign value={sync.phase} compact />
        <strong>{commit?.subject ?? shortRevision(commit?.revision)}</strong>
        {current && <span className={css.tag}>{t.history.now}</span>}
        {sync.dryRun && <span className={css.tag}>{t.history.dryRun}</span>}
      </p>
      <p className="dim">
        <Ago at={sync.started} /> · {t.history.causes[sync.cause] ?? sync.cause} {sync.by && t.app.by(sync.by)}
        {commit && (
          <>
            {' '}
            ·{' '}
            <span className="mono" title={commit.revision}>
              {shortRevision(commit.revision)}
            </span>{' '}
            {commit.author && t.app.by(commit.author)}
          </>
        )}
      </p>
      <p className="dim">
        {t.history.counts(created, changed, pruned, failed)}
        {took !== null && ` · ${t.history.took(duration(took))}`}
        {(sync.retries ?? 0) > 0 && ` · ${t.history.retries(sync.retries ?? 0)}`}
      </p>
      {sync.phase !== 'Succeeded' && sync.message && <p className={css.message}>{sync.message}</p>}
    </div>
  );
}

function Compare({ app, from, to }: { app: Key; from: PastSync; to: PastSync }) {
  return (
    <section className={css.compare}>
      <h2>{t.history.compareTitle(exact(from.started), exact(to.started))}</h2>
      <Between app={app} from={from.id} to={to.id} />
    </section>
  );
}

function Between({ app, from, to }: { app: Key; from: string; to: string }) {
  const query = useQuery(compareQuery(app, from, to));
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading rows={4} />;
  if (query.data?.length === 0) return <p className="dim">{t.history.back.same}</p>;
  return <Differences list={query.data ?? []} verbs={t.diff.ofVersion} />;
}

interface BackProps {
  app: Key;
  row: Row;
  sync: PastSync;
  latest?: PastSync;
  close: () => void;
}

/** Back asks once more, and shows what going back changes. */
function Back({ app, row, sync, latest, close }: BackProps) {
  const [prune, setPrune] = useState(false);
  const tell = useTell();
  const commands = useCommands();
  const client = useQueryClient();
  const why = useWhy();
  const rollback = useMutation({
    mutationFn: () =>
      body(
        api.POST('/api/v1/applications/{namespace}/{name}/rollback', {
          params: { path: app },
          body: { sync: sync.id, prune },
          headers: why.reason,
        }),
      ),
    onSuccess: () => {
      tell.good(t.history.back.asked);
      void client.invalidateQueries({ queryKey: ['applications'] });
      close();
    },
  });
  return (
    <div className={forms.form}>
      <Entry sync={sync} current={false} />
      <p>{t.history.back.lead}</p>
      <p className={row.automated ? forms.warn : 'dim'}>
        {row.automated ? t.history.back.automated : t.history.back.manual}
      </p>
      {latest && (
        <>
          <h2>{t.history.back.changes}</h2>
          <Between app={app} from={latest.id} to={sync.id} />
        </>
      )}
      <Checkbox label={t.history.back.prune} checked={prune} onChange={(e) => setPrune(e.currentTarget.checked)} />
      {why.field}
      {rollback.error && (
        <p className={forms.error} role="alert">
          {wordsOf(rollback.error)}
        </p>
      )}
      <div className={forms.buttons}>
        {sync.history !== undefined && <Command text={commands.rollback(app, sync.history, prune)} />}
        <Button variant="default" onClick={close}>
          {t.action.cancel}
        </Button>
        <Button loading={rollback.isPending} onClick={() => rollback.mutate()} leftSection={<Icon name="back" />}>
          {t.history.back.submit}
        </Button>
      </div>
    </div>
  );
}
