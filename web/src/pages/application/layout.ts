import ELK, { type ElkNode } from 'elkjs/lib/elk-api.js';
import worker from 'elkjs/lib/elk-worker.min.js?url';

import { nodeHeight, nodeWidth, type Places } from './opening';
import type { Branch } from './tree';

/** Between an object and what it owns, beside the space between siblings. */
const gap = 50;

let elk: InstanceType<typeof ELK> | undefined;

/** The worker is a file of its own that is begun once, when the first graph is drawn. */
const engine = () => (elk ??= new ELK({ workerFactory: () => new Worker(worker) }));

/** place arranges branches from left to right. */
export async function place(rows: Branch[], root: string): Promise<Places> {
  const graph = await engine().layout({
    id: 'graph',
    // What owns what is a tree; arranging it as a graph of layers takes minutes at a thousand objects.
    layoutOptions: {
      'elk.algorithm': 'mrtree',
      'elk.direction': 'RIGHT',
      'elk.mrtree.weighting': 'MODEL_ORDER',
      'elk.spacing.nodeNode': '14',
    },
    children: [root, ...rows.map((b) => b.id)].map((id): ElkNode => ({
      id,
      width: nodeWidth + gap,
      height: nodeHeight,
    })),
    edges: rows.map((b) => ({ id: `to ${b.id}`, sources: [b.parent ?? root], targets: [b.id] })),
  });
  return new Map((graph.children ?? []).map((n) => [n.id, { x: n.x ?? 0, y: n.y ?? 0 }]));
}
