export const nodeWidth = 280;
export const nodeHeight = 58;

/** Where each node of a graph is; its left upper corner. */
export type Places = ReadonlyMap<string, { x: number; y: number }>;

/** Names can be read at this size and larger ones. */
const readable = 0.42;
/** Room at the edges, as a part of the window. */
const edge = 0.06;

interface View {
  x: number;
  y: number;
  zoom: number;
}

/**
 * opening is what of a graph is seen first in a window of a size: all of it where that can be read, else as much as can
 * be from where it begins.
 */
export function opening(places: Places, root: string, width: number, height: number): View {
  const all = [...places.values()];
  const left = Math.min(...all.map((p) => p.x));
  const top = Math.min(...all.map((p) => p.y));
  const right = Math.max(...all.map((p) => p.x)) + nodeWidth;
  const bottom = Math.max(...all.map((p) => p.y)) + nodeHeight;
  const whole = Math.min((width * (1 - 2 * edge)) / (right - left), (height * (1 - 2 * edge)) / (bottom - top));
  const zoom = Math.max(readable, Math.min(1, whole));
  const begin = places.get(root) ?? { x: left, y: top };
  const fits = (size: number, room: number) => size * zoom <= room;
  return {
    zoom,
    x: fits(right - left, width) ? (width - (left + right) * zoom) / 2 : edge * width - begin.x * zoom,
    y: (height - (fits(bottom - top, height) ? top + bottom : 2 * begin.y + nodeHeight) * zoom) / 2,
  };
}
