import type { GeneratedApp } from '../../api/client';
import type { Changes } from '../../ui/search';

/** Columns are the parameters that any of the Applications has; those that differ come first. */
export interface Columns {
  all: string[];
  /** How many of them differ. */
  differing: number;
}

export function columnsOf(made: readonly GeneratedApp[]): Columns {
  const values = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const app of made)
    for (const [name, value] of Object.entries(app.parameters)) {
      values.set(name, (values.get(name) ?? new Set()).add(value));
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  const differs = (name: string) => (values.get(name)?.size ?? 0) > 1 || counts.get(name) !== made.length;
  const all = [...values.keys()].sort((a, b) => Number(differs(b)) - Number(differs(a)) || a.localeCompare(b));
  return { all, differing: all.filter(differs).length };
}

/** Parameters of the address: those that are shown, or those that are not, whichever is shorter. */
const only = 'only';
const without = 'without';

/** shownOf are the columns that an address asks for; all, where it asks for none that there are. */
export function shownOf(all: readonly string[], params: URLSearchParams): string[] {
  const wanted = new Set(params.getAll(only));
  const left = new Set(params.getAll(without));
  const chosen = all.filter((name) => wanted.has(name));
  return chosen.length > 0 ? chosen : all.filter((name) => !left.has(name));
}

/** changeTo is how an address asks for these columns. */
export function changeTo(all: readonly string[], shown: ReadonlySet<string>): Changes {
  const left = all.filter((name) => !shown.has(name));
  const few = shown.size > 0 && shown.size <= left.length;
  return few ? { [only]: [...shown], [without]: null } : { [only]: null, [without]: left };
}
