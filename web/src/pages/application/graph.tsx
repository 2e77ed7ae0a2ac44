import '@xyflow/react/dist/base.css';

import { useQuery } from '@tanstack/react-query';
import {
  Background,
  Handle,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge,
  type Node as FlowNode,
  type NodeProps,
} from '@xyflow/react';
import { ActionIcon } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { createContext, memo, useContext, useEffect, useMemo, useRef, useState } from 'react';

import type { Row, Tree } from '../../api/client';
import { treeQuery } from '../../api/queries';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { Failed, Loading, Message } from '../../ui/state';
import { Health, Sync, toneOf } from '../../ui/status';
import type { Address } from './address';
import css from './graph.module.css';
import { place } from './layout';
import { Partial, Signs, useFolding } from './objects';
import { nodeHeight, nodeWidth, opening, type Places } from './opening';
import { branches, isOpen, visible, type Branch } from './tree';

/** Graph draws the objects of an Application with what they own. */
export default function Graph({ address, row }: { address: Address; row: Row }) {
  const tree = useQuery(treeQuery(address.key));
  const commands = useCommands();
  if (tree.error && !tree.data) return <Failed error={tree.error} retry={() => void tree.refetch()} />;
  if (!tree.data) return <Loading />;
  if ((tree.data.nodes ?? []).length === 0)
    return (
      <Message icon="graph" title={t.app.noObjects}>
        <p>{tree.data.partial ?? t.app.noObjectsLead}</p>
      </Message>
    );
  return (
    <>
      <p className={css.command}>
        <Command text={commands.tree(address.key)} />
      </p>
      <Partial text={tree.data.partial} />
      <ReactFlowProvider>
        <Drawn tree={tree.data} address={address} row={row} />
      </ReactFlowProvider>
    </>
  );
}

const root = 'application';

interface Data extends Record<string, unknown> {
  branch: Branch | null;
  open: boolean;
  row: Row;
}

const Acts = createContext<{ toggle: (id: string) => void; address: Address | null }>({
  toggle: () => undefined,
  address: null,
});

const types = { object: memo(ObjectNode) };

function Drawn({ tree, address, row }: { tree: Tree; address: Address; row: Row }) {
  const all = useMemo(() => branches(tree), [tree]);
  const { folding, toggle } = useFolding(all, false);
  const rows = useMemo(() => visible(all, folding), [all, folding]);
  const places = usePlaces(rows);
  const flow = useReactFlow();
  const narrow = useMediaQuery('(max-width: 720px)', false, { getInitialValueInEffect: false });
  const touched = useRef<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  // What somebody has opened or closed is where they look, wherever it is now.
  useEffect(() => {
    const place = touched.current === null ? undefined : places?.get(touched.current);
    touched.current = null;
    if (place) void flow.setCenter(place.x + nodeWidth, place.y + nodeHeight / 2, { zoom: flow.getZoom() });
  }, [places, flow]);
  const nodes = useMemo(() => nodesOf(rows, places, row, folding), [rows, places, row, folding]);
  const edges = useMemo(
    () =>
      rows.map((b): Edge => ({
        id: `to ${b.id}`,
        source: b.parent ?? root,
        target: b.id,
        focusable: false,
        selectable: false,
      })),
    [rows],
  );
  const acts = useMemo(
    () => ({
      toggle: (id: string) => {
        touched.current = id;
        toggle(id);
      },
      address,
    }),
    [toggle, address],
  );
  return (
    <Acts.Provider value={acts}>
      <div ref={box} className={`card ${css.graph ?? ''}`} role="region" aria-label={t.app.graphLabel}>
        {!places && (
          <p className={css.arranging} role="status">
            {t.app.laidOut}
          </p>
        )}
        {places && (
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={types}
            fitView={!narrow}
            onInit={(made) => {
              // All at once may not be readable here: then one begins where the graph does, and pans.
              if (!narrow || !box.current) return;
              void made.setViewport(opening(places, root, box.current.clientWidth, box.current.clientHeight));
            }}
            fitViewOptions={{ maxZoom: 1, minZoom: 0.35, padding: 0.08 }}
            minZoom={0.005}
            maxZoom={1.6}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            onlyRenderVisibleElements={rows.length > 150}
            proOptions={{ hideAttribution: true }}
          >
            <Background gap={22} className={css.dots ?? ''} />
            <Tools />
          </ReactFlow>
        )}
      </div>
    </Acts.Provider>
  );
}

