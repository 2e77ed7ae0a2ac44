import { Link } from 'react-router';

import type { Application } from '../../api/client';
import { t } from '../../text';
import { Icon } from '../../ui/icons';
import { Ago } from '../../ui/time';
import { useHere, type Tab } from './address';
import css from './conditions.module.css';

interface Concern {
  id: string;
  title: string;
  message: string;
  way?: string | undefined;
  since?: string | undefined;
  bad: boolean;
  /** Where more is told of it. */
  tab?: Tab | undefined;
}

/** Tabs that tell more of what a condition says. */
const told: Record<string, Tab> = { OrphanedResourceWarning: 'orphans' };

/** Conditions tell in plain words what is wrong, and the way out. */
export function Conditions({ app }: { app: Application }) {
  const concerns = concernsOf(app);
  const here = useHere();
  if (concerns.length === 0) return null;
  return (
    <section aria-label={t.conditions.title} className={css.list}>
      {concerns.map((c) => (
        <article key={c.id} className={css.concern} data-bad={c.bad || undefined}>
          <Icon name="warning" size={18} />
          <div className={css.text}>
            <h2>
              {c.title}
              {c.since && (
                <span className={css.since}>
                  <Ago at={c.since} />
                </span>
              )}
            </h2>
            <p className={css.message}>{c.message}</p>
            {c.way && <p className="dim">{c.way}</p>}
            {c.tab && (
              <p>
                <Link to={here({ tab: c.tab })}>{t.conditions.show}</Link>
              </p>
            )}
          </div>
        </article>
      ))}
    </section>
  );
}

/** concernsOf lists what is wrong; what two say is said once. */
export function concernsOf(app: Application): Concern[] {
  // What a sync that runs waits for is told above.
  const conditions = (app.conditions ?? []).filter((c) => !(c.type === 'DependencyWaiting' && app.hold));
  const out: Concern[] = conditions.map((c, i) => {
    const known = t.conditions.known[c.type];
    return {
      id: `${c.type}-${i}`,
      title: known?.title ?? spaced(c.type),
      message: c.message,
      way: known?.way,
      since: c.since,
      bad: c.type.endsWith('Error'),
      tab: told[c.type],
    };
  });
  const said = (message: string) => out.some((c) => c.message.includes(message));
  const { operation } = app;
  if ((operation?.phase === 'Failed' || operation?.phase === 'Error') && operation.message && !said(operation.message))
    out.push({
      id: 'operation',
      title: t.conditions.sync,
      message: operation.message,
      way: t.conditions.known.SyncError?.way,
      since: operation.finished,
      bad: true,
    });
  return out.sort((a, b) => Number(b.bad) - Number(a.bad));
}

/** spaced makes words of a condition that nobody has described yet. */
const spaced = (type: string) => type.replace(/([a-z])([A-Z])/g, '$1 $2');
