import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';

import { api, body, type Repository } from '../../api/client';
import { repositoryQuery } from '../../api/queries';
import { t } from '../../text';
import { repositoryCommand } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Note, Remove } from '../../ui/form';
import css from '../../ui/form.module.css';
import { Failed, Loading } from '../../ui/state';
import { Ago } from '../../ui/time';
import { useHeading, useTitle } from '../../ui/title';
import { useTell } from '../../ui/toast';
import { Trail } from '../../ui/trail';
import type { Reason } from '../../ui/why';
import { RepositoryForm } from './form';
import { State } from './state';

/** OneRepository shows a repository, and changes it. */
export default function OneRepository() {
  const { id = '' } = useParams();
  useTitle(t.nav.repositories);
  const query = useQuery({ ...repositoryQuery(id), refetchOnWindowFocus: false });
  if (query.data === undefined)
    return query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading />;
  return <Details repository={query.data} reload={() => void query.refetch()} />;
}

function Details({ repository: r, reload }: { repository: Repository; reload: () => void }) {
  const title = r.name || r.url;
  const heading = useHeading();
  const navigate = useNavigate();
  const client = useQueryClient();
  const tell = useTell();
  const [removing, setRemoving] = useState(false);
  useTitle(title);
  const remove = useMutation({
    mutationFn: (headers: Reason) =>
      body(
        api.DELETE('/api/v1/repositories/{id}', {
          params: { path: { id: r.id }, header: { 'If-Match': r.version } },
          headers,
        }),
      ),
    onSuccess: () => {
      tell.good(t.form.removed(title));
      void client.invalidateQueries({ queryKey: ['repositories'], exact: true });
      void navigate('/repositories');
    },
  });
  return (
    <div className={css.page}>
      <Trail to="/repositories" name={t.nav.repositories} />
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <State repository={r} />
        {r.can.includes('delete') && (
          <Button className={css.end ?? ''} color="red" variant="light" size="xs" onClick={() => setRemoving(true)}>
            {t.form.remove}
          </Button>
        )}
      </header>
      {(r.problem ?? r.lookProblem) && <Note tone="bad">{r.problem ?? r.lookProblem}</Note>}
      {r.managedBy && <Note tone="warn">{t.form.managedBy(r.managedBy)}</Note>}
      <Facts repository={r} />
      <p>
        <Command text={repositoryCommand(r.url)} />
      </p>
      {r.can.includes('update') ? (
        <RepositoryForm key={r.version} repository={r} template={r.template === true} done={reload} reload={reload} />
      ) : (
        <Note>{t.form.readOnly}</Note>
      )}
      <Remove
        name={title}
        opened={removing}
        close={() => setRemoving(false)}
        remove={(headers) => remove.mutate(headers)}
        pending={remove.isPending}
        error={remove.error}
      >
        <p>{t.repositories.removeLead(r.applications)}</p>
      </Remove>
    </div>
  );
}

function Facts({ repository: r }: { repository: Repository }) {
  return (
    <dl className={`card ${css.facts ?? ''}`}>
      <dt>{t.repositories.url}</dt>
      <dd className="mono">{r.url}</dd>
      <dt>{t.repositories.projectField}</dt>
      <dd>
        {r.project ? (
          <Link to={`/projects?q=${encodeURIComponent(r.project)}`}>{r.project}</Link>
        ) : (
          t.repositories.anyProject
        )}
      </dd>
      <dt>{t.repositories.credentials}</dt>
      <dd>
        {r.credentials.map((c) => t.repositories[c as keyof typeof t.repositories] as string).join(', ') ||
          t.repositories.noCredentials}
      </dd>
      <dt>{t.nav.applications}</dt>
      <dd>
        <Link to={`/applications?${new URLSearchParams({ q: r.url }).toString()}`}>{t.apps(r.applications)}</Link>
      </dd>
      {r.looked && (
        <>
          <dt>{t.repositories.looked}</dt>
          <dd>
            <Ago at={r.looked} />
          </dd>
        </>
      )}
    </dl>
  );
}