/** usePlaces arranges anew when other objects are shown, not when they change. */
function usePlaces(rows: Branch[]): Places | null {
  const [places, setPlaces] = useState<Places | null>(null);
  const shape = rows.map((b) => `${b.parent ?? ''} ${b.id}`).join('\n');
  useEffect(() => {
    let current = true;
    void place(rows, root).then((p) => {
      if (current) setPlaces(p);
    });
    return () => {
      current = false;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the shape is all that is looked at
  }, [shape]);
  return places;
}

function nodesOf(
  rows: Branch[],
  places: Places | null,
  row: Row,
  folding: Parameters<typeof isOpen>[1],
): FlowNode<Data>[] {
  if (!places) return [];
  const out: FlowNode<Data>[] = [];
  for (const branch of [null, ...rows]) {
    const id = branch?.id ?? root;
    const position = places.get(id);
    // What has just come is drawn when it has its place.
    if (!position) continue;
    out.push({
      id,
      type: 'object',
      position,
      width: nodeWidth,
      height: nodeHeight,
      // Nothing is dragged or selected, but there are buttons in it.
      style: { pointerEvents: 'all' },
      data: { branch, row, open: branch ? isOpen(branch, folding) : true },
    });
  }
  return out;
}

function ObjectNode({ id, data }: NodeProps<FlowNode<Data>>) {
  const { toggle, address } = useContext(Acts);
  const { branch, open, row } = data;
  const node = branch?.node ?? null;
  const tone = branch
    ? node
      ? toneOf(node.health ?? 'Unknown')
      : branch.bad > 0
        ? 'bad'
        : 'good'
    : toneOf(row.health);
  const name = node ? `${node.kind} ${node.name}` : t.app.group(branch?.size ?? 0, branch?.kind ?? '');
  return (
    <div className={css.node} data-tone={node && !node.health ? undefined : tone}>
      {branch && <Handle type="target" position={Position.Left} isConnectable={false} />}
      {!branch && (
        <div className={css.body}>
          <span className={css.kind}>{t.app.itself}</span>
          <Name text={row.name} />
          <span className={css.signs}>
            <Health value={row.health} compact />
            <Sync value={row.sync} compact />
          </span>
        </div>
      )}
      {branch && node && (
        <button
          type="button"
          className={`nodrag nopan ${css.body ?? ''}`}
          onClick={() => address?.open(node)}
          title={node.message ?? name}
        >
          <span className={css.kind}>
            {node.kind}
            {node.info && <span className="dim"> · {node.info}</span>}
          </span>
          <Name text={node.name} />
          <span className={css.signs}>
            <Signs node={node} compact />
          </span>
        </button>
      )}
      {branch && !node && (
        <div className={css.body}>
          <strong>{name}</strong>
          <span className={css.kind}>{branch.bad > 0 && t.app.worst(branch.bad)}</span>
        </div>
      )}
      {branch && branch.children.length > 0 && (
        <button
          type="button"
          className={`nodrag nopan ${css.fold ?? ''}`}
          aria-expanded={open}
          aria-label={open ? t.app.collapse(name) : t.app.expand(name)}
          onClick={() => toggle(id)}
        >
          <Icon name={open ? 'minus' : 'plus'} size={12} />
        </button>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}

/** Longer names than this may not fit. */
const fits = 26;
/** What stays of the end of one that does not: names of a kind often differ there alone. */
const ending = 13;

/** Name is cut in its middle where it is too long. */
function Name({ text }: { text: string }) {
  if (text.length <= fits) return <strong className="cut">{text}</strong>;
  return (
    <strong className={css.name}>
      <span className="hear">{text}</span>
      <span aria-hidden className="cut">
        {text.slice(0, -ending)}
      </span>
      <span aria-hidden>{text.slice(-ending)}</span>
    </strong>
  );
}

function Tools() {
  const flow = useReactFlow();
  return (
    <div className={css.tools}>
      <ActionIcon variant="default" aria-label={t.app.zoomIn} onClick={() => void flow.zoomIn()}>
        <Icon name="plus" />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={t.app.zoomOut} onClick={() => void flow.zoomOut()}>
        <Icon name="minus" />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={t.app.fit}
        title={t.app.fit}
        onClick={() => void flow.fitView({ maxZoom: 1 })}
      >
        <Icon name="graph" />
      </ActionIcon>
    </div>
  );
}
