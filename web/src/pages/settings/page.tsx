import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

import type { OwnRights } from '../../api/client';
import { auditPlaceQuery, rightsQuery, sessionQuery } from '../../api/queries';
import { t } from '../../text';
import { Icon } from '../../ui/icons';
import { Letters } from '../../ui/letters';
import { useMay } from '../../ui/may';
import { useReached } from '../../ui/reached';
import { Failed, Loading } from '../../ui/state';
import { useHeading, useTitle } from '../../ui/title';
import { Accounts } from './accounts';
import { Everywhere } from './everywhere';
import { Keys } from './keys';
import css from './page.module.css';
import { sections, type Section } from './sections';

/** Who one is, what one may do, and how the pages look. */
export default function SettingsPage() {
  useTitle(t.nav.settings);
  const heading = useHeading();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const session = useQuery(sessionQuery).data;
  const rights = useQuery(rightsQuery);
  const ways = [
    session?.signIns.password && t.settings.password,
    session?.signIns.oidc && t.settings.oidc(session.signIns.oidc),
    t.settings.tokens,
  ].filter((way) => typeof way === 'string' && way !== '');
  return (
    <div className={css.page}>
      <h1 ref={heading} tabIndex={-1}>
        {t.nav.settings}
      </h1>
      <Part of="you">
        <dl className={css.facts}>
          <dt>{t.settings.name}</dt>
          <dd>{session?.user?.name ?? (session?.open && t.settings.nobody)}</dd>
          {session?.user?.email && (
            <>
              <dt>{t.settings.email}</dt>
              <dd>{session.user.email}</dd>
            </>
          )}
          <dt>{t.settings.via}</dt>
          <dd>{t.settings.vias[session?.user?.via ?? ''] ?? session?.user?.via}</dd>
          <dt>{t.settings.groups}</dt>
          <dd>
            {(session?.user?.groups?.length ?? 0) === 0 ? (
              <span className="dim">{t.settings.noGroups}</span>
            ) : (
              <ul className={css.tags}>
                {session?.user?.groups?.map((g) => (
                  <li key={g} className={css.tag}>
                    {g}
                  </li>
                ))}
              </ul>
            )}
          </dd>
        </dl>
        {(session?.user?.via === 'local' || session?.user?.via === 'oidc') && <Everywhere />}
      </Part>
      <Part of="look">
        <SegmentedControl
          aria-label={t.theme.label}
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme)}
          data={[
            { value: 'auto', label: t.theme.auto },
            { value: 'light', label: t.theme.light },
            { value: 'dark', label: t.theme.dark },
          ]}
        />
        <Letters />
      </Part>
      <Part of="keys">
        <p className="dim">{t.keys.lead}</p>
        <Keys />
      </Part>
      <Part of="accounts">
        <p className="dim">{t.accounts.lead}</p>
        <Accounts />
      </Part>
      <Part of="rights">
        <p className="dim">{t.settings.rightsLead}</p>
        {rights.data ? (
          <Rights own={rights.data} />
        ) : rights.error ? (
          <Failed error={rights.error} retry={() => void rights.refetch()} />
        ) : (
          <Loading rows={6} />
        )}
      </Part>
      <Part of="installation">
        <dl className={css.facts}>
          <dt>{t.product}</dt>
          <dd>{session?.version}</dd>
          <dt>{t.settings.ways}</dt>
          <dd>
            <ul className={css.plain}>
              {ways.map((way) => (
                <li key={String(way)}>{way}</li>
              ))}
            </ul>
            {session?.signIns.notice && <p className={css.notice}>{session.signIns.notice}</p>}
          </dd>
          <dt>{t.nav.audit}</dt>
          <dd>
            <Link to="/audit">{t.settings.audit}</Link>
            <Place />
          </dd>
        </dl>
      </Part>
    </div>
  );
}

/** Part is one of the page, which an address can name. */
function Part({ of, children }: { of: Section; children: ReactNode }) {
  const heading = useReached<HTMLHeadingElement>(of);
  return (
    <section className={`card ${css.part ?? ''}`}>
      <h2 ref={heading} id={of} tabIndex={-1}>
        {sections[of].name}
      </h2>
      {children}
    </section>
  );
}

/** Place tells those who may read the audit where it is kept. */
function Place() {
  const may = useMay('audit');
  const place = useQuery({ ...auditPlaceQuery, enabled: may('get') }).data;
  if (!place) return null;
  const size = new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(place.bytes / 2 ** 20);
  return <p className="dim">{t.accounts.where(place.where, Math.round(place.hours / 24), `${size} MiB`)}</p>;
}

/** Rights is a table: what one may do with what. */
function Rights({ own }: { own: OwnRights }) {
  const all = own.rights ?? [];
  const resources = [...new Set(all.map((r) => r.resource))];
  const actions = [...new Set(all.map((r) => r.action))];
  return (
    <>
      <div className={css.wide} tabIndex={0} role="region" aria-label={t.settings.rights}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{t.settings.resource}</th>
              {actions.map((a) => (
                <th key={a} scope="col">
                  {a}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {resources.map((resource) => (
              <tr key={resource}>
                <th scope="row">{resource}</th>
                {actions.map((action) => {
                  const right = all.find((r) => r.resource === resource && r.action === action);
                  return (
                    <td key={action} data-name={action}>
                      {right ? <Where right={right} /> : null}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {[...new Set(all.flatMap((r) => (r.off && r.some ? [`${r.resource} ${r.action}: ${r.off}`] : [])))].map((why) => (
        <p key={why} className="dim">
          {why}
        </p>
      ))}
      {own.more && <p className="dim">{t.settings.moreProjects}</p>}
    </>
  );
}

function Where({ right }: { right: NonNullable<OwnRights['rights']>[number] }) {
  const projects = right.projects ?? [];
  if (right.off && right.some)
    return (
      <span className="dim" title={right.off}>
        {t.settings.off}
      </span>
    );
  if (right.everywhere) return <Icon name="check" className={css.yes} aria-label={t.settings.yes} />;
  if (projects.length === 0 && right.some) return <span className="dim">{t.settings.some}</span>;
  if (projects.length === 0) return <Icon name="minus" className={css.no} aria-label={t.settings.no} />;
  return (
    <span title={projects.join(', ')}>
      {projects.length === 1 ? projects[0] : t.settings.projects(projects.length)}
    </span>
  );
}
