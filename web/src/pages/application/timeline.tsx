import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';

import type { Application, PastObject, PastSync, PastWave, Trace } from '../../api/client';
import { historyQuery, isProblem, pastSyncQuery } from '../../api/queries';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Failed, Loading, Message } from '../../ui/state';
import { OperationSign } from '../../ui/status';
import { Ago, duration, exact, useNow } from '../../ui/time';
import { refKey, refText, useHere, type Address } from './address';
import { useAgain } from './again';
import { Waits } from './hold';
import css from './timeline.module.css';

/** Timeline draws the waves of a sync in time; of the last one, if no other is asked for. */
export default function Timeline({ address, app }: { address: Address; app: Application }) {
  const history = useInfiniteQuery(historyQuery(address.key));
  const known = history.data?.pages.flatMap((p) => p.syncs) ?? [];
  const id = address.sync ?? known[0]?.id ?? null;
  const trace = useQuery({ ...pastSyncQuery(address.key, id ?? ''), enabled: id !== null });
  useAgain(address.key, history.data);
  const error = trace.error ?? (address.sync === null ? history.error : null);
  if (isProblem(error, 404))
    return (
      <Message icon="history" title={t.history.notKept}>
        <p>{error.message}</p>
      </Message>
    );
  if (error) return <Failed error={error} retry={() => void (id ? trace : history).refetch()} />;
  if (id === null && history.data !== undefined)
    return (
      <Message icon="history" title={t.history.none}>
        <p>{t.history.noneLead}</p>
      </Message>
    );
  if (!trace.data) return <Loading />;
  const { sync } = trace.data;
  // An address may name an older one than those that are known.
  const list = known.some((s) => s.id === sync.id) ? known : [...known, sync];
  return (
    <>
      <Choice list={list} id={id} choose={(chosen) => address.show('timeline', chosen)} />
      <Waterfall trace={trace.data} app={app} />
    </>
  );
}

/** Choice goes to another of the last syncs. */
function Choice({ list, id, choose }: { list: PastSync[]; id: string | null; choose: (id: string) => void }) {
  if (list.length < 2) return null;
  return (
    <NativeSelect
      size="xs"
      className={css.choice ?? ''}
      label={t.timeline.choose}
      value={id ?? ''}
      data={list.map((s) => ({
        value: s.id,
        label: t.timeline.entry(exact(s.started), s.commits?.[0]?.subject ?? t.history.causes[s.cause] ?? s.cause),
      }))}
      onChange={(e) => choose(e.currentTarget.value)}
    />
  );
}

/** A stretch of time in milliseconds. */
interface Span {
  from: number;
  to: number;
}

const at = (time: string | undefined) => (time ? new Date(time).getTime() : NaN);

/** runs tells that a sync has not ended. */
const runs = ({ finished }: PastSync) => Number.isNaN(at(finished)) || finished?.startsWith('0001-') === true;

/** spanOf is the time that a sync took; one that runs takes until now. */
export function spanOf({ sync }: Trace, now: number): Span {
  const from = at(sync.started);
  const ends = [
    runs(sync) ? now : at(sync.finished),
    ...(sync.waves ?? []).flatMap((w) => [at(w.ended), at(w.applied), ...(w.objects ?? []).map((o) => at(o.healthy))]),
  ];
  return { from, to: Math.max(from + 1, ...ends.filter((n) => !Number.isNaN(n))) };
}

/** A stretch of what is done before the first wave. */
interface Stretch extends Span {
  name: 'fetch' | 'render' | 'plan' | 'prepare';
}

/** stretchesOf are what a sync did before its first wave; one for all of it where the history does not know more. */
export function stretchesOf({ sync }: Trace): Stretch[] {
  const from = at(sync.started);
  const first = at(sync.waves?.[0]?.started);
  if (Number.isNaN(first) || first <= from) return [];
  const { fetched, rendered, planned } = sync.passes ?? {};
  // What was fetched before the sync began is none of its time.
  let last = from;
  const known: Stretch[] = [];
  const done = { fetch: at(fetched), render: at(rendered), plan: at(planned) };
  for (const name of ['fetch', 'render', 'plan'] as const) {
    const to = done[name];
    if (Number.isNaN(to) || to <= last || to > first) continue;
    known.push({ name, from: last, to });
    last = to;
  }
  return known.length > 0 ? known : [{ name: 'prepare', from, to: first }];
}

