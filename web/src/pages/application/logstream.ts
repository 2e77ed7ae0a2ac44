import { detailOf, Problem, type Key } from '../../api/client';

/** What log is wanted. */
export interface Wanted {
  app: Key;
  namespace: string;
  pod: string;
  container: string;
  previous: boolean;
  follow: boolean;
}

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
  const response = await ask(wanted, place.since, signal);
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

async function ask(
  { app, namespace, pod, container, previous, follow }: Wanted,
  since: string,
  signal: AbortSignal,
): Promise<Response> {
  const query = new URLSearchParams({
    podNamespace: namespace,
    pod,
    previous: String(previous),
    follow: String(follow),
    ...(since === '' ? { tail: '1000' } : { since }),
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
