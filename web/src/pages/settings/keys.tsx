import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { api, body, type APIKey } from '../../api/client';
import { isNotForThem, keysQuery } from '../../api/queries';
import { t } from '../../text';
import { keysCommand, revokeKeyCommand } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Note } from '../../ui/form';
import { useMay } from '../../ui/may';
import { useReached } from '../../ui/reached';
import { Failed, Loading, wordsOf } from '../../ui/state';
import { Ago, Until } from '../../ui/time';
import { useTell } from '../../ui/toast';
import { useWhy } from '../../ui/why';
import forms from '../application/form.module.css';
import { MakeKey } from './makekey';
import css from './page.module.css';
import { ruleText } from './rule';
import { keyAnchor } from './sections';

/** Keys are the API keys that somebody made, and those of others that they may end. */
export function Keys() {
  const may = useMay('accounts');
  const query = useQuery(keysQuery(may('update')));
  const [making, setMaking] = useState(false);
  const [ending, setEnding] = useState<APIKey | null>(null);
  // Without a place for keys, for programs, and for who has not signed in, there is nothing to make.
  if (isNotForThem(query.error)) return <p className="dim">{query.error.message}</p>;
  if (!query.data)
    return query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading rows={3} />;
  return (
    <>
      {query.data.length === 0 ? <p className="dim">{t.keys.none}</p> : <List keys={query.data} end={setEnding} />}
      <div className={css.tools}>
        <Button variant="default" onClick={() => setMaking(true)}>
          {t.keys.create}
        </Button>
        <Command text={keysCommand(window.location.origin, may('update'))} />
      </div>
      {making && <MakeKey close={() => setMaking(false)} />}
      {ending && <Revoke apiKey={ending} close={() => setEnding(null)} />}
    </>
  );
}

function List({ keys, end }: { keys: APIKey[]; end: (key: APIKey) => void }) {
  const { columns } = t.keys;
  return (
    <div className={css.wide} tabIndex={0} role="region" aria-label={t.keys.title}>
      <table className={css.table}>
        <thead>
          <tr>
            {Object.entries(columns).map(([name, title]) => (
              <th key={name} scope="col">
                {title}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {keys.map((k) => (
            <Line key={k.id} apiKey={k} end={end} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ apiKey: k, end }: { apiKey: APIKey; end: (key: APIKey) => void }) {
  const id = keyAnchor(k.id);
  const row = useReached<HTMLTableRowElement>(id);
  return (
    <tr ref={row} id={id} tabIndex={-1}>
      <th scope="row">
        {k.name} {!k.own && <span className="dim">{t.keys.of(k.owner)}</span>}
      </th>
      <td className={css.scope} data-name={t.keys.columns.scope}>
        {[k.scope.readOnly && t.keys.readOnly, ...(k.scope.rules ?? []).map(ruleText)].filter(Boolean).join(', ')}
      </td>
      <td data-name={t.keys.columns.created}>
        <Ago at={k.created} />
      </td>
      <td data-name={t.keys.columns.expires}>{k.expired ? t.keys.expired : <Until at={k.expires} />}</td>
      <td data-name={t.keys.columns.used}>{k.lastUsed ? <Ago at={k.lastUsed} /> : t.time.never}</td>
      <td>
        <Button size="compact-sm" variant="default" aria-label={t.keys.revokeKey(k.name)} onClick={() => end(k)}>
          {t.keys.revoke}
        </Button>
      </td>
    </tr>
  );
}

function Revoke({ apiKey: { id, name }, close }: { apiKey: APIKey; close: () => void }) {
  const client = useQueryClient();
  const tell = useTell();
  const why = useWhy();
  const revoke = useMutation({
    mutationFn: () => body(api.DELETE('/api/v1/keys/{id}', { params: { path: { id } }, headers: why.reason })),
    onSuccess: () => {
      tell.good(t.keys.revoked(name));
      void client.invalidateQueries({ queryKey: ['keys'] });
      close();
    },
  });
  return (
    <Modal opened onClose={close} title={t.keys.revokeTitle(name)} closeButtonProps={{ 'aria-label': t.action.close }}>
      <div className={forms.form}>
        <p>{t.keys.revokeLead}</p>
        {why.field}
        {revoke.error && <Note tone="bad">{wordsOf(revoke.error)}</Note>}
        <div className={forms.buttons}>
          <Command text={revokeKeyCommand(window.location.origin, id)} />
          <Button variant="default" onClick={close}>
            {t.action.cancel}
          </Button>
          <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
            {t.keys.revoke}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
