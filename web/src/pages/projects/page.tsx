import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import type { Project, ProjectSpec } from '../../api/client';
import { projectsQuery } from '../../api/queries';
import { t } from '../../text';
import { fixed } from '../../ui/commands';
import { Listing } from '../../ui/listing';
import css from '../../ui/listing.module.css';
import { useMay } from '../../ui/may';
import { Rows } from '../../ui/rows';

const words = (p: Project) => `${p.name} ${p.spec.description ?? ''} ${(p.spec.sourceRepos ?? []).join(' ')}`;

export default function Projects() {
  const query = useQuery(projectsQuery);
  const may = useMay('projects');
  return (
    <Listing
      title={t.nav.projects}
      icon="project"
      query={query}
      words={words}
      find={t.projects.find}
      command={fixed.projects}
      nameOf={(p) => p.name}
      count={t.projects.count}
      resource="projects"
      none={{ what: t.projects.what, title: t.projects.none, lead: t.projects.noneLead }}
      actions={
        may('create') && (
          <Button component={Link} to="/new/project" size="xs">
            {t.projectForm.create}
          </Button>
        )
      }
    >
      {(projects) => (
        <Rows items={projects} keyOf={(p) => p.name}>
          {(p) => <One project={p} />}
        </Rows>
      )}
    </Listing>
  );
}

function One({ project: { name, spec, applications } }: { project: Project }) {
  return (
    <>
      <div className={css.top}>
        <h2>
          <Link to={`/projects/${name}`}>{name}</Link>
        </h2>
        <span className="dim">{spec.description}</span>
        <Link className={css.end} to={`/applications?${new URLSearchParams({ project: name }).toString()}`}>
          {t.apps(applications)}
        </Link>
      </div>
      <ProjectRules spec={spec} />
    </>
  );
}

/** ProjectRules are what a project allows. */
export function ProjectRules({ spec }: { spec: ProjectSpec }) {
  const destinations = (spec.destinations ?? []).map((d) => `${d.name ?? d.server ?? '*'} / ${d.namespace ?? '*'}`);
  const groups: [string, string[]][] = [
    [t.projects.repos, spec.sourceRepos ?? []],
    [t.projects.destinations, destinations],
    [t.projects.roles, (spec.roles ?? []).map((r) => [r.name, r.description].filter(Boolean).join(': '))],
    [
      t.projects.windows,
      (spec.syncWindows ?? []).map((w) => t.projects.window(w.kind ?? '', w.schedule ?? '', w.duration ?? '')),
    ],
  ];
  return (
    <>
      {groups
        .filter(([, list]) => list.length > 0)
        .map(([title, list]) => (
          <details key={title} className={css.more} open={list.length <= 3}>
            <summary>
              {title} <span className="dim">{list.length}</span>
            </summary>
            <ul>
              {list.map((text, i) => (
                <li key={i}>{text}</li>
              ))}
            </ul>
          </details>
        ))}
    </>
  );
}
