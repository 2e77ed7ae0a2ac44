import { detailOf, Problem, type Key } from './client';

/** What log is wanted. */
export interface Wanted {
  app: Key;
  namespace: string;
  pod: string;
  container: string;
  previous: boolean;
  follow: boolean;
}

/** Lines that a log begins with, and how many the server gives at most. */
const begin = 1_000;
export const furthest = 10_000;
/** Lines more that are asked for when somebody wants older ones. */
const step = 3_000;
/** Lines by which it is found again where a log begins that is known. */
const telling = 16;

/** A line longer than this is cut: nobody reads it, and pages choke on it. */
const longest = 8_192;
/** Lines come in batches, so that a page is not drawn for each. */
const pause = 150;
/** Pauses before a log is asked for again, in milliseconds. */
const pauses = [250, 1_000, 3_000, 8_000];

/** Place is how far a log was read: the time of its last line, and how many lines have that. */
export class Place {
  private at = '';
  private same = 0;

  /** since is from when to read on; empty at the beginning. */
  get since(): string {
    return this.at;
  }

  /** reader takes lines of one answer, and tells of each whether it is new: what was read comes again first. */
  reader(): (line: string) => boolean {
    const from = this.at;
    let skip = this.same;
    return (line) => {
      const at = timeOf(line);
      if (at === '') return true; // the rest of a long line, or words of the server
      if (from !== '' && before(at, from)) return false;
      if (at === from && skip > 0) {
        skip--;
        return false;
      }
      this.same = at === this.at ? this.same + 1 : 1;
      this.at = at;
      return true;
    };
  }
}

/** timeOf is the time that a line begins with; empty when it has none. */
export function timeOf(line: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)(?= |$)/.exec(line)?.[0] ?? '';
}

/** before compares times to the nanosecond, as dates do not. */
function before(a: string, b: string): boolean {
  const [x, y] = [Date.parse(a), Date.parse(b)];
  return x === y ? fraction(a) < fraction(b) : x < y;
}

const fraction = (time: string) => (/\.(\d+)/.exec(time)?.[1] ?? '').padEnd(9, '0');

/**
 * follow hands on lines as they come, until the log ends. Servers end a stream
 * now and then, and so do networks: it goes on where it was, and neither loses
 * nor repeats a line. A log has ended when it is at its end twice in a row.
 */
export async function follow(wanted: Wanted, signal: AbortSignal, take: (lines: string[]) => void): Promise<void> {
  const place = new Place();
  let still = 0;
  for (let failed = 0; ;) {
    let news = 0;
    let rest: string;
    const count = (lines: string[]) => {
      news += lines.length;
      take(lines);
    };
    try {
      rest = await read(wanted, place, signal, count);
      failed = 0;
    } catch (error) {
      const begun = place.since !== '';
      if (signal.aborted || !wanted.follow || !begun || !passes(error) || failed >= pauses.length) throw error;
      await wait(pauses[failed++] ?? 0, signal);
      continue;
    }
    still = news === 0 ? still + 1 : 0;
    if (!wanted.follow || still > 1 || place.since === '') {
      if (rest && place.reader()(rest)) take([rest]);
      return;
    }
    await wait(pauses[still] ?? 0, signal);
  }
}

/** passes tells whether what went wrong may be over in a moment. */
const passes = (error: unknown) => !(error instanceof Problem) || error.status === 0 || error.status >= 500;

function wait(time: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, time);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('', 'AbortError'));
    });
  });
}

/** read reads one answer to its end, and returns the half line there, which may come again whole. */
async function read(
  wanted: Wanted,
  place: Place,
  signal: AbortSignal,
  take: (lines: string[]) => void,
): Promise<string> {
  const from = place.since === '' ? { tail: String(begin) } : { since: place.since };
  const response = await ask(wanted, from, signal);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return '';
  const isNew = place.reader();
  let rest = '';
  let waiting: string[] = [];
  const flush = () => {
    if (waiting.length > 0) take(waiting);
    waiting = [];
  };
  const timer = setInterval(flush, pause);
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const lines = (rest + chunk.value).split('\n');
      rest = (lines.pop() ?? '').slice(0, longest);
      for (const line of lines) if (isNew(line)) waiting.push(line.slice(0, longest));
    }
    return rest;
  } finally {
    clearInterval(timer);
    flush();
  }
}

/** Earlier is what a log had before what is known of it. */
export interface Earlier {
  lines: string[];
  /** Why there is no more: the log begins there, or the server gives no more. */
  end?: 'begins' | 'furthest';
}

/** isWhole tells that nothing can be before: a log that begins so has fewer lines than were asked for. */
export const isWhole = (lines: string[]) => lines.length < begin;

/** earlier reads what a log had before the lines that are known. */
export async function earlier(wanted: Wanted, known: string[], signal: AbortSignal): Promise<Earlier> {
  const tail = Math.min(furthest, known.length + step);
  const response = await ask({ ...wanted, follow: false }, { tail: String(tail) }, signal);
  const all = (await response.text()).split('\n').map((line) => line.slice(0, longest));
  all.pop(); // what comes after the last end of a line is none yet
  const lines = all.slice(0, beginOf(known, all));
  if (all.length < tail) return { lines, end: 'begins' };
  return tail === furthest ? { lines, end: 'furthest' } : { lines };
}

/** beginOf is where in all lines those begin that are known. */
function beginOf(known: string[], all: string[]): number {
  const first = known.slice(0, telling);
  for (let at = all.length - first.length; at >= 0; at--) if (first.every((line, i) => all[at + i] === line)) return at;
  // They are further back than the server gives, or the log was turned over.
  const since = timeOf(known[0] ?? '');
  const at = all.findIndex((line) => timeOf(line) !== '' && !before(timeOf(line), since));
  return since === '' || at < 0 ? 0 : at;
}

async function ask(
  { app, namespace, pod, container, previous, follow }: Wanted,
  from: { since: string } | { tail: string },
  signal: AbortSignal,
): Promise<Response> {
  const query = new URLSearchParams({
    podNamespace: namespace,
    pod,
    previous: String(previous),
    follow: String(follow),
    ...from,
  });
  if (container) query.set('container', container);
  const path = `/api/v1/applications/${encodeURIComponent(app.namespace)}/${encodeURIComponent(app.name)}/logs?${query.toString()}`;
  const response = await fetch(path, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new Problem(0, '');
  });
  if (response.ok) return response;
  const answer = (await response.json().catch(() => null)) as unknown;
  throw new Problem(response.status, detailOf(answer));
}
