import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import type { Cluster } from '../../api/client';
import { clustersQuery } from '../../api/queries';
import { t } from '../../text';
import { fixed } from '../../ui/commands';
import { Listing } from '../../ui/listing';
import css from '../../ui/listing.module.css';
import { useMay } from '../../ui/may';
import { Rows } from '../../ui/rows';
import { Sign } from '../../ui/status';
import { Ago, Until } from '../../ui/time';

const words = (c: Cluster) =>
  `${c.name} ${c.server} ${c.version ?? ''} ${Object.entries(c.labels ?? {})
    .map(([k, v]) => `${k}=${v}`)
    .join(' ')}`;

/** worst puts clusters first that do not answer. */
const worst = (a: Cluster, b: Cluster) => Number(a.reachable) - Number(b.reachable) || a.name.localeCompare(b.name);

export default function Clusters() {
  const query = useQuery(clustersQuery);
  const may = useMay('clusters');
  return (
    <Listing
      title={t.nav.clusters}
      icon="cluster"
      query={query}
      words={words}
      find={t.clusters.find}
      command={fixed.clusters}
      nameOf={(c) => c.name}
      count={t.clusters.count}
      resource="clusters"
      none={{ what: t.clusters.what, title: t.clusters.none, lead: t.clusters.noneLead }}
      actions={
        may('create') && (
          <Button component={Link} to="/new/cluster" size="xs">
            {t.clusterForm.connect}
          </Button>
        )
      }
    >
      {(clusters) => (
        <Rows items={[...clusters].sort(worst)} keyOf={(c) => c.server}>
          {(c) => <One cluster={c} />}
        </Rows>
      )}
    </Listing>
  );
}

function One({ cluster: c }: { cluster: Cluster }) {
  return (
    <>
      <div className={css.top}>
        <h2>{c.secret ? <Link to={`/clusters/${c.secret}`}>{c.name}</Link> : c.name}</h2>
        <Sign
          look={c.reachable ? { icon: 'okay', tone: 'good' } : { icon: 'bad', tone: 'bad' }}
          word={c.reachable ? t.clusters.reachable : t.clusters.unreachable}
        />
        {c.paused && <Sign look={{ icon: 'paused', tone: 'warn' }} word={t.clusters.paused} />}
        <Link className={css.end} to={`/applications?${new URLSearchParams({ cluster: c.name }).toString()}`}>
          {t.nav.applications}
        </Link>
      </div>
      <p className={css.facts}>
        <span className="mono">{c.server}</span>
        {c.version && <span>{c.version}</span>}
        {c.reachable && <span>{t.clusters.latency(c.latencyMilliseconds)}</span>}
        {c.since && (
          <span>
            {t.clusters.since} <Ago at={c.since} />
          </span>
        )}
        {(c.parked ?? 0) > 0 && <span>{t.clusters.parked(c.parked ?? 0)}</span>}
      </p>
      {c.paused && <p className={css.problem}>{t.clusters.pausedWay}</p>}
      {!c.reachable && (
        <div className={css.problem}>
          <p>{c.problem ?? t.clusters.noAnswer}</p>
          <p>
            {t.clusters.way}{' '}
            {c.next && (
              <>
                {t.clusters.next} <Until at={c.next} />.
              </>
            )}
          </p>
        </div>
      )}
      {c.reachable && c.problem && <p className={css.problem}>{c.problem}</p>}
      {(c.failedGroups?.length ?? 0) > 0 && (
        <p className={css.problem}>{t.clusters.failedGroups((c.failedGroups ?? []).join(', '))}</p>
      )}
      {c.labels && (
        <p className={css.labels}>
          {Object.entries(c.labels).map(([k, v]) => (
            <span key={k} className={css.label}>
              {k}={v}
            </span>
          ))}
        </p>
      )}
    </>
  );
}
