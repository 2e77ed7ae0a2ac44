import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import type { Application, CommitStep, Ref } from '../../api/client';
import { applicationQuery } from '../../api/queries';
import { t } from '../../text';
import { refKey, refText } from '../application/address';
import { childPath } from '../application/child';
import { Waits } from '../application/hold';
import { reasonsOf } from '../application/unwell';
import { pathOf } from '../applications/rows';

/** Objects that are named. */
const named = 3;

/** Waiting tells what a step of a commit waits for: as the step says it, or as its application does now. */
export function Waiting({ step }: { step: CommitStep }) {
  const app = useQuery({ ...applicationQuery(step), enabled: !step.message }).data;
  const to = (o: Ref) => `${pathOf(step)}?${new URLSearchParams({ tab: 'table', object: refText(o) }).toString()}`;
  if (step.message) return <p className="dim">{step.message}</p>;
  if (!app) return <Generally step={step} />;
  if (app.hold) return <Waits hold={app.hold} to={to} />;
  if (step.state === 'waiting') return <p className="dim">{whyOf(app)}</p>;
  const { objects } = reasonsOf(app);
  if (step.state !== 'applied' || objects.length === 0) return null;
  return (
    <p>
      <span className="dim">{t.changes.unwell}</span>
      {objects.slice(0, named).map((o, i) => (
        <span key={refKey(o)}>
          {i > 0 && ','} <Link to={childPath(o) ?? to(o)}>{`${o.kind} ${o.name}`}</Link>
          {o.message && <span className="dim"> ({o.message})</span>}
        </span>
      ))}
      {objects.length > named && ` ${t.hold.further(objects.length - named)}`}
    </p>
  );
}

/** Generally is what can be told without the application. */
export function Generally({ step }: { step: CommitStep }) {
  return step.state === 'waiting' ? <p className="dim">{t.changes.waits}</p> : null;
}

/** whyOf tells why a commit that is planned is not brought to its application. */
function whyOf(app: Application): string {
  if (app.pending) return t.changes.pending;
  return app.row.automated ? t.changes.automatic : t.changes.manual;
}
