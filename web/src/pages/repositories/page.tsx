import { Button, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import type { Repository } from '../../api/client';
import { repositoriesQuery } from '../../api/queries';
import { t } from '../../text';
import { fixed } from '../../ui/commands';
import { Listing } from '../../ui/listing';
import css from '../../ui/listing.module.css';
import { useMay } from '../../ui/may';
import { Rows } from '../../ui/rows';
import { State } from './state';

const words = (r: Repository) => `${r.url} ${r.name ?? ''} ${r.project ?? ''} ${r.type ?? 'git'}`;

export default function Repositories() {
  const query = useQuery(repositoriesQuery);
  const may = useMay('repositories');
  return (
    <Listing
      title={t.nav.repositories}
      icon="branch"
      query={query}
      words={words}
      find={t.repositories.find}
      command={fixed.repositories}
      nameOf={(r) => r.url}
      count={t.repositories.count}
      resource="repositories"
      none={{ what: t.repositories.what, title: t.repositories.none, lead: t.repositories.noneLead }}
      actions={
        may('create') && (
          <>
            <Button component={Link} to="/new/repository?kind=template" variant="default" size="xs">
              {t.repositories.addTemplate}
            </Button>
            <Button component={Link} to="/new/repository" size="xs">
              {t.repositories.connect}
            </Button>
          </>
        )
      }
    >
      {(repositories) => (
        <Rows items={repositories} keyOf={(r) => r.id || r.url}>
          {(r) => <One repository={r} />}
        </Rows>
      )}
    </Listing>
  );
}

function One({ repository: r }: { repository: Repository }) {
  const problem = r.problem ?? r.lookProblem;
  return (
    <>
      <div className={css.top}>
        <h2>{r.used ? r.url : <Link to={`/repositories/${r.id}`}>{r.name || r.url}</Link>}</h2>
        <State repository={r} />
        <span className={css.end}>{t.apps(r.applications)}</span>
      </div>
      <p className={css.facts}>
        {r.name && <span className="mono">{r.url}</span>}
        <span>{r.template ? t.repositories.template : (r.type ?? 'git')}</span>
        {!r.used && <span>{r.project ? t.repositories.project(r.project) : t.repositories.anyProject}</span>}
        <span>
          {r.credentials.length > 0
            ? r.credentials.map((c) => t.repositories[c as keyof typeof t.repositories] as string).join(', ')
            : r.used
              ? t.repositories.usedAlone
              : t.repositories.noCredentials}
        </span>
        {r.used && r.can.includes('create') && (
          <Link to={`/new/repository?${new URLSearchParams({ url: r.url, type: r.type ?? 'git' }).toString()}`}>
            {t.repositories.addCredentials}
            <VisuallyHidden> {t.repositories.to(r.url)}</VisuallyHidden>
          </Link>
        )}
      </p>
      {problem && <p className={css.problem}>{problem}</p>}
    </>
  );
}
