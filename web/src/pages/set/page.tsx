import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';

import { api, body, type GeneratedApp, type Key, type SetDetail } from '../../api/client';
import { generatedQuery, setQuery } from '../../api/queries';
import { t } from '../../text';
import { approveSetCommand, setCommand } from '../../ui/commands';
import { Find } from '../../ui/find';
import { Command, Copy } from '../../ui/copy';
import { Yaml } from '../../ui/diffview';
import { approvedFor, HeldList } from '../../ui/heldlist';
import { More } from '../../ui/more';
import { useSearch } from '../../ui/search';
import { Failed, Loading, wordsOf } from '../../ui/state';
import { Sign } from '../../ui/status';
import { Ago, duration } from '../../ui/time';
import { useHeading, useTitle } from '../../ui/title';
import { useTell } from '../../ui/toast';
import { Trail } from '../../ui/trail';
import { useFollow } from './follow';
import { Generated } from './generated';
import css from './page.module.css';
import { Rollout } from './rollout';

/** SetPage shows what an ApplicationSet generates, and what is wrong with it. */
export default function SetPage() {
  const { namespace = '', name = '' } = useParams();
  const { params, put, go } = useSearch();
  const shown = params.get('application') ?? '';
  const text = params.get('find') ?? '';
  useTitle(name);
  const key = { namespace, name };
  const query = useInfiniteQuery(setQuery(key));
  const set = query.data?.pages[0];
  if (!set) return query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading />;
  const made = query.data?.pages.flatMap((p) => p.expansion.applications ?? []) ?? [];
  return (
    <div className={css.page}>
      <Head set={set} setKey={key} />
      <Approval set={set} setKey={key} />
      <Rollout set={set} setKey={key} />
      <States set={set} made={made} />
      <section className={css.made} aria-label={t.set.made}>
        <div className={css.tools}>
          <h2>{t.set.made}</h2>
          <Find label={t.set.find} className={css.find ?? ''} value={text} change={(text) => put('find', text)} />
        </div>
        {shown !== '' && <Template setKey={key} name={shown} close={() => go({ application: '' })} />}
        <Generated
          namespace={namespace}
          made={made}
          total={set.expansion.total}
          text={text}
          shown={shown}
          show={(application) => go({ application })}
        />
        <More query={query} label={t.set.more} />
      </section>
      <details className={css.spec}>
        <summary>{t.set.spec}</summary>
        <span className={css.copy}>
          <Copy text={set.spec} />
        </span>
        <Yaml text={set.spec} label={t.set.spec} />
      </details>
    </div>
  );
}

function Head({ set, setKey }: { set: SetDetail; setKey: Key }) {
  const heading = useHeading();
  const tell = useTell();
  const client = useQueryClient();
  const follow = useFollow();
  const refresh = useMutation({
    mutationFn: () =>
      body(api.POST('/api/v1/applicationsets/{namespace}/{name}/refresh', { params: { path: setKey } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['sets'] });
      void follow(setKey);
    },
    onError: (error) => tell.bad(wordsOf(error)),
  });
  const filtered = `/applications?${new URLSearchParams({ applicationSet: set.name }).toString()}`;
  return (
    <header className={css.head}>
      <Trail to="/applicationsets" name={t.nav.sets} />
      <div className={css.title}>
        <h1 ref={heading} tabIndex={-1}>
          {set.name}
        </h1>
        <span className={css.signs} role="status">
          {set.failed && <Sign look={{ icon: 'bad', tone: 'bad' }} word={t.sets.failed} />}
          {set.refreshing && <Sign look={{ icon: 'synced', tone: 'busy' }} word={t.set.refreshing} />}
        </span>
        <span className={css.end}>
          <Button component={Link} to={filtered} variant="default">
            {t.set.applications(set.applications)}
          </Button>
          <Button variant="default" loading={refresh.isPending} onClick={() => refresh.mutate()}>
            {t.app.refresh}
          </Button>
        </span>
      </div>
      <p className={css.facts}>
        <span>{t.sets.generators((set.generators ?? []).join(', '))}</span>
        <span>{t.sets.project(set.project)}</span>
        <span>{t.sets.healthy(set.healthy, set.applications)}</span>
        <span>{t.sets.synced(set.synced, set.applications)}</span>
        <span>
          {t.set.expanded} <Ago at={set.expansion.at} /> · {t.history.took(duration(set.expansion.took))}
        </span>
        <Command text={setCommand(set.name)} />
      </p>
    </header>
  );
}

