import { Link } from 'react-router';

import type { Application, Schedule } from '../../api/client';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { Until } from '../../ui/time';
import css from './windows.module.css';

/** Windows tells, where something is to be synced, that windows of the project keep that from being done, and until when. */
export function Windows({ app: { row, windows: schedule } }: { app: Application }) {
  const commands = useCommands();
  if (!schedule || !isClosed(schedule, row.automated)) return null;
  return (
    <section aria-label={t.windows.label} className={css.windows}>
      <Icon name="paused" size={18} />
      <div className={css.text}>
        <h2>{t.windows.title}</h2>
        {row.automated && (
          <p>
            <Opens at={schedule.automated} words={t.windows.automated} />
          </p>
        )}
        <p>
          <Opens at={schedule.manual} words={t.windows.manual} />
        </p>
        <ul>
          {schedule.windows.map((w) => (
            <li key={w.index}>
              {t.projects.window(w.kind, w.schedule, w.duration)} {w.timeZone}{' '}
              <span className="dim">
                {w.active ? t.windows.active : t.windows.inactive}
                {w.changes && (
                  <>
                    , {t.windows.changes} <Until at={w.changes} />
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
        <p className={css.ways}>
          <Link to={`/projects/${encodeURIComponent(schedule.project)}`}>{t.sets.project(schedule.project)}</Link>
          <Command text={commands.windows(row)} />
        </p>
      </div>
    </section>
  );
}

const isClosed = ({ automated, manual }: Schedule, byItself: boolean) =>
  manual !== 'now' || (byItself && automated !== 'now');

/** Opens says when a sync may run: now, never, or at a time. */
function Opens({ at, words }: { at: string; words: { now: string; never: string; then: string } }) {
  if (at === 'now') return words.now;
  if (at === 'never') return words.never;
  return (
    <>
      {words.then} <Until at={at} />.
    </>
  );
}
