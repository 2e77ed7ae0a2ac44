import { Checkbox } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';

import type { Node, Tree } from '../../api/client';
import { treeQuery } from '../../api/queries';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Find } from '../../ui/find';
import { Icon } from '../../ui/icons';
import { useSearch } from '../../ui/search';
import { Failed, Loading, Message } from '../../ui/state';
import { Health, Sync } from '../../ui/status';
import { Ago } from '../../ui/time';
import type { Address } from './address';
import css from './objects.module.css';
import { branches, everyOne, isOpen, matching, visible, type Branch, type Folding } from './tree';

/** Objects are the objects of an Application as a table. */
export function Objects({ address }: { address: Address }) {
  const tree = useQuery(treeQuery(address.key));
  if (tree.error && !tree.data) return <Failed error={tree.error} retry={() => void tree.refetch()} />;
  if (!tree.data) return <Loading />;
  return <Table tree={tree.data} address={address} />;
}

/** useFolding is which branches are open; while something is looked for, all of what was found. */
export function useFolding(all: Branch[], searching: boolean) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const folding: Folding = useMemo(
    () => ({
      toggled: searching
        ? new Set(
            everyOne(all)
              .filter((b) => !b.node)
              .map((b) => b.id),
          )
        : toggled,
    }),
    [all, searching, toggled],
  );
  const toggle = (id: string) =>
    setToggled((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  return { folding, toggle };
}

/** Partial tells why something is left out; what kinds have in common is told once. */
export function Partial({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <p className={css.partial} role="status">
      <Icon name="warning" /> {t.app.partial} {[...new Set(text.split('\n'))].join(' · ')}
    </p>
  );
}

const rowHeight = 40;

function Table({ tree, address }: { tree: Tree; address: Address }) {
  const { params, put } = useSearch();
  const [text, setText] = useState(params.get('q') ?? '');
  const problems = params.get('problems') === '1';
  const keep = useDebouncedCallback((word: string) => put('q', word), 250);
  const searching = text !== '' || problems;
  const all = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (n: Node) => {
      const name = `${n.kind} ${n.namespace ?? ''} ${n.name}`.toLowerCase();
      const wrong = n.missing === true || n.sync === 'OutOfSync' || (n.health !== undefined && n.health !== 'Healthy');
      return words.every((w) => name.includes(w)) && (!problems || wrong);
    };
    const whole = branches(tree);
    return searching ? matching(whole, matches) : whole;
  }, [tree, text, problems, searching]);
  const { folding, toggle } = useFolding(all, searching);
  const rows = visible(all, folding);
  const top = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const scroller = () => document.getElementById('content');
  // eslint-disable-next-line react-hooks/exhaustive-deps -- it settles: the table does not move the place where it begins
  useLayoutEffect(() => {
    const parent = scroller();
    if (top.current && parent)
      setMargin(
        Math.round(top.current.getBoundingClientRect().top - parent.getBoundingClientRect().top + parent.scrollTop),
      );
  });
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing of it is given to memoized parts
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: scroller,
    estimateSize: () => rowHeight,
    overscan: 16,
    scrollMargin: margin,
  });
  const commands = useCommands();
  const { columns } = t.app;
  return (
    <>
      <div className={css.tools}>
        <Find
          label={t.app.find}
          className={css.find ?? ''}
          value={text}
          change={(word) => {
            setText(word);
            keep(word);
          }}
        />
        <Checkbox
          label={t.app.problemsOnly}
          checked={problems}
          onChange={(e) => put('problems', e.currentTarget.checked ? '1' : '')}
        />
        <Command text={commands.tree(address.key)} whole={!searching} />
      </div>
      <Partial text={tree.partial} />
      {rows.length === 0 ? (
        <Message icon="search" title={searching ? t.list.noMatch : t.app.noObjects}>
          {!searching && <p>{t.app.noObjectsLead}</p>}
        </Message>
      ) : (
        <div
          className={`card ${css.table ?? ''}`}
          role="table"
          aria-label={t.app.tabs.table}
          aria-rowcount={rows.length + 1}
        >
          <div className={css.heads} role="row">
            <span role="columnheader">{columns.object}</span>
            <span role="columnheader">{columns.status}</span>
            <span role="columnheader">{columns.info}</span>
            <span role="columnheader">{columns.wave}</span>
            <span role="columnheader">{columns.age}</span>
          </div>
          <div ref={top} className={css.space} role="rowgroup" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map((item) => {
              const branch = rows[item.index];
              if (!branch) return null;
              return (
                <div
                  key={branch.id}
                  role="row"
                  aria-rowindex={item.index + 2}
                  className={css.row}
                  style={{ transform: `translateY(${item.start - margin}px)` }}
                >
                  <Line
                    branch={branch}
                    open={isOpen(branch, folding)}
                    toggle={() => toggle(branch.id)}
                    address={address}
                  />
                </div>
              );
            })}
          </div>
        </div>
      )}
    </>
  );
}

interface LineProps {
  branch: Branch;
  open: boolean;
  toggle: () => void;
  address: Address;
}

function Line({ branch, open, toggle, address }: LineProps) {
  const { node } = branch;
  const name = node ? `${node.kind} ${node.name}` : t.app.group(branch.size, branch.kind);
  return (
    <>
      <span role="cell" className={css.name} style={{ paddingLeft: Math.min(branch.depth, 8) * 20 }}>
        {branch.children.length > 0 ? (
          <button
            type="button"
            className={css.fold}
            aria-expanded={open}
            aria-label={open ? t.app.collapse(name) : t.app.expand(name)}
            onClick={toggle}
          >
            <Icon name={open ? 'down' : 'right'} size={14} />
          </button>
        ) : (
          <span className={css.fold} />
        )}
        {node ? (
          <button
            type="button"
            className={css.open}
            onClick={() => address.open(node)}
            title={`${node.namespace ?? ''} ${name}`}
          >
            <span className="dim">{node.kind}</span> <span>{node.name}</span>
          </button>
        ) : (
          <span>{name}</span>
        )}
      </span>
      <span role="cell" className={css.status}>
        {node ? <Signs node={node} /> : branch.bad > 0 && <span className={css.bad}>{t.app.worst(branch.bad)}</span>}
      </span>
      <span role="cell" className="cut dim" title={node?.message ?? node?.info}>
        {node?.message ?? node?.info}
      </span>
      <span role="cell" className="dim">
        {node?.sync !== undefined && (node.wave ?? 0)}
      </span>
      <span role="cell" className="dim">
        {node?.created && <Ago at={node.created} short />}
      </span>
    </>
  );
}

/** Signs tell how an object fares, as far as that is known of its kind. */
export function Signs({ node, compact }: { node: Node; compact?: boolean }) {
  return (
    <>
      {node.health !== undefined && node.health !== '' && (
        <Health value={node.health} {...(compact ? { compact } : {})} />
      )}
      {node.sync !== undefined && node.sync !== '' && (
        <Sync value={node.sync} {...(compact || node.sync === 'Synced' ? { compact: true } : {})} />
      )}
      {node.prune && <span className={css.tag}>{t.app.prune}</span>}
      {node.hook && <span className={css.tag}>{t.app.hook}</span>}
    </>
  );
}
