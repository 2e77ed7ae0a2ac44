import { diffLines } from './diff';

/** A row of several texts beside each other: a line of each, or none. */
export interface SideRow {
  cells: (string | undefined)[];
  /** The first text and the one by which they are aligned do not both have this line. What only others lack is not marked: defaults are not in Git. */
  differs: boolean;
}

/**
 * sidesOf aligns texts by one of them: lines that it has in common with another
 * stand beside each other, what only others have stands where it belongs.
 */
export function sidesOf(texts: string[], pivot: number): SideRow[] {
  const base = texts[pivot] ?? '';
  const parts = texts.map((text, i) => (i === pivot ? null : matched(base, text)));
  const lines = base === '' ? [] : base.replace(/\n$/, '').split('\n');
  const rows: SideRow[] = [];
  for (let at = 0; at <= lines.length; at++) {
    const extra = parts.map((p) => p?.before[at] ?? []);
    const most = Math.max(0, ...extra.map((e) => e.length));
    for (let n = 0; n < most; n++) rows.push({ cells: extra.map((e) => e[n]), differs: true });
    if (at === lines.length) break;
    const cells = parts.map((p) => (p === null || p.same[at] ? lines[at] : undefined));
    rows.push({ cells, differs: cells[0] === undefined });
  }
  return rows;
}

interface Matched {
  /** Which lines of the base the other has, too. */
  same: boolean[];
  /** What only the other has, by the line of the base before which it stands. */
  before: string[][];
}

function matched(base: string, other: string): Matched {
  const out: Matched = { same: [], before: [] };
  let at = 0;
  for (const line of diffLines(base, other)) {
    if (line.sign === '+') (out.before[at] ??= []).push(line.text);
    else out.same[at++] = line.sign === ' ';
  }
  return out;
}
