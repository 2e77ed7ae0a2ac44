import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'react-router';

import type { BridgeAcross, BridgeKeyCluster } from '../../api/client';
import { bridgeKeyQuery } from '../../api/queries';
import { t } from '../../text';
import { useReturn } from '../../ui/return';
import { Failed, Loading } from '../../ui/state';
import { clusterPath, keyText, type KeyName } from './address';
import css from './drawer.module.css';
import { Place, Problem } from './parts';

/** Across shows a key on all clusters, by its values. */
export function Across({ name, close }: { name: KeyName; close: () => void }) {
  useReturn();
  const query = useQuery(bridgeKeyQuery(name));
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="min(560px, 100vw)"
      title={
        <span className={css.title}>
          {name.name} <Place of={name.in} />
        </span>
      }
      closeButtonProps={{ 'aria-label': t.action.close }}
    >
      {query.data ? (
        <Values across={query.data} name={name} />
      ) : query.error ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loading rows={6} />
      )}
    </Drawer>
  );
}

/** byValue groups clusters by the value that they have; where it is missing comes first, then what is rare. */
export function byValue(
  clusters: BridgeKeyCluster[],
): { missing: boolean; value: string; clusters: BridgeKeyCluster[] }[] {
  const groups = new Map<string, { missing: boolean; value: string; clusters: BridgeKeyCluster[] }>();
  for (const c of clusters) {
    const id = c.missing ? '-' : `=${c.value ?? ''}`;
    const group = groups.get(id) ?? { missing: c.missing ?? false, value: c.value ?? '', clusters: [] };
    group.clusters.push(c);
    groups.set(id, group);
  }
  return [...groups.values()].sort(
    (a, b) =>
      Number(b.missing) - Number(a.missing) || a.clusters.length - b.clusters.length || a.value.localeCompare(b.value),
  );
}

function Values({ across, name }: { across: BridgeAcross; name: KeyName }) {
  const groups = useMemo(() => byValue(across.clusters ?? []), [across]);
  return (
    <ul className={css.groups}>
      {groups.map((g) => (
        <li key={g.missing ? '' : `=${g.value}`}>
          <details open={groups.length <= 6 && g.clusters.length <= 12}>
            <summary>
              {g.missing ? (
                <strong className={css.missing}>{t.bridge.missing}</strong>
              ) : g.value === '' ? (
                <span className="dim">{t.bridge.empty}</span>
              ) : (
                <span className="mono">
                  {g.value}
                  {g.clusters[0]?.cut && '…'}
                </span>
              )}
              <span className={css.size}>{t.bridge.clusters(g.clusters.length)}</span>
            </summary>
            <ul className={css.names}>
              {g.clusters.map((c) => (
                <li key={c.cluster}>
                  <Link to={`${clusterPath(c.cluster)}?${new URLSearchParams({ key: keyText(name) }).toString()}`}>
                    {c.cluster}
                  </Link>
                  {c.setBy && <span className="dim"> {t.bridge.setBy(c.setBy)}</span>}
                  {c.problem && <Problem text={c.problem} />}
                </li>
              ))}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  );
}
