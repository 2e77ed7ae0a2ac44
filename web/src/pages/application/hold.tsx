import { Button } from '@mantine/core';
import { Link } from 'react-router';

import type { Application, HeldBy, Hold } from '../../api/client';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { Health } from '../../ui/status';
import { Ago } from '../../ui/time';
import { refKey, type Address } from './address';
import { childPath } from './child';
import css from './hold.module.css';

/** Held tells what a sync waits for, why, and since when. */
export function Held({ app, address }: { app: Application; address: Address }) {
  const commands = useCommands();
  const { hold } = app;
  if (!hold) return null;
  const objects = hold.objects ?? [];
  const [first] = objects;
  const child = first && childPath(first);
  return (
    <section aria-label={t.hold.label} className={css.hold}>
      <Icon name="progress" size={18} />
      <div className={css.text}>
        <h2>
          {titleOf(hold)}
          <span className={css.since}>
            {t.hold.since} <Ago at={hold.since} short />
          </span>
        </h2>
        {objects.length === 0 && <p className={css.message}>{hold.message}</p>}
        {objects.length > 0 && (
          <ul className={css.objects}>
            {objects.map((o) => (
              <li key={refKey(o)}>
                <Waited object={o} open={() => address.open(o)} />
              </li>
            ))}
          </ul>
        )}
        <p className="dim">{hold.for === 'wave' && child ? t.hold.children : t.hold.ways[hold.for]}</p>
        <p className={css.ways}>
          {hold.for === 'wave' && (
            <Button size="compact-sm" variant="default" onClick={() => address.show('timeline')}>
              {t.hold.timeline}
            </Button>
          )}
          {first && child && (
            <Button component={Link} to={child} size="compact-sm" variant="default" className={css.events ?? ''}>
              {t.object.application(first.name)}
            </Button>
          )}
          {first && !child && first.kind !== 'Pod' && (
            <Button
              size="compact-sm"
              variant="default"
              className={css.events ?? ''}
              onClick={() => address.open(first, 'events')}
            >
              {t.hold.events(first.kind, first.name)}
            </Button>
          )}
          <Command text={hold.for === 'approval' ? commands.approve(app.row) : commands.why(app.row, first)} />
        </p>
      </div>
    </section>
  );
}

function Waited({ object: o, open }: { object: HeldBy; open: () => void }) {
  const child = childPath(o);
  return (
    <>
      {child ? (
        <Link to={child} className={css.open} title={o.namespace}>
          <span className="dim">{o.kind}</span> {o.name}
        </Link>
      ) : (
        <button type="button" className={css.open} onClick={open} title={o.namespace}>
          <span className="dim">{o.kind}</span> {o.name}
        </button>
      )}
      {o.health && <Health value={o.health} />}
      {o.hook && <span className={css.tag}>{t.app.hook}</span>}
      <span className={css.why}>{o.message}</span>
    </>
  );
}

/** Objects that a line names. */
const named = 5;

/** Waits tells in a line what a sync waits for, with the way to each object. */
export function Waits({ hold, to }: { hold: Hold; to: (object: HeldBy) => string }) {
  const objects = hold.objects ?? [];
  return (
    <p className={css.waits}>
      <Icon name="progress" />
      <span>
        {waitOf(hold)}
        {objects.slice(0, named).map((o, i) => (
          <span key={refKey(o)}>
            {i > 0 && ','} <Link to={childPath(o) ?? to(o)}>{`${o.kind} ${o.name}`}</Link>
          </span>
        ))}
        {objects.length > named && ` ${t.hold.further(objects.length - named)}`}{' '}
        {hold.since && (
          <span className="dim">
            {t.hold.since} <Ago at={hold.since} short />
          </span>
        )}
      </span>
    </p>
  );
}

/** waitOf begins a line that goes on with the objects, where there are some. */
function waitOf(hold: Hold): string {
  if ((hold.objects ?? []).length === 0) return t.hold.titles[hold.for];
  return hold.for === 'wave' ? t.hold.waveWaits(hold.phase ?? '', hold.wave ?? 0) : `${t.hold.titles[hold.for]}:`;
}

/** titleOf names what waits, and for what. */
export function titleOf(hold: Hold): string {
  const [first, ...rest] = hold.objects ?? [];
  if (hold.for !== 'wave' || !first) return t.hold.titles[hold.for];
  return t.hold.wave(hold.phase ?? '', hold.wave ?? 0, `${first.kind} ${first.name}`, rest.length);
}
