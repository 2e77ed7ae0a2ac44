import { NativeSelect } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import type { Commit } from '../../api/client';
import { changesQuery, clustersQuery, isProblem, projectsQuery, type ChangeFilter } from '../../api/queries';
import { t } from '../../text';
import { changesCommand } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Find } from '../../ui/find';
import { Empty } from '../../ui/may';
import { More } from '../../ui/more';
import { useSearch } from '../../ui/search';
import { Failed, Loading, Message } from '../../ui/state';
import { Ago } from '../../ui/time';
import { useHeading, useTitle } from '../../ui/title';
import { repoName, shortRevision } from '../applications/rows';
import { changePath, Culprit } from './culprit';
import css from './page.module.css';
import { Stages, StateSign, states } from './stages';

const names = ['q', 'repo', 'project', 'cluster', 'state'] as const;

/** Changes has a line for each commit: how far it has come. */
export default function Changes() {
  useTitle(t.nav.changes);
  const heading = useHeading();
  const { params, put, change } = useSearch();
  const filter: ChangeFilter = {};
  for (const name of names) {
    const value = params.get(name);
    if (value) Object.assign(filter, { [name]: value });
  }
  const clear = () => change(Object.fromEntries(names.map((name) => [name, ''])));
  const query = useInfiniteQuery({ ...changesQuery(filter), placeholderData: keepPreviousData });
  const commits = query.data?.pages.flatMap((p) => p.items ?? []) ?? [];
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {t.nav.changes}
        </h1>
        <span className={css.end}>
          <Command text={changesCommand(filter)} />
        </span>
      </header>
      {!query.data && isProblem(query.error, 404) ? (
        <Message icon="history" title={t.history.notKept}>
          <p>{query.error.message}</p>
        </Message>
      ) : (
        <>
          <Filters filter={filter} change={put} commits={commits} />
          {query.error && !query.data ? (
            <Failed
              error={query.error}
              retry={() => void query.refetch()}
              clear={Object.keys(filter).length > 0 ? clear : undefined}
            />
          ) : !query.data ? (
            <Loading rows={8} />
          ) : commits.length === 0 && !query.hasNextPage ? (
            Object.keys(filter).length > 0 ? (
              <Message icon="search" title={t.list.noMatch} />
            ) : (
              <Empty resource="applications" of={t.changes.what}>
                <Message icon="changes" title={t.changes.none}>
                  <p>{t.changes.noneLead}</p>
                </Message>
              </Empty>
            )
          ) : (
            <ol className={`card ${css.list ?? ''}`} aria-label={t.changes.label}>
              {commits.map((c) => (
                <li key={`${c.repo}/${c.revision}`}>
                  <Line commit={c} />
                </li>
              ))}
            </ol>
          )}
          <More query={query} label={t.changes.older} />
        </>
      )}
    </div>
  );
}

interface FiltersProps {
  filter: ChangeFilter;
  change: (name: string, value: string) => void;
  commits: Commit[];
}

function Filters({ filter, change, commits }: FiltersProps) {
  const projects = useQuery(projectsQuery).data ?? [];
  const clusters = useQuery(clustersQuery).data ?? [];
  const repos = new Map(commits.map((c) => [c.repo, repoName(c.repoURL)]));
  if (filter.repo && !repos.has(filter.repo)) repos.set(filter.repo, filter.repo);
  const choose = (
    name: 'state' | 'repo' | 'project' | 'cluster',
    all: string,
    values: { value: string; label: string }[],
  ) => (
    <NativeSelect
      aria-label={t.changes.filters[name]}
      value={filter[name] ?? ''}
      data={[{ value: '', label: all }, ...known(values, filter[name])]}
      onChange={(e) => change(name, e.currentTarget.value)}
    />
  );
  return (
    <div className={css.tools}>
      <Find label={t.changes.find} value={filter.q ?? ''} change={(text) => change('q', text)} />
      {choose(
        'state',
        t.changes.filters.anyState,
        states.map((s) => ({ value: s, label: t.changes.states[s] ?? s })),
      )}
      {choose(
        'repo',
        t.changes.filters.anyRepo,
        [...repos].map(([value, label]) => ({ value, label })),
      )}
      {choose(
        'project',
        t.changes.filters.anyProject,
        projects.map((p) => same(p.name)),
      )}
      {choose(
        'cluster',
        t.changes.filters.anyCluster,
        clusters.map((c) => same(c.name)),
      )}
    </div>
  );
}

const same = (value: string) => ({ value, label: value });

/** known adds what is chosen to what can be chosen: an address may name what is not there any more. */
const known = (values: { value: string; label: string }[], chosen: string | undefined) =>
  chosen && !values.some((v) => v.value === chosen) ? [...values, same(chosen)] : values;

function Line({ commit: c }: { commit: Commit }) {
  return (
    <article className={css.line}>
      <p className={css.first}>
        <StateSign value={c.state} compact />
        <Link to={changePath(c)} className={css.subject}>
          {c.subject || shortRevision(c.revision)}
        </Link>
        <span className="dim">
          {t.apps(c.applications)} · {where(c.clusters ?? [])}
        </span>
      </p>
      <p className={css.facts}>
        <span className="mono" title={c.revision}>
          {shortRevision(c.revision)}
        </span>
        <span>{repoName(c.repoURL)}</span>
        {c.author && <span>{c.author}</span>}
        <Ago at={c.at} />
      </p>
      <Stages stages={c.stages ?? []} of={c.applications} />
      {c.failing && <Culprit step={c.failing} />}
      {c.state === 'waiting' && (
        <p>
          <Link className={css.see} to={changePath(c)}>
            {t.changes.see}
          </Link>
        </p>
      )}
    </article>
  );
}

const where = (clusters: string[]) => (clusters.length > 3 ? t.changes.clusters(clusters.length) : clusters.join(', '));
