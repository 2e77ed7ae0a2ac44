import type { AuditFilter } from '../../api/queries';
import { quoted } from '../../ui/commands';

/** Spans of time that are offered, in hours. */
export const spans = ['1', '24', '168', '720'];

const names = ['q', 'who', 'verb', 'project', 'namespace', 'name'] as const;
const outcomes = ['allowed', 'denied', 'failed'] as const;

/** readFilter reads an address. A span ends now: its begin is cut to minutes, so that the answer is not asked for anew each moment. */
export function readFilter(params: URLSearchParams, now: number): AuditFilter {
  const out: AuditFilter = {};
  for (const name of names) {
    const value = params.get(name);
    if (value) out[name] = value;
  }
  const outcome = outcomes.find((o) => o === params.get('outcome'));
  if (outcome) out.outcome = outcome;
  const since = params.get('since') ?? '';
  if (spans.includes(since))
    out.from = new Date(Math.floor(now / 60_000) * 60_000 - Number(since) * 3_600_000).toISOString();
  for (const name of ['from', 'to'] as const) {
    const at = Date.parse(params.get(name) ?? '');
    if (!Number.isNaN(at)) out[name] = new Date(at).toISOString();
  }
  return out;
}

/** Who chooses begin and end themselves. */
export const own = 'own';

/** spanOf is what is chosen of the spans; empty for any time. */
export function spanOf(params: URLSearchParams): string {
  const since = params.get('since') ?? '';
  if (spans.includes(since) || since === own) return since;
  return params.has('from') || params.has('to') ? own : '';
}

/** localTime is a moment as fields for date and time have it, without seconds; empty for none. */
export function localTime(text: string | null): string {
  const at = new Date(text ?? '');
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** momentOf reads such a field, in the time of whoever sits there; empty for none. */
export function momentOf(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

/** Flags of the command by what an address has; the command has no moments of time, and no namespace. */
const flags = { who: 'who', verb: 'verb', name: 'app', project: 'project', outcome: 'outcome', q: 'text' };

/** commandOf lists the same on the command line, as far as it has flags for it. */
export function commandOf(params: URLSearchParams): string {
  const words = Object.entries(flags).flatMap(([name, flag]) => {
    const value = params.get(name);
    return value ? [`--${flag}=${quoted(value)}`] : [];
  });
  const since = params.get('since') ?? '';
  if (spans.includes(since)) words.push(`--since=${since}h`);
  return ['causeway audit list', ...words].join(' ');
}

/** isWhole reports whether the command has a flag for all that an address says. */
export const isWhole = (params: URLSearchParams) =>
  params.get('namespace') === null && ['', ...spans].includes(spanOf(params));

/** exportPath is the address of the same entries as lines of JSON. */
export const exportPath = (filter: AuditFilter) =>
  `/api/v1/audit/export?${new URLSearchParams(filter as Record<string, string>).toString()}`;

/** pretty writes a value that is JSON over several lines; another one as it is. */
export function pretty(text: string | undefined): string {
  if (!text) return '';
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
