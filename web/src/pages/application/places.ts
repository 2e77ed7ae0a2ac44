/** placesOf are where a text has a word, whatever is written large, as beginnings and ends. */
export function placesOf(text: string, word: string): [from: number, to: number][] {
  const lower = text.toLowerCase();
  const wanted = word.toLowerCase();
  if (wanted === '') return [];
  const places = lower.length === text.length ? null : charactersOf(text);
  const out: [number, number][] = [];
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) {
    const last = at + wanted.length - 1;
    out.push([places?.[at]?.[0] ?? at, places?.[last]?.[1] ?? last + 1]);
  }
  return out;
}

/** charactersOf has, for each place in the lower case of a text, where its character is in the text: İ is two there. */
function charactersOf(text: string): [from: number, to: number][] {
  const out: [number, number][] = [];
  let at = 0;
  for (const character of text) {
    const end = at + character.length;
    for (let i = 0; i < character.toLowerCase().length; i++) out.push([at, end]);
    at = end;
  }
  return out;
}
