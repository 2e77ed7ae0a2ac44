import type { Repository } from '../../api/client';
import { t } from '../../text';
import { Sign } from '../../ui/status';

/** State tells how the engine fares with a repository. */
export function State({ repository: r }: { repository: Repository }) {
  if (r.problem) return <Sign look={{ icon: 'bad', tone: 'bad' }} word={t.repositories.broken} />;
  if (r.lookProblem) return <Sign look={{ icon: 'bad', tone: 'bad' }} word={t.repositories.fails} />;
  if (r.looked) return <Sign look={{ icon: 'okay', tone: 'good' }} word={t.repositories.answers} />;
  if (r.used) return <Sign look={{ icon: 'missing', tone: 'calm' }} word={t.repositories.notConnected} />;
  return (
    <Sign look={{ icon: 'unknown', tone: 'calm' }} word={r.template ? t.repositories.usable : t.repositories.unused} />
  );
}
