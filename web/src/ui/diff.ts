/** A line of a difference: of both texts, or of one. */
export interface DiffLine {
  sign: ' ' | '+' | '-';
  text: string;
  /** Line numbers from 1, where the line is in that text. */
  before?: number;
  after?: number;
}

/** As many differing lines as are worth being matched; beyond, all is removed and added. */
const bound = 2_000;

/** diffLines tells what differs between two texts, line by line (Myers' algorithm). */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = split(before);
  const b = split(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const middle = match(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const signs = [...same(start), ...middle, ...same(end)];
  let i = 0;
  let j = 0;
  return signs.map((sign) => {
    if (sign === '+') return { sign, text: b[j] ?? '', after: ++j };
    if (sign === '-') return { sign, text: a[i] ?? '', before: ++i };
    return { sign, text: a[i] ?? '', before: ++i, after: ++j };
  });
}

type Sign = DiffLine['sign'];

const split = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
const same = (n: number): Sign[] => Array.from({ length: n }, () => ' ');

function match(a: string[], b: string[]): Sign[] {
  if (a.length + b.length > bound) return [...a.map((): Sign => '-'), ...b.map((): Sign => '+')];
  const most = a.length + b.length;
  const furthest = new Int32Array(2 * most + 2);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(furthest.slice(most - d, most + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at(furthest, most + k - 1) < at(furthest, most + k + 1));
      let x = down ? at(furthest, most + k + 1) : at(furthest, most + k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest[most + k] = x;
      if (x >= a.length && x - k >= b.length) return walk(trace, a.length, b.length);
    }
  }
  return [];
}

const at = (array: Int32Array, index: number) => array[index] ?? 0;

/** walk goes the way back that the search has found. */
function walk(trace: Int32Array[], x: number, y: number): Sign[] {
  const signs: Sign[] = [];
  for (let d = trace.length - 1; d > 0; d--) {
    const before = trace[d] ?? new Int32Array();
    const k = x - y;
    const down = k === -d || (k !== d && at(before, d + k - 1) < at(before, d + k + 1));
    const from = down ? k + 1 : k - 1;
    const fromX = at(before, d + from);
    while (x > fromX && y > fromX - from) {
      signs.push(' ');
      x--;
      y--;
      if (down ? x === fromX : x === fromX + 1 && y === fromX - from) break;
    }
    signs.push(down ? '+' : '-');
    x = fromX;
    y = fromX - from;
  }
  for (; x > 0; x--) signs.push(' ');
  return signs.reverse();
}

/** A stretch of lines to show, or how many that are the same are left out. */
export type Stretch = { lines: DiffLine[] } | { hidden: DiffLine[] };

/** stretches leaves out what is far from any change. */
export function stretches(lines: DiffLine[], context = 3): Stretch[] {
  const near = new Uint8Array(lines.length);
  lines.forEach((line, i) => {
    if (line.sign !== ' ') near.fill(1, Math.max(0, i - context), i + context + 1);
  });
  const out: Stretch[] = [];
  for (let from = 0; from < lines.length;) {
    let to = from;
    while (to < lines.length && near[to] === near[from]) to++;
    const part = lines.slice(from, to);
    // To leave out a line or two saves nothing.
    out.push(near[from] || part.length < 3 ? { lines: part } : { hidden: part });
    from = to;
  }
  return out;
}
