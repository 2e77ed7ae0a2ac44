import { Checkbox } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'react-router';

import type { Row } from '../../api/client';
import { t } from '../../text';
import { Icon } from '../../ui/icons';
import { Health, OperationSign, Sync } from '../../ui/status';
import { Ago } from '../../ui/time';
import { idOf, pathOf, repoName, shortRevision } from './rows';
import css from './table.module.css';

interface LineProps {
  row: Row;
  index: number;
  selected: boolean;
  toggle: (row: Row, index: number, range: boolean) => void;
}

/** Line is an Application in the list. */
export const Line = memo(function Line({ row, index, selected, toggle }: LineProps) {
  return (
    <div className={css.line} role="row" aria-rowindex={index + 2} aria-selected={selected} data-index={index}>
      <span role="cell" className={css.pick}>
        <Pick row={row} index={index} selected={selected} toggle={toggle} />
      </span>
      <span role="cell" className={css.name}>
        <Link to={pathOf(row)} className="cut" title={idOf(row)} data-open>
          {row.name}
        </Link>
        <Marks row={row} />
      </span>
      <span role="cell" className={css.health}>
        <Health value={row.health} />
      </span>
      <span role="cell" className={css.sync}>
        <Sync value={row.sync} />
      </span>
      <span role="cell" className={`cut ${css.cluster ?? ''}`} title={row.cluster}>
        {row.cluster}
        {row.destination && <span className="dim"> / {row.destination}</span>}
      </span>
      <span role="cell" className={`cut ${css.revision ?? ''}`}>
        <Revision row={row} />
      </span>
      <span role="cell" className={`cut dim ${css.project ?? ''}`}>
        {row.project}
      </span>
      <span role="cell" className={`dim ${css.synced ?? ''}`}>
        <Ago at={row.synced} />
      </span>
    </div>
  );
});

/** Bones hold the place of a row that comes. */
export function Bones({ index }: { index: number }) {
  return (
    <div className={css.line} role="row" aria-rowindex={index + 2} aria-busy>
      <span role="cell" />
      <span role="cell" className={css.bone}>
        <span className="hear">{t.state.loading}</span>
      </span>
    </div>
  );
}

export function Heads({ selected, some, toggle }: { selected: boolean; some: boolean; toggle: () => void }) {
  const { columns } = t.list;
  return (
    <div className={css.heads} role="row" aria-rowindex={1}>
      <span role="columnheader" className={css.pick}>
        <Checkbox
          size="xs"
          aria-label={t.list.selectAll}
          checked={selected}
          indeterminate={some && !selected}
          onChange={toggle}
        />
      </span>
      <span role="columnheader">{columns.name}</span>
      <span role="columnheader">{columns.health}</span>
      <span role="columnheader">{columns.sync}</span>
      <span role="columnheader" className={css.cluster}>
        {columns.cluster}
      </span>
      <span role="columnheader" className={css.revision}>
        {columns.revision}
      </span>
      <span role="columnheader" className={css.project}>
        {columns.project}
      </span>
      <span role="columnheader" className={css.synced}>
        {columns.synced}
      </span>
    </div>
  );
}

export function Pick({ row, index, selected, toggle }: LineProps) {
  return (
    <Checkbox
      size="xs"
      aria-label={t.list.select(row.name)}
      checked={selected}
      onChange={(event) => toggle(row, index, (event.nativeEvent as MouseEvent).shiftKey)}
    />
  );
}

/** Marks tell what else one should know of an Application. */
export function Marks({ row }: { row: Row }) {
  const errors = row.errors ?? 0;
  const warnings = row.warnings ?? 0;
  const running = row.operation === 'Running' || row.operation === 'Terminating';
  return (
    <>
      {running && <OperationSign value={row.operation} compact />}
      {(row.operation === 'Failed' || row.operation === 'Error') && <OperationSign value={row.operation} compact />}
      {errors > 0 && (
        <span className={css.errors} title={row.message}>
          <Icon name="warning" size={14} /> {t.list.errors(errors)}
        </span>
      )}
      {errors === 0 && warnings > 0 && (
        <span className={css.warnings}>
          <Icon name="warning" size={14} /> {t.list.warnings(warnings)}
        </span>
      )}
    </>
  );
}

export function Revision({ row }: { row: Row }) {
  const sources = row.sources ?? [];
  const first = sources[0];
  if (!first) return null;
  const what = first.chart ?? first.path ?? '';
  return (
    <span title={`${first.repoURL} ${what}`}>
      {first.chart ?? repoName(first.repoURL)}{' '}
      <span className="mono dim">{shortRevision(first.revision ?? first.target)}</span>
      {sources.length > 1 && <span className="dim"> {t.list.sources(sources.length)}</span>}
    </span>
  );
}
