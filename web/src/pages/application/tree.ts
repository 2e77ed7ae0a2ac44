import type { Node, Ref, Tree } from '../../api/client';
import { refKey } from './address';

/** A branch is an object, or many of a kind taken together. */
export interface Branch {
  id: string;
  node: Node | null;
  /** Kind and number of what is taken together, where node is null. */
  kind: string;
  size: number;
  bad: number;
  depth: number;
  parent: string | null;
  children: Branch[];
}

/** More siblings of a kind than these are taken together. */
const many = 8;

const isBad = (n: Node) => n.health === 'Degraded' || n.health === 'Missing' || n.missing === true;

/** branches makes of a tree what is shown, with siblings of the same kind taken together where there are many. */
export function branches(tree: Tree): Branch[] {
  return under(tree.nodes ?? [], null, 0, new Set());
}

function under(nodes: readonly Node[], parent: string | null, depth: number, seen: Set<string>): Branch[] {
  const kinds = new Map<string, Node[]>();
  for (const n of nodes) kinds.set(n.kind, [...(kinds.get(n.kind) ?? []), n]);
  const out: Branch[] = [];
  for (const [kind, same] of kinds) {
    if (same.length <= many) {
      for (const node of same) out.push(...branch(node, parent, depth, seen));
      continue;
    }
    const id = `${parent ?? ''}>${kind}`;
    const children = same.flatMap((node) => branch(node, id, depth + 1, seen));
    out.push({ id, node: null, kind, size: same.length, bad: same.filter(isBad).length, depth, parent, children });
  }
  return out;
}

/** branch is one object; one that was seen already is owned twice, and shown once. */
function branch(node: Node, parent: string | null, depth: number, seen: Set<string>): Branch[] {
  const id = node.uid ?? refKey(node);
  if (seen.has(id)) return [];
  seen.add(id);
  const children = under(node.children ?? [], id, depth + 1, seen);
  return [{ id, node, kind: node.kind, size: 1, bad: isBad(node) ? 1 : 0, depth, parent, children }];
}

/** Which branches are open: groups are not, unless somebody opens them; the others are, unless closed. */
export interface Folding {
  toggled: ReadonlySet<string>;
}

export const isOpen = (b: Branch, { toggled }: Folding) => (b.node === null) === toggled.has(b.id);

/** visible lists the branches that are shown, from the top. */
export function visible(all: Branch[], folding: Folding): Branch[] {
  const out: Branch[] = [];
  const walk = (list: Branch[]) => {
    for (const b of list) {
      out.push(b);
      if (isOpen(b, folding)) walk(b.children);
    }
  };
  walk(all);
  return out;
}

/** matching keeps branches that match, and what they are under; those are open. */
export function matching(all: Branch[], matches: (node: Node) => boolean): Branch[] {
  return all.flatMap((b) => {
    const children = matching(b.children, matches);
    if (children.length === 0 && !(b.node && matches(b.node))) return [];
    return [{ ...b, children }];
  });
}

/** everyOne lists all objects of a tree. */
export function everyOne(all: Branch[]): Branch[] {
  return all.flatMap((b) => [b, ...everyOne(b.children)]);
}

/** ownersOf are the objects that an object comes from, from the one that Git has to the one that made it. */
export function ownersOf(tree: Tree | undefined, object: Ref): Node[] {
  const wanted = refKey(object);
  const seen = new Set<Node>();
  const find = (nodes: readonly Node[], above: Node[]): Node[] | null => {
    for (const node of nodes) {
      if (refKey(node) === wanted) return above;
      if (seen.has(node)) continue;
      seen.add(node);
      const found = find(node.children ?? [], [...above, node]);
      if (found) return found;
    }
    return null;
  };
  return find(tree?.nodes ?? [], []) ?? [];
}
