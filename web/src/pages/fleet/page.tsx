import { Checkbox, NativeSelect } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router';

import type { Fleet, FleetCell, FleetCluster } from '../../api/client';
import { fleetQuery } from '../../api/queries';
import { t } from '../../text';
import { arrowsOf } from '../../ui/arrows';
import { Find } from '../../ui/find';
import { fleetCommand } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { Empty } from '../../ui/may';
import { useSearch } from '../../ui/search';
import { Failed, Loading, Message } from '../../ui/state';
import { Health, Sync } from '../../ui/status';
import { useHeading, useTitle } from '../../ui/title';
import { shortRevision } from '../applications/rows';
import css from './page.module.css';
import { allOf, foldedKeys, grouped, hasOdd, listOf, oddCells, oddColumns, type Line } from './rows';

export default function FleetPage() {
  useTitle(t.nav.fleet);
  const heading = useHeading();
  const fleet = useQuery(fleetQuery);
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {t.nav.fleet}
        </h1>
        {fleet.data && (
          <span className="dim">
            {t.fleet.size(fleet.data.clusters?.length ?? 0, fleet.data.columns?.length ?? 0)}
            {t.fleet.odds(oddCells(fleet.data.clusters ?? []))}
          </span>
        )}
        <span className={css.end}>
          {fleet.data ? <Shown fleet={fleet.data} /> : <Command {...fleetCommand([], false)} />}
        </span>
      </header>
      {fleet.data ? (
        <Content fleet={fleet.data} />
      ) : fleet.error ? (
        <Failed error={fleet.error} retry={() => void fleet.refetch()} />
      ) : (
        <Loading rows={12} />
      )}
    </div>
  );
}

/** useLines are the clusters of the matrix, as the address narrows and groups them. */
function useLines(fleet: Fleet) {
  const { params, put } = useSearch();
  const by = params.get('by') ?? '';
  const text = params.get('q') ?? '';
  const odd = params.get('odd') === '1';
  const clusters = useMemo(() => fleet.clusters ?? [], [fleet]);
  const lines = useMemo(() => grouped(clusters, { by, text, odd }), [clusters, by, text, odd]);
  return { by, text, odd, clusters, lines, put };
}

/** Shown is the same on the command line, which knows clusters by their names. */
function Shown({ fleet }: { fleet: Fleet }) {
  const { clusters, lines, odd } = useLines(fleet);
  const names = lines.flatMap((l) => (l.cluster ? [l.cluster.name] : []));
  const { text, whole } = fleetCommand(names, names.length < clusters.length);
  // It has no way to leave out the columns in which nothing differs.
  return <Command text={text} whole={whole && !odd} />;
}

function Content({ fleet }: { fleet: Fleet }) {
  const { by, text, odd, clusters, lines, put } = useLines(fleet);
  const columns = useMemo(() => {
    const all = fleet.columns ?? [];
    return odd ? all.filter((c) => clusters.some((k) => k.cells[c.id]?.odd)) : all;
  }, [fleet, clusters, odd]);
  if (clusters.length === 0)
    return (
      <Empty resource="clusters" of={t.clusters.what}>
        <Message icon="fleet" title={t.clusters.none}>
          <p>{t.clusters.noneLead}</p>
        </Message>
      </Empty>
    );
  return (
    <>
      <div className={css.tools}>
        <Find label={t.fleet.find} value={text} change={(text) => put('q', text)} />
        <Grouping clusters={clusters} by={by} choose={(key) => put('by', key)} />
        <Checkbox label={t.fleet.odd} checked={odd} onChange={(e) => put('odd', e.currentTarget.checked ? '1' : '')} />
      </div>
      {lines.length === 0 || columns.length === 0 ? (
        <Message icon="okay" title={odd ? t.fleet.noOdd : t.list.noMatch} />
      ) : (
        <Matrix lines={lines} columns={columns} />
      )}
    </>
  );
}

interface GroupingProps {
  clusters: FleetCluster[];
  by: string;
  choose: (key: string) => void;
}

/** What unfolds the list: no label is called so. */
const unfold = '…';

/** Grouping offers the labels to group by; those of many switches when somebody asks for them. */
function Grouping({ clusters, by, choose }: GroupingProps) {
  const { first, rest } = useMemo(() => foldedKeys(clusters), [clusters]);
  const [unfolded, setUnfolded] = useState(false);
  const all = unfolded || rest.includes(by) || rest.length < 3;
  const option = (key: string) => ({ value: key, label: t.fleet.by(key) });
  return (
    <NativeSelect
      aria-label={t.fleet.group}
      value={by}
      data={[
        { value: '', label: t.fleet.noGroup },
        ...first.map(option),
        ...(all ? rest.map(option) : [{ value: unfold, label: t.fleet.moreGroups(rest.length) }]),
      ]}
      onChange={(e) => {
        const { value } = e.currentTarget;
        if (value === unfold) setUnfolded(true);
        else choose(value);
      }}
    />
  );
}

type Columns = NonNullable<Fleet['columns']>;

