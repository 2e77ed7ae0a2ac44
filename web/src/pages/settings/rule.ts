import type { KeyRule } from '../../api/client';

/** rulesOf reads rules, one a line, as the command line has them; a line that is none comes back instead. */
export function rulesOf(text: string): { rules: KeyRule[]; bad?: string } {
  const rules: KeyRule[] = [];
  for (const line of text.split('\n').map((l) => l.trim())) {
    if (line === '') continue;
    const [resource, action, project, ...rest] = line.split(':').map((part) => part.trim());
    if (!resource || !action || !project || rest.length > 0) return { rules: [], bad: line };
    rules.push({ resource, action, project });
  }
  return { rules };
}

export const ruleText = (r: KeyRule) => `${r.resource}:${r.action}:${r.project}`;
