import { Kbd, Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type RefObject } from 'react';
import { useNavigate } from 'react-router';

import type { Found } from '../api/client';
import { searchQuery } from '../api/queries';
import { t } from '../text';
import { Icon } from '../ui/icons';
import { wordsOf } from '../ui/state';
import { Health, Sync } from '../ui/status';
import { Ago } from '../ui/time';
import { actionsOf, groupsOf, type Action, type Group, type Hit, type Page } from './finds';
import { useOthers } from './others';
import css from './search.module.css';

interface Props {
  opened: boolean;
  close: () => void;
  pages: Page[];
  actions: Action[];
}

/** Search finds everything that has a name. */
export function Search({ opened, close, pages, actions }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      withCloseButton={false}
      size="lg"
      // Above what the page below opens by itself: a drawer that its address names.
      zIndex={300}
      padding={0}
      transitionProps={{ duration: 0 }}
      yOffset="10vh"
      centered={false}
      title={t.search.title}
      classNames={{ header: 'hear' }}
    >
      <Finder close={close} pages={pages} actions={actions} />
    </Modal>
  );
}

export function Finder({ close, pages, actions }: Omit<Props, 'opened'>) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  // What is typed right after the keys that open this is meant for it.
  useEffect(() => field.current?.focus(), []);
  useAlone(field);
  const [settled] = useDebouncedValue(text.trim(), 120);
  const search = useQuery({ ...searchQuery(settled), placeholderData: keepPreviousData });
  const others = useOthers(text, settled);
  const groups = [
    ...groupsOf(text, pages, undefined),
    ...actionsOf(text, actions),
    ...others.first,
    ...groupsOf(text, [], text.trim() === '' ? undefined : search.data),
    ...others.groups,
  ];
  const hits = groups.flatMap((g) => g.hits);
  const chosen = Math.min(at, hits.length - 1);
  const go = (hit: Hit | undefined) => {
    if (!hit) return;
    close();
    if (hit.act) hit.act();
    else void navigate(hit.to);
  };
  const choose = (next: number) => {
    setAt(next);
    document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  const pressed = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length > 0) {
      event.preventDefault();
      choose((chosen + step + hits.length) % hits.length);
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) go(hits[chosen]);
    if (event.key === 'Escape' && !event.nativeEvent.isComposing) close();
  };
  const failed = text.trim() === '' ? [] : [...(search.data?.failed ?? []), ...others.failed];
  const busy = text.trim() !== '' && (settled !== text.trim() || search.isFetching || others.busy);
  return (
    <div onKeyDown={pressed}>
      <div className={css.field}>
        <Icon name="search" size={20} />
        <input
          ref={field}
          data-autofocus
          // Escape closes the search alone, and no drawer below it.
          data-mantine-stop-propagation
          role="combobox"
          aria-label={t.search.title}
          aria-expanded={hits.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          {...(hits.length > 0 ? { 'aria-activedescendant': `${listId}-${chosen}` } : {})}
          placeholder={t.search.placeholder}
          maxLength={256}
          value={text}
          onChange={(e) => {
            setText(e.currentTarget.value);
            setAt(0);
          }}
        />
      </div>
      <div id={listId} role="listbox" aria-label={t.search.title} className={css.hits}>
        {groups.map((g, i) => (
          <Lines
            key={g.kind}
            group={g}
            listId={listId}
            from={groups.slice(0, i).reduce((n, one) => n + one.hits.length, 0)}
            chosen={chosen}
            over={setAt}
            go={go}
          />
        ))}
      </div>
      {failed.length > 0 && (
        <ul className={css.untold} aria-label={t.search.untold}>
          {failed.map((f) => (
            <li key={f.kind}>
              <Icon name="warning" size={16} />
              <span>
                <b>{t.search.groups[f.kind]}</b> {f.reason}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className={css.hint}>
        <p role="status">
          {search.error && text.trim() !== ''
            ? `${t.search.failed} ${wordsOf(search.error)}`
            : saying(text, busy, hits.filter((h) => !h.all).length, search.data, failed.length > 0)}
        </p>
        <p className={css.keys} aria-hidden>
          <Kbd size="xs">↑</Kbd>
          <Kbd size="xs">↓</Kbd> {t.search.keys.move}
          <Kbd size="xs">{t.search.keys.enter}</Kbd> {t.search.keys.open}
        </p>
      </div>
    </div>
  );
}

/**
 * useAlone keeps the focus in a field as long as it is shown: a page that arrives late may open a drawer below it, and
 * what is typed next would go there.
 */
function useAlone(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const went = (event: FocusEvent) => {
      const own = field.current?.closest('[role="dialog"]') ?? field.current;
      if (own && event.target instanceof Node && !own.contains(event.target)) field.current?.focus();
    };
    document.addEventListener('focusin', went);
    return () => document.removeEventListener('focusin', went);
  }, [field]);
}

/** saying tells how far a search is. */
function saying(text: string, busy: boolean, count: number, found: Found | undefined, failed: boolean): string {
  if (text.trim() === '') return t.search.hint;
  const late = (found?.late.length ?? 0) > 0;
  if (count > 0) return late && !busy ? `${t.search.count(count)}. ${t.search.late}` : t.search.count(count);
  if (busy) return t.search.busy;
  if (late) return t.search.late;
  return failed ? t.search.notAll : t.search.none(text.trim());
}

interface LinesProps {
  group: Group;
  listId: string;
  /** How many lines there are before. */
  from: number;
  chosen: number;
  over: (at: number) => void;
  go: (hit: Hit) => void;
}

function Lines({ group, listId, from, chosen, over, go }: LinesProps) {
  const title = t.search.groups[group.kind];
  return (
    <div role="group" aria-label={title} className={css.group}>
      <div className={css.title} aria-hidden>
        {title}
        {group.narrow && <span>{t.search.narrow}</span>}
      </div>
      {group.hits.map((hit, i) => (
        <div
          key={`${hit.to} ${i}`}
          id={`${listId}-${from + i}`}
          role="option"
          aria-selected={from + i === chosen}
          className={css.hit}
          data-all={hit.all}
          onMouseMove={(e) => {
            // A list that scrolls below a mouse at rest tells of it, too: the keyboard keeps what it chose.
            if (e.movementX !== 0 || e.movementY !== 0) over(from + i);
          }}
          onClick={() => go(hit)}
        >
          <Icon name={hit.icon} size={18} />
          <span className={css.name}>
            <span className={hit.mono ? 'mono cut' : 'cut'} title={hit.name}>
              {hit.name}
            </span>
            {hit.detail && <span className={`dim cut ${css.detail ?? ''}`}>{hit.detail}</span>}
          </span>
          {hit.health && <Health value={hit.health} compact />}
          {hit.sync && <Sync value={hit.sync} compact />}
          {hit.at && (
            <span className={css.note}>
              <Ago at={hit.at} />
            </span>
          )}
          {hit.note && <span className={css.note}>{hit.note}</span>}
        </div>
      ))}
    </div>
  );
}
