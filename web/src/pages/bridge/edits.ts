import { readKey } from './address';

/** Edit is another value of a key of a cluster, or the end of it. */
export interface Edit {
  in: 'label' | 'annotation';
  name: string;
  value: string;
  remove: boolean;
}

/** editText is an edit as addresses have it: label:tier=edge, or label:tier- for its end. */
export const editText = (e: Edit) => `${e.in}:${e.name}${e.remove ? '-' : `=${e.value}`}`;

export function readEdit(text: string): Edit | undefined {
  const at = text.indexOf('=');
  const remove = at < 0 && text.endsWith('-');
  const key = readKey(at >= 0 ? text.slice(0, at) : text.replace(/-$/, ''));
  if (!key || (at < 0 && !remove)) return undefined;
  return { ...key, value: remove ? '' : text.slice(at + 1), remove };
}

/** readEdits reads those of an address; what is none is left out. */
export const readEdits = (all: string[]): Edit[] => all.map(readEdit).filter((e) => e !== undefined);

/** wishOf is what the server is asked: a key that goes has no value. */
export const wishOf = (edits: Edit[]) =>
  edits.map((e) => (e.remove ? { in: e.in, name: e.name, remove: true } : { in: e.in, name: e.name, value: e.value }));
