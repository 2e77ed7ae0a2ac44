import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'react-router';

import type { Application, Unowned } from '../../api/client';
import { orphansQuery } from '../../api/queries';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Find } from '../../ui/find';
import { Rows } from '../../ui/rows';
import { useSearch } from '../../ui/search';
import { Failed, Loading, Message } from '../../ui/state';
import { refKey, type Address } from './address';
import { Partial } from './objects';
import css from './orphans.module.css';

/** Orphans are what lies in an Application's namespace, and no Application has. */
export default function Orphans({ address, app: { row } }: { address: Address; app: Application }) {
  const query = useQuery(orphansQuery(address.key));
  if (query.error && !query.data) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const { asked, objects, partial } = query.data;
  if (!asked)
    return (
      <Message
        icon="project"
        title={t.orphans.unasked(row.project)}
        action={
          <Button component={Link} to={`/projects/${encodeURIComponent(row.project)}`} variant="default">
            {t.sets.project(row.project)}
          </Button>
        }
      >
        <p>{t.orphans.unaskedLead}</p>
      </Message>
    );
  if (objects.length === 0 && partial)
    return (
      <Message icon="warning" title={t.orphans.hidden}>
        <p>{partial}</p>
      </Message>
    );
  if (objects.length === 0)
    return (
      <Message icon="okay" title={t.orphans.none}>
        <p>{t.orphans.noneLead}</p>
      </Message>
    );
  return <List objects={objects} partial={partial} address={address} />;
}

function List({ objects, partial, address }: { objects: Unowned[]; partial: string | undefined; address: Address }) {
  const { params, put } = useSearch();
  const commands = useCommands();
  const text = params.get('q') ?? '';
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return objects.filter((o) => {
      const name = `${o.kind} ${o.group ?? ''} ${o.namespace} ${o.name}`.toLowerCase();
      return words.every((w) => name.includes(w));
    });
  }, [objects, text]);
  return (
    <div className={css.page}>
      <div className={css.tools}>
        <Find label={t.app.find} className={css.find ?? ''} value={text} change={(word) => put('q', word)} />
        <span className="dim" role="status">
          {t.orphans.count(found.length)}
        </span>
        <Command text={commands.orphans(address.key)} whole={text === ''} />
      </div>
      <p className="dim">{t.orphans.lead}</p>
      <Partial text={partial} />
      {found.length === 0 ? (
        <Message icon="search" title={t.list.noMatch} />
      ) : (
        <Rows items={found} keyOf={refKey}>
          {(o) => (
            <p className={css.object}>
              <span className="dim">{o.kind}</span> <strong>{o.name}</strong> <span className="dim">{o.namespace}</span>
              {o.group && <span className={`dim ${css.group ?? ''}`}>{o.group}</span>}
            </p>
          )}
        </Rows>
      )}
    </div>
  );
}
