import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { api, body, type Account } from '../../api/client';
import { accountsQuery, isNotForThem } from '../../api/queries';
import { t } from '../../text';
import { Empty } from '../../ui/may';
import { Failed, Loading } from '../../ui/state';
import { useReached } from '../../ui/reached';
import { Ago } from '../../ui/time';
import { useTell } from '../../ui/toast';
import type { Reason } from '../../ui/why';
import { Confirm } from './confirm';
import css from './page.module.css';
import { SetPassword } from './password';
import { accountAnchor } from './sections';

/** Accounts are those of the installation that one may see. */
export function Accounts() {
  const query = useQuery(accountsQuery);
  const [setting, setSetting] = useState<Account | null>(null);
  const [ending, setEnding] = useState<Account | null>(null);
  if (isNotForThem(query.error)) return <p className="dim">{query.error.message}</p>;
  if (!query.data)
    return query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading rows={3} />;
  if (query.data.length === 0)
    return (
      <Empty resource="accounts" of={t.accounts.title}>
        <p className="dim">{t.accounts.nothing}</p>
      </Empty>
    );
  return (
    <>
      <List accounts={query.data} set={setSetting} end={setEnding} />
      {setting && <SetPassword account={setting} close={() => setSetting(null)} />}
      {ending && <EndSessions name={ending.name} close={() => setEnding(null)} />}
    </>
  );
}

interface ListProps {
  accounts: Account[];
  set: (account: Account) => void;
  end: (account: Account) => void;
}

function List({ accounts, set, end }: ListProps) {
  return (
    <div className={css.wide} tabIndex={0} role="region" aria-label={t.accounts.title}>
      <table className={css.table}>
        <thead>
          <tr>
            {Object.entries(t.accounts.columns).map(([name, title]) => (
              <th key={name} scope="col">
                {title}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {accounts.map((a) => (
            <Line key={a.name} {...{ a, set, end }} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type LineProps = { a: Account } & Pick<ListProps, 'set' | 'end'>;

function Line({ a, set, end }: LineProps) {
  const id = accountAnchor(a.name);
  const row = useReached<HTMLTableRowElement>(id);
  return (
    <tr ref={row} id={id} tabIndex={-1}>
      <th scope="row">
        {a.name} {a.own && <span className="dim">{t.accounts.you}</span>}
      </th>
      <td data-name={t.accounts.columns.enabled}>{a.enabled ? t.accounts.on : t.accounts.off}</td>
      <td data-name={t.accounts.columns.capabilities}>
        {a.capabilities.map((c) => t.accounts.capabilities[c] ?? c).join(', ') || (
          <span className="dim">{t.accounts.nothing}</span>
        )}
      </td>
      <td data-name={t.accounts.columns.password}>
        {!a.password ? t.accounts.unset : a.passwordChanged ? <Ago at={a.passwordChanged} /> : t.accounts.isSet}
      </td>
      <td data-name={t.accounts.columns.tokens}>{a.tokens}</td>
      <td>{a.may.includes('update') && a.capabilities.includes('login') && <Acts {...{ a, set, end }} />}</td>
    </tr>
  );
}

function Acts({ a, set, end }: LineProps) {
  return (
    <Button.Group>
      <Button size="compact-sm" variant="default" aria-label={t.accounts.setOf(a.name)} onClick={() => set(a)}>
        {t.accounts.set}
      </Button>
      {!a.own && (
        <Button size="compact-sm" variant="default" aria-label={t.accounts.endOf(a.name)} onClick={() => end(a)}>
          {t.accounts.end}
        </Button>
      )}
    </Button.Group>
  );
}

function EndSessions({ name, close }: { name: string; close: () => void }) {
  const tell = useTell();
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: (headers: Reason) =>
      body(api.DELETE('/api/v1/accounts/{name}/sessions', { params: { path: { name } }, headers })),
    onSuccess: () => {
      tell.good(t.accounts.ended(name));
      void client.invalidateQueries({ queryKey: ['accounts'] });
      close();
    },
  });
  return (
    <Confirm
      title={t.accounts.endTitle(name)}
      lead={t.accounts.endLead}
      act={t.accounts.end}
      doing={end}
      close={close}
    />
  );
}
