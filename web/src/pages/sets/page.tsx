import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import type { AppSet } from '../../api/client';
import { setsQuery } from '../../api/queries';
import { t } from '../../text';
import { fixed } from '../../ui/commands';
import { Listing } from '../../ui/listing';
import css from '../../ui/listing.module.css';
import { Rows } from '../../ui/rows';
import { Sign } from '../../ui/status';
import { Ago } from '../../ui/time';

const words = (s: AppSet) => `${s.namespace} ${s.name} ${s.project} ${(s.generators ?? []).join(' ')}`;
const worst = (a: AppSet, b: AppSet) =>
  Number(b.failed ?? false) - Number(a.failed ?? false) || a.name.localeCompare(b.name);

export default function Sets() {
  const query = useQuery(setsQuery);
  return (
    <Listing
      title={t.nav.sets}
      icon="set"
      query={query}
      words={words}
      find={t.sets.find}
      command={fixed.sets}
      nameOf={(s) => s.name}
      count={t.sets.count}
      resource="applicationsets"
      none={{ what: t.sets.what, title: t.sets.none, lead: t.sets.noneLead }}
    >
      {(sets) => (
        <Rows items={[...sets].sort(worst)} keyOf={(s) => `${s.namespace}/${s.name}`}>
          {(s) => <One set={s} />}
        </Rows>
      )}
    </Listing>
  );
}

function One({ set: s }: { set: AppSet }) {
  const filtered = `/applications?${new URLSearchParams({ applicationSet: s.name }).toString()}`;
  const troubled = (s.conditions ?? []).filter((c) => s.failed && c.type === 'ErrorOccurred' && c.message);
  return (
    <>
      <div className={css.top}>
        <h2>
          <Link to={`/applicationsets/${s.namespace}/${s.name}`}>{s.name}</Link>
        </h2>
        {s.failed && <Sign look={{ icon: 'bad', tone: 'bad' }} word={t.sets.failed} />}
        <span className={css.gauge}>
          <Link to={filtered}>{t.sets.healthy(s.healthy, s.applications)}</Link>
          <span className={css.bar} aria-hidden>
            <i style={{ width: `${s.applications === 0 ? 100 : (s.healthy / s.applications) * 100}%` }} />
          </span>
        </span>
      </div>
      <p className={css.facts}>
        <span>{t.sets.generators((s.generators ?? []).join(', '))}</span>
        <span>{t.sets.project(s.project)}</span>
        <span>{t.sets.synced(s.synced, s.applications)}</span>
        <span>
          {t.sets.created} <Ago at={s.created} />
        </span>
      </p>
      {troubled.map((c, i) => (
        <p key={i} className={css.problem}>
          {c.message}
        </p>
      ))}
    </>
  );
}
