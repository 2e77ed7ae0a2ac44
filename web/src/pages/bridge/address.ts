import { useSearch } from '../../ui/search';

/** Which keys or clusters a list is narrowed to. */
export type Show = '' | 'missing' | 'wrong' | 'unread';
export const shows: Show[] = ['', 'missing', 'wrong', 'unread'];

/** KeyName is a label or an annotation by its name. */
export interface KeyName {
  in: 'label' | 'annotation';
  name: string;
}

/** keyText is a key as addresses have it. */
export const keyText = (k: { in: string; name: string }) => `${k.in}:${k.name}`;

export function readKey(text: string | null): KeyName | undefined {
  const at = text?.indexOf(':') ?? -1;
  if (!text || at < 0) return undefined;
  const place = text.slice(0, at);
  const name = text.slice(at + 1);
  return (place === 'label' || place === 'annotation') && name ? { in: place, name } : undefined;
}

/** useAddress is what the pages of the bridge keep in the address. */
export function useAddress() {
  const { params, change } = useSearch();
  const show = (params.get('show') ?? '') as Show;
  return {
    params,
    text: params.get('q') ?? '',
    show: shows.includes(show) ? show : '',
    keys: params.get('by') === 'keys',
    key: readKey(params.get('key')),
    change,
  };
}

/** matcher tells whether a text has all words of a search. */
export function matcher(text: string): (...of: (string | undefined)[]) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (...of) => {
    const all = of.join(' ').toLowerCase();
    return words.every((w) => all.includes(w));
  };
}

export const clusterPath = (name: string) => `/bridge/${encodeURIComponent(name)}`;
