import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';

import { api, body, type Member, type MemberApplication, type MemberDeletion } from '../../api/client';
import { clusterDeletionQuery, clusterQuery } from '../../api/queries';
import { t } from '../../text';
import { clusterCommand } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Note, Remove } from '../../ui/form';
import css from '../../ui/form.module.css';
import { Guarded } from '../../ui/guarded';
import { Failed, Loading, wordsOf } from '../../ui/state';
import { Sign } from '../../ui/status';
import { Ago } from '../../ui/time';
import { useHeading, useTitle } from '../../ui/title';
import { useTell } from '../../ui/toast';
import { Trail } from '../../ui/trail';
import type { Reason } from '../../ui/why';
import { ClusterForm } from './form';

/** OneCluster shows a cluster that a Secret describes, and changes it. */
export default function OneCluster() {
  const { id = '' } = useParams();
  useTitle(t.nav.clusters);
  const query = useQuery(clusterQuery(id));
  if (query.data === undefined)
    return query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading />;
  return <Details member={query.data} reload={() => void query.refetch()} />;
}

function Details({ member: m, reload }: { member: Member; reload: () => void }) {
  const heading = useHeading();
  const [removing, setRemoving] = useState(false);
  useTitle(m.name);
  return (
    <div className={css.page}>
      <Trail to="/clusters" name={t.nav.clusters} />
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {m.name}
        </h1>
        {m.health && (
          <Sign
            look={m.health.reachable ? { icon: 'okay', tone: 'good' } : { icon: 'bad', tone: 'bad' }}
            word={m.health.reachable ? t.clusters.reachable : t.clusters.unreachable}
          />
        )}
        {m.can.includes('delete') && (
          <Button className={css.end ?? ''} color="red" variant="light" size="xs" onClick={() => setRemoving(true)}>
            {t.form.remove}
          </Button>
        )}
      </header>
      {m.health?.paused && <Note tone="warn">{t.clusters.pausedWay}</Note>}
      {(m.problem ?? m.health?.problem) && <Note tone="bad">{m.problem ?? m.health?.problem}</Note>}
      {m.managedBy && <Note tone="warn">{t.form.managedBy(m.managedBy)}</Note>}
      <Facts member={m} />
      <p>
        <Command text={clusterCommand(m.name)} />
      </p>
      {m.can.includes('update') ? (
        <ClusterForm key={m.version} member={m} done={reload} reload={reload} />
      ) : (
        <Note>{t.form.readOnly}</Note>
      )}
      {removing && <Removal member={m} close={() => setRemoving(false)} />}
    </div>
  );
}

function Facts({ member: m }: { member: Member }) {
  const h = m.health;
  return (
    <dl className={`card ${css.facts ?? ''}`}>
      <dt>{t.clusterForm.server}</dt>
      <dd className="mono">{m.server}</dd>
      {h?.version && (
        <>
          <dt>{t.clusterForm.version}</dt>
          <dd>
            {h.version}
            {h.reachable && `, ${t.clusters.latency(h.latencyMilliseconds)}`}
          </dd>
        </>
      )}
      {h?.lastSuccess && (
        <>
          <dt>{t.clusterForm.lastSuccess}</dt>
          <dd>
            <Ago at={h.lastSuccess} />
          </dd>
        </>
      )}
      <dt>{t.nav.applications}</dt>
      <dd>
        <Link to={`/applications?${new URLSearchParams({ cluster: m.name }).toString()}`}>
          {t.apps(m.applications)}
        </Link>
      </dd>
      <dt>{t.repositories.credentials}</dt>
      <dd>
        {m.credentials.map((c) => t.clusterForm[c as keyof typeof t.clusterForm] as string).join(', ') ||
          t.repositories.noCredentials}
      </dd>
    </dl>
  );
}

function Removal({ member: m, close }: { member: Member; close: () => void }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const tell = useTell();
  const deletion = useQuery(clusterDeletionQuery(m.id));
  const remove = useMutation({
    mutationFn: (headers: Reason) =>
      body(
        api.DELETE('/api/v1/clusters/{id}', {
          params: {
            path: { id: m.id },
            query: { confirm: deletion.data?.confirm ?? '' },
            header: { 'If-Match': m.version },
          },
          headers,
        }),
      ),
    onSuccess: () => {
      tell.good(t.form.removed(m.name));
      void client.invalidateQueries({ queryKey: ['clusters'], exact: true });
      void navigate('/clusters');
    },
    onError: () => void deletion.refetch(),
  });
  const d = deletion.data;
  return (
    <Remove
      name={m.name}
      opened
      close={close}
      remove={(headers) => d && remove.mutate(headers)}
      pending={remove.isPending || d === undefined}
      error={remove.error}
    >
      <p>{t.clusterForm.removeLead}</p>
      {deletion.error && <Note tone="bad">{wordsOf(deletion.error)}</Note>}
      {d && d.generated.length > 0 && <Going title={t.clusterForm.generated} keys={d.generated} />}
      {d && d.unknown.length > 0 && <Going title={t.clusterForm.unknown} keys={d.unknown} />}
      {d && d.left.length > 0 && <Going title={t.clusterForm.left} keys={d.left} />}
      {d?.others && <p>{t.clusterForm.others}</p>}
      {d && <Failing deletion={d} />}
      {d && (
        <Guarded list={d.guarded} hidden={d.guardedHidden} verdict={d.generated.length > 0 ? d.verdict : undefined} />
      )}
      {d && !d.others && d.generated.length + d.unknown.length + d.left.length === 0 && (
        <p>{t.clusterForm.nothingGoes}</p>
      )}
    </Remove>
  );
}

/** Failing names the sets of which not all is known, or says why nothing is. */
function Failing({ deletion: d }: { deletion: MemberDeletion }) {
  if (d.failures.length === 0) return null;
  if (d.verdict === 'unknown') return <Note tone="warn">{t.held.unknown(d.failures.join('; '))}</Note>;
  return (
    <Note tone="warn">
      <p>{t.held.failing}</p>
      <ul>
        {d.failures.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Note>
  );
}

const shown = 50;

function Going({ title, keys }: { title: string; keys: MemberApplication[] }) {
  return (
    <details className={css.more} open={keys.length <= 8}>
      <summary>
        {title} <span className="dim">{keys.length}</span>
      </summary>
      <ul>
        {keys.slice(0, shown).map((k) => (
          <li key={`${k.namespace}/${k.name}`}>
            <Link to={`/applications/${k.namespace}/${k.name}`}>{k.name}</Link>
            {k.cluster && <span className="dim"> {t.clusterForm.elsewhere(k.cluster)}</span>}
          </li>
        ))}
        {keys.length > shown && <li>{t.clusterForm.further(keys.length - shown)}</li>}
      </ul>
    </details>
  );
}
