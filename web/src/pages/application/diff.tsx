import { useQuery } from '@tanstack/react-query';

import type { Difference } from '../../api/client';
import { diffQuery } from '../../api/queries';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { DiffView } from '../../ui/diffview';
import { Icon } from '../../ui/icons';
import { Failed, Loading, Message } from '../../ui/state';
import { refKey, type Address } from './address';
import css from './diff.module.css';

/** Diff shows what a sync would change. */
export default function Diff({ address }: { address: Address }) {
  const diff = useQuery({ ...diffQuery(address.key), retry: false });
  const commands = useCommands();
  if (diff.error && !diff.data) return <Failed error={diff.error} retry={() => void diff.refetch()} />;
  if (diff.data === undefined) return <Loading />;
  return (
    <>
      <p className={css.command}>
        <Command text={commands.diff(address.key)} />
      </p>
      <Differences list={diff.data ?? []} />
    </>
  );
}

interface Props {
  list: Difference[];
  /** What is said of each verb; without it, what a sync would do. */
  verbs?: Record<string, string>;
}

/** Differences shows objects that differ, one below the other. */
export function Differences({ list, verbs = t.diff.verbs }: Props) {
  if (list.length === 0)
    return (
      <Message icon="okay" title={t.diff.none}>
        <p>{t.diff.noneLead}</p>
      </Message>
    );
  return (
    <div className={css.list}>
      {list.map((d) => (
        <details key={refKey(d)} open={list.length <= 10} className={css.one}>
          <summary>
            <Icon name={d.verb === 'create' ? 'plus' : d.verb === 'prune' ? 'minus' : 'diff'} />
            <span className={css.name}>
              <span className="dim">{d.kind}</span> <strong>{d.name}</strong> {verbs[d.verb] ?? d.verb}
            </span>
            {!isWhole(d) && (d.changes?.length ?? 0) > 0 && (
              <span className="dim">{t.diff.fields(d.changes?.length ?? 0)}</span>
            )}
          </summary>
          <Notes difference={d} />
          <Fields difference={d} />
          {(d.live ?? '') !== (d.desired ?? '') && (
            <DiffView before={d.live ?? ''} after={d.desired ?? ''} label={`${d.kind} ${d.name}`} />
          )}
        </details>
      ))}
    </div>
  );
}

/** isWhole tells an object that comes or goes with its whole text: it has no fields that differ. */
const isWhole = (d: Difference) =>
  (d.verb === 'create' && Boolean(d.desired)) || (d.verb === 'prune' && Boolean(d.live));

/** Fields are what differs field by field, whatever the order of lines is. */
export function Fields({ difference: d }: { difference: Difference }) {
  const changes = d.changes ?? [];
  if (changes.length === 0 || isWhole(d)) return null;
  return (
    <ul className={css.fields} aria-label={t.diff.changed}>
      {changes.slice(0, mostFields).map((c, i) => (
        <li key={i}>
          <code className={css.path}>{c.path}</code>
          {c.old !== undefined && <del>{short(c.old)}</del>}
          {c.old !== undefined && c.new !== undefined && <span aria-hidden>→</span>}
          {c.new !== undefined && <ins>{short(c.new)}</ins>}
        </li>
      ))}
      {changes.length > mostFields && <li className="dim">{t.diff.more(changes.length - mostFields)}</li>}
    </ul>
  );
}

const mostFields = 30;
const longest = 120;

/** short is a value in one line. */
function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

export function Notes({ difference: d }: { difference: Difference }) {
  return (
    <>
      {d.origin && (
        <p className={css.note}>
          {t.object.origin} <span className="mono">{d.origin}</span>
        </p>
      )}
      {d.drifted && (
        <p className={css.note}>
          {t.object.drifted} {d.drifted}
        </p>
      )}
      {d.kept && (
        <p className={css.note}>
          {t.object.kept} {d.kept}
        </p>
      )}
    </>
  );
}
