import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';

import type { Key } from '../../api/client';
import { earlier, follow, furthest, isWhole, type Earlier, type Wanted } from '../../api/logs';
import { t } from '../../text';
import { useSearch } from '../../ui/search';
import { Failed, Message, wordsOf } from '../../ui/state';
import { useTell } from '../../ui/toast';
import css from './logs.module.css';
import { placesOf } from './places';

interface Props {
  app: Key;
  namespace: string;
  pod: string;
  containers: string[];
}

/** Logs shows what a container writes, as it writes. */
export function Logs({ app, namespace, pod, containers }: Props) {
  const { params, put } = useSearch();
  const container = containers.find((c) => c === params.get('container')) ?? containers[0] ?? '';
  const previous = params.get('previous') === '1';
  const [following, setFollowing] = useState(true);
  const [text, setText] = useState(params.get('find') ?? '');
  const keep = useDebouncedCallback((word: string) => put('find', word), 250);
  const wanted = useMemo<Wanted>(
    () => ({ app, namespace, pod, container, previous, follow: following && !previous }),
    [app, namespace, pod, container, previous, following],
  );
  const log = useLog(wanted);
  const found = useMemo(() => {
    const word = text.toLowerCase();
    const all = log.lines.map((line, i) => ({ at: log.from + i, text: line }));
    return word === '' ? all : all.filter((line) => line.text.toLowerCase().includes(word));
  }, [log.lines, log.from, text]);
  return (
    <div className={css.logs}>
      <div className={css.tools}>
        {containers.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label={t.logs.container}
            data={containers}
            value={container}
            onChange={(e) => put('container', e.currentTarget.value)}
          />
        )}
        <TextInput
          size="xs"
          type="search"
          className={css.find ?? ''}
          aria-label={t.logs.find}
          placeholder={t.logs.find}
          maxLength={256}
          value={text}
          onChange={(e) => {
            setText(e.currentTarget.value);
            keep(e.currentTarget.value);
          }}
        />
        <Checkbox
          size="xs"
          label={t.logs.follow}
          checked={following && !previous}
          disabled={previous}
          onChange={(e) => setFollowing(e.currentTarget.checked)}
        />
        <Checkbox
          size="xs"
          label={t.logs.previous}
          checked={previous}
          onChange={(e) => put('previous', e.currentTarget.checked ? '1' : '')}
        />
        <span className="dim" role="status">
          {text === '' ? t.logs.lines(log.lines.length) : t.logs.found(found.length)}
        </span>
      </div>
      {previous && isFirst(log.error) ? (
        <Message icon="okay" title={t.logs.noPrevious} />
      ) : log.error ? (
        <Failed error={log.error} retry={log.again} />
      ) : (
        <Lines lines={found} word={text} following={following && !previous} log={log} />
      )}
    </div>
  );
}

/** isFirst tells that a container was never started again, as Kubernetes says it. */
const isFirst = (error: unknown) => error !== null && /previous terminated container .*not found/.test(wordsOf(error));

interface Log {
  lines: string[];
  /** The place of the first line: what is known first has 0, what is read from before it less. */
  from: number;
  dropped: number;
  /** Why there is nothing before the first line. */
  begins: Earlier['end'] | undefined;
  ended: boolean;
  error: unknown;
}

/** Lines that are kept; of a chatty container the first go. */
const most = 20_000;
const empty: Log = { lines: [], from: 0, dropped: 0, begins: undefined, ended: false, error: null };

interface Reading extends Log {
  again: () => void;
  /** Reads lines from before the first one; null where there is nothing to read. */
  older: (() => void) | null;
  readingOlder: boolean;
}

function useLog(wanted: Wanted): Reading {
  const [log, setLog] = useState(empty);
  const [tries, setTries] = useState(0);
  const older = useOlder(wanted, log.lines, (back) =>
    // What has gone meanwhile, because there is too much of it, does not come back.
    setLog((now) =>
      now.dropped > 0
        ? now
        : { ...now, lines: [...back.lines, ...now.lines], from: now.from - back.lines.length, begins: back.end },
    ),
  );
  useEffect(() => {
    const stop = new AbortController();
    follow(wanted, stop.signal, (more) =>
      setLog((now) => {
        if (stop.signal.aborted) return now;
        const lines = [...now.lines, ...more];
        const over = Math.max(0, lines.length - most);
        return { ...now, lines: lines.slice(over), from: now.from + over, dropped: now.dropped + over };
      }),
    )
      .then(() => {
        if (!stop.signal.aborted) setLog((now) => ({ ...now, ended: true }));
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setLog((now) => ({ ...now, error }));
      });
    return () => {
      stop.abort();
      setLog(empty);
    };
  }, [wanted, tries]);
  const none = log.begins !== undefined || log.dropped > 0 || isWhole(log.lines);
  return { ...log, again: () => setTries((n) => n + 1), older: none ? null : older.read, readingOlder: older.reading };
}

