import { Button, Checkbox, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { api, body, type Batch, type Row } from '../../api/client';
import { t } from '../../text';
import { wordsOf } from '../../ui/state';
import { Sync } from '../../ui/status';
import { useTell } from '../../ui/toast';
import { useWhy, type Reason } from '../../ui/why';
import css from './bulk.module.css';
import { Follow } from './follow';
import { idOf } from './rows';

export type BulkAction = 'sync' | 'refresh';

/** As many as the server takes in one request. */
const most = 1000;

interface Props {
  action: BulkAction | null;
  rows: Row[];
  close: () => void;
  done: () => void;
}

/** Bulk asks once more before something is done to many, says to which, and follows it. */
export function Bulk({ action, rows, close, done }: Props) {
  const [begun, setBegun] = useState<Batch | null>(null);
  const leave = (then: () => void) => () => {
    setBegun(null);
    then();
  };
  return (
    <Modal
      opened={action !== null}
      onClose={leave(begun ? done : close)}
      title={titleOf(action, rows.length, begun)}
      size="lg"
      closeButtonProps={{ 'aria-label': t.action.close }}
    >
      {action && !begun && <Confirm action={action} rows={rows} close={close} begun={setBegun} />}
      {begun && <Follow batch={begun} done={leave(done)} />}
    </Modal>
  );
}

function titleOf(action: BulkAction | null, n: number, begun: Batch | null): string {
  if (action === 'refresh') return begun ? t.bulk.refreshing(begun.counts.total) : t.bulk.refreshTitle(n);
  return begun ? t.bulk.syncing(begun.counts.total) : t.bulk.syncTitle(n);
}

interface Ask {
  action: BulkAction;
  rows: Row[];
  close: () => void;
  begun: (batch: Batch) => void;
}

function Confirm({ action, rows, close, begun }: Ask) {
  const [prune, setPrune] = useState(false);
  const [dryRun, setDryRun] = useState(false);
  const [hard, setHard] = useState(false);
  const tell = useTell();
  const why = useWhy();
  const ask = useMutation({
    mutationFn: () =>
      action === 'sync' ? syncAll(rows, { prune, dryRun }, why.reason) : refreshAll(rows, hard, why.reason),
    onSuccess: begun,
    onError: (error) => tell.bad(wordsOf(error)),
  });
  const sync = action === 'sync';
  return (
    <div className={css.confirm}>
      <p className="dim">{sync ? t.bulk.syncLead : t.bulk.refreshLead}</p>
      <ul
        className={css.list}
        tabIndex={0}
        aria-label={sync ? t.bulk.syncTitle(rows.length) : t.bulk.refreshTitle(rows.length)}
      >
        {rows.map((row) => (
          <li key={idOf(row)}>
            <span className="cut">
              <strong>{row.name}</strong> <span className="dim">{row.cluster}</span>
            </span>
            <Sync value={row.sync} compact />
            <span className="dim">{sync ? syncEffect(row) : refreshEffect(row)}</span>
          </li>
        ))}
      </ul>
      {sync ? (
        <>
          <Checkbox label={t.bulk.prune} checked={prune} onChange={(e) => setPrune(e.currentTarget.checked)} />
          <Checkbox label={t.bulk.dryRun} checked={dryRun} onChange={(e) => setDryRun(e.currentTarget.checked)} />
        </>
      ) : (
        <Checkbox label={t.bulk.hard} checked={hard} onChange={(e) => setHard(e.currentTarget.checked)} />
      )}
      {why.field}
      {rows.length > most && <p role="alert">{t.bulk.tooMany(most)}</p>}
      <div className={css.buttons}>
        <Button variant="default" onClick={close}>
          {t.action.cancel}
        </Button>
        <Button loading={ask.isPending} disabled={rows.length > most} onClick={() => ask.mutate()} data-autofocus>
          {sync ? t.bulk.syncGo(rows.length) : t.bulk.refreshGo(rows.length)}
        </Button>
      </div>
    </div>
  );
}

function syncEffect(row: Row): string {
  if (row.operation === 'Running' || row.operation === 'Terminating') return t.bulk.willRun;
  return row.sync === 'Synced' ? t.bulk.already : t.bulk.willSync;
}

const refreshEffect = (row: Row) => (row.automated ? t.bulk.automated : t.bulk.looks);

const keyOf = ({ namespace, name }: Row) => ({ namespace, name });

const syncAll = (rows: Row[], set: { prune: boolean; dryRun: boolean }, headers: Reason): Promise<Batch> =>
  body(api.POST('/api/v1/applications/sync', { body: { applications: rows.map(keyOf), ...set }, headers }));

const refreshAll = (rows: Row[], hard: boolean, headers: Reason): Promise<Batch> =>
  body(
    api.POST('/api/v1/applications/refresh', {
      body: { applications: rows.map(keyOf), how: hard ? 'hard' : 'normal' },
      headers,
    }),
  );
