import { useQuery } from '@tanstack/react-query';

import type { Key, Ref } from '../../api/client';
import { eventsQuery } from '../../api/queries';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { Failed, Loading, Message } from '../../ui/state';
import { Ago } from '../../ui/time';
import type { Address } from './address';
import css from './events.module.css';

/** AppEvents are those of an Application itself. */
export function AppEvents({ address }: { address: Address }) {
  const commands = useCommands();
  return (
    <>
      <p className={css.command}>
        <Command text={commands.events(address.key)} />
      </p>
      <Events app={address.key} />
    </>
  );
}

/** Events are what Kubernetes tells of an object, or of the Application where none is named. */
export function Events({ app, object }: { app: Key; object?: Ref }) {
  const events = useQuery(eventsQuery(app, object));
  if (events.error && !events.data) return <Failed error={events.error} retry={() => void events.refetch()} />;
  if (events.data === undefined) return <Loading rows={4} />;
  const list = [...(events.data ?? [])].sort((a, b) => (b.last ?? '').localeCompare(a.last ?? ''));
  if (list.length === 0)
    return (
      <Message icon="okay" title={t.object.noEvents}>
        <p>{t.object.noEventsLead}</p>
      </Message>
    );
  return (
    <ol className={css.events}>
      {list.map((e, i) => (
        <li key={i} data-warning={e.type === 'Warning' || undefined}>
          <Icon name={e.type === 'Warning' ? 'warning' : 'info'} aria-label={e.type} />
          <div>
            <p>
              <strong>{e.reason}</strong> <span className="dim">{e.on}</span>
            </p>
            <p className={css.message}>{e.message}</p>
          </div>
          <span className={`dim ${css.when ?? ''}`}>
            <Ago at={e.last ?? e.first} />
            {e.count > 1 && <br />}
            {e.count > 1 && t.object.times(e.count)}
          </span>
        </li>
      ))}
    </ol>
  );
}
