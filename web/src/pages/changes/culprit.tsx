import { Link } from 'react-router';

import type { CommitStep } from '../../api/client';
import { t } from '../../text';
import { refText } from '../application/address';
import { pathOf } from '../applications/rows';
import css from './page.module.css';

export const changePath = (c: { repo: string; revision: string }) =>
  `/changes/${encodeURIComponent(c.repo)}/${encodeURIComponent(c.revision)}`;

/** objectPath leads to the object that a commit failed at, or to what of the application says more. */
export function objectPath(step: CommitStep): string {
  const path = pathOf(step);
  if (step.object) return `${path}?${new URLSearchParams({ tab: 'table', object: refText(step.object) }).toString()}`;
  return step.sync ? `${path}?${new URLSearchParams({ tab: 'timeline', sync: step.sync }).toString()}` : path;
}

/** Culprit is where a commit failed, and why. */
export function Culprit({ step }: { step: CommitStep }) {
  return (
    <p className={css.culprit}>
      <Link to={objectPath(step)}>{step.object ? `${step.object.kind} ${step.object.name}` : step.name}</Link>{' '}
      {step.object ? t.changes.of(step.name, step.cluster) : t.changes.on(step.cluster)}
      {step.message && `: ${step.message}`}
    </p>
  );
}
