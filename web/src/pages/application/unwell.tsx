import { Link } from 'react-router';

import type { Application, Resource } from '../../api/client';
import { t } from '../../text';
import { Icon } from '../../ui/icons';
import { Health, toneOf } from '../../ui/status';
import { refKey, refText, useHere } from './address';
import { childPath } from './child';
import css from './unwell.module.css';

/** Objects that are named; the table has all. */
const named = 5;

/** What an Application that is not healthy may come from, the worst first. */
const causes = ['Degraded', 'Missing', 'Progressing'];

/** Unwell tells why an Application is not healthy: what its objects say, with the way to each. */
export function Unwell({ app }: { app: Application }) {
  const to = useHere();
  const title = t.unwell.titles[app.row.health];
  const { objects, message } = reasonsOf(app);
  if (!title || (objects.length === 0 && !message)) return null;
  return (
    <section aria-label={t.unwell.label} className={css.unwell} data-tone={toneOf(app.row.health)}>
      <Icon name={app.row.health === 'Progressing' ? 'progress' : 'warning'} size={18} />
      <div className={css.text}>
        <h2>{title}</h2>
        {message && <p className={css.message}>{message}</p>}
        {objects.length > 0 && (
          <ul className={css.objects}>
            {objects.slice(0, named).map((o) => (
              <li key={refKey(o)}>
                <Link to={childPath(o) ?? to({ object: refText(o), part: null })} title={o.namespace}>
                  <span className="dim">{o.kind}</span> {o.name}
                </Link>
                <Health value={o.health} />
                <span className={css.message}>{o.message}</span>
              </li>
            ))}
          </ul>
        )}
        {objects.length > named && (
          <p>
            <Link to={to({ tab: 'table', object: null, part: null })}>{t.unwell.more(objects.length - named)}</Link>
          </p>
        )}
      </div>
    </section>
  );
}

/** reasonsOf are the objects that are not healthy, and what is said of the whole where they do not say it. */
export function reasonsOf(app: Application): { objects: (Resource & { health: string })[]; message: string } {
  // What a sync that runs waits for is told above.
  const told = new Set((app.hold?.objects ?? []).map(refKey));
  const unwell = (app.resources ?? []).flatMap((r) =>
    causes.includes(r.health ?? '') ? [{ ...r, health: r.health ?? '' }] : [],
  );
  const objects = unwell
    .filter((r) => !told.has(refKey(r)))
    .sort((a, b) => causes.indexOf(a.health) - causes.indexOf(b.health));
  const { message = '' } = app.row;
  const said = [...unwell, ...(app.conditions ?? [])].some((one) => one.message?.includes(message));
  return { objects, message: said ? '' : message };
}
