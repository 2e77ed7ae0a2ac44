import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, type ReactNode } from 'react';
import { Link } from 'react-router';

import type { GeneratedApp } from '../../api/client';
import { t } from '../../text';
import { arrowsOf } from '../../ui/arrows';
import { useSearch } from '../../ui/search';
import { Message } from '../../ui/state';
import { Health, Sign, Sync } from '../../ui/status';
import { pathOf } from '../applications/rows';
import { Choose } from './choose';
import { changeTo, columnsOf, shownOf } from './columns';
import css from './generated.module.css';

interface Props {
  namespace: string;
  made: GeneratedApp[];
  /** How many there are, of which some may not be loaded. */
  total: number;
  text: string;
  shown: string;
  show: (app: string) => void;
}

/** Generated has a row for each Application that a set makes, and a column for each parameter that is wanted. */
export function Generated({ namespace, made, total, text, shown, show }: Props) {
  const { params, change } = useSearch();
  const address = params.toString();
  const columns = useMemo(() => columnsOf(made), [made]);
  const names = useMemo(() => shownOf(columns.all, new URLSearchParams(address)), [columns, address]);
  const found = useMemo(() => foundOf(made, text), [made, text]);
  if (made.length === 0)
    return (
      <Message icon="set" title={t.set.nothing}>
        <p>{t.set.nothingLead}</p>
      </Message>
    );
  return (
    <>
      <div className={css.above}>
        <span className="dim" role="status">
          {t.set.count(found.length, made.length)}
          {made.length < total && ` ${t.set.loaded(made.length, total)}`}
          {made.some((a) => a.cut) && ` ${t.set.cut}`}
        </span>
        {columns.all.length > 0 && (
          <Choose columns={columns} shown={new Set(names)} choose={(next) => change(changeTo(columns.all, next))} />
        )}
      </div>
      {found.length === 0 ? (
        <Message icon="search" title={t.list.noMatch} />
      ) : (
        <Table namespace={namespace} apps={found} names={names} shown={shown} show={show} />
      )}
    </>
  );
}

/** foundOf are those that have all words, in whatever is shown of them or could be. */
function foundOf(made: GeneratedApp[], text: string): GeneratedApp[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return made;
  return made.filter((a) => {
    const parameters = Object.entries(a.parameters).map(([k, v]) => `${k}=${v}`);
    const line = [a.name, a.cluster, a.problem, ...parameters].join(' ').toLowerCase();
    return words.every((w) => line.includes(w));
  });
}

/** Pixels. */
const headHeight = 36;
const widths = { name: 300, narrow: 168, status: 140, cluster: 170, parameter: 210 };

interface TableProps {
  namespace: string;
  apps: GeneratedApp[];
  names: string[];
  shown: string;
  show: (app: string) => void;
}

/** Table draws only the cells in sight, of however many parameters and Applications. */
function Table({ namespace, apps, names, shown, show }: TableProps) {
  const box = useRef<HTMLDivElement>(null);
  const narrow = useMediaQuery('(max-width: 720px)', false, { getInitialValueInEffect: false });
  const nameWidth = narrow ? widths.narrow : widths.name;
  const height = narrow ? 60 : 42;
  const columns = useMemo(() => columnsFor(names), [names]);
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing of it is given to memoized parts
  const rows = useVirtualizer({
    count: apps.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 6,
    paddingStart: headHeight,
    // Both ways at once are drawn once.
    useFlushSync: false,
  });
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => box.current,
    estimateSize: (i) => columns[i]?.width ?? 0,
    getItemKey: (i) => columns[i]?.key ?? i,
    overscan: 3,
    paddingStart: nameWidth,
    useFlushSync: false,
  });
  useLayoutEffect(() => rows.measure(), [rows, height]);
  useLayoutEffect(() => across.measure(), [across, columns, nameWidth]);
  const drawn = across.getVirtualItems();
  const reach = arrowsOf(({ row, column }) => {
    rows.scrollToIndex(row - 2);
    if (column > 1) across.scrollToIndex(column - 2);
  });
  return (
    <div ref={box} className={`card ${css.box ?? ''}`} tabIndex={0} role="region" aria-label={t.set.made}>
      <div
        role="table"
        aria-label={t.set.made}
        aria-rowcount={apps.length + 1}
        aria-colcount={columns.length + 1}
        onKeyDown={reach}
        className={css.table}
        style={{ width: across.getTotalSize(), height: rows.getTotalSize() }}
      >
        <div role="row" aria-rowindex={1} className={css.heads} style={{ height: headHeight }}>
          <span role="columnheader" aria-colindex={1} className={css.corner}>
            {t.set.columns.name}
          </span>
          {drawn.map((c) => (
            <span
              key={c.key}
              role="columnheader"
              aria-colindex={c.index + 2}
              className={css.head}
              style={{ left: c.start, width: c.size }}
              title={columns[c.index]?.title}
            >
              <span className="cut">{columns[c.index]?.title}</span>
            </span>
          ))}
        </div>
        {rows.getVirtualItems().map((r) => {
          const app = apps[r.index];
          if (!app) return null;
          return (
            <div
              key={r.key}
              role="row"
              aria-rowindex={r.index + 2}
              className={css.row}
              style={{ top: r.start, height }}
              data-shown={app.name === shown || undefined}
            >
              <span role="rowheader" aria-colindex={1} className={css.name} title={app.name}>
                {app.exists ? (
                  <Link to={pathOf({ namespace, name: app.name })} className="cut">
                    {app.name}
                  </Link>
                ) : (
                  <span className="cut">{app.name || t.set.nameless}</span>
                )}
                <button type="button" className={css.template} onClick={() => show(app.name === shown ? '' : app.name)}>
                  {t.set.template}
                  <span className="hear"> {app.name}</span>
                </button>
              </span>
              {drawn.map((c) => (
                <span
                  key={c.key}
                  role="cell"
                  aria-colindex={c.index + 2}
                  // The arrows lead here, and who is here sees a value that is cut as a whole.
                  tabIndex={-1}
                  className={css.cell}
                  style={{ left: c.start, width: c.size }}
                >
                  {columns[c.index]?.cell(app)}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface Column {
  key: string;
  title: string;
  width: number;
  cell: (app: GeneratedApp) => ReactNode;
}

/** columnsFor are those after the name: what becomes of an Application, and the parameters. */
function columnsFor(names: readonly string[]): Column[] {
  const { columns } = t.set;
  return [
    { key: 'status', title: columns.status, width: widths.status, cell: (a) => <Status app={a} /> },
    { key: 'cluster', title: columns.cluster, width: widths.cluster, cell: (a) => <Value text={a.cluster} /> },
    ...names.map((name) => ({
      key: `parameter ${name}`,
      title: name,
      width: widths.parameter,
      cell: (a: GeneratedApp) => <Value text={a.parameters[name]} />,
    })),
  ];
}

function Value({ text }: { text: string | undefined }) {
  return (
    <span className={css.value} title={text}>
      {text}
    </span>
  );
}

function Status({ app }: { app: GeneratedApp }) {
  if (app.problem) return <Sign look={{ icon: 'bad', tone: 'bad' }} word={t.set.refusedOne} />;
  if (!app.exists) return <span className="dim">{t.set.notYet}</span>;
  return (
    <span className={css.signs}>
      <Health value={app.health} compact />
      <Sync value={app.sync} compact />
    </span>
  );
}
