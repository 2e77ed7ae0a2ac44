import type { FleetCell, FleetCluster } from '../../api/client';
import { t } from '../../text';
import { pathOf } from '../applications/rows';

/** A line of the matrix: a cluster, or the head of a group of them. */
export type Line =
  { cluster: FleetCluster; group?: undefined; size?: undefined } | { cluster: null; group: string; size: number };

interface Order {
  /** Label to group by; empty for none. */
  by: string;
  text: string;
  /** Only clusters with a cell that differs. */
  odd: boolean;
}

/** grouped lists the clusters that match, by a label. */
export function grouped(clusters: FleetCluster[], { by, text, odd }: Order): Line[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = clusters.filter((c) => {
    const all = `${c.name} ${Object.entries(c.labels ?? {})
      .map(([k, v]) => `${k}=${v}`)
      .join(' ')}`.toLowerCase();
    return words.every((w) => all.includes(w)) && (!odd || hasOdd(c));
  });
  if (!by) return found.map((cluster) => ({ cluster }));
  const groups = new Map<string, FleetCluster[]>();
  for (const c of found) {
    const value = c.labels?.[by] ?? '';
    groups.set(value, [...(groups.get(value) ?? []), c]);
  }
  return [...groups.entries()]
    .sort(([a], [b]) => Number(a === '') - Number(b === '') || a.localeCompare(b))
    .flatMap(([value, list]): Line[] => [
      { cluster: null, group: value || t.fleet.without(by), size: list.length },
      ...list.map((cluster) => ({ cluster })),
    ]);
}

/** usual are labels that fleets are looked at by, however many values they have. */
const usual = ['environment', 'env', 'region'];

/** The part of a label's name that people say: topology.kubernetes.io/region is a region. */
const said = (key: string) => key.slice(key.lastIndexOf('/') + 1);

/**
 * labelKeys are those to group by: the usual ones wherever a cluster has them, then others with which there are fewer
 * groups than clusters that have them. Those with one value are offered, too: it parts clusters from those without.
 */
export function labelKeys(clusters: FleetCluster[]): string[] {
  const values = new Map<string, string[]>();
  for (const c of clusters)
    for (const [k, v] of Object.entries(c.labels ?? {})) values.set(k, [...(values.get(k) ?? []), v]);
  const rank = (key: string) => (usual.indexOf(said(key)) + usual.length + 1) % (usual.length + 1);
  return [...values.entries()]
    .filter(([key, all]) => usual.includes(said(key)) || new Set(all).size < all.length)
    .map(([key]) => key)
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

/** hasOdd reports whether something on a cluster differs from its column. */
export const hasOdd = (cluster: FleetCluster) => Object.values(cluster.cells).some((cell) => cell.odd);

/** oddColumns are those in which a cluster differs. */
export const oddColumns = (clusters: FleetCluster[]): ReadonlySet<string> =>
  new Set(clusters.flatMap((c) => Object.entries(c.cells).flatMap(([id, cell]) => (cell.odd ? [id] : []))));

/** oddCells counts the cells that differ from their columns. */
export const oddCells = (clusters: FleetCluster[]): number =>
  clusters.reduce((n, c) => n + Object.values(c.cells).filter((cell) => cell.odd).length, 0);

/** Words that switches have. */
const switched = ['true', 'false'];

/** foldedKeys parts keys to group by: switches, of which a fleet may have one for each addon, come after all others. */
export function foldedKeys(clusters: FleetCluster[]): { first: string[]; rest: string[] } {
  const keys = labelKeys(clusters);
  const isSwitch = (key: string) => clusters.every((c) => switched.includes(c.labels?.[key] ?? 'true'));
  return { first: keys.filter((k) => !isSwitch(k)), rest: keys.filter(isSwitch) };
}

/** listOf is where the applications of a column are listed. A column is an ApplicationSet, or those of a name: the search finds both. */
export const listOf = (column: { id: string } | undefined): string =>
  `/applications?${new URLSearchParams({ q: column?.id ?? '' }).toString()}`;

/** allOf is where all applications of a cell are listed, or its only one. */
export function allOf(cluster: string, column: { id: string } | undefined, cell: FleetCell): string {
  if (!column || (cell.more ?? 0) === 0) return pathOf(cell);
  return `/applications?${new URLSearchParams({ cluster, q: column.id }).toString()}`;
}
