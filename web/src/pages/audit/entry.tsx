import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

import type { AuditEntry } from '../../api/client';
import { auditEntryQuery } from '../../api/queries';
import { t } from '../../text';
import { Copy } from '../../ui/copy';
import { DiffView } from '../../ui/diffview';
import { useReturn } from '../../ui/return';
import { Failed, Loading, Message } from '../../ui/state';
import { Sign } from '../../ui/status';
import { exact } from '../../ui/time';
import { pretty } from './filter';
import css from './page.module.css';

export function outcomeLook(outcome: string) {
  if (outcome === 'allowed') return { icon: 'okay', tone: 'good' } as const;
  if (outcome === 'denied') return { icon: 'stop', tone: 'warn' } as const;
  return { icon: 'bad', tone: 'bad' } as const;
}

interface Props {
  sequence: number;
  known: AuditEntry | undefined;
  close: () => void;
}

/** Entry is all of one entry, with what was before and after. */
export function Entry({ sequence, known, close }: Props) {
  useReturn();
  const query = useQuery({ ...auditEntryQuery(sequence), enabled: !known });
  const e = known ?? query.data;
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="min(760px, 100vw)"
      title={<strong>{t.audit.entry(sequence)}</strong>}
      closeButtonProps={{ 'aria-label': t.action.close }}
    >
      {e ? (
        <All entry={e} />
      ) : query.error ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : query.data === null ? (
        <Message icon="unknown" title={t.audit.noEntry} />
      ) : (
        <Loading rows={6} />
      )}
    </Drawer>
  );
}

function All({ entry: e }: { entry: AuditEntry }) {
  const { columns, facts } = t.audit;
  const lines: [string, ReactNode][] = [
    [columns.time, exact(e.time)],
    [columns.who, [e.who.name || t.audit.nobody, e.who.via && t.audit.via(e.who.via)].filter(Boolean).join(' ')],
    [facts.subject, e.who.subject],
    [columns.outcome, <Sign key="o" look={outcomeLook(e.outcome)} word={t.audit.outcomes[e.outcome] ?? e.outcome} />],
    [columns.what, `${e.verb} ${e.resource ?? ''}`],
    [facts.object, objectOf(e)],
    [facts.project, e.project],
    [facts.cluster, e.cluster],
    [facts.reason, e.reason],
    [facts.message, e.message],
    [facts.from, e.from && [e.from.address, e.from.forwarded, e.from.agent].filter(Boolean).join(' · ')],
    [facts.operation, e.operation],
    [facts.trace, e.trace],
    [facts.of, e.of && <Link to={`/audit?entry=${e.of}`}>{t.audit.entry(e.of)}</Link>],
    [facts.count, e.count],
    [facts.checkpoint, e.checkpoint && t.audit.checkpoint(e.checkpoint.count, e.checkpoint.through)],
    [facts.gaps, e.gaps && t.audit.gaps(e.gaps)],
    [facts.digest, e.digest],
  ];
  return (
    <>
      <dl className={css.facts}>
        {lines
          .filter(([, value]) => Boolean(value))
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        <div>
          <dt>{facts.hash}</dt>
          <dd className="mono">
            {e.hash} <Copy text={e.hash ?? ''} />
          </dd>
        </div>
      </dl>
      {(e.changes ?? []).map((c) => (
        <section key={c.path} className={css.change}>
          <h3 className="mono">{c.path}</h3>
          {c.old || c.new ? (
            <DiffView before={pretty(c.old)} after={pretty(c.new)} label={c.path} />
          ) : (
            <p className="dim">{t.audit.masked}</p>
          )}
        </section>
      ))}
      {(e.more ?? 0) > 0 && <p className="dim">{t.audit.moreChanges(e.more ?? 0)}</p>}
    </>
  );
}

function objectOf(e: AuditEntry): ReactNode {
  if (!e.name) return '';
  const text = [e.namespace, e.name].filter(Boolean).join('/');
  return e.resource === 'applications' && e.namespace ? (
    <Link to={`/applications/${e.namespace}/${e.name}`}>{text}</Link>
  ) : (
    text
  );
}
