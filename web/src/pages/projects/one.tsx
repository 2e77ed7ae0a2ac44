import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';

import { api, body, type ProjectDetail } from '../../api/client';
import { projectQuery } from '../../api/queries';
import { t } from '../../text';
import { projectCommand } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Note, Remove } from '../../ui/form';
import css from '../../ui/form.module.css';
import { Failed, Loading } from '../../ui/state';
import { useHeading, useTitle } from '../../ui/title';
import { useTell } from '../../ui/toast';
import { Trail } from '../../ui/trail';
import type { Reason } from '../../ui/why';
import { ProjectForm } from './form';
import { ProjectRules } from './page';

/** OneProject shows a project, and changes it. */
export default function OneProject() {
  const { name = '' } = useParams();
  useTitle(name);
  const query = useQuery({ ...projectQuery(name), refetchOnWindowFocus: false });
  if (query.data === undefined)
    return query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading />;
  return <Details project={query.data} reload={() => void query.refetch()} />;
}

function Details({ project: p, reload }: { project: ProjectDetail; reload: () => void }) {
  const heading = useHeading();
  const navigate = useNavigate();
  const client = useQueryClient();
  const tell = useTell();
  const [removing, setRemoving] = useState(false);
  useTitle(p.name);
  const remove = useMutation({
    mutationFn: (headers: Reason) =>
      body(
        api.DELETE('/api/v1/projects/{name}', {
          params: { path: { name: p.name }, header: { 'If-Match': p.version } },
          headers,
        }),
      ),
    onSuccess: () => {
      tell.good(t.form.removed(p.name));
      void client.invalidateQueries({ queryKey: ['projects'], exact: true });
      void navigate('/projects');
    },
  });
  return (
    <div className={css.page}>
      <Trail to="/projects" name={t.nav.projects} />
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {p.name}
        </h1>
        <Link to={`/applications?${new URLSearchParams({ project: p.name }).toString()}`}>
          {t.apps(p.applications)}
        </Link>
        {p.can.includes('delete') && p.name !== 'default' && (
          <Button className={css.end ?? ''} color="red" variant="light" size="xs" onClick={() => setRemoving(true)}>
            {t.form.remove}
          </Button>
        )}
      </header>
      <p>
        <Command text={projectCommand(p.name)} />
      </p>
      {p.managedBy && <Note tone="warn">{t.form.managedBy(p.managedBy)}</Note>}
      {p.can.includes('update') ? (
        <ProjectForm key={p.version} project={p} done={reload} reload={reload} />
      ) : (
        <>
          <Note>{t.form.readOnly}</Note>
          <ProjectRules spec={p.spec} />
        </>
      )}
      <Remove
        name={p.name}
        opened={removing}
        close={() => setRemoving(false)}
        remove={(headers) => remove.mutate(headers)}
        pending={remove.isPending}
        error={remove.error}
      >
        <p>{t.projectForm.removeLead(p.applications)}</p>
      </Remove>
    </div>
  );
}
