import { ActionIcon, Button, NativeSelect, SegmentedControl } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

import type { Filter } from '../../api/queries';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Find } from '../../ui/find';
import { Icon } from '../../ui/icons';
import { Empty, useMay } from '../../ui/may';
import { Failed, Loading, Message } from '../../ui/state';
import { useHeading, useTitle } from '../../ui/title';
import { Bulk, type BulkAction } from './bulk';
import { isFiltered, useFilter, type View } from './filter';
import { Filters } from './filters';
import { List } from './list';
import css from './page.module.css';
import { useFirst } from './rows';
import { useSelection } from './selection';

export default function Applications() {
  useTitle(t.list.title);
  const heading = useHeading();
  const { filter, view, change, clear } = useFilter();
  const rows = useFirst(filter);
  const commands = useCommands();
  const selection = useSelection();
  const [action, setAction] = useState<BulkAction | null>(null);
  const failed = rows.error !== null && !rows.first;
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {t.list.title}
        </h1>
        <span className="dim" role="status">
          {rows.first && (isFiltered(filter) ? t.list.found(rows.total) : t.list.total(rows.total))}
        </span>
        <span className={css.offer}>
          <Command
            text={commands.apps(filter, commands.isElsewhere(Object.keys(rows.first?.facets.namespace ?? {})))}
          />
        </span>
        <Sorting filter={filter} view={view} change={change} />
      </header>
      <Search filter={filter} change={change} />
      <Filters filter={filter} counts={rows.first?.facets} change={change} />
      {failed && (
        <Failed error={rows.error} retry={rows.retry} clear={Object.keys(filter).length > 0 ? clear : undefined} />
      )}
      {!failed && !rows.first && <Loading rows={12} />}
      {rows.first && rows.total === 0 && <None filtered={isFiltered(filter)} />}
      {rows.total > 0 && <List filter={filter} rows={rows} view={view} selection={selection} />}
      {selection.rows.length > 0 && (
        <div className={css.bulk} role="toolbar" aria-label={t.list.bulk}>
          <strong>{t.list.selected(selection.rows.length)}</strong>
          <SyncPicked ask={() => setAction('sync')} />
          <Button size="xs" variant="default" onClick={() => setAction('refresh')}>
            {t.list.bulkRefresh}
          </Button>
          <ActionIcon variant="subtle" color="gray" aria-label={t.list.unselect} onClick={selection.clear}>
            <Icon name="close" />
          </ActionIcon>
        </div>
      )}
      <Bulk
        action={action}
        rows={selection.rows}
        close={() => setAction(null)}
        done={() => {
          setAction(null);
          selection.clear();
        }}
      />
    </div>
  );
}

type Change = ReturnType<typeof useFilter>['change'];

function Sorting({ filter, view, change }: { filter: Filter; view: View; change: Change }) {
  const sort = filter.sort ?? 'name';
  const column = sort.replace(/^-/, '');
  const descending = sort.startsWith('-');
  const by = (name: string, reverse: boolean) =>
    change({ sort: name === 'name' && !reverse ? '' : (reverse ? '-' : '') + name });
  return (
    <div className={css.sorting}>
      <NativeSelect
        size="xs"
        aria-label={t.list.sort}
        value={column}
        data={Object.entries(t.list.sorts).map(([value, label]) => ({ value, label }))}
        onChange={(e) => by(e.currentTarget.value, descending)}
      />
      <ActionIcon
        variant="default"
        size={30}
        aria-label={t.list.descending}
        aria-pressed={descending}
        title={t.list.descending}
        onClick={() => by(column, !descending)}
      >
        <Icon name={descending ? 'up' : 'down'} />
      </ActionIcon>
      <SegmentedControl
        size="xs"
        aria-label={t.list.view}
        value={view}
        onChange={(value) => change({ view: value === 'tiles' ? 'tiles' : '' })}
        data={[
          { value: 'table', label: t.list.table },
          { value: 'tiles', label: t.list.tiles },
        ]}
      />
    </div>
  );
}

/** SyncPicked is a button for those who may sync anything at all; which of many they may, the server says of each. */
function SyncPicked({ ask }: { ask: () => void }) {
  const may = useMay('applications');
  if (!may('sync')) return null;
  return (
    <Button size="xs" onClick={ask} leftSection={<Icon name="synced" size={14} />}>
      {t.list.bulkSync}
    </Button>
  );
}

/** Pause after a keystroke before the server is asked. */
const settle = 120;

function Search({ filter, change }: { filter: Filter; change: Change }) {
  const [text, setText] = useState(filter.q ?? '');
  const [known, setKnown] = useState(filter.q ?? '');
  const search = useDebouncedCallback((q: string) => {
    setKnown(q.trim());
    change({ q });
  }, settle);
  // The address has changed by something else than this field.
  if ((filter.q ?? '') !== known) {
    setKnown(filter.q ?? '');
    setText(filter.q ?? '');
  }
  return (
    <Find
      label={t.list.searchLabel}
      hint={t.list.search}
      value={text}
      change={(q) => {
        setText(q);
        search(q);
      }}
    />
  );
}

function None({ filtered }: { filtered: boolean }) {
  if (filtered)
    return (
      <Message icon="search" title={t.list.noMatch}>
        <p>{t.list.noMatchLead}</p>
      </Message>
    );
  return (
    <Empty resource="applications" of={t.list.what}>
      <Message icon="apps" title={t.list.none} action={<Command text={t.list.noneCommand} />}>
        <p>{t.list.noneLead}</p>
      </Message>
    </Empty>
  );
}