function Waterfall({ trace, app }: { trace: Trace; app: Application }) {
  const commands = useCommands();
  const { sync, changes } = trace;
  const whole = spanOf(trace, useNow());
  const running = runs(sync);
  const here = useHere();
  const hold = running ? app.hold : undefined;
  const waited = new Set((hold?.objects ?? []).map(refKey));
  const waves = sync.waves ?? [];
  return (
    <div className={css.timeline}>
      <header className={css.head}>
        <h2 title={exact(sync.started)}>
          {t.timeline.of('')}
          <Ago at={sync.started} />
        </h2>
        <OperationSign value={sync.phase} />
        <span className="dim">
          {t.history.causes[sync.cause] ?? sync.cause} {sync.by && t.app.by(sync.by)} ·{' '}
          {(running ? t.timeline.runsFor : t.history.took)(duration(whole.to - whole.from))}
        </span>
        <Command text={commands.trace(app.row, sync.history)} />
      </header>
      {hold ? <Waits hold={hold} to={(o) => here({ object: refText(o), part: null })} /> : <Said sync={sync} />}
      {waves.length === 0 ? (
        <Message icon="history" title={t.timeline.none}>
          <p>{t.timeline.noneLead}</p>
        </Message>
      ) : (
        <section className={`card ${css.waves ?? ''}`} aria-label={t.timeline.label}>
          <Scale whole={whole} />
          <Before list={stretchesOf(trace)} whole={whole} />
          {waves.map((wave, i) => (
            <Wave key={i} wave={wave} whole={whole} waited={waited} />
          ))}
          {(sync.leftOut ?? 0) > 0 && <p className="dim">{t.timeline.leftOut(sync.leftOut ?? 0)}</p>}
          {(sync.omitted?.total ?? 0) > 0 && <p className="dim">{t.timeline.omitted(sync.omitted?.total ?? 0)}</p>}
          <p className={css.legend}>
            <i data-part="apply" /> {t.timeline.applied} <i data-part="wait" /> {t.timeline.healthy}
          </p>
        </section>
      )}
      {(changes?.length ?? 0) > 0 && (
        <section className={css.after}>
          <h2>{t.timeline.after}</h2>
          <ul>
            {(changes ?? []).map((c, i) => (
              <li key={i}>
                <span className="dim">
                  <Ago at={c.at} />
                </span>{' '}
                {c.kind} {c.name} <strong>{t.timeline.turned(c.from ?? '', c.to ?? '')}</strong> {c.message}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** Said is what a sync says of its end; one that runs only tells how far it is. */
function Said({ sync }: { sync: PastSync }) {
  if (sync.phase === 'Succeeded' || !sync.message) return null;
  return <p className={runs(sync) ? css.said : css.message}>{sync.message}</p>;
}

function Scale({ whole }: { whole: Span }) {
  const steps = [0, 0.25, 0.5, 0.75, 1];
  return (
    <div className={css.line} aria-hidden>
      <span />
      <span className={css.scale}>
        {steps.map((s) => (
          <i key={s} style={{ left: `${s * 100}%` }}>
            {duration((whole.to - whole.from) * s)}
          </i>
        ))}
      </span>
      <span />
    </div>
  );
}

/** Before is the time until the first wave, which is part of the axis. */
function Before({ list, whole }: { list: Stretch[]; whole: Span }) {
  if (list.length === 0) return null;
  return (
    <div className={css.wave}>
      {list.map(({ name, from, to }) => (
        <div key={name} className={css.line} data-wave>
          <span className="cut">{t.timeline.stretches[name]}</span>
          <span className={css.track}>
            <Bar part="wave" whole={whole} from={from} to={to} />
          </span>
          <span className={css.took}>{duration(to - from)}</span>
        </div>
      ))}
    </div>
  );
}

interface WaveProps {
  wave: PastWave;
  whole: Span;
  /** Objects that the sync waits for. */
  waited: ReadonlySet<string>;
}

function Wave({ wave, whole, waited }: WaveProps) {
  const from = at(wave.started);
  const to = at(wave.ended);
  const took = Number.isNaN(to) ? t.timeline.running : duration(to - from);
  return (
    <div className={css.wave}>
      <div className={css.line} data-wave>
        <span className="cut">
          <strong>{t.timeline.wave(wave.phase, wave.number)}</strong>{' '}
          {(wave.try ?? 0) > 0 && <span className="dim">{t.timeline.attempt(wave.try ?? 0)}</span>}
        </span>
        <span className={css.track}>
          <Bar part="wave" whole={whole} from={from} to={Number.isNaN(to) ? whole.to : to} />
        </span>
        <span className={css.took}>{took}</span>
      </div>
      {(wave.objects ?? []).map((o, i) => (
        <ObjectLine
          key={i}
          object={o}
          wave={wave}
          whole={whole}
          waits={Number.isNaN(to) && Number.isNaN(at(o.healthy)) && waited.has(refKey(o))}
        />
      ))}
      {(wave.unchanged ?? 0) > 0 && <p className="dim">{t.timeline.unchanged(wave.unchanged ?? 0)}</p>}
    </div>
  );
}

interface ObjectProps {
  object: PastObject;
  wave: PastWave;
  whole: Span;
  /** It is not healthy yet, and the sync waits for it. */
  waits: boolean;
}

function ObjectLine({ object: o, wave, whole, waits }: ObjectProps) {
  const from = at(o.started ?? wave.started);
  const applied = from + (o.took ?? 0) / 1e6;
  const healthy = waits ? whole.to : at(o.healthy);
  const end = Number.isNaN(healthy) ? applied : Math.max(healthy, applied);
  return (
    <div className={css.line}>
      <span className={`cut ${css.object ?? ''}`} title={`${o.kind} ${o.namespace ?? ''} ${o.name}`}>
        <span className="dim">{o.kind}</span> {o.name}
      </span>
      <span className={css.track}>
        <Bar part="wait" whole={whole} from={from} to={end} />
        <Bar part="apply" whole={whole} from={from} to={applied} />
      </span>
      <span className={css.took} title={o.message}>
        {waits ? t.timeline.waiting(duration(end - from)) : duration(end - from)}
        {o.status !== undefined && o.status !== 'Synced' && o.status !== 'Succeeded' && <Status of={o.status} />}
      </span>
    </div>
  );
}

/** Status is what became of an object that was not simply applied. */
function Status({ of: status }: { of: string }) {
  const word = t.timeline.statuses[status];
  return word ? <span> · {word}</span> : <strong className={css.failed}> {status}</strong>;
}

function Bar({ part, whole, from, to }: { part: string; whole: Span; from: number; to: number }) {
  const size = whole.to - whole.from;
  const left = Math.max(0, Math.min(1, (from - whole.from) / size));
  const width = Math.max(0, Math.min(1 - left, (to - from) / size));
  return <i className={css.bar} data-part={part} style={{ left: `${left * 100}%`, width: `${width * 100}%` }} />;
}
