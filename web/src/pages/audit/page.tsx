import { Button, NativeSelect, TextInput } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import type { AuditEntry } from '../../api/client';
import { auditProofQuery, auditQuery } from '../../api/queries';
import { t } from '../../text';
import { Find } from '../../ui/find';
import { Command } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { More } from '../../ui/more';
import { useSearch, type Changes } from '../../ui/search';
import { Failed, Loading, Message, wordsOf } from '../../ui/state';
import { Sign } from '../../ui/status';
import { Ago, useNow } from '../../ui/time';
import { useHeading, useTitle } from '../../ui/title';
import { VirtualTable } from '../../ui/virtual';
import { Entry, outcomeLook } from './entry';
import { commandOf, exportPath, isWhole, localTime, momentOf, own, readFilter, spanOf, spans } from './filter';
import css from './page.module.css';

/** Who did what, and whether nobody changed the record of it. */
export default function AuditPage() {
  useTitle(t.nav.audit);
  const heading = useHeading();
  const { params, put, change } = useSearch();
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const text = params.toString();
  const clear = () => change(Object.fromEntries([...params.keys()].map((name) => [name, ''])));
  const filter = useMemo(() => {
    const now = new URLSearchParams(text);
    return readFilter(now, now.has('since') ? minute : 0);
  }, [text, minute]);
  const query = useInfiniteQuery({ ...auditQuery(filter), placeholderData: keepPreviousData });
  const items = useMemo(() => (query.data?.pages ?? []).flatMap((p) => p.items ?? []), [query.data]);
  const open = Number(params.get('entry') ?? '');
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {t.nav.audit}
        </h1>
        <span className={css.end}>
          <Command text={commandOf(params)} whole={isWhole(params)} />
        </span>
      </header>
      {query.data ? (
        <>
          <Chain />
          <Filters params={params} change={put} within={change} path={exportPath(filter)} />
          {items.length === 0 ? (
            <Message icon="search" title={text === '' ? t.audit.none : t.list.noMatch}>
              {text === '' && <p>{t.audit.noneLead}</p>}
            </Message>
          ) : (
            <VirtualTable
              label={t.nav.audit}
              items={items}
              keyOf={(e) => String(e.sequence)}
              grid={css.entry ?? ''}
              chosen={open ? String(open) : undefined}
              heads={[
                t.audit.columns.time,
                t.audit.columns.who,
                t.audit.columns.what,
                t.audit.columns.outcome,
                t.audit.columns.why,
              ]}
              row={(e) => cells(e, () => put('entry', String(e.sequence)))}
            />
          )}
          <More query={query} label={t.audit.more(items.length)} />
        </>
      ) : query.error ? (
        <Failed error={query.error} retry={() => void query.refetch()} clear={text === '' ? undefined : clear} />
      ) : (
        <Loading rows={12} />
      )}
      {open > 0 && (
        <Entry sequence={open} known={items.find((e) => e.sequence === open)} close={() => put('entry', '')} />
      )}
    </div>
  );
}

function cells(e: AuditEntry, open: () => void) {
  const what = [e.namespace, e.name].filter(Boolean).join('/');
  return [
    <Ago key="time" at={e.time} />,
    <span key="who" className={css.who}>
      {e.who.name || t.audit.nobody} {e.who.via && <span className="dim">{t.audit.via(e.who.via)}</span>}
    </span>,
    <button key="what" type="button" className={css.open} onClick={open}>
      <strong>{e.verb}</strong> {e.resource && e.resource !== 'applications' ? `${e.resource} ` : ''}
      {what}
      {(e.count ?? 0) > 1 && <span className="dim"> {t.audit.times(e.count ?? 0)}</span>}
    </button>,
    <Sign key="outcome" look={outcomeLook(e.outcome)} word={t.audit.outcomes[e.outcome] ?? e.outcome} />,
    <span key="why" className={css.why}>
      {e.message ?? e.reason}
    </span>,
  ];
}

/** Chain tells whether the record is as it was written, when somebody asks. */
function Chain() {
  const proof = useQuery({ ...auditProofQuery, enabled: false });
  const p = proof.data;
  return (
    <div className={css.chain} data-broken={(p && !p.holds) || undefined}>
      {p ? (
        <span role="status">
          <Icon name={p.holds ? 'okay' : 'bad'} />{' '}
          {p.holds ? t.audit.holds(p.entries ?? 0, p.last ?? 0) : t.audit.broken(p.broken ?? 0, p.why ?? '')}{' '}
          <span className="dim">
            <Ago at={p.at} />
          </span>
        </span>
      ) : (
        <span>{proof.error ? wordsOf(proof.error) : t.audit.unproved}</span>
      )}
      <Button size="xs" variant="default" loading={proof.isFetching} onClick={() => void proof.refetch()}>
        {t.audit.prove}
      </Button>
    </div>
  );
}

interface FiltersProps {
  params: URLSearchParams;
  change: (name: string, value: string) => void;
  /** Changes several at once. */
  within: (changes: Changes) => void;
  path: string;
}

const outcomes = ['allowed', 'denied', 'failed'];

function Filters({ params, change, within, path }: FiltersProps) {
  const field = (name: 'who' | 'verb' | 'project' | 'name') => (
    <TextInput
      key={`${name}=${params.get(name) ?? ''}`}
      aria-label={t.audit.fields[name]}
      placeholder={t.audit.fields[name]}
      maxLength={253}
      defaultValue={params.get(name) ?? ''}
      onBlur={(e) => change(name, e.currentTarget.value.trim())}
      onKeyDown={(e) => e.key === 'Enter' && change(name, e.currentTarget.value.trim())}
    />
  );
  const moment = (name: 'from' | 'to') => (
    <TextInput
      key={name}
      type="datetime-local"
      aria-label={t.audit[name]}
      title={t.audit[name]}
      defaultValue={localTime(params.get(name))}
      onBlur={(e) => change(name, momentOf(e.currentTarget.value))}
      onKeyDown={(e) => e.key === 'Enter' && change(name, momentOf(e.currentTarget.value))}
    />
  );
  return (
    <div className={css.tools}>
      <Find label={t.audit.find} value={params.get('q') ?? ''} change={(text) => change('q', text)} />
      {field('who')}
      {field('verb')}
      {field('name')}
      {field('project')}
      <NativeSelect
        aria-label={t.audit.columns.outcome}
        value={params.get('outcome') ?? ''}
        data={[
          { value: '', label: t.audit.anyOutcome },
          ...outcomes.map((o) => ({ value: o, label: t.audit.outcomes[o] ?? o })),
        ]}
        onChange={(e) => change('outcome', e.currentTarget.value)}
      />
      <NativeSelect
        aria-label={t.audit.columns.time}
        value={spanOf(params)}
        data={[
          { value: '', label: t.audit.anyTime },
          ...spans.map((s) => ({ value: s, label: t.audit.span(Number(s)) })),
          { value: own, label: t.audit.own },
        ]}
        onChange={(e) => within({ since: e.currentTarget.value, from: null, to: null })}
      />
      {spanOf(params) === own && (
        <>
          {moment('from')}
          {moment('to')}
        </>
      )}
      <Button component="a" href={path} download="audit.jsonl" variant="default">
        {t.audit.export}
      </Button>
    </div>
  );
}