/** Approval is asked for where the set would delete many of its applications. */
function Approval({ set: { held, can, name }, setKey }: { set: SetDetail; setKey: Key }) {
  if (!held) return null;
  return (
    <HeldList
      title={t.held.ofSet(held.count, held.others ?? false)}
      lead={t.held.ofSetLead}
      count={held.count}
      others={held.others}
      items={held.applications.map((a) => ({ key: a.name, text: a.name }))}
      act={t.held.approve}
      may={can.includes('update')}
      command={approveSetCommand(name)}
      give={(headers) =>
        body(
          api.POST('/api/v1/applicationsets/{namespace}/{name}/approve', {
            params: { path: setKey },
            body: { digest: held.digest, minutes: approvedFor },
            headers,
          }),
        )
      }
      given={t.held.approved}
      kind="sets"
    />
  );
}

/** States tell in plain words what is wrong, and what is as it should be. */
function States({ set, made }: { set: SetDetail; made: GeneratedApp[] }) {
  const problem = set.expansion.problem;
  const refused = made.filter((a) => a.problem);
  const warnings = set.expansion.warnings ?? [];
  return (
    <div className={css.states}>
      {problem && (
        <article className={css.state} data-tone="bad">
          <h2>{t.set.broken}</h2>
          <p className={css.message}>{problem}</p>
          <p className="dim">{t.set.brokenWay}</p>
        </article>
      )}
      {refused.length > 0 && (
        <article className={css.state} data-tone="bad">
          <h2>{t.set.refused(refused.length)}</h2>
          <Told items={refused}>
            {(a) => (
              <>
                <strong>{a.name || t.set.nameless}</strong> {a.cluster && <span className="dim">{a.cluster}</span>}{' '}
                {a.problem}
              </>
            )}
          </Told>
        </article>
      )}
      {warnings.length > 0 && (
        <article className={css.state} data-tone="warn">
          <h2>{t.set.warnings}</h2>
          <Told items={warnings}>{(w) => w}</Told>
        </article>
      )}
      {(set.states ?? []).map((s) => {
        const words = t.set.states[s.type]?.[s.status === 'True' ? 'yes' : 'no'];
        const doubtful = s.status === 'True' && s.type === 'ParameterWarning';
        const inFull = doubtful && (set.expansion.warnings ?? []).length > 0;
        if (!words || inFull) return null;
        const bad = s.status === 'True' && (s.type === 'ErrorOccurred' || s.type === 'DeletionHeld');
        return (
          <article key={s.type} className={css.state} data-tone={bad ? 'bad' : doubtful ? 'warn' : 'calm'}>
            <h2>
              {words.title}
              <span className={css.since}>
                <Ago at={s.since} />
              </span>
            </h2>
            {s.message && (bad || doubtful || s.status !== 'True') && <p className={css.message}>{s.message}</p>}
            {words.way && <p className="dim">{words.way}</p>}
          </article>
        );
      })}
    </div>
  );
}

/** As many are told of: more would hide the table. */
const mostTold = 20;

/** Told lists the first, and says how many there are besides. */
function Told<T>({ items, children }: { items: T[]; children: (item: T) => ReactNode }) {
  return (
    <ul>
      {items.slice(0, mostTold).map((item, i) => (
        <li key={i} className={css.message}>
          {children(item)}
        </li>
      ))}
      {items.length > mostTold && <li className="dim">{t.set.further(items.length - mostTold)}</li>}
    </ul>
  );
}

/** Template shows what the template gives for one Application. */
function Template({ setKey, name, close }: { setKey: Key; name: string; close: () => void }) {
  const query = useQuery(generatedQuery(setKey, name));
  const app = query.data;
  if (app === null) return null;
  return (
    <section className={css.output} aria-label={t.set.output(name)}>
      <div className={css.tools}>
        <h2>{t.set.output(name)}</h2>
        {app?.manifest && <Copy text={app.manifest} />}
        <Button size="compact-sm" variant="subtle" onClick={close}>
          {t.action.close}
        </Button>
      </div>
      {app?.problem && <p className={css.message}>{app.problem}</p>}
      {app?.manifest && <Yaml text={app.manifest} label={t.set.output(name)} />}
      {!app && (query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading rows={6} />)}
    </section>
  );
}
