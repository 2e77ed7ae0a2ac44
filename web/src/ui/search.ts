import { useSearchParams } from 'react-router';

/** Search parameters by name. What is empty is taken out; a list is the parameter several times. */
export type Changes = Record<string, string | readonly string[] | null>;

/** changed are parameters of an address with some of them changed. */
export function changed(now: URLSearchParams, changes: Changes): URLSearchParams {
  const next = new URLSearchParams(now);
  for (const [name, value] of Object.entries(changes)) {
    const [first, ...rest] = typeof value === 'string' ? [value] : (value ?? []).filter(Boolean);
    if (first) next.set(name, first);
    else next.delete(name);
    for (const more of rest) next.append(name, more);
  }
  return next;
}

/** useSearch reads and changes what stands after the path of an address. */
export function useSearch() {
  const [params, setParams] = useSearchParams();
  const change = (changes: Changes) => setParams((now) => changed(now, changes), { replace: true });
  return {
    params,
    change,
    /** turn changes some before anything else happens: what is clicked next may go on from them. */
    turn: (changes: Changes) => setParams((now) => changed(now, changes), { replace: true, flushSync: true }),
    /** put changes a single one. */
    put: (name: string, value: string) => change({ [name]: value }),
    /** go changes some, so that “back” leads to what was before. */
    go: (changes: Changes) => setParams((now) => changed(now, changes)),
  };
}
