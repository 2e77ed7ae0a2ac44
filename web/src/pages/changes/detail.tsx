import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';

import type { CommitDetail, CommitStep } from '../../api/client';
import { changeQuery } from '../../api/queries';
import { t } from '../../text';
import { changesCommand } from '../../ui/commands';
import { Command, Copy } from '../../ui/copy';
import { Failed, Loading } from '../../ui/state';
import { Ago } from '../../ui/time';
import { useHeading, useTitle } from '../../ui/title';
import { pathOf, repoName, shortRevision } from '../applications/rows';
import { Culprit } from './culprit';
import css from './page.module.css';
import { Stages, StateSign, StepStages } from './stages';
import { Generally, Waiting } from './waiting';

/** Change is one commit on each application that it changes. */
export default function Change() {
  const { repo = '', commit = '' } = useParams();
  const query = useQuery(changeQuery(repo, commit));
  const title = query.data?.subject || shortRevision(commit);
  useTitle(title);
  const heading = useHeading();
  return (
    <div className={css.page}>
      <Link to="/changes">{t.nav.changes}</Link>
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {query.data && <StateSign value={query.data.state} />}
      </header>
      {query.data ? (
        <Content change={query.data} />
      ) : query.error ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loading rows={8} />
      )}
    </div>
  );
}

function Content({ change: c }: { change: CommitDetail }) {
  const steps = c.steps ?? [];
  const some = new Set(steps.filter((s) => waits.includes(s.state)).slice(0, mostAsked));
  return (
    <>
      <div className={css.facts}>
        <span>
          <span className="mono">{c.revision}</span> <Copy text={c.revision} />
        </span>
        <Link to={`/changes?${new URLSearchParams({ repo: c.repo }).toString()}`} title={c.repoURL}>
          {repoName(c.repoURL)}
        </Link>
        {c.author && <span>{c.author}</span>}
        {c.date && (
          <span>
            {t.changes.committed} <Ago at={c.date} />
          </span>
        )}
        <span>
          {t.changes.takenUp} <Ago at={c.at} />
        </span>
      </div>
      <Stages stages={c.stages ?? []} of={c.applications} />
      <h2>{t.apps(c.applications)}</h2>
      <ul className={`card ${css.list ?? ''}`}>
        {steps.map((s) => (
          <li key={`${s.namespace}/${s.name}`}>
            <Step step={s} asked={some.has(s)} />
          </li>
        ))}
      </ul>
      {c.applications > steps.length && <p className="dim">{t.environments.more(c.applications - steps.length)}</p>}
      <Command text={changesCommand({ q: c.revision })} />
    </>
  );
}

/** States in which something is waited for. */
const waits: CommitStep['state'][] = ['waiting', 'running', 'applied'];

/** Of so many applications it is asked what they wait for. */
const mostAsked = 10;

function Step({ step: s, asked }: { step: CommitStep; asked: boolean }) {
  return (
    <div className={css.line}>
      <p className={css.first}>
        <StateSign value={s.state} compact />
        <Link to={pathOf(s)} className={css.subject}>
          {s.name}
        </Link>
        <span className="dim">
          {s.cluster} · {s.project}
        </span>
        {s.sync && (
          <Link to={`${pathOf(s)}?${new URLSearchParams({ tab: 'timeline', sync: s.sync }).toString()}`}>
            {t.history.timeline}
          </Link>
        )}
        <span className={`dim ${css.end ?? ''}`}>
          <Ago at={s.at} />
        </span>
      </p>
      <StepStages stages={s.stages ?? []} state={s.state} stage={s.stage ?? ''} />
      {s.state === 'failed' && <Culprit step={s} />}
      {waits.includes(s.state) && (asked ? <Waiting step={s} /> : <Generally step={s} />)}
    </div>
  );
}