/** useOlder reads what is before lines that are known, when somebody asks for it. */
function useOlder(wanted: Wanted, known: string[], take: (back: Earlier) => void) {
  const tell = useTell();
  const [reading, setReading] = useState<Wanted | null>(null);
  const stop = useRef<AbortController>(undefined);
  // What was asked of another log is for nobody.
  useEffect(() => () => stop.current?.abort(), [wanted]);
  const read = () => {
    const asked = new AbortController();
    stop.current = asked;
    setReading(wanted);
    const over = () => setReading((now) => (now === wanted ? null : now));
    earlier(wanted, known, asked.signal)
      .then((back) => {
        if (!asked.signal.aborted) take(back);
      })
      .catch((error: unknown) => {
        if (!asked.signal.aborted) tell.bad(wordsOf(error));
      })
      .finally(over);
  };
  return { read, reading: reading === wanted };
}

interface LinesProps {
  lines: { at: number; text: string }[];
  word: string;
  following: boolean;
  log: Reading;
}

function Lines({ lines, word, following, log }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  // Who has scrolled up reads, and is left alone.
  const atEnd = useRef(true);
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing of it is given to memoized parts
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => 19,
    getItemKey: (i) => lines[i]?.at ?? i,
    overscan: 30,
  });
  const from = useRef(log.from);
  // What comes before does not move what somebody reads.
  useLayoutEffect(() => {
    const before = from.current;
    from.current = log.from;
    if (log.from >= before || atEnd.current) return;
    virtual.scrollToIndex(lines.filter((line) => line.at < before).length, { align: 'start' });
  }, [lines, log.from, virtual]);
  // Lines are higher than was thought when they are drawn: the end moves once more then.
  const height = virtual.getTotalSize();
  useEffect(() => {
    if (following && atEnd.current && lines.length > 0) virtual.scrollToIndex(lines.length - 1);
  }, [lines.length, height, following, virtual]);
  return (
    <div
      ref={box}
      className={css.lines}
      role="log"
      aria-label={t.logs.label}
      aria-live="off"
      tabIndex={0}
      onScroll={(e) => {
        const b = e.currentTarget;
        atEnd.current = b.scrollHeight - b.scrollTop - b.clientHeight < 40;
      }}
    >
      <Top log={log} box={box} />
      <div className={css.space} style={{ height }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            className={css.line}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            <Marked text={lines[item.index]?.text ?? ''} word={word} />
          </div>
        ))}
      </div>
      {log.ended && <p className={css.note}>{lines.length === 0 && word === '' ? t.logs.empty : t.logs.ended}</p>}
    </div>
  );
}

/** Top says what is before the first line, or leads to it. */
function Top({ log, box }: { log: Reading; box: RefObject<HTMLDivElement | null> }) {
  const there = log.older !== null;
  const asked = useRef(false);
  // Who has read up to the beginning stays in the log when the button goes.
  useEffect(() => {
    if (!there && asked.current && document.activeElement === document.body) box.current?.focus();
  }, [there, box]);
  if (log.older)
    return (
      <p className={css.note}>
        <Button
          size="compact-xs"
          variant="default"
          loading={log.readingOlder}
          onClick={() => {
            asked.current = true;
            log.older?.();
          }}
        >
          {t.logs.older}
        </Button>
      </p>
    );
  if (log.dropped > 0) return <p className={css.note}>{t.logs.dropped(log.dropped)}</p>;
  if (log.begins)
    return <p className={css.note}>{log.begins === 'begins' ? t.logs.begins : t.logs.furthest(furthest)}</p>;
  return null;
}

function Marked({ text, word }: { text: string; word: string }) {
  if (word === '') return text || '\u00a0';
  const parts: React.ReactNode[] = [];
  let from = 0;
  for (const [at, end] of placesOf(text, word)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, end)}</mark>);
    from = end;
  }
  return [...parts, text.slice(from)];
}