const columnWidth = 156;
const headHeight = 52;
const rowHeight = 46;

/** Matrix draws only the cells in sight, of whatever size it is. */
function Matrix({ lines, columns }: { lines: Line[]; columns: Columns }) {
  const box = useRef<HTMLDivElement>(null);
  const narrow = useMediaQuery('(max-width: 720px)', false, { getInitialValueInEffect: false });
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing of it is given to memoized parts
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    paddingStart: headHeight,
    // Both ways at once are drawn once.
    useFlushSync: false,
  });
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => box.current,
    estimateSize: () => columnWidth,
    overscan: 3,
    paddingStart: narrow ? 140 : 190,
    useFlushSync: false,
  });
  const shown = across.getVirtualItems();
  const odd = useMemo(() => oddColumns(lines.flatMap((l) => l.cluster ?? [])), [lines]);
  const reach = arrowsOf(({ row, column }) => {
    rows.scrollToIndex(row - 2);
    if (column > 1) across.scrollToIndex(column - 2);
  });
  return (
    <div ref={box} className={`card ${css.box ?? ''}`} tabIndex={0} role="region" aria-label={t.fleet.label}>
      <div
        role="table"
        aria-label={t.fleet.label}
        aria-rowcount={lines.length + 1}
        aria-colcount={columns.length + 1}
        onKeyDown={reach}
        className={css.matrix}
        style={{ width: across.getTotalSize(), height: rows.getTotalSize() }}
      >
        <div role="row" aria-rowindex={1} className={css.heads} style={{ height: headHeight }}>
          <span role="columnheader" aria-colindex={1} className={css.corner}>
            {t.fleet.cluster}
          </span>
          {shown.map((c) => {
            const column = columns[c.index];
            return (
              <span
                key={c.key}
                role="columnheader"
                aria-colindex={c.index + 2}
                className={css.column}
                style={{ left: c.start, width: columnWidth }}
                data-odd={odd.has(column?.id ?? '') || undefined}
                title={column?.id}
              >
                <Link to={listOf(column)} className="cut">
                  {column?.id}
                </Link>
                <span className="cut dim mono">{shortRevision(column?.common)}</span>
              </span>
            );
          })}
        </div>
        {rows.getVirtualItems().map((r) => {
          const line = lines[r.index];
          if (!line) return null;
          return (
            <div
              key={r.key}
              role="row"
              aria-rowindex={r.index + 2}
              className={css.row}
              style={{ top: r.start, height: rowHeight }}
            >
              {line.cluster ? (
                <>
                  <span
                    role="rowheader"
                    aria-colindex={1}
                    className={css.cluster}
                    data-odd={hasOdd(line.cluster) || undefined}
                    title={line.cluster.problem ?? line.cluster.server}
                  >
                    <Link
                      to={`/applications?${new URLSearchParams({ cluster: line.cluster.name }).toString()}`}
                      className="cut"
                    >
                      {line.cluster.name}
                    </Link>
                    {line.cluster.paused && <Icon name="paused" aria-label={t.clusters.paused} className={css.warn} />}
                    {!line.cluster.reachable && (
                      <Icon name="warning" aria-label={t.clusters.unreachable} className={css.warn} />
                    )}
                  </span>
                  {shown.map((c) => {
                    const cell = line.cluster.cells[columns[c.index]?.id ?? ''];
                    return (
                      <span
                        key={c.key}
                        role="cell"
                        aria-colindex={c.index + 2}
                        className={css.slot}
                        style={{ left: c.start, width: columnWidth }}
                      >
                        {cell ? (
                          <Cell
                            cell={cell}
                            all={allOf(line.cluster.name, columns[c.index], cell)}
                            common={columns[c.index]?.common}
                          />
                        ) : (
                          <span className={css.none}>–</span>
                        )}
                      </span>
                    );
                  })}
                </>
              ) : (
                <span role="rowheader" className={css.group}>
                  {line.group} <span className="dim">{line.size}</span>
                </span>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface CellProps {
  cell: FleetCell;
  /** Where all of it is. */
  all: string;
  /** The version that most clusters have. */
  common: string | undefined;
}

/** Cell stays as it is while one scrolls past it. */
const Cell = memo(function Cell({ cell, all, common }: CellProps) {
  const version = shortRevision(cell.version);
  return (
    <Link
      to={all}
      className={css.cell}
      data-odd={cell.odd || undefined}
      data-health={cell.health}
      title={`${cell.name} ${cell.version ?? ''}${cell.odd ? ` (${t.fleet.differs(version, shortRevision(common))})` : ''}`}
    >
      <Health value={cell.health} compact />
      {cell.sync !== 'Synced' && <Sync value={cell.sync} compact />}
      <span className="cut mono">{version}</span>
      {cell.odd && (
        <span className={css.odd}>
          ≠<span className="hear">{t.fleet.differs(version, shortRevision(common))}</span>
        </span>
      )}
      {(cell.more ?? 0) > 0 && <span className="dim">+{cell.more}</span>}
    </Link>
  );
});
