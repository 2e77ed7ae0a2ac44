import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';

import type { Key } from '../../api/client';
import { t } from '../../text';
import { useSearch } from '../../ui/search';
import { Failed, Message, wordsOf } from '../../ui/state';
import css from './logs.module.css';
import { follow, type Wanted } from './logstream';

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
    return word === '' ? log.lines : log.lines.filter((line) => line.toLowerCase().includes(word));
  }, [log.lines, text]);
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
        <Lines lines={found} word={text} following={following && !previous} ended={log.ended} dropped={log.dropped} />
      )}
    </div>
  );
}

/** isFirst tells that a container was never started again, as Kubernetes says it. */
const isFirst = (error: unknown) => error !== null && /previous terminated container .*not found/.test(wordsOf(error));

interface Log {
  lines: string[];
  dropped: number;
  ended: boolean;
  error: unknown;
}

/** Lines that are kept; of a chatty container the first go. */
const most = 20_000;
const empty: Log = { lines: [], dropped: 0, ended: false, error: null };

function useLog(wanted: Wanted): Log & { again: () => void } {
  const [log, setLog] = useState(empty);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    follow(wanted, stop.signal, (more) =>
      setLog((now) => {
        if (stop.signal.aborted) return now;
        const lines = [...now.lines, ...more];
        const over = Math.max(0, lines.length - most);
        return { ...now, lines: lines.slice(over), dropped: now.dropped + over };
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
  return { ...log, again: () => setTries((n) => n + 1) };
}

interface LinesProps {
  lines: string[];
  word: string;
  following: boolean;
  ended: boolean;
  dropped: number;
}

function Lines({ lines, word, following, ended, dropped }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  // Who has scrolled up reads, and is left alone.
  const atEnd = useRef(true);
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing of it is given to memoized parts
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => 19,
    overscan: 30,
  });
  useEffect(() => {
    if (following && atEnd.current && lines.length > 0) virtual.scrollToIndex(lines.length - 1);
  }, [lines.length, following, virtual]);
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
      {dropped > 0 && <p className={css.note}>{t.logs.dropped(dropped)}</p>}
      <div className={css.space} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            className={css.line}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            <Marked text={lines[item.index] ?? ''} word={word} />
          </div>
        ))}
      </div>
      {ended && <p className={css.note}>{lines.length === 0 && word === '' ? t.logs.empty : t.logs.ended}</p>}
    </div>
  );
}

function Marked({ text, word }: { text: string; word: string }) {
  if (word === '') return text || '\u00a0';
  const parts: React.ReactNode[] = [];
  const lower = text.toLowerCase();
  const wanted = word.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + word.length)}</mark>);
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
}
