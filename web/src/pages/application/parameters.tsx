import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';

import type { Parameter, ParameterKey, ParameterKeys, ParameterLayer, ParameterSource } from '../../api/client';
import { parameterKeysQuery, parametersQuery } from '../../api/queries';
import { t } from '../../text';
import { Find } from '../../ui/find';
import { useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { useSearch } from '../../ui/search';
import { Failed, Loading, Message, wordsOf } from '../../ui/state';
import { Ago } from '../../ui/time';
import type { Address } from './address';
import css from './parameters.module.css';

/** Parameters shows what an Application is rendered with, and the layer that each value comes from. */
export default function Parameters({ address }: { address: Address }) {
  const commands = useCommands();
  const query = useQuery({ ...parametersQuery(address.key), retry: false });
  const set = query.data?.applicationSet;
  const keys = useQuery({ ...parameterKeysQuery(address.key), enabled: Boolean(set), retry: false });
  const { params, put } = useSearch();
  const text = params.get('find') ?? '';
  const own = params.get('own') === 'yes';
  if (query.error && !query.data) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const sources = (query.data.sources ?? []).filter((s) => (s.values?.length ?? 0) > 0);
  if (sources.length === 0)
    return (
      <Message icon="list" title={t.parameters.none}>
        <p>{t.parameters.noneLead}</p>
      </Message>
    );
  return (
    <div className={css.page}>
      <div className={css.tools}>
        <Find label={t.parameters.find} className={css.find ?? ''} value={text} change={(text) => put('find', text)} />
        <Checkbox
          label={t.parameters.own}
          checked={own}
          onChange={(e) => put('own', e.currentTarget.checked ? 'yes' : '')}
        />
        <Command text={commands.values(address.key)} whole={text === '' && !own} />
      </div>
      {query.data.masked && <p className={css.note}>{t.parameters.masked(query.data.masked)}</p>}
      {set && <Follows set={set} keys={keys.data} error={keys.error} />}
      {sources.map((source) => (
        <Source
          key={source.index}
          source={source}
          text={text}
          own={own}
          several={sources.length > 1}
          keys={keys.data?.keys ?? []}
        />
      ))}
    </div>
  );
}

/** Follows tells of the keys of the cluster by which the set wrote values. */
function Follows({ set, keys, error }: { set: string; keys: ParameterKeys | undefined; error: unknown }) {
  if (error) return <p className={css.note}>{t.parameters.keysUnknown(set, wordsOf(error))}</p>;
  if (!keys) return <p className={css.note}>{t.parameters.looking(set)}</p>;
  if (keys.hidden) return <p className={css.note}>{t.parameters.hidden(set)}</p>;
  const list = keys.keys ?? [];
  return (
    <section className={css.note} aria-label={t.parameters.keysLabel}>
      <p>{keys.applicationSet ? t.parameters.madeFor(set, keys.cluster ?? '') : t.parameters.madeBy(set)}</p>
      {list.length > 0 && (
        <ul className={css.keys}>
          {list.map((k) => (
            <li key={`${k.in} ${k.name}`}>
              <code>{k.name}</code> = <strong>{k.value}</strong>{' '}
              <span className="dim">
                {k.setBy && t.parameters.setBy(k.setBy)} {k.setAt && <Ago at={k.setAt} />} ·{' '}
                {t.parameters.decides(k.values?.length ?? 0)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {(keys.notes ?? []).map((n) => (
        <p key={n} className="dim">
          {n}
        </p>
      ))}
    </section>
  );
}

/** More values than these are found by searching. */
const mostShown = 300;

interface SourceProps {
  source: ParameterSource;
  text: string;
  own: boolean;
  several: boolean;
  keys: readonly ParameterKey[];
}

function Source({ source, text, own, several, keys }: SourceProps) {
  const found = useMemo(() => matching(source.values ?? [], text, own), [source.values, text, own]);
  const byValue = useMemo(() => keysOf(source.index, keys), [source.index, keys]);
  return (
    <section className={css.source}>
      <h2>
        {source.type}
        {several && <span className="dim"> {source.repoURL}</span>} <span className="dim">{source.path}</span>
        <span className={css.count} role="status">
          {t.parameters.count(found.length)}
        </span>
      </h2>
      {found.length === 0 ? (
        <p className="dim">{t.list.noMatch}</p>
      ) : (
        <div className={`card ${css.table ?? ''}`} role="region" aria-label={t.app.tabs.parameters} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t.parameters.columns.name}</th>
                <th scope="col">{t.parameters.columns.value}</th>
                <th scope="col">{t.parameters.columns.layer}</th>
              </tr>
            </thead>
            <tbody>
              {found.slice(0, mostShown).map((p) => (
                <Line key={nameOf(p)} parameter={p} keys={byValue.get(nameOf(p)) ?? []} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {found.length > mostShown && <p className="dim">{t.parameters.more(found.length - mostShown)}</p>}
    </section>
  );
}

const nameOf = (p: Parameter) => (p.path ?? []).join('.');

/** matching are values whose name, value or layers have all the words. */
export function matching(all: readonly Parameter[], text: string, own: boolean): Parameter[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((p) => {
    const layers = p.layers ?? [];
    if (own && layers.every((l) => l.kind === 'chart')) return false;
    if (words.length === 0) return true;
    const where = layers.map((l) => `${l.name ?? ''} ${l.where ?? ''}`).join(' ');
    const line = `${nameOf(p)} ${textOf(p.value)} ${where}`.toLowerCase();
    return words.every((w) => line.includes(w));
  });
}

/** keysOf are the keys that each value of a source follows. */
function keysOf(source: number, keys: readonly ParameterKey[]): Map<string, ParameterKey[]> {
  const out = new Map<string, ParameterKey[]>();
  for (const k of keys)
    for (const v of k.values ?? []) {
      if (!v.startsWith(`${source}:`)) continue;
      const name = v.slice(`${source}:`.length);
      out.set(name, [...(out.get(name) ?? []), k]);
    }
  return out;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function Line({ parameter: p, keys }: { parameter: Parameter; keys: ParameterKey[] }) {
  const [open, setOpen] = useState(false);
  const layers = p.layers ?? [];
  const last = layers[layers.length - 1];
  const name = nameOf(p);
  const chained = layers.length > 1 || keys.length > 0;
  return (
    <>
      <tr>
        <th scope="row">
          {chained ? (
            <button
              type="button"
              className={css.fold}
              aria-expanded={open}
              aria-label={open ? t.app.collapse(name) : t.app.expand(name)}
              onClick={() => setOpen(!open)}
            >
              <Icon name={open ? 'down' : 'right'} size={14} />
            </button>
          ) : (
            <span className={css.fold} />
          )}
          <code>{name}</code>
        </th>
        <td>
          <code className={css.value}>{textOf(p.value)}</code>
        </td>
        <td>
          {last && <Layer layer={last} />}
          {layers.length > 1 && <span className="dim"> {t.parameters.covers(layers.length - 1)}</span>}
          {keys.map((k) => (
            <span key={k.name} className={css.key} title={t.parameters.follows(k.name)}>
              {k.name}
            </span>
          ))}
        </td>
      </tr>
      {open && (
        <tr className={css.chain}>
          <td colSpan={3}>
            <ol aria-label={t.parameters.chain(name)}>
              {[...layers].reverse().map((l, i) => (
                <li key={i} data-covered={i > 0 || undefined}>
                  <code className={css.value}>{textOf(l.value)}</code> <Layer layer={l} />
                  {i > 0 && <span className="dim"> · {t.parameters.covered}</span>}
                </li>
              ))}
            </ol>
            {keys.map((k) => (
              <p key={k.name}>
                {t.parameters.follows(k.name)} = <strong>{k.value}</strong>{' '}
                <span className="dim">
                  {t.parameters.through((k.through ?? []).join(', '))} {k.setBy && t.parameters.setBy(k.setBy)}
                </span>
              </p>
            ))}
          </td>
        </tr>
      )}
    </>
  );
}

function Layer({ layer: l }: { layer: ParameterLayer }) {
  const named = l.name !== undefined && l.name !== '' && !(l.where ?? '').startsWith(l.name);
  return (
    <span title={l.repoURL}>
      {t.parameters.layers[l.kind]} {named && <span>{l.name} </span>}
      {l.where && <code className="dim">{l.where}</code>}
    </span>
  );
}
